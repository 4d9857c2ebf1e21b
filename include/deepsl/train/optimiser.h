// Optimisers: from gradients to weights. Adam and AdamW are torch's; Fromage is
//
//     W <- (W - eta |W|/|g| g) / sqrt(1 + eta^2)      for each tensor W with its gradient g,
//     W <- (W - eta g) / sqrt(1 + eta^2)              where |W| = 0 or |g| = 0
//
// (Bernstein, Vahdat, Yue, Liu: On the distance between two neural networks and the stability of
// learning, NeurIPS 2020).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"
#include "deepsl/train/options.h"

namespace deepsl::train {

class FromageOptions : public torch::optim::OptimizerCloneableOptions<FromageOptions> {
public:
    explicit FromageOptions(double lr = 1e-2) : lr_(lr) {}

    double get_lr() const override { return lr_; }
    void set_lr(double lr) override { lr_ = lr; }

private:
    double lr_;
};

class Fromage : public torch::optim::Optimizer {
public:
    explicit Fromage(std::vector<torch::optim::OptimizerParamGroup> groups,
                     const FromageOptions& defaults = FromageOptions());

    torch::Tensor step(LossClosure closure = nullptr) override;
};

/// The factor on the rate in step 0..steps-1: 1, or (1 + cos(pi step / steps)) / 2; in the first
/// warm_up * steps steps times a factor that rises evenly to 1.
double schedule_factor(std::string_view schedule, double warm_up, std::int64_t step,
                       std::int64_t steps);

/// Another factor: 1 but in the last cool_down * last of `last` steps, over which it falls evenly,
/// to reach 0 in step `last`.
double cool_down_factor(double cool_down, std::int64_t step, std::int64_t last);

/// Scales all gradients by one factor so that they are at most `most` long together; 0 = any
/// length. Returns their length before that. Gradients that are not finite are left alone.
double clip_gradients(const std::vector<torch::Tensor>& parameters, double most);

/// What an optimiser remembers, by parameter in the model's order where not said otherwise.
struct OptimiserState {
    std::vector<std::int64_t> steps;          // of Adam and AdamW; 0: no moments yet
    std::vector<torch::Tensor> mean, square;  // their moments; undefined where there are none
    std::vector<std::int64_t> had_gradient;   // 1: since then it takes part in every step
    std::int64_t done = 0, skipped = 0;       // of the schedule
};

/// A model's optimiser with its schedule. Groups, in this order, where not empty:
/// matrices (two dimensions or more), with weight decay; other tensors of the networks, without;
/// the model's linear_parameters, with linear_rate times the rate, without decay.
class Optimiser {
public:
    Optimiser(model::PredictorImpl& model, const TrainOptions& options, std::int64_t steps);

    void zero_grad() { inner_->zero_grad(); }

    /// Takes a step along the gradients. If these are not finite, it is skipped: false.
    bool step();

    /// A step that cannot be taken; the schedule goes on.
    void skip();

    /// Steps that were skipped, for either reason.
    std::int64_t skipped() const { return skipped_; }

    /// A copy of what it remembers, and back into an optimiser of the same kind and model.
    OptimiserState state() const;
    void restore(const OptimiserState& state);

    torch::optim::Optimizer& inner() { return *inner_; }

private:
    std::unique_ptr<torch::optim::Optimizer> inner_;
    std::vector<double> rates_;  // of the groups, before the schedule
    std::vector<torch::Tensor> parameters_;
    std::string schedule_;
    double warm_up_, cool_down_, clip_;
    std::int64_t done_ = 0, steps_, last_, skipped_ = 0;  // last_: steps until the stop epoch
};

}  // namespace deepsl::train
