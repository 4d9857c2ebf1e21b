// The paper's mapping H, whose zero the solvers look for and through which gradients go:
//
//     H(t-, t+, lambda) = ( g(z(t-)), g(z(t+)), u_i(t+; lambda_i) ),   u_i(t-) = 0
//
// Measured with a solver of its own, which shares nothing with the model's: classical Runge-Kutta
// for line and functions together, on many equal steps.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "deepsl/model/model.h"

namespace deepsl::model {

/// NaN for samples that failed.
struct MappingError {
    torch::Tensor exits;  // |g| at t- and t+, about the distance to the boundary  [B, 2]
    torch::Tensor ends;   // |u_i(t+)| against the largest |u_i| on the line       [B, d]
};

/// At what the model, with its present numerics, finds for x [B, inputs] along one of its fields.
MappingError mapping_error(Model& model, const torch::Tensor& x, std::int64_t field = 0,
                           std::int64_t steps = 1000);

}  // namespace deepsl::model
