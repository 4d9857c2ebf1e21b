// Random models on random samples, many of them close to the boundary: whatever the weights, every
// line leaves where it first meets the boundary, and nothing is NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/model.h"

namespace deepsl::testing {

struct RandomLines {
    std::int64_t lines = 0;                        // samples; each is followed both ways
    std::map<std::string, std::int64_t> outcomes;  // by name
    std::int64_t missed_exits = 0;                 // lines outside before their end, or not there
    std::int64_t not_finite = 0;                   // numbers of samples whose outcome is ok
    std::int64_t out_of_order = 0;                 // eigenvalues
    std::int64_t most_steps = 0;                   // of a line, both ways
    double worst_residual = 0.0;                   // |g| at the exits

    std::int64_t count(const std::string& outcome) const {
        const auto found = outcomes.find(outcome);
        return found == outcomes.end() ? 0 : found->second;
    }
    /// A slow field makes lines long; behind a barrier u may then exceed what a double can hold,
    /// and says so. That is right, but rare.
    bool overflows_are_rare() const { return count("overflow") < lines / 200; }
    std::int64_t other_outcomes() const { return lines - count("ok") - count("overflow"); }
    bool all_well() const {
        return missed_exits == 0 && not_finite == 0 && out_of_order == 0 && other_outcomes() == 0 &&
               overflows_are_rare();
    }
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

/// One line, followed without the help of what is tested: its pieces in double, its nodes and its
/// end as far as float can tell where they are.
class LineWatch {
public:
    LineWatch(const field::FieldLines& lines, std::size_t line)
        : lines_(lines), line_(line), n_(static_cast<std::size_t>(lines.x.size(1))) {
        travel_.resize(n_);
        point_.resize(n_);
        gradient_.resize(n_);
    }

    /// The line is inside until its end, at many points of each piece; then its nodes [count, n]
    /// are, too, and its end [n] is on the boundary.
    bool is_right(const double* nodes, std::int64_t count, const double* end) {
        bool right = pieces_inside();
        for (std::int64_t i = 0; i < count; ++i)
            right = right && inside<float>({nodes + i * lines_.x.size(1), n_});
        return right && std::fabs(lines_.domain->level({end, n_})) <= rounding<float>({end, n_});
    }

private:
    bool pieces_inside() {
        constexpr int points = 32;
        bool right = true;
        const auto& pieces = lines_.pieces[line_];
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto c = polynomial(pieces[i]);
            const double end = i + 1 == pieces.size() ? lines_.exit[line_] : 1.0;
            for (int j = 0; j < points; ++j) {
                const double s = end * j / points;
                evaluate(c, s);
                // A piece starts where float has put the end of the last one.
                right = right && (s > 0.0 ? inside<double>(point_) : inside<float>(point_));
            }
        }
        return right;
    }

    template <class Real>
    bool inside(std::span<const double> z) {
        return lines_.domain->level(z) <= rounding<Real>(z);
    }

    /// A point is a sum over the stages, and each sum is rounded: |dz| <= stages eps (|z| +
    /// travel), and g is off by its gradient times that.
    template <class Real>
    double rounding(std::span<const double> z) {
        lines_.domain->level_gradient(z, gradient_);
        double sum = 0.0;
        for (std::size_t i = 0; i < n_; ++i)
            sum += std::fabs(gradient_[i]) * (std::fabs(z[i]) + travel_[i]);
        return static_cast<double>(lines_.method->stages()) * std::numeric_limits<Real>::epsilon() *
               sum;
    }

    /// c_j of z(s) = sum_j c_j s^j. Notes how far the stages go.
    std::vector<double> polynomial(const field::FieldLines::Place& place) {
        const auto& step = lines_.steps[static_cast<std::size_t>(place.step)];
        const auto& dense = lines_.method->dense;
        const auto row = static_cast<std::size_t>(place.row) * n_;
        const double h = step.h.data_ptr<double>()[place.row];
        std::vector<double> c((lines_.method->degree() + 1) * n_);
        std::copy_n(step.z.data_ptr<float>() + row, n_, c.data());
        std::vector<double> travel(n_);
        for (std::size_t s = 0; s < step.k.size(); ++s) {
            const float* k = step.k[s].data_ptr<float>() + row;
            for (std::size_t i = 0; i < n_; ++i)
                travel[i] += std::fabs(h * static_cast<double>(k[i]));
            for (std::size_t j = 0; j < dense[s].size(); ++j)
                for (std::size_t i = 0; i < n_; ++i)
                    c[(j + 1) * n_ + i] += h * dense[s][j] * static_cast<double>(k[i]);
        }
        for (std::size_t i = 0; i < n_; ++i) travel_[i] = std::max(travel_[i], travel[i]);
        return c;
    }
    void evaluate(const std::vector<double>& c, double s) {
        std::copy(c.end() - static_cast<std::ptrdiff_t>(n_), c.end(), point_.begin());
        for (std::size_t j = lines_.method->degree(); j-- > 0;)
            for (std::size_t i = 0; i < n_; ++i) point_[i] = point_[i] * s + c[j * n_ + i];
    }

    const field::FieldLines& lines_;
    std::size_t line_, n_;
    std::vector<double> travel_, point_, gradient_;
};

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
    for (auto& p : model->parameters()) {
        if (!p.any().item<bool>()) p.normal_();  // biases and L start at zero
        p.mul_(size);
    }
    auto& branch = *model->branches().front();

    const auto x = samples_near_the_boundary(*model->domain(), count, random).to(torch::kFloat32);
    const auto lines = field::trace(branch.field(), model->domain(), x, model->numerics().trace);
    const auto grid = field::grid(lines, 24, sturm::Scheme::midpoint);
    const auto z = grid.z.to(torch::kFloat64).contiguous();  // one node a cell
    const auto entry = grid.entry.to(torch::kFloat64), exit = grid.exit.to(torch::kFloat64);
    const auto prediction = model->predict(x);
    const auto status = lines.status();
    const auto steps = lines.step_counts();
    for (std::int64_t b = 0; b < count; ++b) {
        const auto at = static_cast<std::size_t>(b);
        ++total.lines;
        ++total.outcomes[std::string(prediction.outcomes[at].name())];
        total.most_steps = std::max<std::int64_t>(total.most_steps, steps[at]);
        if (status[at] == field::LineStatus::ok) {
            const auto side = grid.z.size(1) / 2;
            const double* nodes = z.data_ptr<double>() + 2 * b * side * n;
            LineWatch forwards(lines, at), backwards(lines, at + static_cast<std::size_t>(count));
            if (!forwards.is_right(nodes + side * n, side, exit.data_ptr<double>() + b * n) ||
                !backwards.is_right(nodes, side, entry.data_ptr<double>() + b * n) ||
                !(grid.t_minus[b].item<double>() < 0.0 && grid.t_plus[b].item<double>() > 0.0))
                ++total.missed_exits;
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
