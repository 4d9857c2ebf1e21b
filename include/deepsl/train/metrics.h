// Metrics: how good predictions are, for people. y [N, k]; target as for a loss: labels, int64
// [N], or numbers [N, k]; ok [N], or undefined if nothing failed.
//
//     accuracy  share of samples whose largest output (k = 1: the sign) is their label's
//     log_loss  cross-entropy of the outputs, the mean over samples
//     r2        1 - sum (y - t)^2 / sum (t - mean t)^2, the mean over outputs
//     mae rmse  mean |y - t|, root of the mean (y - t)^2, over samples and outputs
//
// A failed sample counts as wrong in the accuracy, and in R2 as if the mean had been predicted.
// The other metrics leave it out, and are infinite if every sample failed.
#pragma once

#include <string>
#include <vector>

#include <torch/torch.h>

namespace deepsl::train {

struct Metric {
    std::string name;
    double value = 0.0;
    bool higher_is_better = true;
};

double accuracy(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double log_loss(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});

/// Where all targets of an output are equal, it counts 1 if they are met exactly, else 0.
double r2(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double mae(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double rmse(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});

/// All that fit the targets. The first is the one by which training chooses its weights: accuracy
/// for labels, R2 for numbers; more is better in both.
std::vector<Metric> metrics(const torch::Tensor& y, const torch::Tensor& target,
                            const torch::Tensor& ok = {});

}  // namespace deepsl::train
