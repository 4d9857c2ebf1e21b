#include "deepsl/train/optimiser.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace deepsl::train {
namespace {

using torch::Tensor;
using torch::optim::OptimizerOptions;
using torch::optim::OptimizerParamGroup;

std::unique_ptr<OptimizerOptions> group_options(const std::string& optimiser, double rate,
                                                double decay) {
    using torch::optim::AdamOptions;
    using torch::optim::AdamWOptions;
    if (optimiser == "fromage") return std::make_unique<FromageOptions>(rate);
    if (optimiser == "adam")
        return std::make_unique<AdamOptions>(AdamOptions(rate).weight_decay(decay));
    return std::make_unique<AdamWOptions>(AdamWOptions(rate).weight_decay(decay));
}

std::vector<OptimizerParamGroup> groups_of(model::PredictorImpl& model,
                                           const TrainOptions& options) {
    const auto linear = model.linear_parameters();
    std::vector<Tensor> matrices, vectors;
    for (const auto& p : model.parameters()) {
        const auto same = [&](const Tensor& other) { return p.is_same(other); };
        if (std::any_of(linear.begin(), linear.end(), same)) continue;
        (p.dim() >= 2 ? matrices : vectors).push_back(p);
    }
    std::vector<OptimizerParamGroup> groups;
    const auto add = [&](const std::vector<Tensor>& parameters, double rate, double decay) {
        if (!parameters.empty())
            groups.emplace_back(parameters, group_options(options.optimiser, rate, decay));
    };
    add(matrices, options.learning_rate, options.weight_decay);
    add(vectors, options.learning_rate, 0.0);
    add(linear, options.learning_rate * options.linear_rate, 0.0);
    return groups;
}

std::unique_ptr<torch::optim::Optimizer> optimiser_of(const std::string& name,
                                                      std::vector<OptimizerParamGroup> groups) {
    if (name == "fromage") return std::make_unique<Fromage>(std::move(groups));
    if (name == "adam") return std::make_unique<torch::optim::Adam>(std::move(groups));
    return std::make_unique<torch::optim::AdamW>(std::move(groups));
}

/// Under which torch keeps what it remembers of a parameter.
std::string key_of(const Tensor& p) { return c10::guts::to_string(p.unsafeGetTensorImpl()); }

/// Copies the moments of Adam or AdamW, whose states are alike, but not of one type.
template <class State>
bool read_moments(const torch::optim::OptimizerParamState& from, OptimiserState& to) {
    const auto* own = dynamic_cast<const State*>(&from);
    if (own == nullptr) return false;
    to.steps.back() = own->step();
    to.mean.back() = own->exp_avg().clone();
    to.square.back() = own->exp_avg_sq().clone();
    return true;
}

template <class State>
std::unique_ptr<State> moments(const OptimiserState& from, std::size_t i) {
    auto own = std::make_unique<State>();
    own->step(from.steps[i]);
    own->exp_avg(from.mean[i].clone());
    own->exp_avg_sq(from.square[i].clone());
    return own;
}

}  // namespace

Fromage::Fromage(std::vector<OptimizerParamGroup> groups, const FromageOptions& defaults)
    : Optimizer(std::move(groups), std::make_unique<FromageOptions>(defaults)) {}

Tensor Fromage::step(LossClosure closure) {
    Tensor loss;
    if (closure != nullptr) {
        const torch::AutoGradMode with_grad(true);
        loss = closure();
    }
    const torch::NoGradGuard no_grad;
    for (auto& group : param_groups_) {
        const auto eta = group.options().get_lr();
        const auto shrink = 1.0 / std::sqrt(1.0 + eta * eta);
        for (auto& weight : group.params()) {
            const auto& gradient = weight.grad();
            if (!gradient.defined()) continue;
            const auto size = weight.norm().item<double>();
            const auto slope = gradient.norm().item<double>();
            const auto scale = size > 0.0 && slope > 0.0 ? size / slope : 1.0;
            weight.add_(gradient, -eta * scale).mul_(shrink);
        }
    }
    return loss;
}

double schedule_factor(std::string_view schedule, double warm_up, std::int64_t step,
                       std::int64_t steps) {
    const double all = static_cast<double>(steps), now = static_cast<double>(step);
    const double risen = now + 1.0 < warm_up * all ? (now + 1.0) / (warm_up * all) : 1.0;
    if (schedule == "constant") return risen;
    return risen * 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(now / all, 1.0)));
}

double cool_down_factor(double cool_down, std::int64_t step, std::int64_t last) {
    const double falling = cool_down * static_cast<double>(last);
    const double left = static_cast<double>(std::max<std::int64_t>(0, last - step));
    return left < falling ? left / falling : 1.0;
}

double clip_gradients(const std::vector<Tensor>& parameters, double most) {
    auto sum = torch::zeros({}, torch::kFloat64);
    for (const auto& p : parameters)
        if (p.grad().defined()) sum += p.grad().to(torch::kFloat64).square().sum();
    const auto length = std::sqrt(sum.item<double>());
    if (most > 0.0 && std::isfinite(length) && length > most)
        for (const auto& p : parameters)
            if (p.grad().defined()) p.grad().mul_(most / length);
    return length;
}

Optimiser::Optimiser(model::PredictorImpl& model, const TrainOptions& options, std::int64_t steps)
    : inner_(optimiser_of(options.optimiser, groups_of(model, options))),
      parameters_(model.parameters()),
      schedule_(options.schedule),
      warm_up_(options.warm_up),
      cool_down_(options.cool_down),
      clip_(options.clip),
      steps_(steps),
      last_(steps / options.epochs * std::min(options.stop_epoch, options.epochs)) {
    for (const auto& group : inner_->param_groups()) rates_.push_back(group.options().get_lr());
}

bool Optimiser::step() {
    if (!std::isfinite(clip_gradients(parameters_, clip_))) {
        skip();
        return false;
    }
    const auto factor = schedule_factor(schedule_, warm_up_, done_, steps_) *
                        cool_down_factor(cool_down_, done_, last_);
    auto& groups = inner_->param_groups();
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].options().set_lr(rates_[g] * factor);
    inner_->step();
    ++done_;
    return true;
}

void Optimiser::skip() {
    ++done_;
    ++skipped_;
}

OptimiserState Optimiser::state() const {
    OptimiserState state;
    for (const auto& p : parameters_) {
        state.steps.push_back(0);
        state.mean.emplace_back();
        state.square.emplace_back();
        state.had_gradient.push_back(p.grad().defined() ? 1 : 0);
        const auto found = inner_->state().find(key_of(p));
        if (found == inner_->state().end()) continue;
        if (!read_moments<torch::optim::AdamParamState>(*found->second, state))
            read_moments<torch::optim::AdamWParamState>(*found->second, state);
    }
    state.done = done_;
    state.skipped = skipped_;
    return state;
}

void Optimiser::restore(const OptimiserState& state) {
    TORCH_CHECK(state.steps.size() == parameters_.size(), "the state of an optimiser of ",
                state.steps.size(), " parameters does not fit one of ", parameters_.size());
    inner_->state().clear();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        auto& p = parameters_[i];
        // torch leaves a gradient of zeros behind, which is not the same as none.
        p.mutable_grad() = state.had_gradient[i] != 0 ? torch::zeros_like(p) : Tensor();
        if (state.steps[i] == 0) continue;
        auto& own = inner_->state()[key_of(p)];
        if (dynamic_cast<torch::optim::Adam*>(inner_.get()) != nullptr)
            own = moments<torch::optim::AdamParamState>(state, i);
        else
            own = moments<torch::optim::AdamWParamState>(state, i);
    }
    done_ = state.done;
    skipped_ = state.skipped;
}

}  // namespace deepsl::train
