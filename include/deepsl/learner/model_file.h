// The model file: one file in the safetensors layout, with everything a prediction needs. Its
// metadata hold the format's version, the architecture, names, classes and the training record;
// its tensors the parameters and the scaling. Loading runs no code.
//
// Version 2 has a checksum over all tensors and all other metadata, the option `coefficients`, and
// the domain of the scaling. Files of version 1, as deepsl 0.1 wrote them, are read as well.
#pragma once

#include <string>

#include "deepsl/learner/trained_model.h"

namespace deepsl::learner {

/// Throws Error (output); an existing file stays as it was unless everything was written.
void save_model(const std::string& path, const TrainedModel& trained);

/// The same, so that hours of training are not lost for a disk that is full: where `path` cannot be
/// written, the model goes to the temporary folder, under a name that is free, and the Error
/// (output) says so.
void save_model_or_rescue(const std::string& path, const TrainedModel& trained);

/// Throws Error (data) with one sentence if the file is missing, damaged or of another kind, or if
/// what it holds makes no sense as a model. Sizes are compared with the file's before anything is
/// allocated.
TrainedModel load_model(const std::string& path);

}  // namespace deepsl::learner
