// The column to be learned: classes, or numbers for a regression.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/data/table.h"

namespace deepsl::data {

enum class TargetKind { automatic, classes, numbers };
constexpr std::array<std::string_view, 3> names(TargetKind) {
    return {"auto", "classes", "numbers"};
}

struct Target {
    std::string name;
    std::vector<std::string> classes;  // sorted, as texts or as numbers; empty: a regression
    std::vector<std::int64_t> labels;  // [row]
    std::vector<double> numbers;       // [row]
};

/// Of the kind `automatic`, texts, and numbers with at most `most_classes` distinct whole values,
/// are classes. With `known`, the classes of a model, labels are places in it; a class may end in
/// one full stop too many, as in the test file of Adult. Rows whose target is missing are told by
/// line and are an error. Throws Error: no such column (names the nearest), one class only (unless
/// `known`), a constant number, a class that `known` lacks, numbers that are not finite, a text
/// among many numbers.
Target read_target(const Table& table, std::string_view column,
                   TargetKind kind = TargetKind::automatic,
                   const std::vector<std::string>& known = {}, std::size_t most_classes = 20);

/// The same of rows on which a model is measured, by its classes (none: numbers); there one value
/// in every row is enough.
Target read_measured_target(const Table& table, std::string_view column,
                            const std::vector<std::string>& classes);

}  // namespace deepsl::data
