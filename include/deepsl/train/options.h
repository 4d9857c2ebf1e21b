// The options of training: one place for names, defaults, ranges and explanations. Flags, model
// files and docs/options.md are made from `visit_train`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "deepsl/model/options.h"
#include "deepsl/option.h"
#include "deepsl/train/loss.h"

namespace deepsl::train {

enum class OptimiserKind { adamw, adam, fromage };
constexpr std::array<std::string_view, 3> names(OptimiserKind) {
    return {"adamw", "adam", "fromage"};
}

enum class Schedule { cosine, constant };
constexpr std::array<std::string_view, 2> names(Schedule) { return {"cosine", "constant"}; }

/// By what the epoch is chosen that is kept.
enum class Best { metric, loss };
constexpr std::array<std::string_view, 2> names(Best) { return {"metric", "loss"}; }

struct TrainOptions {
    Loss loss = Loss::automatic;
    double alpha = 0.0;
    double smoothness = 0.0;
    OptimiserKind optimiser = OptimiserKind::adamw;
    double learning_rate = 2e-3;
    Schedule schedule = Schedule::cosine;
    double warm_up = 0.0;
    double cool_down = 0.0;
    double weight_decay = 0.1;
    double linear_rate = 5.0;
    double clip = 5.0;
    std::int64_t batch = 64;
    std::int64_t epochs = 60;
    std::int64_t stop_epoch = 0;
    std::int64_t patience = 20;
    Best best = Best::metric;
    double validation = 0.2;
    std::int64_t seed = 0;

    /// The last epoch there can be: stop_epoch, or epochs.
    std::int64_t last_epoch() const;
};

/// Calls visitor(option, value) for each option.
template <class Options, class Visitor>
void visit_train(Options& o, Visitor&& visitor) {
    visitor(
        choice<Loss>("loss",
                     "what is minimised: auto is cross_entropy for classes, squared for numbers"),
        o.loss);
    visitor(number("alpha", 0.0, 1e6, "weight of the spectral term, the mean of |lambda_i|"),
            o.alpha);
    visitor(number("smoothness", 0.0, 1e6,
                   "weight of the energy of F along whole lines, the mean of (dF/dt)^2"),
            o.smoothness);
    visitor(choice<OptimiserKind>("optimiser", "how weights follow gradients"), o.optimiser);
    visitor(number("learning-rate", 0.0, 10.0,
                   "of the networks, before schedule, warm-up and cool-down"),
            o.learning_rate);
    visitor(
        choice<Schedule>("schedule",
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
    visitor(whole_number("batch", 1, 1000000, "samples a step"), o.batch);
    visitor(whole_number("epochs", 1, 1000000, "passes over the training data, at most"), o.epochs);
    visitor(
        whole_number("stop-epoch", 0, 1000000,
                     "end after this epoch, with the schedule laid out for all epochs; 0 = not"),
        o.stop_epoch);
    visitor(
        whole_number("patience", 0, 1000000,
                     "training stops after this many epochs without improvement on the validation "
                     "rows; 0 = never"),
        o.patience);
    visitor(choice<Best>("best",
                         "the epoch that is kept: highest accuracy or R² on the validation rows, "
                         "or smallest loss"),
            o.best);
    visitor(number("validation", 0.0, 0.9,
                   "share of the rows split off for validation where no set is given"),
            o.validation);
    visitor(whole_number("seed", 0, 1000000000000000, "of the split and of the order of samples"),
            o.seed);
}

/// The defaults, or the paper's settings for tables.
TrainOptions train_preset(model::Preset preset);

/// Throws Error for the first value that is not allowed.
void check_train(const TrainOptions& options);

}  // namespace deepsl::train
