// A data set as a model sees it: rows in the model's coordinates, and what they should give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"
#include "deepsl/random.h"

namespace deepsl::train {

/// What some rows should give, either of the two; somebody else owns it.
struct Targets {
    std::span<const std::int64_t> labels;  // [N], 0..classes-1
    MatrixView<const double> numbers;      // [N, outputs]

    bool has_labels() const { return !labels.empty(); }
    std::size_t size() const { return has_labels() ? labels.size() : numbers.rows(); }
};

struct Dataset {
    Matrix<double> x;                  // [N, inputs]
    std::vector<std::int64_t> labels;  // [N], 0..classes-1; or none, and
    Matrix<double> numbers;            // [N, outputs]

    std::size_t size() const { return x.rows(); }
    bool empty() const { return x.empty(); }
    bool has_labels() const { return !labels.empty(); }
    Targets targets() const { return {labels, numbers}; }

    /// The rows of these numbers, in this order.
    Dataset rows_at(std::span<const std::size_t> rows) const;
};

/// Throws Error, with the set's name, unless the model can learn from it: there are rows, of the
/// model's inputs; targets are labels the model has outputs for (with one output 0 and 1), or
/// finite numbers. Rows of x need not be finite: a sample that fails is left out when it does.
void check_dataset(const model::Predictor& model, const Dataset& data, std::string_view name);

/// What calibrate wants: a column per output with 0 and 1 for labels (with one output -1 and 1), or
/// the numbers themselves. [N, outputs]
Matrix<double> calibration_targets(const Dataset& data, std::size_t outputs);

/// Row numbers of two parts of a data set.
struct RowSplit {
    std::vector<std::size_t> training, validation;
};

/// A share of the rows, rounded, for validation, the others for training, both in random order.
/// Training keeps at least one row; so does validation if the share is not 0 and there are two.
/// With labels each class gives its share: at least one row, and not its last one. A class of a
/// single row stays in training, unless all are.
RowSplit split_rows(const Targets& targets, double share, Random& random);

struct Split {
    Dataset training, validation;
};

Split split(const Dataset& data, double share, Random& random);

}  // namespace deepsl::train
