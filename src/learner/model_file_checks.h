// Whether what a model file says makes sense: not only sizes, but what numbers and names mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "deepsl/learner/trained_model.h"

namespace deepsl::learner {

/// The first input whose placement in the domain no usable data give, if there is one.
std::optional<std::size_t> impossible_input(const field::Scaling& scaling);

/// What is wrong with a model, to follow "it cannot be used as a model:"; nothing if all is well.
std::optional<std::string> nonsense_in(const TrainedModel& trained);

}  // namespace deepsl::learner
