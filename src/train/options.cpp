#include "deepsl/train/options.h"

#include <algorithm>

namespace deepsl::train {
namespace {

TrainOptions paper_preset() {
    TrainOptions options;
    options.loss = Loss::hinge;
    options.alpha = 1e-4;
    options.optimiser = OptimiserKind::adam;
    options.learning_rate = 2e-3;
    options.schedule = Schedule::constant;
    options.weight_decay = 0.0;
    options.linear_rate = 1.0;
    options.clip = 0.0;
    options.batch = 256;
    options.epochs = 40;
    options.patience = 0;
    return options;
}

}  // namespace

std::int64_t TrainOptions::last_epoch() const {
    return stop_epoch > 0 ? std::min(stop_epoch, epochs) : epochs;
}

TrainOptions train_preset(model::Preset preset) {
    switch (preset) {
        case model::Preset::standard: return {};
        case model::Preset::paper: return paper_preset();
    }
    return {};
}

void check_train(const TrainOptions& options) { visit_train(options, CheckOption{}); }

}  // namespace deepsl::train
