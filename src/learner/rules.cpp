#include "deepsl/learner/rules.h"

#include <algorithm>
#include <cmath>

namespace deepsl::learner {

std::int64_t patience_for(std::int64_t epochs) { return std::max<std::int64_t>(10, epochs / 3); }

void follow_rules(std::size_t row_count, std::size_t classes, Task& task) {
    const auto rows = static_cast<double>(row_count);
    const bool few = rows < 1000.0, many = rows >= 3000.0;
    auto& model = task.model;
    auto& train = task.train;
    // A target of k classes has k - 1 directions.
    model.fields =
        classes > 2 ? std::min<std::int64_t>(static_cast<std::int64_t>(classes) - 1, 6) : 1;
    model.eigenfunctions = 6;
    model.hidden = {32, 16};
    if (many && model.fields == 1) model.hidden = {64, 32};
    train.batch = many ? 256 : 64;
    train.learning_rate = many ? 3e-3 : 2e-3;
    train.weight_decay = many ? 0.1 : 3.0;
    // Few rows cannot tell which columns matter.
    task.relevance = few ? 1.0 : 0.0;
    // The best epoch may come early; the smaller its steps, the better it is met.
    train.warm_up = few ? 0.4 : 0.0;
    // Small tables need steps, large ones passes.
    const double steps_an_epoch = std::max(1.0, std::ceil(rows / static_cast<double>(train.batch)));
    train.epochs = std::max<std::int64_t>(
        many ? 30 : 0, static_cast<std::int64_t>(std::ceil(500.0 / steps_an_epoch)));
    train.patience = patience_for(train.epochs);
    // By accuracy, a lucky epoch before the rate has come down may win, and patience ends there.
    train.best = train::Best::loss;
    task.epoch_folds =
        few && rows >= 4.0 ? static_cast<std::int64_t>(std::min(5.0, rows / 2.0)) : 0;
    if (task.epoch_folds > 0) train.validation = 0.0;
    // Folds know how long to train, but not which of the last steps is a good one.
    train.cool_down = task.epoch_folds > 0 ? 0.3 : 0.0;
}

const std::vector<std::string>& options_by_rule() {
    static const std::vector<std::string> names{
        "relevance", "epoch-folds",   "fields",       "eigenfunctions", "hidden",
        "batch",     "learning-rate", "weight-decay", "epochs",         "patience",
        "best",      "validation",    "warm-up",      "cool-down"};
    return names;
}

Task task_for(const data::Table& table, std::string_view target, model::Preset preset,
              TargetKind target_kind) {
    auto task = preset_task(preset);
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
