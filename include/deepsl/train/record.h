// What training reports about itself: while it runs, after each epoch, and at the end. Plain
// numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace deepsl::train {

/// How many samples failed, by the name of their outcome.
using Failures = std::map<std::string, std::int64_t>;

/// One epoch. The figures of the training set come from the predictions made during the epoch,
/// each with the weights of its step; those of the validation set from the weights at its end.
/// What does not exist is NaN: validation without such a set, lambda of a baseline.
struct EpochReport {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();

    std::int64_t epoch = 0, epochs = 0;  // 1..epochs
    double loss = none;                  // of the data, the mean; infinite if all samples failed
    /// What regularisation adds, the mean: (alpha / d) sum |lambda_i|, and the energy along lines.
    double spectral = none;
    double train_metric = none;
    double validation_loss = none;
    double validation_metric = none;
    std::int64_t failed_lines = 0;           // of the training set
    Failures failures;                       // the same, by name
    std::int64_t validation_failed = 0;      // lines of the validation set
    double lambda_first = none;              // the smallest and the largest eigenvalue of a
    double lambda_last = none;               // sample: means over samples that did not fail
    std::int64_t skipped_steps = 0;          // gradient not finite, or all lines failed
    double samples_per_second = 0.0;         // in training
    double seconds = 0.0, seconds_left = 0;  // validation included
    bool best = false;                       // so far
};

/// Where training stands, after a step.
struct Progress {
    std::int64_t epoch = 0, epochs = 0;  // 1..epochs
    double fraction = 0.0;               // of the epoch's samples
    double loss = EpochReport::none;     // of the data, the mean over this epoch so far
    double seconds_left = 0.0;           // of all epochs
};

/// One of the folds by which a number of epochs is chosen.
struct FoldReport {
    std::int64_t fold = 0, folds = 0;  // 1..folds, of all plans, in the order in which they end
    std::int64_t plan = 0, plans = 1;  // 0..
    std::int64_t best_epoch = 0;       // of the smallest loss on the rows left out
    double best_loss = EpochReport::none, best_metric = EpochReport::none;
};

struct TrainingRecord {
    std::vector<EpochReport> epochs;
    std::int64_t best_epoch = 0;  // whose weights the model has now: 1..epochs.size()
    std::string metric_name;
    double best_metric = EpochReport::none;  // of best_epoch, on validation data if there is any
    double seconds = 0.0;
    bool stopped_early = false;      // after options.patience epochs without improvement
    bool interrupted = false;        // the caller's stop
    std::int64_t lines = 0;          // that were followed in training, over all epochs
    std::int64_t failed_lines = 0;   // of these
    Failures failures;               // the same, by name
    std::int64_t skipped_steps = 0;  // over all epochs
    std::int64_t training_rows = 0, validation_rows = 0;
    /// Models of folds that were kept, and vote; or 0. Lines and failures are those of all of them,
    /// epochs those of the first.
    std::int64_t voters = 0;
    std::int64_t folds = 0;                  // by which the number of epochs was chosen; or 0
    std::int64_t fold_epoch = 0;             // that number
    double fold_metric = EpochReport::none;  // the mean on the rows left out, at that number
};

}  // namespace deepsl::train
