#include "table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "error.h"
#include "text.h"

namespace deepsl::cli {
namespace {

constexpr std::array<std::string_view, 4> wanted = {"t", "p", "q", "w"};

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

    Table read() {
        std::error_code ignored;
        if (std::filesystem::is_directory(path_, ignored)) {
            throw data_error(
                fmt::format("the table {} is a directory; name a CSV file in it", name()));
        }
        std::ifstream file(path_, std::ios::binary);
        if (!file) {
            throw data_error(
                fmt::format("cannot read the table {}: {}; check the name and its "
                            "permissions",
                            name(), std::strerror(errno)));
        }
        std::string line;
        while (std::getline(file, line)) {
            ++line_number_;
            std::string_view text = line;
            if (line_number_ == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
            text = trimmed(text);
            if (text.empty() || text.front() == '#') continue;
            if (columns_ == 0) {
                read_header(split_cells(text));
            } else {
                read_row(split_cells(text));
            }
        }
        if (file.bad()) throw at_line("", "reading failed; check the disk and try again");
        check_size();
        return std::move(table_);
    }

private:
    std::string name() const { return shown(path_, path_.size()); }

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
    Table table_;
};

}  // namespace

Table read_table(const std::string& path) { return Reader(path).read(); }

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
