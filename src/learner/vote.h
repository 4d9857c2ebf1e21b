// Several predictions as one, and the way back.
//
//     numbers   F = mean of F_v over the voters v
//     classes   F_k = log of the mean of p_vk,  p_v = softmax(F_v);  of a single score
//               F = log(P / (1 - P)),  P = mean of 1 / (1 + exp(-F_v))
//
// Means are weighted; weights need not sum to 1. Voters that fail at a row are left out there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"

namespace deepsl::learner {

/// One or more of the same shape. Eigenvalues are the first one's.
model::Prediction vote(std::vector<model::Prediction> votes, std::span<const double> weights,
                       bool classes);

/// The derivative of F_k at a row by the scores of one voter [outputs], where all votes are ok.
void vote_gradient(const std::vector<model::Prediction>& votes, std::span<const double> weights,
                   bool classes, std::size_t row, std::size_t k, std::size_t voter,
                   std::span<double> result);

}  // namespace deepsl::learner
