// From tables, or arrays, to what a model can learn from: the first step of learn.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "deepsl/data/encoding.h"
#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/task.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/train/dataset.h"

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

/// The same of images, which stay as they are and are shared. `validation` may be null.
Prepared prepare(std::shared_ptr<const data::Images> training,
                 std::shared_ptr<const data::Images> validation, const Task& task);

/// The same of arrays. Every input is brought to the same size when it is put into the domain.
Prepared prepare(Samples training, Samples validation, const Task& task);

}  // namespace deepsl::learner
