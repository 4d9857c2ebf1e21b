// Settings from the size of a table: the rules of docs/tables.md, for the preset `default`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/task.h"

namespace deepsl::learner {

/// By the number of rows and of classes (0: numbers), and by task.effort.
void follow_rules(std::size_t row_count, std::size_t classes, Task& task);

/// The rule for `cool-down` where folds have chosen an epoch.
constexpr double cool_down_after_folds = 0.3;

/// The rule for `patience`: 10 epochs, or a third of all.
std::int64_t patience_for(std::int64_t epochs);

/// The options of task, model and training that follow_rules may set, by name.
const std::vector<std::string>& options_by_rule();

/// A preset as it fits the table: `default` follows the rules. The kind of the target is decided
/// here once, since a part of the rows may look different. Throws Error for a target that cannot
/// be learned.
Task task_for(const data::Table& table, std::string_view target,
              model::Preset preset = model::Preset::standard,
              TargetKind target_kind = TargetKind::automatic, Effort effort = Effort::normal);

/// The rule for `warm-up` on images: 200 steps. The first ones of Adam change an encoder by so much
/// that all lines would begin at the boundary.
double image_warm_up(std::size_t count, const train::TrainOptions& train);

/// A preset as it fits the images; `paper` is the paper's for MNIST where they are gray, and its
/// for CIFAR-10 where they have colours. Throws Error for images without labels, or of one class.
Task task_for(const data::Images& images, model::Preset preset = model::Preset::standard,
              model::Kind kind = model::Kind::dsl);

}  // namespace deepsl::learner
