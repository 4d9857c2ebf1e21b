// The way back from a model's inputs to cells of a table: what is usual in a column, and which
// number has an input.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "deepsl/data/encoding.h"

namespace deepsl::data {

/// What a column's inputs are for its usual cell: the training median, or the most frequent text,
/// where a hole counts as one.  [column.width()]
std::vector<double> usual_inputs(const EncodedColumn& column);

/// The cell that has these inputs [column.width()] as a text: "missing" for a hole that training
/// had, "another text" for one that it had not.
std::string cell_text(const EncodedColumn& column, std::span<const double> inputs);

/// The number of a column of numbers that has this input, within the range of training.
double number_at(const EncodedColumn& column, double input);

}  // namespace deepsl::data
