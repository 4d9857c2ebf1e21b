#include "deepsl/learner/rules.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace deepsl::learner {

namespace {

/// The settings of models that vote with the task's. What one table needs, another one does not:
/// one starts from a kernel ridge regression instead of a linear one, which sees what bends; one
/// has more fields, learns faster and is held back less, as the task's own does from 1,000 rows on.
std::string usual_variants(double rows, const Task& task) {
    const auto fields = std::max<std::int64_t>(rows < 200.0 ? 4 : 6, task.model.fields);
    std::string kernel = "directions=kernel relevance=1 relevance-by=kernel";
    if (rows >= 1000.0 && rows < 3000.0) return kernel;
    return kernel +
           fmt::format("; fields={} learning-rate=0.005 relevance=0 weight-decay=0.1", fields);
}

/// How long to train, by folds whose models vote, or by rows that are held out.
void choose_stopping(double rows, Task& task) {
    auto& train = task.train;
    const bool few = rows < 1000.0, many = rows >= 3000.0;
    std::int64_t folds = 0;
    switch (task.effort) {
        case Effort::quick: folds = few ? 5 : 0; break;
        case Effort::normal: folds = rows >= 100'000.0 ? 0 : rows >= 20'000.0 ? 3 : 5; break;
        case Effort::thorough: folds = many ? 5 : 10; break;
    }
    folds = std::min(folds, static_cast<std::int64_t>(rows / 2.0));
    task.epoch_folds = folds >= 2 ? folds : 0;
    if (task.epoch_folds == 0) return;
    train.validation = 0.0;
    // The best epoch may come early; the smaller its steps, the better it is met.
    if (!many) train.warm_up = 0.4;
    // Folds know how long to train, but not which of the last steps is a good one.
    if (task.effort == Effort::quick) {
        train.cool_down = cool_down_after_folds;
        return;
    }
    task.after_folds = AfterFolds::vote;
    if (!many || task.effort == Effort::thorough) task.variants = usual_variants(rows, task);
}

}  // namespace

std::int64_t patience_for(std::int64_t epochs) { return std::max<std::int64_t>(10, epochs / 3); }

void follow_rules(std::size_t row_count, std::size_t classes, Task& task) {
    const auto rows = static_cast<double>(row_count);
    const bool few = rows < 1000.0, many = rows >= 3000.0;
    auto& model = task.model;
    auto& train = task.train;
    // A target of k classes has k - 1 directions; from few rows more than these help some tables
    // only, from many they take their time.
    const auto directions = classes > 2 ? static_cast<std::int64_t>(classes) - 1 : 1;
    const bool some = !few && !many, thorough = task.effort == Effort::thorough;
    model.fields = std::min<std::int64_t>(some ? std::max<std::int64_t>(directions, 6) : directions,
                                          some || (many && thorough) ? 12 : 6);
    model.eigenfunctions = 6;
    model.hidden = {32, 16};
    if (many && model.fields == 1) model.hidden = {64, 32};
    // Lines of such networks are calm: finer ones give the same predictions.
    model.cells = 4;
    model.steps = 3;
    train.batch = many ? 256 : 64;
    train.learning_rate = few ? 2e-3 : many ? 3e-3 : 5e-3;
    train.weight_decay = few ? 3.0 : 0.1;
    // Few rows cannot tell which columns matter.
    task.relevance = few ? 1.0 : 0.0;
    // Small tables need steps, large ones passes.
    const double steps_an_epoch = std::max(1.0, std::ceil(rows / static_cast<double>(train.batch)));
    train.epochs = std::max<std::int64_t>(
        many ? 30 : 0, static_cast<std::int64_t>(std::ceil(500.0 / steps_an_epoch)));
    train.patience = patience_for(train.epochs);
    // By accuracy, a lucky epoch before the rate has come down may win, and patience ends there.
    train.best = train::Best::loss;
    choose_stopping(rows, task);
}

const std::vector<std::string>& options_by_rule() {
    static const std::vector<std::string> names{
        "relevance",    "epoch-folds", "after-folds", "variants",   "fields",  "eigenfunctions",
        "hidden",       "steps",       "cells",       "batch",      "epochs",  "learning-rate",
        "weight-decay", "patience",    "best",        "validation", "warm-up", "cool-down"};
    return names;
}

Task task_for(const data::Table& table, std::string_view target, model::Preset preset,
              TargetKind target_kind, Effort effort) {
    auto task = preset_task(preset);
    task.effort = effort;
    task.target = target;
    const auto column = data::read_target(table, target, target_kind);
    const bool numbers = column.classes.empty();
    task.target_kind = numbers ? TargetKind::numbers : TargetKind::classes;
    switch (preset) {
        case model::Preset::standard:
            follow_rules(table.rows(), column.classes.size(), task);
            break;
        case model::Preset::paper:
            // The paper's loss is for classes.
            if (numbers) task.train.loss = train::Loss::automatic;
            break;
    }
    return task;
}

}  // namespace deepsl::learner
