#include "deepsl/model/node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/outcomes.h"

namespace deepsl::model {
namespace {

using torch::Tensor;

Tensor column(const std::vector<double>& numbers, const Tensor& like) {
    return torch::tensor(numbers, torch::kFloat64).to(like.scalar_type()).unsqueeze(1);
}

/// sum_j weights_j k_j. Products and sums are rounded one by one: fused ones would depend on where
/// in the batch a row stands.
Tensor combine(const std::vector<double>& weights, const std::vector<Tensor>& k) {
    Tensor sum;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0.0) continue;
        const auto part = weights[j] * k[j];
        sum = sum.defined() ? sum + part : part;
    }
    return sum;
}

struct State {
    Tensor z, slope;  // f(z)  [B, n]
};

struct Step {
    State end;
    Tensor error;  // its estimate where the method has one  [B, n]
};

Step take(network::Mlp& f, const field::Method& method, const State& from, const Tensor& h) {
    std::vector<Tensor> k{from.slope};
    Tensor z;
    for (std::size_t i = 1; i < method.stages(); ++i) {
        z = from.z + h * combine(method.a[i], k);
        k.push_back(f->forward(z));
    }
    return {{z, k.back()}, method.adaptive() ? h * combine(method.error, k) : Tensor()};
}

/// The accepted steps of each row from t = 0 to t = 1, chosen by the tolerance.
std::vector<std::vector<double>> chosen_steps(network::Mlp& f, const NodeOptions& options, State at,
                                              std::vector<Outcome>& outcomes) {
    const torch::NoGradGuard no_grad;
    const auto rows = outcomes.size();
    std::vector<std::vector<double>> steps(rows);
    std::vector<double> t(rows, 0.0), h(rows, 1.0 / static_cast<double>(options.steps));
    const auto moves = [](double step) { return step > 0.0; };
    for (std::int64_t tried = 0; tried < options.max_steps; ++tried) {
        if (std::none_of(h.begin(), h.end(), moves)) return steps;
        const auto step = take(f, *options.method, at, column(h, at.z));
        const auto error = step.error.abs().amax(1).to(torch::kFloat64);
        std::vector<double> taken(rows, 0.0);
        for (std::size_t r = 0; r < rows; ++r) {
            if (!moves(h[r])) continue;
            const double ratio = error.data_ptr<double>()[r] / options.tolerance;
            if (ratio <= 1.0) {
                steps[r].push_back(taken[r] = h[r]);
                t[r] += h[r];
            }
            const double factor =
                std::isfinite(ratio)
                    ? 0.9 * std::pow(std::max(ratio, 1e-10), -1.0 / options.method->order)
                    : 0.0;
            const double left = 1.0 - t[r];
            h[r] = left < 1e-12 ? 0.0 : std::min(h[r] * std::clamp(factor, 0.2, 5.0), left);
        }
        const auto accepted = column(taken, at.z) > 0.0;
        at.z = torch::where(accepted, step.end.z, at.z);
        at.slope = torch::where(accepted, step.end.slope, at.slope);
    }
    for (std::size_t r = 0; r < rows; ++r)
        if (moves(h[r]) && outcomes[r].ok()) outcomes[r].line = field::LineStatus::step_limit;
    return steps;
}

}  // namespace

NodeImpl::NodeImpl(std::int64_t inputs, std::int64_t outputs, const NodeOptions& options)
    : PredictorImpl(inputs, outputs), options_(options) {
    TORCH_CHECK(options.augment >= 0, "augment must be 0 or more, but is ", options.augment);
    TORCH_CHECK(options.steps > 0 && options.max_steps > 0 && options.tolerance > 0.0,
                "steps, max_steps and tolerance of a neural ODE must be positive");
    auto own = options.f;
    own.inputs = own.outputs = inputs + options.augment;
    own.shift = 0.0, own.scale = 1.0;
    f_ = register_module("f", network::Mlp(own));
    // A network without hidden layers: unlike torch's, its rows have the same bits in any batch.
    network::MlpOptions last;
    last.inputs = own.outputs;
    last.outputs = outputs;
    last.hidden.clear();
    last.last_gain = 0.0;
    linear_ = register_module("L", network::Mlp(last));
}

Tensor NodeImpl::flow(const Tensor& start, std::vector<Outcome>& outcomes) {
    State at{start, f_->forward(start)};
    const auto fixed = 1.0 / static_cast<double>(options_.steps);
    std::vector<std::vector<double>> steps(
        outcomes.size(), std::vector<double>(static_cast<std::size_t>(options_.steps), fixed));
    if (options_.method->adaptive()) steps = chosen_steps(f_, options_, at, outcomes);
    std::size_t most = 0;
    for (const auto& row : steps) most = std::max(most, row.size());
    for (std::size_t i = 0; i < most; ++i) {
        // A row that has arrived takes steps of length 0, which leave every bit of it alone.
        std::vector<double> h;
        for (const auto& row : steps) h.push_back(i < row.size() ? row[i] : 0.0);
        at = take(f_, *options_.method, at, column(h, start)).end;
    }
    return at.z;
}

Prediction NodeImpl::forward(const Tensor& x) {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(x.size(0)));
    mark_not_finite(x, outcomes);
    auto z = options_.f.scale * (only_ok(x, outcomes).to(scalar_type()) - options_.f.shift);
    z = torch::constant_pad_nd(z, {0, options_.augment});
    const auto end = flow(z, outcomes);
    mark_not_finite(end, outcomes);
    const auto y = linear_->forward(only_ok(end, outcomes));
    return plain_prediction(y, std::move(outcomes));
}

}  // namespace deepsl::model
