// Numbers of one column made comparable: by rank, evenly or as normal numbers, by z-score, by their
// range, or as they are.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/data/encoding.h"

namespace deepsl::data {

/// Whether columns of that scale keep knots and their ranks.
bool has_ranks(ColumnScale scale);

/// A column's ranks are kept at no more values than these.
constexpr std::size_t most_knots = 1000;

/// The fields of a number, from training values of which at least one is not NaN. `automatic` is
/// normal for heavy tails, else zscore.
void learn_number(EncodedColumn& column, std::vector<double> values, ColumnScale scale);

/// A number, not NaN, as the model's input.
double scaled(const EncodedColumn& column, double number);

}  // namespace deepsl::data
