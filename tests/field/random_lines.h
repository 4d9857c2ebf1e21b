// Random models on random samples, many of them close to the boundary: whatever the weights, every
// line leaves where it first meets the boundary, and nothing is NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/model.h"

namespace deepsl::testing {

struct RandomLines {
    std::int64_t lines = 0;                        // samples; each is followed both ways
    std::map<std::string, std::int64_t> outcomes;  // by name
    std::int64_t missed_exits = 0;                 // lines with a point outside before their end
    std::int64_t not_finite = 0;                   // numbers of samples whose outcome is ok
    std::int64_t out_of_order = 0;                 // eigenvalues
    std::int64_t most_steps = 0;                   // of a line, both ways
    double worst_residual = 0.0;                   // |g| at the exits
};

/// Distances to the boundary from 1e-6 upwards, evenly on a logarithmic scale.
inline torch::Tensor samples_near_the_boundary(const field::Domain& domain, std::int64_t count,
                                               std::mt19937_64& random) {
    const auto n = domain.dimensions();
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    auto x = torch::empty({count, n}, torch::kFloat64);
    for (std::int64_t b = 0; b < count; ++b) {
        const double distance = std::pow(10.0, -6.0 * uniform(random));
        double* row = x.data_ptr<double>() + b * n;
        if (domain.name() == "box") {
            for (std::int64_t i = 0; i < n; ++i) row[i] = 0.01 + 0.98 * uniform(random);
            const auto side = static_cast<std::int64_t>(uniform(random) * static_cast<double>(n));
            const double near = std::min(distance, 0.5);
            row[std::min(side, n - 1)] = uniform(random) < 0.5 ? near : 1.0 - near;
        } else {
            std::normal_distribution<double> normal;
            double square = 0.0;
            for (std::int64_t i = 0; i < n; ++i) {
                row[i] = normal(random);
                square += row[i] * row[i];
            }
            for (std::int64_t i = 0; i < n; ++i) row[i] *= (1.0 - distance) / std::sqrt(square);
        }
    }
    return x;
}

inline void add_random_lines(RandomLines& total, std::int64_t count, std::mt19937_64& random) {
    const torch::NoGradGuard no_grad;
    const auto pick = [&](auto... options) {
        const std::vector<std::common_type_t<decltype(options)...>> all{options...};
        return all[random() % all.size()];
    };
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    model::ModelOptions options;
    options.domain = pick("box", "ball");
    options.field = pick("positive", "directional", "directional", "straight");
    options.hidden = options.field_hidden = {32, 16};
    options.activation = pick("tanh", "leaky_relu");
    options.field_activation = pick("tanh", "leaky_relu");
    options.heads = pick("calm", "paper");
    options.initialiser = pick("glorot", "orthogonal");
    options.last_gain = 1.0;
    options.method = pick("rk4", "rk4", "dormand_prince");
    options.start_network = pick(false, true);
    const std::int64_t n = pick(1, 2, 3, 5, 16, 50, 108, 200);
    torch::manual_seed(random());
    model::Model model(n, 2, options);
    const double size = std::pow(10.0, uniform(random));
    for (auto& p : model->parameters()) p.mul_(size);
    auto& branch = *model->branches().front();

    const auto x = samples_near_the_boundary(*model->domain(), count, random).to(torch::kFloat32);
    const auto lines = field::trace(branch.field(), model->domain(), x, model->numerics().trace);
    const auto grid = field::grid(lines, 24, sturm::Scheme::midpoint);
    const auto z = grid.z.to(torch::kFloat64).contiguous();
    const auto prediction = model->predict(x);
    const auto status = lines.status();
    const auto steps = lines.step_counts();
    const auto width = static_cast<std::size_t>(n);
    for (std::int64_t b = 0; b < count; ++b) {
        const auto at = static_cast<std::size_t>(b);
        ++total.lines;
        ++total.outcomes[std::string(prediction.outcomes[at].name())];
        total.most_steps = std::max<std::int64_t>(total.most_steps, steps[at]);
        if (status[at] == field::LineStatus::ok) {
            bool inside = true;
            for (std::int64_t node = 0; node < grid.z.size(1); ++node) {
                const double* point = z.data_ptr<double>() + (b * grid.z.size(1) + node) * n;
                inside = inside && model->domain()->level({point, width}) < 2e-6;
            }
            const bool ends =
                grid.t_minus[b].item<double>() < 0.0 && grid.t_plus[b].item<double>() > 0.0;
            if (!inside || !ends) ++total.missed_exits;
            total.worst_residual = std::max(total.worst_residual, grid.residual[b].item<double>());
        }
        if (prediction.outcomes[at].ok()) {
            const auto lambda = prediction.lambda[b];
            if (!torch::isfinite(prediction.y[b]).all().item<bool>() ||
                !torch::isfinite(lambda).all().item<bool>())
                ++total.not_finite;
            if (!(lambda.diff() > 0.0).all().item<bool>()) ++total.out_of_order;
        }
    }
}

}  // namespace deepsl::testing
