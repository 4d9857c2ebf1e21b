// Metrics: how good predictions are, for people. y [N, k]; target as for a loss: labels, int64
// [N], or numbers [N, k]; ok [N], or undefined if nothing failed.
//
//     accuracy  share of samples whose largest output (k = 1: the sign) is their label's
//     balanced_accuracy  mean over classes of the share of their samples that is right
//     auc       area under the ROC curve: of class 1 against class 0, or the mean over classes of
//               each against the rest
//     f1        2 right / (2 right + wrong): of class 1 with two classes, else the mean over all
//     log_loss  cross-entropy of the outputs, the mean over samples
//     r2        1 - sum (y - t)^2 / sum (t - mean t)^2, the mean over outputs
//     mae rmse  mean |y - t|, root of the mean (y - t)^2, over samples and outputs
//
// A failed sample counts as wrong in both accuracies, and in R2 as if the mean had been predicted.
// Classes without samples do not count. The other metrics leave it out, and are infinite if every
// sample failed.
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
double balanced_accuracy(const torch::Tensor& y, const torch::Tensor& target,
                         const torch::Tensor& ok = {});
double auc(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double f1(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double log_loss(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});

/// Where all targets of an output are equal, it counts 1 if they are met exactly, else 0.
double r2(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double mae(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});
double rmse(const torch::Tensor& y, const torch::Tensor& target, const torch::Tensor& ok = {});

/// The class of each row: that of the largest output, or with one output that of its sign.
torch::Tensor guesses(const torch::Tensor& y);

/// How many samples of class i were taken for class j; failed ones are in no cell.
/// int64 [classes, classes]
torch::Tensor confusion(const torch::Tensor& y, const torch::Tensor& target,
                        const torch::Tensor& ok = {});

/// All that fit the targets. The first is the one by which training chooses its weights: accuracy
/// for labels, R2 for numbers; more is better in both.
std::vector<Metric> metrics(const torch::Tensor& y, const torch::Tensor& target,
                            const torch::Tensor& ok = {});

}  // namespace deepsl::train
