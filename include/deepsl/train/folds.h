// Rows in folds; and how long to train when there are too few rows to hold some out for good.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "deepsl/train/trainer.h"

namespace deepsl::train {

/// Row numbers, int64, by fold: in random order, each class in equal shares. `labels` int64 [rows],
/// or undefined.
std::vector<torch::Tensor> fold_rows(std::int64_t rows, const torch::Tensor& labels,
                                     std::int64_t folds, std::int64_t seed);

/// After how many epochs the rows left out were met best.
struct EpochChoice {
    std::int64_t epoch = 0;
    double loss = EpochReport::none, metric = EpochReport::none;  // means there
    double seconds = 0.0;                                         // that it took
    bool interrupted = false;  // by the caller's stop; then the rest is of the first fold:
    std::vector<torch::Tensor> weights;  // parameters and buffers, of its best epoch
    TrainingRecord record;
};

using MakeModel = std::function<std::shared_ptr<model::PredictorImpl>()>;

/// Brings the sets of a fold, 0.., into the model's coordinates, by what the rows to learn from
/// say. Called on several threads.
using Prepare = std::function<void(std::int64_t fold, Dataset& known, Dataset& left_out)>;

/// Trains a new model without each fold, on as many threads as there are, one each, and takes the
/// epoch of the smallest mean loss on the rows left out. A fold that ends early, by patience, keeps
/// its last loss. Same bits on any number of threads. Of the callbacks fold, stop and warning are
/// used.
/// Each fold has a checkpoint of its own, fold_checkpoint; to resume, those that are there are
/// used.
EpochChoice choose_epoch(const MakeModel& make, const Prepare& prepare, const Dataset& data,
                         std::int64_t folds, const TrainOptions& options,
                         const Callbacks& callbacks = {}, const Checkpointing& checkpointing = {});

/// "run.ckpt.fold3"; empty if there are no checkpoints. Folds count from 1.
std::string fold_checkpoint(const Checkpointing& checkpointing, std::int64_t fold);

}  // namespace deepsl::train
