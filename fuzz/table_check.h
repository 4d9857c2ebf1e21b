// What must hold for a table read from any bytes whatever: for the fuzzer and for the tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "deepsl/data/table.h"

namespace deepsl::fuzz {

inline void check_column(const data::Column& column, std::size_t rows) {
    demand(column.size() == rows, "a column has another length than the table");
    demand(column.numeric ? column.codes.empty() : column.numbers.empty(), "a column of two types");
    std::size_t holes = 0;
    std::size_t next = 0;  // texts are numbered as they appear
    for (const double number : column.numbers)
        if (std::isnan(number)) ++holes;
    for (const auto code : column.codes) {
        if (code == data::Column::missing) ++holes;
        if (code == next) ++next;
        demand(code == data::Column::missing || code < next, "a code out of order");
    }
    demand(holes == column.holes, "holes are miscounted");
    demand(next == column.texts.size(), "a text that no row has");
    const std::set<std::string_view> distinct(column.texts.begin(), column.texts.end());
    demand(distinct.size() == column.texts.size(), "a text has two codes");
}

inline void check_table(const data::Table& table) {
    demand(table.rows() > 0 && !table.columns.empty(), "an empty table");
    demand(std::is_sorted(table.lines.begin(), table.lines.end()), "lines out of order");
    demand(table.lines.front() >= 1, "lines are counted from 1");
    std::set<std::string_view> names;
    for (const auto& column : table.columns) {
        check_column(column, table.rows());
        demand(names.insert(column.name).second, "two columns of one name");
    }
}

inline bool same(const data::Table& left, const data::Table& right) {
    const auto same_number = [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
    };
    const auto same_column = [&](const data::Column& a, const data::Column& b) {
        return a.name == b.name && a.numeric == b.numeric && a.codes == b.codes &&
               a.texts == b.texts && a.holes == b.holes && a.stray == b.stray &&
               a.stray_line == b.stray_line &&
               std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
                          same_number);
    };
    return left.separator == right.separator && left.header == right.header &&
           left.lines == right.lines &&
           std::equal(left.columns.begin(), left.columns.end(), right.columns.begin(),
                      right.columns.end(), same_column);
}

/// Nothing if the text is refused, which must be by an Error of one line that names the file.
inline std::optional<data::Table> parsed(std::string_view text, const data::TableOptions& options) {
    try {
        return data::parse_table(text, "data.csv", options);
    } catch (const Error& error) {
        check_message(error.what(), "data.csv");
        return {};
    }
}

inline std::string with_crlf(std::string_view text) {
    std::string result;
    for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return result;
}

/// Throws std::logic_error if the parser breaks a promise.
inline void check_text(std::string_view text) {
    std::vector<data::TableOptions> choices(1);
    for (const char separator : {',', ';', '\t'})
        for (const bool header : {false, true}) choices.push_back({separator, header, {}});
    for (const auto& options : choices) {
        const auto table = parsed(text, options);
        if (text.find('\r') == std::string_view::npos) {
            const auto windows = parsed(with_crlf(text), options);
            demand(table.has_value() == windows.has_value(), "CRLF decides if it is a table");
            demand(!table || same(*table, *windows), "CRLF makes another table");
        }
        if (!table) continue;
        check_table(*table);
        std::vector<std::size_t> all(table->rows());
        std::iota(all.begin(), all.end(), std::size_t{0});
        demand(same(*table, table->rows_of(all)), "all rows make another table");
        std::reverse(all.begin(), all.end());
        demand(same(*table, table->rows_of(all).rows_of(all)), "turned twice is another table");
    }
}

}  // namespace deepsl::fuzz
