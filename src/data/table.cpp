#include "deepsl/data/table.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "deepsl/io/file.h"
#include "deepsl/text.h"
#include "table_census.h"
#include "table_dictionary.h"

namespace deepsl::data {
namespace {

// Codes of texts have 32 bits: a file of this size cannot have more.
constexpr std::uint64_t max_bytes = 4'000'000'000;
constexpr std::size_t longest_shown = 60;

std::string column_name(const Census& census, std::size_t column) {
    std::string room;
    const auto top = census.header ? trimmed(content(census.columns[column].top, room)) : "";
    return top.empty() ? fmt::format("column{}", column + 1) : std::string(top);
}

using Places = std::unordered_map<std::string_view, std::size_t>;

Places places_by_name(const Table& table, std::size_t header_line) {
    Places places;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto [other, is_new] = places.emplace(table.columns[i].name, i);
        if (!is_new)
            throw table_error(table.path, header_line,
                              fmt::format("the columns {} and {} are both called {}; rename one",
                                          other->second + 1, i + 1,
                                          in_quotes(table.columns[i].name, longest_shown)));
    }
    return places;
}

std::vector<bool> wanted_as_texts(const Table& table, const Places& places,
                                  const std::vector<std::string>& texts) {
    std::vector<bool> wanted(table.columns.size(), false);
    for (const auto& name : texts) {
        const auto found = places.find(name);
        if (found == places.end()) {
            const auto similar = nearest(name, table.names());
            throw table_error(
                table.path, 0,
                fmt::format(
                    "there is no column {} to be read as texts; {}", in_quotes(name, longest_shown),
                    similar.empty()
                        ? "name one of its columns"
                        : fmt::format("did you mean {}?", in_quotes(similar, longest_shown))));
        }
        wanted[found->second] = true;
    }
    return wanted;
}

void choose_type(Column& column, const ColumnCensus& census, bool wanted_as_text) {
    std::string room;
    column.holes = census.holes;
    column.numeric = census.texts == 0 && !wanted_as_text;
    if (column.numeric || wanted_as_text || census.numbers <= census.texts) return;
    column.stray = content(census.text, room);
    column.stray_line = census.text_line;
}

/// The second pass: every column is of known type and length.
void fill(Table& table, const TableBody& body) {
    std::vector<Dictionary> dictionaries;
    dictionaries.reserve(table.columns.size());
    for (auto& column : table.columns) {
        if (column.numeric) column.numbers.reserve(table.rows());
        if (!column.numeric) column.codes.reserve(table.rows());
        dictionaries.emplace_back(column.texts);
    }
    CellReader reader(body.text, table.separator, body.first_line);
    if (table.header)
        while (!reader.next().ends_row) continue;
    std::string room;
    while (!reader.at_end()) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            auto& column = table.columns[i];
            const auto text = content(reader.next(), room);
            const auto value = value_of(text);
            if (column.numeric)
                column.numbers.push_back(value.number);
            else if (value.kind == Value::Kind::hole)
                column.codes.push_back(Column::missing);
            else
                column.codes.push_back(dictionaries[i].code(text));
        }
    }
}

}  // namespace

std::vector<std::string> Table::names() const {
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const auto& column : columns) names.push_back(column.name);
    return names;
}

const Column* Table::find(std::string_view name) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

Column Column::rows_of(std::span<const std::size_t> rows) const {
    Column result;
    result.name = name;
    result.numeric = numeric;
    result.stray = stray;
    result.stray_line = stray_line;
    if (numeric) {
        result.numbers.reserve(rows.size());
        for (const auto row : rows) result.numbers.push_back(numbers.at(row));
        const auto is_hole = [](double number) { return std::isnan(number); };
        result.holes = static_cast<std::size_t>(
            std::count_if(result.numbers.begin(), result.numbers.end(), is_hole));
        return result;
    }
    // Texts that none of these rows has must not look like categories.
    std::vector<std::uint32_t> new_codes(texts.size(), missing);
    result.codes.reserve(rows.size());
    for (const auto row : rows) {
        const auto code = codes.at(row);
        if (code == missing) {
            ++result.holes;
        } else if (new_codes[code] == missing) {
            new_codes[code] = static_cast<std::uint32_t>(result.texts.size());
            result.texts.push_back(texts[code]);
        }
        result.codes.push_back(code == missing ? missing : new_codes[code]);
    }
    return result;
}

Table Table::rows_of(std::span<const std::size_t> numbers) const {
    Table result{path, separator, header, separator_found, header_found, {}, {}};
    result.lines.reserve(numbers.size());
    for (const auto row : numbers) result.lines.push_back(lines.at(row));
    result.columns.reserve(columns.size());
    for (const auto& column : columns) result.columns.push_back(column.rows_of(numbers));
    return result;
}

Table parse_table(std::string_view text, const std::string& name, const TableOptions& options) {
    if (options.separator && separator_name(*options.separator).empty())
        throw table_error(name, 0,
                          fmt::format("the separator is given as {}; choose a comma, a semicolon "
                                      "or a tab",
                                      in_quotes({&*options.separator, 1})));
    const auto body = find_body(text, name);
    Table table;
    table.path = name;
    table.separator_found = !options.separator;
    table.separator = options.separator ? *options.separator : find_separator(body);
    auto census = take_census(body, name, table.separator, options.header, options.expected);
    table.header_found = !options.header;
    table.header = census.header;
    table.lines = std::move(census.lines);

    table.columns.resize(census.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        table.columns[i].name = column_name(census, i);
    const auto places = places_by_name(table, body.first_line);
    const auto as_texts = wanted_as_texts(table, places, options.texts);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        choose_type(table.columns[i], census.columns[i], as_texts[i]);
    fill(table, body);
    return table;
}

Table read_table(const std::string& path, const TableOptions& options) {
    return parse_table(io::read_file(path, max_bytes), path, options);
}

std::string_view separator_name(char separator) {
    switch (separator) {
        case ',': return "comma";
        case ';': return "semicolon";
        case '\t': return "tab";
        default: return "";
    }
}

}  // namespace deepsl::data
