// Gradients through lines and exits against central differences.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "field/lines.h"

namespace deepsl::field {
namespace {

using Outputs = std::vector<Tensor>;

Outputs outputs_of(const LineGrid& cut) {
    return {cut.t_minus, cut.t_plus, cut.entry, cut.exit, cut.length, cut.z};
}

const char* const output_names[] = {"t_minus", "t_plus", "entry", "exit", "length", "nodes"};

/// The largest error of the gradients of random sums over each output by `inputs`, relative to
/// the largest entry of that gradient, or to `least` where it is smaller: some are zero.
std::vector<double> gradient_errors(const std::function<Outputs()>& f, std::vector<Tensor> inputs,
                                    double step, double least) {
    const auto outputs = f();
    std::vector<Tensor> seeds;
    for (const auto& o : outputs) seeds.push_back(torch::randn_like(o));
    std::vector<std::vector<Tensor>> gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        gradients.push_back(
            torch::autograd::grad({outputs[i]}, inputs, {seeds[i]}, true, false, true));
    std::vector<double> worst(outputs.size(), 0.0);
    const torch::NoGradGuard no_grad;
    const auto sums = [&] {
        std::vector<double> s;
        const auto now = f();
        for (std::size_t i = 0; i < now.size(); ++i)
            s.push_back((now[i] * seeds[i]).sum().item<double>());
        return s;
    };
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        auto flat = inputs[k].detach().view({-1});
        double* numbers_of = flat.data_ptr<double>();
        std::vector<double> error(outputs.size(), 0.0);
        for (std::int64_t e = 0; e < flat.numel(); ++e) {
            const double old = numbers_of[e];
            const auto at = [&](double h) {
                numbers_of[e] = old + h;
                const auto s = sums();
                numbers_of[e] = old;
                return s;
            };
            const auto a = at(step), b = at(-step), c = at(0.5 * step), d = at(-0.5 * step);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const double wide = (a[i] - b[i]) / (2.0 * step), narrow = (c[i] - d[i]) / step;
                const double numeric = (4.0 * narrow - wide) / 3.0;
                const double own = gradients[i][k].defined()
                                       ? gradients[i][k].reshape({-1})[e].item<double>()
                                       : 0.0;
                error[i] = std::max(error[i], std::fabs(own - numeric));
            }
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const double size = gradients[i][k].defined() ? largest(gradients[i][k]) : 0.0;
            worst[i] = std::max(worst[i], error[i] / std::max(size, least));
        }
    }
    return worst;
}

struct GradientCase {
    Kind kind;
    DomainPointer domain;
    std::int64_t cells;
    Scheme scheme;
};

std::vector<GradientCase> gradient_cases() {
    return {{Kind::positive, box(1), 3, Scheme::magnus4},
            {Kind::positive, box(3), 3, Scheme::magnus4},
            {Kind::positive, ball(2), 1, Scheme::midpoint},
            {Kind::directional, ball(1), 2, Scheme::magnus4},
            {Kind::directional, ball(3), 3, Scheme::magnus4},
            {Kind::directional, box(2), 3, Scheme::midpoint},
            {Kind::straight, ball(3), 1, Scheme::magnus4},
            {Kind::straight, box(3), 4, Scheme::midpoint}};
}

TEST(Gradient, RungeKuttaAgreesWithDifferences) {
    torch::manual_seed(14);
    int number = 0;
    for (const auto& c : gradient_cases()) {
        const auto field = network_field(c.kind, c.domain->dimensions(), torch::kFloat64, 2.0,
                                         c.domain->centre(), {5});
        const auto x = samples(*c.domain, 4, torch::kFloat64).requires_grad_(true);
        auto inputs = field->parameters();
        inputs.push_back(x);
        const auto errors = gradient_errors(
            [&] {
                return outputs_of(
                    follow(field, c.domain, x, with(rk4(), 4), c.cells, c.scheme).grid);
            },
            inputs, 5e-5, 1e-2);
        for (std::size_t i = 0; i < errors.size(); ++i)
            EXPECT_LE(errors[i], 1e-7) << "case " << number << ", " << output_names[i];
        ++number;
    }
}

// Steps chosen by a tolerance are constants of the gradient, and so is the share of a cell in the
// line; what does not depend on where cells are cut has the right gradient all the same.
TEST(Gradient, DormandPrinceAgreesWithDifferences) {
    torch::manual_seed(15);
    int number = 0;
    for (const auto& c : gradient_cases()) {
        const auto field = network_field(c.kind, c.domain->dimensions(), torch::kFloat64, 1.0,
                                         c.domain->centre(), {3});
        const auto x = samples(*c.domain, 2, torch::kFloat64).requires_grad_(true);
        auto inputs = field->parameters();
        inputs.push_back(x);
        const auto errors = gradient_errors(
            [&]() -> Outputs {
                const auto cut = follow(field, c.domain, x, with(dormand_prince(), 6, 1e-11), 40,
                                        Scheme::magnus4)
                                     .grid;
                const auto values = torch::cos(3.0 * cut.z).sum(3).mean(2);
                return {cut.t_minus, cut.t_plus,        cut.entry,
                        cut.exit,    cut.length.sum(1), (values * cut.length).sum(1)};
            },
            inputs, 1e-3, 0.1);
        for (std::size_t i = 0; i < errors.size(); ++i)
            EXPECT_LE(errors[i], 1e-5) << "case " << number << ", " << output_names[i];
        ++number;
    }
}

// By hand, in one dimension with a constant field a: t+ = (1 - x) / a, t- = -x / a.
TEST(Gradient, ExitTimesOfAConstantFieldByHand) {
    for (const auto* m : methods()) {
        const auto a = torch::tensor({0.7}, torch::kFloat64).requires_grad_(true);
        const auto x = table({{0.3}}).requires_grad_(true);
        const auto field = field_of([&](const Tensor& z) { return a.expand_as(z); });
        const auto cut = follow(field, box(1), x, with(*m)).grid;
        const auto plus = torch::autograd::grad({cut.t_plus}, {x, a}, {}, true);
        EXPECT_NEAR(plus[0].item<double>(), -1.0 / 0.7, 1e-13);
        EXPECT_NEAR(plus[1].item<double>(), -0.7 / 0.49, 1e-13);
        const auto minus = torch::autograd::grad({cut.t_minus}, {x, a}, {}, true);
        EXPECT_NEAR(minus[0].item<double>(), -1.0 / 0.7, 1e-13);
        EXPECT_NEAR(minus[1].item<double>(), 0.3 / 0.49, 1e-13);
        const auto exit = torch::autograd::grad({cut.exit}, {x, a}, {}, true);
        EXPECT_NEAR(exit[0].item<double>(), 0.0, 1e-13);
        EXPECT_NEAR(exit[1].item<double>(), 0.0, 1e-13);
    }
}

}  // namespace
}  // namespace deepsl::field
