// The model file: one file in the safetensors layout, with everything a prediction needs. Its
// metadata hold the format's version, the architecture, names, classes and the training record;
// its tensors the weights and the scales. Loading runs no code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "deepsl/data/encoding.h"
#include "deepsl/data/scaling.h"
#include "deepsl/model/model.h"

namespace deepsl::io {

struct TrainedModel {
    model::Model model{nullptr};  // Deep Sturm-Liouville; or else
    std::shared_ptr<model::PredictorImpl> baseline;
    std::string kind = "dsl";                // as make_predictor takes it
    model::ModelOptions architecture;        // of a baseline; a Model knows its own
    std::optional<data::Encoding> encoding;  // of models for tables
    data::Scaling scaling;
    std::vector<std::string> features;  // names of the inputs; may be empty
    std::vector<std::string> classes;   // empty: a regression
    double target_mean = 0.0;           // of a regression: y = mean + scale F
    double target_scale = 1.0;
    std::map<std::string, std::string> record;  // of the training: settings and results, as text

    model::PredictorImpl& predictor();

    /// x [B, inputs] in the data's units, or as the encoding gives it.
    model::Prediction predict(const torch::Tensor& x);
};

/// Throws io::FileError; an existing file stays as it was unless everything was written.
void save_model(const std::string& path, const TrainedModel& trained);

/// Throws io::FileError with one sentence if the file is missing, damaged or of another kind.
TrainedModel load_model(const std::string& path);

}  // namespace deepsl::io
