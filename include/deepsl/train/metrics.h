// Metrics: how good predictions are, for people. y [N, k]; targets are labels [N] or numbers
// [N, k]; outcomes [N], or none if nothing failed.
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

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/outcome.h"
#include "deepsl/train/dataset.h"

namespace deepsl::train {

struct Metric {
    std::string name;
    double value = 0.0;
    bool higher_is_better = true;
};

/// The name for people: "balanced accuracy", "R²"; also inside a longer text, "validation r2".
std::string metric_title(std::string_view name);

using Outcomes = std::span<const model::Outcome>;
using Labels = std::span<const std::int64_t>;
using Rows = MatrixView<const double>;

double accuracy(Rows y, Labels labels, Outcomes outcomes = {});
double balanced_accuracy(Rows y, Labels labels, Outcomes outcomes = {});
double auc(Rows y, Labels labels, Outcomes outcomes = {});
double f1(Rows y, Labels labels, Outcomes outcomes = {});
double log_loss(Rows y, Labels labels, Outcomes outcomes = {});

/// Where all targets of an output are equal, it counts 1 if they are met exactly, else 0.
double r2(Rows y, Rows numbers, Outcomes outcomes = {});
double mae(Rows y, Rows numbers, Outcomes outcomes = {});
double rmse(Rows y, Rows numbers, Outcomes outcomes = {});

/// The class of a row [k]: that of its largest output, or with one output that of its sign.
std::int64_t guess(std::span<const double> y);
std::vector<std::int64_t> guesses(Rows y);

/// How many samples of class i were taken for class j; failed ones are in no cell.
/// [classes, classes]
Matrix<std::int64_t> confusion(Rows y, Labels labels, Outcomes outcomes = {});

/// The accuracy that always guessing the most frequent class has: what any model must exceed.
double majority_share(Labels labels);

/// "accuracy" for labels, "r2" for numbers: by this training chooses its weights; more is better in
/// both.
Metric main_metric(Rows y, const Targets& targets, Outcomes outcomes = {});

/// All that fit the targets, the main one first.
std::vector<Metric> metrics(Rows y, const Targets& targets, Outcomes outcomes = {});

}  // namespace deepsl::train
