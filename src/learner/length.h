// How long to train: by folds of which each is left out once, or by rows that are held out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deepsl/field/scaling.h"
#include "deepsl/learner/learn.h"
#include "deepsl/train/folds.h"

namespace deepsl::learner {

/// The folds of a task, or of one of its variants.
struct Candidate {
    train::EpochChoice choice;             // what they have found
    std::vector<field::Scaling> scalings;  // in which their models were trained  [fold]
    std::string settings;                  // that differ from the task's; empty: none
};

struct Length {
    train::TrainOptions options;  // the task's, with the last epoch where folds have chosen it
    std::int64_t folds = 0;       // that have chosen
    std::vector<Candidate> candidates;  // the task's own, and where folds vote its variants'

    const train::EpochChoice& choice() const { return candidates.front().choice; }
    bool interrupted() const;
};

/// Removes the checkpoints of folds, whatever their number.
void remove_fold_checkpoints(const train::Checkpointing& checkpointing);

/// By folds, if the task asks for them; else a share of the training rows becomes validation rows.
/// Neither, if there are some already.
Length choose_length(Prepared& prepared, const Task& task, const train::Callbacks& callbacks,
                     const train::Checkpointing& checkpointing);

/// Where the rows that are learned from say that inputs should go. Encoded inputs have sizes that
/// mean something; others are brought to the same size.
/// Throws Error where numbers are so large, or so close to each other, that no scaling fits.
/// `model` has the names of the inputs and tells whether they come from a table.
/// Brings the rows into the model's coordinates.
void scale_rows(const field::Scaling& scaling, train::Dataset& rows);

field::Scaling fit_scaling(const train::Dataset& known, const TrainedModel& model,
                           const Task& task);

std::unique_ptr<model::Predictor> new_predictor(const Prepared& prepared, const Task& task,
                                                std::uint64_t seed);

}  // namespace deepsl::learner
