// Rows in folds; and how long to train when there are too few rows to hold some out for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deepsl/train/trainer.h"

namespace deepsl::train {

/// Row numbers by fold: in random order, each class in equal shares. `labels` [rows], or none.
std::vector<std::vector<std::size_t>> fold_rows(std::size_t rows,
                                                std::span<const std::int64_t> labels,
                                                std::int64_t folds, std::int64_t seed);

/// A model that was trained without one of the folds.
struct FoldModel {
    std::unique_ptr<model::Predictor> predictor;  // after its best epoch
    TrainingRecord record;
    std::vector<std::size_t> left_out;  // rows
    model::Prediction prediction;       // of these
};

/// After how many epochs the rows left out were met best.
struct EpochChoice {
    std::int64_t epoch = 0;  // the same for all folds; 0 if they were interrupted
    double loss = EpochReport::none, metric = EpochReport::none;  // means there
    double seconds = 0.0;                                         // that it took
    bool interrupted = false;                                     // by the caller's stop
    std::vector<FoldModel> models;                                // [fold]
};

/// A new model whose first values come from this seed.
using MakeModel = std::function<std::unique_ptr<model::Predictor>(std::uint64_t seed)>;

/// Brings the sets of a fold, 0.., into the model's coordinates, by what the rows to learn from
/// say. Called on several threads.
using Prepare = std::function<void(std::int64_t fold, Dataset& known, Dataset& left_out)>;

/// The seed of a fold's model, 0..: another one for each fold of each seed.
std::uint64_t fold_seed(std::int64_t seed, std::int64_t fold);

/// A way to learn from the rows.
struct FoldPlan {
    MakeModel make;
    Prepare prepare;
    TrainOptions options;
};

/// Trains a new model without each fold, on as many threads as there are, one each, and takes the
/// epoch of the smallest mean loss on the rows left out. A fold that ends early, by patience, keeps
/// its last loss. Same bits on any number of threads. Of the callbacks fold, stop and warning are
/// used, from several threads, one call at a time.
/// Each fold has a checkpoint of its own, fold_checkpoint; to resume, those that are there are
/// used.
EpochChoice choose_epoch(const FoldPlan& plan, const Dataset& data, std::int64_t folds,
                         const Callbacks& callbacks = {}, const Checkpointing& checkpointing = {});

/// The same for several plans side by side, on the same folds, which are those of the first plan's
/// seed. Folds are counted through, plan by plan. The seconds are those of all.  [plan]
std::vector<EpochChoice> choose_epochs(std::span<const FoldPlan> plans, const Dataset& data,
                                       std::int64_t folds, const Callbacks& callbacks = {},
                                       const Checkpointing& checkpointing = {});

/// "run.ckpt.fold3"; empty if there are no checkpoints. Folds count from 1.
std::string fold_checkpoint(const Checkpointing& checkpointing, std::int64_t fold);

}  // namespace deepsl::train
