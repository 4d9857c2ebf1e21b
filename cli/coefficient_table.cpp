#include "coefficient_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deepsl/io/file.h"
#include "error.h"
#include "text.h"

namespace deepsl::cli {
namespace {

constexpr std::array<std::string_view, 4> wanted = {"t", "p", "q", "w"};
constexpr std::uint64_t largest_table = 100'000'000;
constexpr std::size_t longest_line = 1'000'000;

/// Cells of one line; a cell in double quotes may contain commas, and "" stands for a quote.
std::vector<std::string> split_cells(std::string_view line) {
    std::vector<std::string> cells(1);
    bool in_quotes = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && in_quotes && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[++i];
        } else if (c == '"') {
            in_quotes = !in_quotes;
        } else if (c == ',' && !in_quotes) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    for (auto& cell : cells) cell = std::string(trimmed(cell));
    return cells;
}

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)) {}

    CoefficientTable read() {
        const auto content = read_content();
        std::string_view rest = content;
        if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size());
            ++line_number_;
            read_line(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        check_size();
        return std::move(table_);
    }

private:
    std::string name() const { return shown(path_, path_.size()); }

    std::string read_content() const {
        try {
            return io::read_file(path_, largest_table);
        } catch (const Error& error) {
            throw Error(error.kind(), fmt::format("--table: {}", error.what()));
        }
    }

    void read_line(std::string_view text) {
        // Each cell costs more memory than its comma does.
        if (text.size() > longest_line) {
            throw at_line("", fmt::format("the line is longer than {}; is it a table? give each "
                                          "row a line of its own",
                                          shown_size(longest_line)));
        }
        text = trimmed(text);
        if (text.empty() || text.front() == '#') return;
        if (columns_ == 0) {
            read_header(split_cells(text));
        } else {
            read_row(split_cells(text));
        }
    }

    Error at_line(std::string_view column, std::string_view what) const {
        const auto where = column.empty() ? std::string() : fmt::format(", column {}", column);
        return data_error(fmt::format("{}, line {}{}: {}", name(), line_number_, where, what));
    }

    void read_header(const std::vector<std::string>& names) {
        columns_ = names.size();
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            const auto found = std::find(names.begin(), names.end(), wanted[k]);
            if (found == names.end()) {
                throw at_line(wanted[k],
                              "the column is missing from the header; the first line "
                              "must name t, p, q and w");
            }
            if (std::find(found + 1, names.end(), wanted[k]) != names.end()) {
                throw at_line(wanted[k], "the header names this column twice; keep one of them");
            }
            where_[k] = static_cast<std::size_t>(found - names.begin());
        }
    }

    void read_row(const std::vector<std::string>& cells) {
        if (cells.size() != columns_) {
            throw at_line("", fmt::format("{} cells where the header has {}; give every row the "
                                          "same number of cells",
                                          cells.size(), columns_));
        }
        std::array<double, wanted.size()> row{};
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            const auto& cell = cells[where_[k]];
            const auto value = to_number<double>(cell);
            if (!value || !std::isfinite(*value)) {
                throw at_line(wanted[k],
                              fmt::format("{} is not a finite number; write it like 0.25 or "
                                          "2.5e-1",
                                          cell.empty() ? "an empty cell" : shown(cell)));
            }
            row[k] = *value;
        }
        append(row[0], row[1], row[2], row[3]);
    }

    void append(double t, double p, double q, double w) {
        if (!table_.t.empty() && t <= table_.t.back()) {
            throw at_line("t", fmt::format("t = {} does not exceed {} of the row before; sort the "
                                           "rows by t and keep each t once",
                                           t, table_.t.back()));
        }
        if (p <= 0.0) throw at_line("p", fmt::format("p = {} must be positive", p));
        if (w <= 0.0) throw at_line("w", fmt::format("w = {} must be positive", w));
        table_.t.push_back(t);
        table_.p.push_back(p);
        table_.q.push_back(q);
        table_.w.push_back(w);
    }

    void check_size() const {
        if (columns_ == 0) {
            throw data_error(
                fmt::format("{}: the table is empty; its first line must name the "
                            "columns t, p, q and w",
                            name()));
        }
        if (table_.t.size() < 2) {
            throw data_error(
                fmt::format("{}, line {}: the table has {} after its header, but an "
                            "interval takes at least 2 rows",
                            name(), line_number_, table_.t.empty() ? "no row" : "1 row"));
        }
    }

    std::string path_;
    std::size_t line_number_ = 0;
    std::size_t columns_ = 0;  // 0 until the header is read
    std::array<std::size_t, wanted.size()> where_{};
    CoefficientTable table_;
};

}  // namespace

CoefficientTable read_coefficient_table(const std::string& path) { return Reader(path).read(); }

std::function<double(double)> interpolate(std::vector<double> t, std::vector<double> values) {
    struct Points {
        std::vector<double> t, values;
    };
    const auto points = std::make_shared<const Points>(Points{std::move(t), std::move(values)});
    return [points](double at) {
        const auto& [x, y] = *points;
        const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, at) - x.begin();
        const auto right = static_cast<std::size_t>(above);
        const double share = (at - x[right - 1]) / (x[right] - x[right - 1]);
        return std::lerp(y[right - 1], y[right], share);
    };
}

}  // namespace deepsl::cli
