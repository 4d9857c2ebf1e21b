// Settings from the size of a table.
#include <algorithm>
#include <cmath>

#include "deepsl/table/learner.h"

namespace deepsl::table {
namespace {

void suit(double rows, std::size_t classes, Task& task) {
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
    // Few rows cannot tell what each column is worth.
    task.relevance = few ? 1.0 : 0.0;
    // The best epoch may come early; the smaller its steps, the better it is met.
    train.warm_up = few ? 0.4 : 0.0;
    // Small tables need steps, large ones passes.
    const double steps_an_epoch = std::max(1.0, std::ceil(rows / static_cast<double>(train.batch)));
    train.epochs = std::max<std::int64_t>(
        many ? 30 : 0, static_cast<std::int64_t>(std::ceil(500.0 / steps_an_epoch)));
    train.patience = std::max<std::int64_t>(10, train.epochs / 3);
    // By accuracy, a lucky epoch before the rate has come down may win, and patience ends there.
    train.best = "loss";
    task.epoch_folds =
        few && rows >= 4.0 ? static_cast<std::int64_t>(std::min(5.0, rows / 2.0)) : 0;
    if (task.epoch_folds > 0) train.validation = 0.0;
    // Folds know how long to train, but not which of the last steps is a good one.
    train.cool_down = task.epoch_folds > 0 ? 0.3 : 0.0;
}

}  // namespace

const std::vector<std::string>& options_by_rule() {
    static const std::vector<std::string> names{
        "fields", "eigenfunctions", "hidden", "batch",      "learning-rate", "weight-decay",
        "epochs", "patience",       "best",   "validation", "warm-up",       "cool-down"};
    return names;
}

Task task_for(const data::Table& table, std::string_view target, const std::string& preset,
              const std::string& target_kind) {
    Task task;
    task.target = target;
    task.target_kind = target_kind;
    task.model = model::model_preset(preset);
    task.train = train::train_preset(preset);
    const auto column = data::read_target(table, target, target_kind);
    // A part of the rows may look different.
    task.target_kind = column.classes.empty() ? "numbers" : "classes";
    if (preset == "paper") {
        task.encoding.scale = "minmax";
        if (column.classes.empty()) task.train.loss = "auto";
        return task;
    }
    suit(static_cast<double>(table.rows()), column.classes.size(), task);
    return task;
}

}  // namespace deepsl::table
