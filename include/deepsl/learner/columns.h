// The columns of a model's data, and which of its inputs each of them makes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/learner/trained_model.h"

namespace deepsl::learner {

/// A column of the data: its inputs lie one after the other.
struct ModelColumn {
    std::string name;
    std::size_t first = 0, count = 1;
};

/// Of a table those that the model uses; else every input is a column of its own, called by its
/// name or its number.
std::vector<ModelColumn> columns_of(const TrainedModel& model);

/// A row as is usual in the training data: numbers at their median, texts at the most frequent one.
/// Without a table: what lies in the middle of the domain.  x [1, inputs], in the data's units
Matrix<double> usual_row(const TrainedModel& model);

/// What the columns have in the row x [1, inputs], as texts.  [column]
std::vector<std::string> cells_of(const TrainedModel& model, MatrixView<const double> x);

}  // namespace deepsl::learner
