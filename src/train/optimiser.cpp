#include "deepsl/train/optimiser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace deepsl::train {
namespace {

constexpr double keep_mean = 0.9, keep_square = 0.999, least_root = 1e-8;

/// With several partial sums, which are independent work for the processor.
double square_sum(std::span<const double> values) {
    std::array<double, 8> sums{};
    std::size_t i = 0;
    for (; i + sums.size() <= values.size(); i += sums.size())
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[i + k] * values[i + k];
    for (; i < values.size(); ++i) sums[0] += values[i] * values[i];
    double sum = 0.0;
    for (const double part : sums) sum += part;
    return sum;
}

double length(std::span<const double> values) { return std::sqrt(square_sum(values)); }

/// The factors of one step of Adam over neighbours in the flat vector.
struct AdamStep {
    double shrink;        // of the weights, before the step
    double added;         // weight decay as part of the gradient
    double rate;          // eta / (1 - 0.9^t)
    double inverse_root;  // 1 / sqrt(1 - 0.999^t)

    void operator()(std::size_t count, const double* gradient, double* weight, double* mean,
                    double* square) const {
        for (std::size_t i = 0; i < count; ++i) {
            const double g = gradient[i] + added * weight[i];
            const double m = keep_mean * mean[i] + (1.0 - keep_mean) * g;
            const double s = keep_square * square[i] + (1.0 - keep_square) * g * g;
            mean[i] = m;
            square[i] = s;
            weight[i] = shrink * weight[i] - rate * m / (std::sqrt(s) * inverse_root + least_root);
        }
    }
};

}  // namespace

double schedule_factor(Schedule schedule, double warm_up, std::int64_t step, std::int64_t steps) {
    const auto all = static_cast<double>(steps), now = static_cast<double>(step);
    const double risen = now + 1.0 < warm_up * all ? (now + 1.0) / (warm_up * all) : 1.0;
    switch (schedule) {
        case Schedule::constant: return risen;
        case Schedule::cosine: break;
    }
    return risen * 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(now / all, 1.0)));
}

double cool_down_factor(double cool_down, std::int64_t step, std::int64_t last) {
    const double falling = cool_down * static_cast<double>(last);
    const double left = static_cast<double>(std::max<std::int64_t>(0, last - step));
    return left < falling ? left / falling : 1.0;
}

double clip_gradient(std::span<double> gradient, double most) {
    const double before = length(gradient);
    if (most > 0.0 && std::isfinite(before) && before > most) {
        const double factor = most / before;
        for (auto& value : gradient) value *= factor;
    }
    return before;
}

Optimiser::Optimiser(const network::Parameters& parameters, const TrainOptions& options,
                     std::int64_t steps)
    : kind_(options.optimiser),
      schedule_(options.schedule),
      rate_(options.learning_rate),
      warm_up_(options.warm_up),
      cool_down_(options.cool_down),
      clip_(options.clip),
      steps_(steps),
      last_(steps / options.epochs * std::min(options.stop_epoch, options.epochs)) {
    for (const auto& tensor : parameters.list()) {
        Run run{tensor.offset, tensor.offset + tensor.size(), 1.0, 0.0};
        switch (tensor.role) {
            case network::Role::matrix: run.decay = options.weight_decay; break;
            case network::Role::vector: break;
            case network::Role::linear: run.rate_factor = options.linear_rate; break;
            case network::Role::measured: measured_.push_back(run); continue;
        }
        tensors_.push_back(run);
        const bool joins = !runs_.empty() && runs_.back().end == run.begin &&
                           runs_.back().rate_factor == run.rate_factor &&
                           runs_.back().decay == run.decay;
        if (joins)
            runs_.back().end = run.end;
        else
            runs_.push_back(run);
    }
    if (kind_ == OptimiserKind::fromage) return;
    state_.mean.resize(parameters.size());
    state_.square.resize(parameters.size());
}

double Optimiser::rate() const {
    return rate_ * schedule_factor(schedule_, warm_up_, state_.done, steps_) *
           cool_down_factor(cool_down_, state_.done, last_);
}

bool Optimiser::step(model::Predictor& model, std::span<double> gradient) {
    const auto& now = model.parameters().values();
    values_.assign(now.begin(), now.end());
    if (!step(values_, gradient)) return false;
    model.set_values(values_);
    return true;
}

bool Optimiser::step(std::span<double> values, std::span<double> gradient) {
    for (const auto& run : measured_)
        std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(run.begin),
                  gradient.begin() + static_cast<std::ptrdiff_t>(run.end), 0.0);
    if (!std::isfinite(clip_gradient(gradient, clip_))) {
        skip();
        return false;
    }
    ++state_.steps;
    switch (kind_) {
        case OptimiserKind::adamw:
        case OptimiserKind::adam: adam(values, gradient, rate()); break;
        case OptimiserKind::fromage: fromage(values, gradient, rate()); break;
    }
    ++state_.done;
    return true;
}

void Optimiser::skip() {
    ++state_.done;
    ++state_.skipped;
}

void Optimiser::adam(std::span<double> values, std::span<const double> gradient, double rate) {
    const auto t = static_cast<double>(state_.steps);
    const bool decoupled = kind_ == OptimiserKind::adamw;
    for (const auto& run : runs_) {
        const double eta = rate * run.rate_factor;
        const AdamStep step{decoupled ? 1.0 - eta * run.decay : 1.0, decoupled ? 0.0 : run.decay,
                            eta / (1.0 - std::pow(keep_mean, t)),
                            1.0 / std::sqrt(1.0 - std::pow(keep_square, t))};
        step(run.end - run.begin, &gradient[run.begin], &values[run.begin], &state_.mean[run.begin],
             &state_.square[run.begin]);
    }
}

void Optimiser::fromage(std::span<double> values, std::span<const double> gradient,
                        double rate) const {
    for (const auto& tensor : tensors_) {
        const double eta = rate * tensor.rate_factor;
        const auto weight = values.subspan(tensor.begin, tensor.end - tensor.begin);
        const auto slope = gradient.subspan(tensor.begin, weight.size());
        const double size = length(weight), steepness = length(slope);
        const double factor = eta * (size > 0.0 && steepness > 0.0 ? size / steepness : 1.0);
        const double shrink = 1.0 / std::sqrt(1.0 + eta * eta);
        for (std::size_t i = 0; i < weight.size(); ++i)
            weight[i] = (weight[i] - factor * slope[i]) * shrink;
    }
}

void Optimiser::restore(OptimiserState state) { state_ = std::move(state); }

}  // namespace deepsl::train
