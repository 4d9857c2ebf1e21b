// A data set as a model sees it: rows in the model's coordinates, and what they should give.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"

namespace deepsl::train {

struct Dataset {
    torch::Tensor x;       // [N, inputs]
    torch::Tensor target;  // labels 0..classes-1, int64 [N], or numbers [N, outputs]

    std::int64_t size() const { return x.defined() && x.dim() > 0 ? x.size(0) : 0; }
    bool empty() const { return size() == 0; }
    bool labels() const { return target.defined() && !target.is_floating_point(); }

    /// The rows of these numbers, int64 [rows].
    Dataset rows(const torch::Tensor& numbers) const;
};

/// Throws OptionError, with the set's name, unless the model can learn from it: there are rows, of
/// the model's inputs; targets are labels the model has outputs for (with one output 0 and 1), or
/// finite numbers. Rows of x need not be finite: a sample that fails is left out when it does.
void check_dataset(const model::PredictorImpl& model, const Dataset& data, std::string_view name);

/// What calibrate wants: a column per output with 0 and 1 for labels (with one output -1 and 1), or
/// the numbers themselves. [N, outputs]
torch::Tensor calibration_targets(const Dataset& data, std::int64_t outputs);

/// 0..n-1 in random order, int64 [n]: the same with every standard library.
torch::Tensor permutation(std::int64_t n, std::mt19937_64& random);

struct Split {
    Dataset training, validation;
};

/// A share of the rows, rounded, for validation, the others for training, both in random order.
/// Training keeps at least one row; so does validation if the share is not 0 and there are two.
Split split(const Dataset& data, double share, std::mt19937_64& random);

}  // namespace deepsl::train
