// Training: a model, a data set, and the loop between them.
//
// 1. Without validation data, options.validation of the rows is split off for it, class by class.
// 2. The model calibrates itself on the training rows that are finite.
// 3. Epochs of shuffled batches. A sample whose line or eigenvalue fails is left out of the loss,
//    counted and reported; a batch in which all fail takes no step.
// 4. The best values are kept, and restored at the end. Best is, on the validation data and by
//    options.best, the larger metric (accuracy or R2; of equal ones the smaller loss) or the
//    smaller loss. With neither validation data nor a share for it, best is the epoch of the
//    smallest training loss, spectral term included; with options.stop_epoch it is that epoch.
// 5. It ends after options.epochs, or options.stop_epoch; or after options.patience epochs without
//    improvement; or when the caller's stop says so.
//
// All that is random here comes from options.seed: same binary, model, data and options, same
// bits, on any number of threads.
#pragma once

#include <functional>
#include <string>

#include "deepsl/model/predictor.h"
#include "deepsl/train/checkpoint.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/evaluation.h"
#include "deepsl/train/options.h"
#include "deepsl/train/record.h"

namespace deepsl::train {

/// Whom to tell; any of them may be empty.
struct Callbacks {
    std::function<void(const EpochReport&)> epoch;
    std::function<void(const Progress&)> progress;  // after each step
    std::function<void(const FoldReport&)> fold;    // of choose_epoch
    /// Of a checkpoint that could not be replaced, reported once; the training goes on. Where this
    /// is empty, it ends with Error instead.
    std::function<void(const std::string&)> warning;
    /// Asked after each step: true ends training. The epoch is cut short there, then closed like
    /// any other: validated, reported, and the best values restored.
    std::function<bool()> stop;
};

/// `validation` may be empty. Throws Error for options or data that cannot be used, before the
/// model is touched; with checkpoints, too, where one cannot be read or written. A run that is
/// resumed takes values and figures from the file, and tells of new epochs only.
TrainingRecord train(model::Predictor& model, const Dataset& training, const Dataset& validation,
                     const TrainOptions& options, const Callbacks& callbacks = {},
                     const Checkpointing& checkpointing = {});

}  // namespace deepsl::train
