// From data to a trained model, in three steps: prepare the data, choose how long to train, fit.
//
//     const auto table = data::read_table("bank.csv");
//     const auto learned = learner::learn(table, {}, learner::task_for(table, "deposit"));
//     learner::save_model("bank.deepsl", learned.model);
#pragma once

#include <string>
#include <vector>

#include "deepsl/data/encoding.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/prepare.h"
#include "deepsl/learner/rules.h"
#include "deepsl/learner/task.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/train/checkpoint.h"
#include "deepsl/train/record.h"
#include "deepsl/train/trainer.h"

namespace deepsl::learner {

struct Learned {
    TrainedModel model;
    train::TrainingRecord record;
    data::EncodingNotes notes;  // of the training table
    /// Of classes: the accuracy of always guessing the most frequent one, on the rows on which the
    /// record's accuracy was measured; else NaN.
    double majority = train::EpochReport::none;
    bool stopped_in_folds = false;  // by the caller: the model is that of the best fold so far
    std::vector<std::string> says;  // of several settings: "weight 0.61: fields=4"; or none
};

/// Chooses the number of epochs and learns. Without validation rows, that is done by
/// task.epoch_folds folds, or by task.train.validation of the rows, held out class by class. When
/// the caller's stop ends the training among the folds, the model is that of the best one so far.
/// The model's record is filled: settings and results.
Learned learn(Prepared prepared, const Task& task, const train::Callbacks& callbacks = {},
              const train::Checkpointing& checkpointing = {});

/// Both in one call.
Learned learn(const data::Table& training, const data::Table& validation, const Task& task,
              const train::Callbacks& callbacks = {},
              const train::Checkpointing& checkpointing = {});

/// Throws Error (data) unless there is a checkpoint to resume from: that of the run, or that of its
/// first fold. Better known before the data are prepared.
void check_resume(const train::Checkpointing& checkpointing);

}  // namespace deepsl::learner
