// How much the answers of a model depend on its grid: the same samples with two numerics.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"

namespace deepsl::model {

/// What a model says about some samples with some numerics.
struct Answers {
    Matrix<double> y;       // [B, outputs]
    Matrix<double> lambda;  // [B, fields * d]
    std::vector<char> ok;   // [B]

    Answers(std::size_t samples, std::size_t outputs, std::size_t eigenvalues)
        : y(samples, outputs), lambda(samples, eigenvalues), ok(samples, 1) {}

    /// Adds one of the fields, seen through some of the samples: rows first, first + 1, ..
    void add(const Inspection& seen, std::size_t field, std::size_t first);
};

/// Between answers on the model's own grid and on a finer one, where both are ok.
struct GridChange {
    double prediction = 0.0;  // the largest change of an output against the spread of outputs
    double classes = 0.0;     // the share of samples whose largest output is another one
    double lambda = 0.0;      // the largest change against the distance to the neighbour
};

GridChange grid_change(const Answers& own, const Answers& fine, std::size_t fields);

}  // namespace deepsl::model
