// How much say each of several predictions has, by rows that none of them has learned from.
//
//     classes   the largest sum over rows of log(sum over c of weight_c p_c(truth))
//     numbers   the smallest sum over rows of (sum over c of weight_c y_c - truth)^2 / variance
//
// over weights that are not negative and sum to 1, where twenty more rows say that all are alike:
// few rows hardly tell good ones from better ones, and a mean of many is better than its best part.
#pragma once

#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/train/dataset.h"

namespace deepsl::learner {

/// Predictions of the same rows, in the model's units. Rows at which one of them fails are left
/// out.  [prediction]
std::vector<double> vote_weights(const std::vector<model::Prediction>& said,
                                 const train::Targets& truth);

}  // namespace deepsl::learner
