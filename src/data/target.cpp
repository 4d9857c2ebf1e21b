#include "deepsl/data/target.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/text.h"
#include "encoding_cells.h"
#include "encoding_role.h"

namespace deepsl::data {
namespace {

constexpr std::size_t most_shown = 5;

void check_holes(const Table& table, const Column& column, const Levels& levels) {
    if (levels.holes == 0) return;
    std::vector<std::size_t> lines;
    for (std::size_t row = 0; row < levels.codes.size() && lines.size() < most_shown; ++row)
        if (levels.codes[row] == Column::missing) lines.push_back(table.lines[row]);
    throw data_error(fmt::format(
        "{}: the target is missing in {} row{} (line{} {}{}); fill it in or remove the rows",
        where(table, column), levels.holes, levels.holes == 1 ? "" : "s",
        levels.holes == 1 ? "" : "s", fmt::join(lines, ", "),
        levels.holes > most_shown ? ", .." : ""));
}

bool are_classes(const Table& table, const Column& column, const Levels& levels, TargetKind kind,
                 bool model_has_classes, std::size_t most_classes) {
    switch (kind) {
        case TargetKind::automatic: break;
        case TargetKind::classes: return true;
        case TargetKind::numbers: return false;
    }
    if (model_has_classes) return true;
    const bool many = levels.texts.size() > most_classes;
    if (!column.numeric) {
        if (many && column.stray_line > 0) refuse_stray(table, column);
        return true;
    }
    // Infinite ones are no classes either, and are refused as numbers.
    return !many && std::all_of(column.numbers.begin(), column.numbers.end(), [](double number) {
        return std::isfinite(number) && number == std::trunc(number);
    });
}

/// Names and numbers written with commas are texts, too, but no classes to be learned unasked.
void check_count(const Table& table, const Column& column, const Levels& levels,
                 std::size_t most_classes) {
    constexpr std::size_t most_texts = 1000;
    const auto count = levels.texts.size();
    const bool nearly_all_differ = count > most_classes && 2 * count > table.rows();
    if (column.numeric || (count <= most_texts && !nearly_all_differ)) return;
    throw data_error(fmt::format(
        "{}: the target has {} different texts in {} rows, too many to be learned as classes; name "
        "another target, or ask for it with --task classes",
        where(table, column), count, table.rows()));
}

std::string some_classes(const std::vector<std::string>& classes) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < std::min(most_shown, classes.size()); ++i)
        some.push_back(shown(classes[i]));
    return fmt::format("{}{}", fmt::join(some, ", "), classes.size() > most_shown ? ", .." : "");
}

/// The place of each level among the known classes.
std::vector<std::int64_t> places_in(const std::vector<std::string>& known, const Table& table,
                                    const Column& column, const Levels& levels) {
    const LevelFinder finder(known);
    std::vector<std::int64_t> places;
    for (std::size_t level = 0; level < levels.texts.size(); ++level) {
        const std::string_view text = levels.texts[level];
        auto found = finder.find(text);
        if (!found && text.ends_with('.')) found = finder.find(text.substr(0, text.size() - 1));
        if (!found) {
            const auto row = std::find(levels.codes.begin(), levels.codes.end(), level);
            throw data_error(fmt::format(
                "{}: the model does not know the class {}; it knows {}",
                where(table, column, static_cast<std::size_t>(row - levels.codes.begin())),
                shown(text), some_classes(known)));
        }
        places.push_back(static_cast<std::int64_t>(*found));
    }
    return places;
}

Target target_of(const Table& table, std::string_view column_name, TargetKind kind,
                 const std::vector<std::string>& known, std::size_t most_classes, bool to_learn) {
    const auto& column = column_of(table, column_name, " to be the target");
    const auto levels = levels_of(column);
    check_holes(table, column, levels);
    Target target;
    target.name = column.name;
    const bool one_value = to_learn && levels.texts.size() == 1;
    if (!are_classes(table, column, levels, kind, !known.empty(), most_classes)) {
        target.numbers = numbers_of(table, column, ", as the target has to be", "remove the row");
        if (one_value)
            throw data_error(
                fmt::format("{}: the target is {} in every row; bring rows that differ"
                            " in it, or choose another column",
                            where(table, column), levels.texts[0]));
        return target;
    }
    if (known.empty() && one_value)
        throw data_error(fmt::format(
            "{}: the target has the one class {}; bring rows of two classes or more, or choose "
            "another column",
            where(table, column), shown(levels.texts[0])));
    if (known.empty() && kind == TargetKind::automatic)
        check_count(table, column, levels, most_classes);
    target.classes = known.empty() ? levels.texts : known;
    const auto places = places_in(target.classes, table, column, levels);
    for (const auto code : levels.codes) target.labels.push_back(places[code]);
    return target;
}

}  // namespace

Target read_target(const Table& table, std::string_view column, TargetKind kind,
                   const std::vector<std::string>& known, std::size_t most_classes) {
    return target_of(table, column, kind, known, most_classes, true);
}

Target read_measured_target(const Table& table, std::string_view column,
                            const std::vector<std::string>& classes) {
    return target_of(table, column, classes.empty() ? TargetKind::numbers : TargetKind::classes,
                     classes, classes.size(), false);
}

}  // namespace deepsl::data
