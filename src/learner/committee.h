// The models of the folds as one: those of the task and of its variants, each after its own best
// epoch, with weights by what they say of the rows left out.
#pragma once

#include "deepsl/learner/learn.h"
#include "learner/length.h"

namespace deepsl::learner {

/// Fills the model's voters, which are taken over, and the record of the training.
void let_folds_vote(Length& length, const Prepared& prepared, Learned& learned);

}  // namespace deepsl::learner
