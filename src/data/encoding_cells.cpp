#include "encoding_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/text.h"

namespace deepsl::data {
namespace {

std::optional<double> finite_number(std::string_view text) {
    const auto number = to_number<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Equal numbers, equal texts: there is no -0.
std::string shortest(double number) { return fmt::format("{}", number + 0.0); }

std::string some_names(const Table& table) {
    constexpr std::size_t most = 12;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(most, table.columns.size()); ++i)
        names.push_back(shown(table.columns[i].name));
    const auto more = table.columns.size() - names.size();
    return fmt::format("{}{}", fmt::join(names, ", "),
                       more == 0 ? ""
                                 : fmt::format(" and {} more, the last of them {}", more,
                                               shown(table.columns.back().name)));
}

/// Levels of the items that rows point at: sorted, those without a row left out.
template <class Item, class Text>
Levels counted(const std::vector<Item>& items, const std::vector<std::uint32_t>& codes,
               const Text& text) {
    Levels levels;
    levels.codes = codes;
    std::vector<std::size_t> counts(items.size(), 0);
    for (const auto code : codes) ++(code == Column::missing ? levels.holes : counts[code]);
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t item) { return counts[item] == 0; });
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return items[a] < items[b]; });
    std::vector<std::uint32_t> place(items.size(), Column::missing);
    for (const auto item : order) {
        place[item] = static_cast<std::uint32_t>(levels.texts.size());
        levels.texts.push_back(text(items[item]));
        levels.counts.push_back(counts[item]);
    }
    for (auto& code : levels.codes)
        if (code != Column::missing) code = place[code];
    return levels;
}

}  // namespace

std::string where(const Table& table, const Column& column) {
    return fmt::format("{}, column {}", in_quotes(table.path), shown(column.name));
}

std::string where(const Table& table, const Column& column, std::size_t row) {
    return fmt::format("{}, line {}, column {}", in_quotes(table.path), table.lines[row],
                       shown(column.name));
}

std::string shown(std::string_view text) { return in_quotes(text, 60); }

const Column& column_of(const Table& table, std::string_view name, std::string_view purpose) {
    for (const auto& column : table.columns)
        if (column.name == name) return column;
    std::vector<std::string> names;
    for (const auto& column : table.columns) names.push_back(column.name.substr(0, 60));
    throw data_error(fmt::format(
        "{} has no column {}{}; {}{}", in_quotes(table.path), shown(name), purpose,
        did_you_mean(name.substr(0, 60), names, fmt::format("it has {}", some_names(table))),
        !table.header && table.header_found
            ? ", since no header was found; if its first line holds names, say --header"
            : ""));
}

std::vector<double> numbers_of(const Table& table, const Column& column, std::string_view expected,
                               std::string_view otherwise) {
    const auto refuse = [&](std::size_t row, const std::string& cell) {
        throw data_error(fmt::format("{}: {} is not a {}number{}; correct it or {}",
                                     where(table, column, row), shown(cell),
                                     column.numeric ? "finite " : "", expected, otherwise));
    };
    std::vector<double> numbers(column.size(), std::numeric_limits<double>::quiet_NaN());
    if (column.numeric) {
        for (std::size_t row = 0; row < numbers.size(); ++row) {
            if (std::isinf(column.numbers[row])) refuse(row, shortest(column.numbers[row]));
            numbers[row] = column.numbers[row];
        }
        return numbers;
    }
    // Later rows of a file may hold texts, and a caller may have asked for texts: what counts is
    // whether each can be read as a number.
    std::vector<std::optional<double>> meaning;
    for (const auto& text : column.texts) meaning.push_back(finite_number(text));
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        const auto code = column.codes[row];
        if (code == Column::missing) continue;
        if (!meaning[code]) refuse(row, column.texts[code]);
        numbers[row] = *meaning[code];
    }
    return numbers;
}

Levels levels_of(const Column& column) {
    if (!column.numeric)
        return counted(column.texts, column.codes, [](const std::string& text) { return text; });
    std::vector<double> values;
    for (const double number : column.numbers)
        if (!std::isnan(number)) values.push_back(number);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<std::uint32_t> codes(column.numbers.size(), Column::missing);
    for (std::size_t row = 0; row < codes.size(); ++row) {
        const double number = column.numbers[row];
        if (std::isnan(number)) continue;
        const auto place = std::lower_bound(values.begin(), values.end(), number);
        codes[row] = static_cast<std::uint32_t>(place - values.begin());
    }
    return counted(values, codes, shortest);
}

LevelFinder::LevelFinder(const std::vector<std::string>& levels) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
        by_text_.emplace(levels[i], i);
        const auto number = finite_number(levels[i]);
        if (!number) continue;
        const auto [entry, fresh] = by_number_.emplace(*number, i);
        if (!fresh) entry->second.reset();
    }
}

std::optional<std::size_t> LevelFinder::find(std::string_view text) const {
    if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
    if (by_number_.empty()) return {};
    const auto number = finite_number(text);
    if (!number) return {};
    const auto found = by_number_.find(*number);
    return found == by_number_.end() ? std::nullopt : found->second;
}

}  // namespace deepsl::data
