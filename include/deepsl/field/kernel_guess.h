// A smooth guess of the target, by kernel ridge regression, and how it changes with the inputs:
//
//     f(x) = mean + sum over rows i of alpha_i k(x_i, x),    k(x, y) = exp(-|x - y|^2 / (2 h^2))
//     (K + delta) alpha = targets - mean
//     M = mean over rows of (grad f)' (grad f)               [n, n]
//
// Width h and strength delta are those of the smallest squared error on rows left out one by one.
// M is in units of the targets' variance: its diagonal tells how much each input matters, straight
// or not, and its eigenvectors in which directions the target changes. Where a linear guess sees
// nothing, of a parabola or of a product of two inputs, this one does.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/matrix.h"

namespace deepsl::field {

/// Of x [rows, n] and targets [rows, k]. Some 500 rows, evenly spaced, are looked at.  [n, n]
Matrix<double> gradient_product(MatrixView<const double> x, MatrixView<const double> targets);

/// Its eigenvectors, the largest first: orthonormal rows, min(wanted, n) of them.  [direction, n]
Matrix<double> kernel_directions(MatrixView<const double> x, MatrixView<const double> targets,
                                 std::size_t wanted);

}  // namespace deepsl::field
