#include "deepsl/model/mapping.h"

#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace deepsl::model {
namespace {

using torch::Tensor;

/// Several tensors that move together.
using State = std::vector<Tensor>;

State moved(const State& state, const State& slope, double by) {
    State result;
    for (std::size_t i = 0; i < state.size(); ++i) result.push_back(state[i] + by * slope[i]);
    return result;
}

/// dy/ds = slope(y) from s = 0 to 1; `seen` gets every state on the way.
State run(State y, std::int64_t steps, const std::function<State(const State&)>& slope,
          const std::function<void(const State&)>& seen) {
    const double h = 1.0 / static_cast<double>(steps);
    for (std::int64_t i = 0; i < steps; ++i) {
        const auto k1 = slope(y);
        const auto k2 = slope(moved(y, k1, h / 2.0));
        const auto k3 = slope(moved(y, k2, h / 2.0));
        const auto k4 = slope(moved(y, k3, h));
        y = moved(moved(moved(moved(y, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0);
        seen(y);
    }
    return y;
}

Tensor levels(const field::Domain& domain, const Tensor& z) {
    const auto wide = z.to(torch::kFloat64).contiguous();
    const auto n = static_cast<std::size_t>(wide.size(1));
    auto result = torch::empty({wide.size(0)}, torch::kFloat64);
    for (std::int64_t b = 0; b < wide.size(0); ++b)
        result.data_ptr<double>()[b] =
            domain.level({wide.data_ptr<double>() + static_cast<std::size_t>(b) * n, n});
    return result;
}

}  // namespace

MappingError mapping_error(Model& model, const Tensor& x, std::int64_t field, std::int64_t steps) {
    TORCH_CHECK(steps >= 1, "mapping_error takes at least one step, but ", steps,
                " were asked for");
    const torch::NoGradGuard no_grad;
    const auto found = model->inspect(x, field);
    auto& branch = *model->branches()[static_cast<std::size_t>(field)];
    auto ok = torch::ones({x.size(0)}, torch::kBool);
    for (std::size_t b = 0; b < found.outcomes.size(); ++b)
        ok[static_cast<std::int64_t>(b)] = found.outcomes[b].ok();
    const auto quiet = [&](const Tensor& t) {
        return torch::where(ok.unsqueeze(1), t, torch::zeros_like(t));
    };
    const auto z0 = quiet(x.to(model->scalar_type()));
    const auto start = quiet(found.grid.t_minus.unsqueeze(1)),
               end = quiet(found.grid.t_plus.unsqueeze(1)), lambda = quiet(found.lambda);

    const auto follow = [&](const Tensor& time) {
        return [&branch, time](const State& y) -> State {
            return {time.to(y[0].scalar_type()) * branch.field().forward(y[0])};
        };
    };
    const auto nothing = [](const State&) {};
    const auto entry = run({z0}, steps, follow(start), nothing)[0];
    const auto exit = run({z0}, steps, follow(end), nothing)[0];

    const auto time = end - start;
    auto largest = torch::zeros_like(lambda);
    const auto shoot = [&](const State& y) -> State {
        const auto c = branch.coefficients(y[0]);
        const auto wide = [](const Tensor& t) { return t.to(torch::kFloat64).unsqueeze(1); };
        return {time.to(y[0].scalar_type()) * branch.field().forward(y[0]), time * wide(c.P) * y[2],
                time * (wide(c.q) - lambda * wide(c.w)) * y[1]};
    };
    const auto last =
        run({entry, torch::zeros_like(lambda), torch::ones_like(lambda)}, steps, shoot,
            [&](const State& y) { largest = torch::maximum(largest, y[1].abs()); });

    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto failed = ok.logical_not().unsqueeze(1);
    const auto& domain = *model->domain();
    return {torch::stack({levels(domain, entry), levels(domain, exit)}, 1)
                .abs()
                .masked_fill(failed, nan),
            (last[1].abs() / largest).masked_fill(failed, nan)};
}

}  // namespace deepsl::model
