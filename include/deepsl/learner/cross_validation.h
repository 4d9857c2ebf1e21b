// Cross-validation: each fold is left out once, a model is trained on the others and measured on
// it. No model is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "deepsl/data/table.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/task.h"
#include "deepsl/train/trainer.h"

namespace deepsl::learner {

struct CrossValidation {
    std::vector<std::string> names;           // of the metrics
    std::vector<std::vector<double>> values;  // [metric][fold]
    std::vector<double> majority;             // as Score::majority  [fold]; none for numbers
    double seconds = 0.0;                     // of training
    bool interrupted = false;                 // by the caller's stop: folds are missing

    std::size_t folds() const { return values.empty() ? 0 : values[0].size(); }
    double mean(std::size_t metric) const;
    /// Between the folds; 0 for a single one.
    double deviation(std::size_t metric) const;
};

/// Throws Error if there are fewer than two folds, or more than rows.
void check_folds(const data::Table& table, std::int64_t folds);

/// Folds, of which each class has an equal share, count from 1 in `report`. Of the callbacks, those
/// of the folds that choose a number of epochs are not used. Throws Error if check_folds does, or a
/// class has one row only.
CrossValidation cross_validate(
    const data::Table& table, const Task& task, std::int64_t folds,
    const train::Callbacks& callbacks = {},
    const std::function<void(std::int64_t fold, const Score& score)>& report = {});

}  // namespace deepsl::learner
