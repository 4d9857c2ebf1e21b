// The paper's mapping H, whose zero the solvers look for and through which gradients go:
//
//     H(t-, t+, lambda) = ( g(z(t-)), g(z(t+)), u_i(t+; lambda_i) ),   u_i(t-) = 0
//
// Measured with a solver of its own, which shares nothing with the model's: classical Runge-Kutta
// for line and functions together, on many equal steps.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"

namespace deepsl::model {

/// NaN for samples that failed.
struct MappingError {
    Matrix<double> exits;           // |g| at t- and t+, about the distance to the boundary  [B, 2]
    Matrix<double> ends;            // |u_i(t+)| against the largest |u_i| on the line       [B, d]
    std::vector<Outcome> outcomes;  // [B]
};

/// At what the model finds with these numerics for x [B, inputs] along one of its fields. Throws
/// Error if there is no such field, or steps < 1.
MappingError mapping_error(const Model& model, MatrixView<const double> x, std::size_t field,
                           const Numerics& numerics, int steps = 1000);

/// With the model's own numerics.
inline MappingError mapping_error(const Model& model, MatrixView<const double> x,
                                  std::size_t field = 0) {
    return mapping_error(model, x, field, model.numerics());
}

}  // namespace deepsl::model
