// What `inspect` says about a table's columns: for a model how important each is, for a row what
// each adds to its score, and how far it is from another answer.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "deepsl/learner/contributions.h"
#include "deepsl/learner/importance.h"
#include "deepsl/learner/turning.h"

namespace deepsl::cli {

std::string importance_text(const std::string& data, const learner::Importance& importance);
nlohmann::ordered_json importance_json(const learner::Importance& importance);

/// Of the row x [1, inputs], to the score of the class that is predicted, or to the number.
std::string contributions_text(const learner::TrainedModel& model,
                               const learner::Contributions& contributions,
                               MatrixView<const double> x, std::size_t output);
nlohmann::ordered_json contributions_json(const learner::TrainedModel& model,
                                          const learner::Contributions& contributions,
                                          MatrixView<const double> x);

std::string turning_text(const learner::TrainedModel& model,
                         const std::optional<learner::Turning>& turning,
                         MatrixView<const double> x);
nlohmann::ordered_json turning_json(const learner::TrainedModel& model,
                                    const std::optional<learner::Turning>& turning);

}  // namespace deepsl::cli
