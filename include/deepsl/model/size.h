// How large a model is, told before it is made: its numbers, and the memory that they take in use.
#pragma once

#include <cstddef>
#include <limits>

#include "deepsl/model/options.h"

namespace deepsl::model {

/// What memory is wanted for: a training in batches of so many rows at most, or predictions alone.
struct Use {
    bool training = true;
    std::size_t rows = std::numeric_limits<std::size_t>::max();
};

/// How many numbers such a model has, learned or measured.
double parameter_count(Kind kind, std::size_t inputs, std::size_t outputs,
                       const ModelOptions& options);

/// Bytes that the use takes, about: the model's numbers, with a gradient for each lane and pass,
/// and what the passes keep of their chunks. There is a pass for each thread, but no more in a
/// training than a batch has chunks.
double memory_needed(Kind kind, std::size_t inputs, std::size_t outputs,
                     const ModelOptions& options, const Use& use = {});

/// Throws Error where that is more than there is: what takes it, and for training what to lower.
/// Allocates nothing of it.
void check_size(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& options,
                const Use& use = {});

}  // namespace deepsl::model
