#include "deepsl/train/options.h"

namespace deepsl::train {

TrainOptions train_preset(std::string_view name) {
    TrainOptions options;
    if (name == "default") return options;
    if (name != "paper")
        throw OptionError("there is no preset '" + std::string(name) + "'; use default or paper");
    options.loss = "hinge";
    options.alpha = 1e-4;
    options.optimiser = "adam";
    options.learning_rate = 2e-3;
    options.schedule = "constant";
    options.weight_decay = 0.0;
    options.linear_rate = 1.0;
    options.clip = 0.0;
    options.batch = 256;
    options.epochs = 40;
    options.patience = 0;
    return options;
}

void check_train(const TrainOptions& options) { visit_train(options, CheckOption{}); }

}  // namespace deepsl::train
