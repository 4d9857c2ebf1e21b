// Linear regression that holds with few rows: the first guess of the fields' directions.
#pragma once

#include <cstddef>

#include "deepsl/matrix.h"

namespace deepsl::model {

/// Weights [n, m] of a ridge regression of y [rows, m] on x [rows, n], means aside. Its strength is
/// the one, of seventeen from 1e-4 to 1e4 times the mean square of an input, whose squared error
/// on rows left out one by one is smallest.
Matrix<double> ridge_weights(MatrixView<const double> x, MatrixView<const double> y);

/// The directions along which such a regression of the targets changes, most important first: the
/// left singular vectors of its weights, and behind these, as far as they are wanted, others that
/// complete the basis. Orthonormal rows, min(wanted, n) of them; the first of the largest numbers
/// in each is positive. At least one row of x. For a guess that is as good as any other, some rows
/// do: at most 20,000, evenly spaced, and fewer where there are many columns.  [direction, n]
Matrix<double> ridge_directions(MatrixView<const double> x, MatrixView<const double> targets,
                                std::size_t wanted);

}  // namespace deepsl::model
