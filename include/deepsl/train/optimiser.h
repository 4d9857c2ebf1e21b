// Optimisers: from the gradient g of a model's flat vector of parameters to its next values. With
// eta the rate of a step (learning rate, schedule, cool-down; times linear_rate for the last
// linear map) and delta the weight decay (of matrices alone):
//
//     adamw    W <- (1 - eta delta) W, then as adam without decay     (Loshchilov, Hutter 2019)
//     adam     g <- g + delta W,   m <- 0.9 m + 0.1 g,   s <- 0.999 s + 0.001 g^2,
//              W <- W - eta m / (1 - 0.9^t) / (sqrt(s / (1 - 0.999^t)) + 1e-8)
//                                                                     (Kingma, Ba 2015)
//     fromage  W <- (W - eta |W|/|g| g) / sqrt(1 + eta^2)     for each tensor W with its g,
//              W <- (W - eta g) / sqrt(1 + eta^2)             where |W| = 0 or |g| = 0
//                                                                     (Bernstein et al. 2020)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/network/parameters.h"
#include "deepsl/train/options.h"

namespace deepsl::train {

/// The factor on the rate in step 0..steps-1: 1, or (1 + cos(pi step / steps)) / 2; in the first
/// warm_up * steps steps times a factor that rises evenly to 1.
double schedule_factor(Schedule schedule, double warm_up, std::int64_t step, std::int64_t steps);

/// Another factor: 1 but in the last cool_down * last of `last` steps, over which it falls evenly,
/// to reach 0 in step `last`.
double cool_down_factor(double cool_down, std::int64_t step, std::int64_t last);

/// Scales the gradient so that it is at most `most` long; 0 = any length. Returns its length before
/// that. One that is not finite is left alone.
double clip_gradient(std::span<double> gradient, double most);

/// What an optimiser remembers.
struct OptimiserState {
    std::vector<double> mean, square;    // m and s, by parameter; none with fromage
    std::int64_t steps = 0;              // taken, t
    std::int64_t done = 0, skipped = 0;  // steps of the schedule

    friend bool operator==(const OptimiserState&, const OptimiserState&) = default;
};

/// A model's optimiser with its schedule, which is laid out for a number of steps. Measured
/// figures are left as they are.
class Optimiser {
public:
    Optimiser(const network::Parameters& parameters, const TrainOptions& options,
              std::int64_t steps);

    /// Takes a step along the gradient, which it clips. If that is not finite, the step is
    /// skipped: false.
    bool step(model::Predictor& model, std::span<double> gradient);

    /// The same for values that stand anywhere.
    bool step(std::span<double> values, std::span<double> gradient);

    /// A step that cannot be taken; the schedule goes on.
    void skip();

    /// Steps that were skipped, for either reason.
    std::int64_t skipped() const { return state_.skipped; }

    /// The rate of the next step, of all but the last linear map.
    double rate() const;

    const OptimiserState& state() const { return state_; }
    /// Of an optimiser of the same kind and model.
    void restore(OptimiserState state);

private:
    /// Neighbours of one role in the flat vector.
    struct Run {
        std::size_t begin, end;
        double rate_factor, decay;
    };

    void adam(std::span<double> values, std::span<const double> gradient, double rate);
    void fromage(std::span<double> values, std::span<const double> gradient, double rate) const;

    std::vector<Run> runs_;     // all that learns
    std::vector<Run> tensors_;  // the same, one by one
    std::vector<Run> measured_;
    OptimiserKind kind_;
    Schedule schedule_;
    double rate_, warm_up_, cool_down_, clip_;
    std::int64_t steps_, last_;  // last_: steps until the stop epoch
    OptimiserState state_;
    std::vector<double> values_;  // of the model, on their way
};

}  // namespace deepsl::train
