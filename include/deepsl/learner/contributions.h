// What each column adds to a row's scores: the model's exact gradients, integrated along the
// straight way z(s) from a usual row to this one, in the domain.
//
//     F_k(row) - F_k(usual) = sum over columns of  integral from 0 to 1 of dF_k/dz (z(s)) . dz ds
//
// (integrated gradients: Sundararajan, Taly, Yan 2017.) Gauss-Legendre nodes are added until the
// sum is met; what is missing in the end is told.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/learner/columns.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/matrix.h"

namespace deepsl::learner {

struct Contributions {
    std::vector<ModelColumn> columns;
    Matrix<double> parts;            // scores, or numbers in the target's units  [output, column]
    std::vector<double> usual, row;  // F at both ends  [output]
    double gap = 0.0;                // the largest difference that the parts do not explain
    bool complete = true;            // no sample on the way failed

    double sum(std::size_t output) const;
};

/// x [1, inputs] in the data's units. Throws Error for a model of images, which has no columns.
Contributions contributions_of(const TrainedModel& model, MatrixView<const double> x);

}  // namespace deepsl::learner
