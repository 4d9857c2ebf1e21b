// The options of training: one place for names, defaults, ranges and explanations. Flags, model
// files and docs/options.md are made from `visit_train`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deepsl/option.h"

namespace deepsl::train {

struct TrainOptions {
    std::string loss = "auto";
    double alpha = 0.0;
    std::string optimiser = "adamw";
    double learning_rate = 2e-3;
    std::string schedule = "cosine";
    double warm_up = 0.0;
    double cool_down = 0.0;
    double weight_decay = 0.1;
    double linear_rate = 5.0;
    double clip = 5.0;
    std::int64_t batch = 64;
    std::int64_t epochs = 60;
    std::int64_t stop_epoch = 0;
    std::int64_t patience = 20;
    std::string best = "metric";
    double validation = 0.2;
    std::int64_t seed = 0;
};

/// Calls visitor(option, value) for each option.
template <class Options, class Visitor>
void visit_train(Options& o, Visitor&& visitor) {
    visitor(choice("loss", {"auto", "hinge", "cross_entropy", "squared"},
                   "what is minimised: auto is cross_entropy for classes, squared for numbers"),
            o.loss);
    visitor(number("alpha", 0.0, 1e6, "weight of the spectral term, the mean of |lambda_i|"),
            o.alpha);
    visitor(choice("optimiser", {"adamw", "adam", "fromage"}, "how weights follow gradients"),
            o.optimiser);
    visitor(number("learning-rate", 0.0, 10.0,
                   "of the networks, before schedule, warm-up and cool-down"),
            o.learning_rate);
    visitor(choice("schedule", {"cosine", "constant"},
                   "the rate from step to step: down to 0 along a half cosine, or the same"),
            o.schedule);
    visitor(number("warm-up", 0.0, 1.0,
                   "share of the steps over which a factor on the rate rises from 0 to 1"),
            o.warm_up);
    visitor(
        number("cool-down", 0.0, 1.0,
               "share of the steps before stop-epoch, or the epoch that folds choose, over which "
               "a factor on the rate falls from 1 to 0"),
        o.cool_down);
    visitor(number("weight-decay", 0.0, 1000.0,
                   "of the networks' matrices, in adamw and adam; fromage has its own"),
            o.weight_decay);
    visitor(number("linear-rate", 0.0, 1000.0,
                   "factor on the rate of the last linear map, which has no decay"),
            o.linear_rate);
    visitor(number("clip", 0.0, 1e9, "longest gradient, longer ones are scaled down; 0 = never"),
            o.clip);
    visitor(whole("batch", 1, 1000000, "samples a step"), o.batch);
    visitor(whole("epochs", 1, 1000000, "passes over the training data, at most"), o.epochs);
    visitor(whole("stop-epoch", 0, 1000000,
                  "end after this epoch, the rate's way laid out for all; 0 = not"),
            o.stop_epoch);
    visitor(whole("patience", 0, 1000000,
                  "epochs without better validation before training ends; 0 = never"),
            o.patience);
    visitor(choice("best", {"metric", "loss"},
                   "the epoch that is kept: highest accuracy or R2 on the validation rows, or "
                   "smallest loss"),
            o.best);
    visitor(number("validation", 0.0, 0.9,
                   "share of the rows split off for validation where no set is given"),
            o.validation);
    visitor(whole("seed", 0, 1000000000000000, "of the split and of the order of samples"), o.seed);
}

/// "default", or "paper", the paper's settings for tables.
TrainOptions train_preset(std::string_view name);

/// Throws OptionError for the first value that is not allowed.
void check_train(const TrainOptions& options);

}  // namespace deepsl::train
