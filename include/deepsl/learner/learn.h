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
#include "deepsl/learner/task.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/train/checkpoint.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/record.h"
#include "deepsl/train/trainer.h"

namespace deepsl::learner {

/// Rows without a table: arrays of numbers in their own units, and what they should give.
struct Samples {
    train::Dataset rows;                // labels 0..classes-1, or numbers
    std::vector<std::string> features;  // names of the inputs; may be empty
    std::vector<std::string> classes;   // names, two or more for labels; none for numbers

    std::size_t size() const { return rows.size(); }
};

/// What is known before anything is learned by gradients.
struct Prepared {
    /// Encoding, names, classes, and the target's mean and scale; without predictor and scaling.
    TrainedModel model;
    /// Inputs as encoded, not yet in the domain; numbers with mean 0 and deviation 1. Validation
    /// may be empty.
    train::Dataset training, validation;
    data::EncodingNotes notes;  // of the training table
};

/// Encodes, and reads the target. `validation` may be empty. Throws Error for a target that cannot
/// be learned, or columns that cannot be encoded.
Prepared prepare(const data::Table& training, const data::Table& validation, const Task& task);

/// The same of arrays. Every input is brought to the same size when it is put into the domain.
Prepared prepare(Samples training, Samples validation, const Task& task);

struct Learned {
    TrainedModel model;
    train::TrainingRecord record;
    data::EncodingNotes notes;  // of the training table
    /// Of classes: the accuracy of always guessing the most frequent one, on the rows on which the
    /// record's accuracy was measured; else NaN.
    double majority = train::EpochReport::none;
    bool stopped_in_folds = false;  // by the caller: the model is that of the first fold
};

/// Chooses the number of epochs and learns. Without validation rows, that is done by
/// task.epoch_folds folds, or by task.train.validation of the rows, held out class by class. When
/// the caller's stop ends the training among the folds, the model is that of the first one. The
/// model's record is filled: settings and results.
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
