// How good a model is on a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/loss.h"
#include "deepsl/train/metrics.h"
#include "deepsl/train/record.h"

namespace deepsl::train {

struct Evaluation {
    double loss = 0.0;            // mean over samples that are ok; infinite if none is
    Metric metric;                // accuracy for labels, R2 for numbers
    std::vector<Metric> metrics;  // this and all others that fit the targets
    /// For labels, the accuracy of always guessing the most frequent class; else NaN.
    double majority = EpochReport::none;
    std::int64_t samples = 0, failed = 0;
    Failures failures;  // by name
};

/// A failed sample counts as wrong in the accuracy, and in R2 as if the mean of the targets had
/// been predicted; all else leaves it out. Throws Error for a bad data set or a loss that does not
/// fit it.
Evaluation evaluate(const model::Predictor& model, const Dataset& data, Loss loss);

/// The same of predictions that were made already, in the data's order.
Evaluation evaluate(const model::Prediction& prediction, const Targets& targets, Loss loss);

/// Adds the failed outcomes to the counts; returns how many there were.
std::int64_t count_failures(std::span<const model::Outcome> outcomes, Failures& failures);

}  // namespace deepsl::train
