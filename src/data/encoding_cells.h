// A column's cells read as a model needs them, numbers or levels, and the sentences that say where
// they do not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/data/table.h"

namespace deepsl::data {

/// "'people.csv', line 7, column 'age'", to begin a message.
std::string where(const Table& table, const Column& column);
std::string where(const Table& table, const Column& column, std::size_t row);

/// Texts from a file, short enough for a message.
std::string shown(std::string_view text);

/// Throws Error with the nearest name, or all of them. `purpose` goes on from "no column 'x'".
const Column& column_of(const Table& table, std::string_view name, std::string_view purpose = "");

/// NaN where missing [row]. Throws Error for a cell that is no finite number; `expected` goes
/// on from "is not a number", `otherwise` from "correct it or".
std::vector<double> numbers_of(const Table& table, const Column& column, std::string_view expected,
                               std::string_view otherwise = "leave it empty");

/// Only texts that some row has. Numbers stand in their shortest notation.
struct Levels {
    std::vector<std::string> texts;    // sorted, as texts or as numbers
    std::vector<std::size_t> counts;   // of rows                              [level]
    std::vector<std::uint32_t> codes;  // places in texts, or Column::missing  [row]
    std::size_t holes = 0;
};
Levels levels_of(const Column& column);

/// Finds levels by text or, where the notation differs ("1.0", "01"), by the number they stand for.
class LevelFinder {
public:
    explicit LevelFinder(const std::vector<std::string>& levels);
    std::optional<std::size_t> find(std::string_view text) const;

private:
    std::map<std::string, std::size_t, std::less<>> by_text_;
    std::map<double, std::optional<std::size_t>> by_number_;  // nothing: two notations of one
};

}  // namespace deepsl::data
