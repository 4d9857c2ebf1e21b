// Linear regression that holds with few rows: the first guess of the fields' directions.
#pragma once

#include <torch/torch.h>

namespace deepsl::model {

/// Weights [n, m] of a ridge regression of y [rows, m] on x [rows, n], means aside. Its strength is
/// the one, of seventeen from 1e-4 to 1e4 times the mean square of an input, whose squared error
/// on rows left out one by one is smallest.
torch::Tensor ridge_weights(const torch::Tensor& x, const torch::Tensor& y);

}  // namespace deepsl::model
