// From a table to a trained model, and from that to predictions: the whole way in three calls.
//
//     const auto table = data::read_table("bank.csv");
//     auto learned = table::learn(table, {}, table::task_for(table, "deposit"));
//     const auto answers = table::predict(learned.model, data::read_table("new.csv"));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <torch/torch.h>

#include "deepsl/data/encoding.h"
#include "deepsl/data/table.h"
#include "deepsl/io/model_file.h"
#include "deepsl/model/options.h"
#include "deepsl/train/checkpoint.h"
#include "deepsl/train/trainer.h"

namespace deepsl::table {

struct Task {
    std::string target;
    std::string target_kind = "auto";  // classes, numbers
    std::string kind = "dsl";          // ablation, mlp, node
    /// 2 or more, where no validation rows are given: the number of epochs is chosen by so many
    /// folds, then all rows are learned from. 0: a share is held out, train.validation.
    std::int64_t epoch_folds = 0;
    data::EncodingOptions encoding;
    /// Inputs are stretched by (a + 1 / rows)^(relevance / 2), where a is their association with
    /// the target (data/scaling.h) in the rows that are learned from. 0: all alike.
    double relevance = 0.0;
    model::ModelOptions model;
    train::TrainOptions train;
};

/// Settings that suit the table: presets, where `default` follows the number of rows, inputs and
/// classes by the rules of docs/tables.md. Throws InputError for a target that cannot be learned.
Task task_for(const data::Table& table, std::string_view target,
              const std::string& preset = "default", const std::string& target_kind = "auto");

/// The options that task_for may set otherwise than the preset `default`, by name.
const std::vector<std::string>& options_by_rule();

struct Learned {
    io::TrainedModel model;
    train::TrainingRecord record;
    data::EncodingNotes notes;  // of the training table
};

/// `validation` may be empty; then folds choose the number of epochs, or a share of the rows is
/// split off, as the task says.
Learned learn(const data::Table& training, const data::Table& validation, const Task& task,
              const train::Callbacks& callbacks = {},
              const train::Checkpointing& checkpointing = {});

/// What the encoding made of a table, and a target, as tensors.
torch::Tensor inputs_of(const data::Encoded& encoded);  // double  [rows, inputs]
torch::Tensor truth_of(const data::Target& target);     // labels int64 [rows]; numbers [rows, 1]

/// What a model says about a table.
struct Answers {
    model::Prediction prediction;  // y in the target's units; scores of classes
    torch::Tensor probability;     // of classes, double  [B, classes]; undefined for numbers
    torch::Tensor label;           // int64 [B]; undefined for numbers
    data::EncodingNotes notes;
};

/// A row that fails has the class 0, the probability NaN and the number NaN.
Answers predict(io::TrainedModel& model, const data::Table& table, bool strict = false);

/// The names of the inputs that relevance has stretched most in the ball, the first most of all;
/// none in the box, or if all are stretched alike.
std::vector<std::string> stretched_inputs(const io::TrainedModel& model, std::int64_t most);

/// The metrics on a table that has the target; the target's name is in the model's record.
struct Score {
    std::vector<train::Metric> metrics;
    torch::Tensor confusion;  // int64 [classes, classes]; undefined for numbers
    std::int64_t samples = 0, failed = 0;
    train::Failures failures;
    data::EncodingNotes notes;
};

Score evaluate(io::TrainedModel& model, const data::Table& table, bool strict = false);

}  // namespace deepsl::table
