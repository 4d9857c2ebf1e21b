// The paper's two theorems over the whole of a domain of two dimensions, measured along one field
// of a model. With rho = exp(-integral of div a from the entry of the line to x), which is the
// first theorem's J / |a| times a factor that is constant along lines:
//
//     integral over the domain of rho w u_i u_j = 0 for i != j,
//     -div(p a a^T grad u) + p (div a) a.grad u + q u = lambda w u
#pragma once

#include <cstddef>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"

namespace deepsl::model {

/// The largest |cosine| between two functions over the domain, on a grid of points, but for those
/// whose lines fail. Infinity if all of them do.
double orthogonality_over_domain(const Model& model, std::size_t field, const Numerics& numerics);

/// What is left of the second equation at nine of ten samples, against the size of its terms; worst
/// of all functions.
struct RankOneResidual {
    double own_lambda = 0.0;  // with the eigenvalues of each sample's line
    double one_lambda = 0.0;  // with their mean: 0 only if all lines have the same
};

/// By differences of u and p u' between neighbours of the samples x [B, 2]. Infinity if all of them
/// lie too near to the boundary, or fail.
RankOneResidual rank_one_residual(const Model& model, std::size_t field, MatrixView<const double> x,
                                  const Numerics& numerics);

}  // namespace deepsl::model
