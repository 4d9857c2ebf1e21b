// Settings from the size of a table.
#include <algorithm>
#include <cmath>

#include "deepsl/table/learner.h"

namespace deepsl::table {
namespace {

/// What the rules look at.
struct Shape {
    double rows, classes;  // rows to learn from, validation aside; classes 0 for numbers
};

void suit(const Shape& shape, model::ModelOptions& model, train::TrainOptions& train) {
    const bool few = shape.rows < 300.0;
    const bool many = shape.rows >= 3000.0;
    model.field = few ? "straight" : "directional";
    model.fields = shape.classes > 2.0 ? 3 : 1;
    model.eigenfunctions = many ? 10 : 6;
    model.hidden = many ? std::vector<std::int64_t>{64, 32} : std::vector<std::int64_t>{32, 16};
    train.batch = many ? 128 : 64;
    train.weight_decay = few ? 10.0 : many ? 0.3 : 3.0;
    // Small tables need steps, large ones passes.
    const double steps_an_epoch = std::max(1.0, shape.rows / static_cast<double>(train.batch));
    const double epochs = std::max(many ? 30.0 : 0.0, std::ceil(200.0 / steps_an_epoch));
    train.epochs = static_cast<std::int64_t>(epochs);
    train.patience = std::max<std::int64_t>(10, train.epochs / 3);
}

}  // namespace

Task task_for(const data::Table& table, std::string_view target, const std::string& preset,
              const std::string& target_kind) {
    Task task;
    task.target = target;
    task.target_kind = target_kind;
    task.model = model::model_preset(preset);
    task.train = train::train_preset(preset);
    const auto column = data::read_target(table, target, target_kind);
    if (preset == "paper") {
        task.encoding.scale = "none";
        if (column.classes.empty()) task.train.loss = "auto";
        return task;
    }
    suit({static_cast<double>(table.rows()) * (1.0 - task.train.validation),
          static_cast<double>(column.classes.size())},
         task.model, task.train);
    return task;
}

}  // namespace deepsl::table
