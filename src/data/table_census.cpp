#include "table_census.h"

#include <algorithm>

#include <fmt/format.h>

namespace deepsl::data {
namespace {

void check_fault(const Cell& cell, const std::string& file, std::size_t line, std::size_t column) {
    if (cell.fault == Cell::Fault::none) return;
    const auto* const what =
        cell.fault == Cell::Fault::unclosed_quote
            ? "a quote is opened and never closed; close it, or remove it"
            : "text follows the closing quote; write a quote inside a text twice, as in "
              "\"say \"\"yes\"\"\"";
    throw table_error(file, line, std::to_string(column), what);
}

void check_length(std::size_t cells, std::size_t expected, const Cell& last,
                  const std::string& file, std::size_t line) {
    if (cells == expected) return;
    if (cells == 1 && last.text.empty())
        throw table_error(file, line, "a blank line between the rows; remove it");
    throw table_error(file, line,
                      fmt::format("{} cell{} instead of {}; is a separator inside a text? put "
                                  "quotes around it",
                                  cells, cells == 1 ? "" : "s", expected));
}

bool looks_like_header(const std::vector<ColumnCensus>& columns,
                       const std::vector<std::string>& expected) {
    using Kind = Value::Kind;
    std::string room;
    for (const auto& column : columns)
        if (std::find(expected.begin(), expected.end(), content(column.top, room)) !=
            expected.end())
            return true;
    const auto any = [&](auto&& holds) {
        return std::any_of(columns.begin(), columns.end(), holds);
    };
    const auto top_is = [&](Kind kind) {
        return any([kind](const ColumnCensus& column) { return column.top_kind == kind; });
    };
    if (top_is(Kind::number)) return false;
    const bool text_over_numbers = any([](const ColumnCensus& column) {
        return column.top_kind == Kind::text && column.texts == 0 && column.numbers > 0;
    });
    if (text_over_numbers) return true;
    return !top_is(Kind::hole) && !any([](const ColumnCensus& column) { return column.top_again; });
}

}  // namespace

void ColumnCensus::count(const Cell& cell, Value::Kind kind, std::size_t line) {
    const auto keep_first = [&](Cell& kept, std::size_t& kept_line) {
        if (kept_line == 0 || line < kept_line) kept = cell, kept_line = line;
    };
    switch (kind) {
        case Value::Kind::hole: ++holes; break;
        case Value::Kind::number: ++numbers; break;
        case Value::Kind::text: ++texts, keep_first(text, text_line); break;
    }
}

Census take_census(const TableBody& body, const std::string& file, char separator,
                   std::optional<bool> header, const std::vector<std::string>& expected) {
    Census census;
    auto& columns = census.columns;
    CellReader reader(body.text, separator, body.first_line);
    std::string room;
    for (Cell cell; !cell.ends_row;) {
        const auto line = reader.line();
        cell = reader.next();
        check_fault(cell, file, line, columns.size() + 1);
        auto& column = columns.emplace_back();
        column.top = cell;
        column.top_kind = value_of(content(cell, room)).kind;
    }

    census.lines.push_back(body.first_line);
    while (!reader.at_end()) {
        const auto row_line = reader.line();
        std::size_t cells = 0;
        Cell cell;
        for (; !cell.ends_row; ++cells) {
            const auto line = reader.line();
            cell = reader.next();
            check_fault(cell, file, line, cells + 1);
            if (cells >= columns.size()) continue;
            auto& column = columns[cells];
            column.count(cell, value_of(content(cell, room)).kind, line);
            column.top_again = column.top_again || cell.text == column.top.text;
        }
        check_length(cells, columns.size(), cell, file, row_line);
        census.lines.push_back(row_line);
    }

    census.header = header ? *header : looks_like_header(columns, expected);
    if (census.header) {
        census.lines.erase(census.lines.begin());
        if (census.lines.empty())
            throw table_error(file, body.first_line,
                              "a header and no row below it; add rows, or say that the first line "
                              "is a row");
    } else {
        for (auto& column : columns) column.count(column.top, column.top_kind, body.first_line);
    }
    return census;
}

}  // namespace deepsl::data
