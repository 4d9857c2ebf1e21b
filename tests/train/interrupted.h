// Runs that are interrupted: small models, data and the file that keeps them.
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <unistd.h>

#include "deepsl/train/trainer.h"
#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {

/// A file of the test's own, gone with it.
class Path {
public:
    Path()
        : path_((std::filesystem::temp_directory_path() /
                 ("deepsl_checkpoint_" + std::to_string(::getpid()) + ".state"))
                    .string()) {
        std::filesystem::remove(path_);
    }
    ~Path() { std::filesystem::remove(path_); }
    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;

    operator const std::string&() const { return path_; }

private:
    std::string path_;
};

inline model::ModelOptions small() {
    model::ModelOptions options;
    options.hidden = {8, 4};
    options.field_hidden = {4};
    options.eigenfunctions = 4;
    options.cells = 4;
    options.steps = 3;
    return options;
}

using MakePredictor = std::function<std::unique_ptr<model::Predictor>(std::uint64_t)>;

/// The seed makes no difference to a run that is resumed.
inline MakePredictor predictor(model::Kind kind, const model::ModelOptions& options = small()) {
    return [=](std::uint64_t seed) { return model::make_predictor(kind, 2, 2, options, seed); };
}

inline std::unique_ptr<model::Predictor> linear(std::uint64_t seed) {
    auto model = std::make_unique<LinearModel>(2, 2, 3);
    auto values = model->parameters().values();
    Random random(seed);
    for (auto& value : values) value = 0.1 * normal(random);
    model->set_values(values);
    return model;
}

inline TrainOptions quick(OptimiserKind optimiser, std::int64_t epochs = 5) {
    TrainOptions options;
    options.optimiser = optimiser;
    options.batch = 20;  // three steps an epoch
    options.epochs = epochs;
    options.patience = 0;
    options.learning_rate = 0.02;
    return options;
}

/// Ends a run after so many steps.
inline Callbacks stop_after(int steps) {
    Callbacks callbacks;
    callbacks.stop = [steps, done = 0]() mutable { return ++done == steps; };
    return callbacks;
}

/// Training data with rows that fail, and validation data.
struct Data {
    Dataset training = generated(GeneratedSet::moons, 60, 3),
            validation = generated(GeneratedSet::moons, 30, 4);

    Data() { training.x(7, 0) = std::nan(""), training.x(20, 0) = 500.0; }
};

}  // namespace deepsl::train
