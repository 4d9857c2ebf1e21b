// Numbers of one column made comparable: by rank, by z-score, by their range, or as they are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/data/encoding.h"

namespace deepsl::data {

/// rank, zscore, minmax, none.
const std::vector<std::string>& scales();

/// A column's ranks are kept at no more values than these.
constexpr std::size_t most_knots = 1000;

/// The fields of a number, from training values of which at least one is not NaN.
void learn_number(EncodedColumn& column, std::vector<double> values, const std::string& scale);

/// A number, not NaN, as the model's input.
double scaled(const EncodedColumn& column, double number);

}  // namespace deepsl::data
