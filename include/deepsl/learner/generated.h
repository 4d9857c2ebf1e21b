// Generated data sets (data/generated.h) as tasks: samples, settings that learn them within a
// minute, and a perceptron of the same size to compare with.
#pragma once

#include <cstdint>

#include "deepsl/data/generated.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/task.h"

namespace deepsl::learner {

using data::GeneratedSet;

/// With names of inputs and classes.
Samples generated_samples(GeneratedSet set, const data::GenerateOptions& options);

/// Others of the same kind, to test on: no seed that can be given for training makes the same.
Samples generated_test_samples(GeneratedSet set, const data::GenerateOptions& training,
                               std::size_t count = 2000);

/// The presets for some thousand samples of a generated set.
Task generated_task(GeneratedSet set, model::Preset preset);

/// The same task for a perceptron with two equal hidden layers and about as many parameters as
/// `model` learns. It gets more epochs, each of which takes it far less time: with as many as the
/// model has, it would be left half-trained, and look bad for no good reason.
Task task_of_equal_mlp(const Task& task, const model::Predictor& model);

}  // namespace deepsl::learner
