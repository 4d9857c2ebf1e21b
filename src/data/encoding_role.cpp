#include "encoding_role.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "deepsl/text.h"
#include "encoding_cells.h"

namespace deepsl::data {
namespace {

/// Fewer rows may count by chance, or be somebody's first try.
constexpr std::size_t rows_to_count = 20;
constexpr std::size_t texts_to_name = 50;

bool named_as_identifier(std::string name) {
    for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name == "id" || name == "index";
}

bool is_whole(const Column& column) {
    return std::all_of(column.numbers.begin(), column.numbers.end(),
                       [](double number) { return number == std::trunc(number); });
}

/// One by one, or with the lines of the file: so rows picked from a larger table are recognised.
bool counts_rows(const Column& column, const std::vector<std::size_t>& lines) {
    const auto& numbers = column.numbers;
    if (numbers.size() < rows_to_count || !is_whole(column)) return false;
    const auto step = [&](std::size_t row) {
        return static_cast<double>(lines[row]) - static_cast<double>(lines[row - 1]);
    };
    std::array<bool, 4> fits{true, true, true, true};
    for (std::size_t row = 1; row < numbers.size(); ++row) {
        const double change = numbers[row] - numbers[row - 1];
        const std::array<double, 4> expected{1, -1, step(row), -step(row)};
        for (std::size_t i = 0; i < fits.size(); ++i) fits[i] = fits[i] && change == expected[i];
    }
    return std::find(fits.begin(), fits.end(), true) != fits.end();
}

}  // namespace

void refuse_stray(const Table& table, const Column& column) {
    throw data_error(fmt::format(
        "{}, line {}, column {}: {} is not a number, though most cells of the column are; correct "
        "it or leave it empty, or leave out the column",
        in_quotes(table.path), column.stray_line, shown(column.name), shown(column.stray)));
}

Judgement judge(const Table& table, const Column& column, std::optional<Role> wanted) {
    const auto levels = levels_of(column);
    const auto rows = column.size(), different = levels.texts.size();
    const auto present = rows - levels.holes;
    if (present == 0) return {Role::constant, "has no values"};
    if (wanted == Role::number || wanted == Role::category) return {*wanted, ""};
    if (wanted) return {*wanted, "is left out on request"};
    // Beside holes a single text still says something, but a single number fills them.
    if (different == 1 && (column.numeric || present == rows))
        return {Role::constant,
                fmt::format("has only the value {}",
                            column.numeric ? levels.texts[0] : shown(levels.texts[0]))};
    if (column.numeric && counts_rows(column, table.lines))
        return {Role::identifier, "only counts the rows"};
    if (named_as_identifier(column.name) && different == rows &&
        (!column.numeric || is_whole(column)))
        return {Role::identifier, "has a different value in every row, as its name suggests"};
    if (column.numeric) return {Role::number, ""};
    if (different <= texts_to_name || 100 * different < 95 * present) return {Role::category, ""};
    if (column.stray_line > 0) refuse_stray(table, column);
    return {Role::identifier, fmt::format("has {} different texts in {} rows", different, present)};
}

}  // namespace deepsl::data
