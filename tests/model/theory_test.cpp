// What the theory promises, in models with random weights: along lines, and over the domain.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/model.h"

namespace {

using deepsl::model::Inspection;
using deepsl::model::Model;
using deepsl::model::ModelOptions;
using torch::Tensor;

ModelOptions wild_options(const std::string& preset) {
    auto options = deepsl::model::model_preset(preset);
    options.precision = "float64";
    options.hidden = options.field_hidden = {16, 8};
    options.activation = "tanh";
    options.last_gain = 4.0;
    options.eigenfunctions = 8;
    return options;
}

Model random_model(const ModelOptions& options, std::int64_t inputs, std::uint64_t seed) {
    torch::manual_seed(seed);
    return Model(inputs, 2, options);
}

Tensor random_samples(Model& model, std::int64_t count) {
    return model->domain()->centre() +
           0.2 * torch::randn({count, model->inputs()}, torch::kFloat64).clamp(-2.0, 2.0) /
               std::sqrt(static_cast<double>(model->inputs()));
}

/// The integral of w u_i u_j along each line, by Simpson's rule with u in the middle of a cell from
/// its values and slopes at both edges.  [B, d, d]
Tensor gram(const Inspection& seen) {
    const auto cells = seen.grid.length.size(1);
    const auto length = seen.grid.length.unsqueeze(1);
    const auto left = seen.u_edges.narrow(2, 0, cells), right = seen.u_edges.narrow(2, 1, cells);
    // On a fine grid P at the nodes stands for P at the edges well enough in the correction term.
    const auto P = seen.P.mean(2).unsqueeze(1);
    const auto slope_left = P * seen.f_edges.narrow(2, 0, cells);
    const auto slope_right = P * seen.f_edges.narrow(2, 1, cells);
    const auto middle = 0.5 * (left + right) + length / 8.0 * (slope_left - slope_right);
    const auto weight = seen.w.mean(2).unsqueeze(1) * length / 6.0;
    const auto product = [&](const Tensor& u, const Tensor& factor) {
        return torch::bmm(u * factor, u.transpose(1, 2));
    };
    return product(left, weight) + 4.0 * product(middle, weight) + product(right, weight);
}

class OnLines : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(OnLines, ZerosOrderDirichletAndOrthogonality) {
    const auto [preset, inputs] = GetParam();
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        auto model = random_model(wild_options(preset), inputs, seed);
        model->numerics().cells = 128;
        const auto seen = model->inspect(random_samples(model, 16));
        const auto u = seen.u_edges;
        const auto largest = std::get<0>(u.abs().max(2));
        EXPECT_EQ(u.select(2, 0).abs().max().item<double>(), 0.0);
        EXPECT_LT((u.select(2, -1).abs() / largest).max().item<double>(), 1e-9);
        EXPECT_GT(seen.lambda.diff(1, 1).min().item<double>(), 0.0);
        const auto inside = u.narrow(2, 1, u.size(2) - 2).sign();
        const auto changes = (inside.diff(1, 2) != 0).sum(2);
        for (std::int64_t i = 0; i < u.size(1); ++i)
            EXPECT_TRUE((changes.select(1, i) == i).all().item<bool>()) << "function " << i + 1;
        const auto products = gram(seen);
        const auto norms = torch::diagonal(products, 0, 1, 2).sqrt();
        const auto cosines = products / (norms.unsqueeze(1) * norms.unsqueeze(2)) -
                             torch::eye(u.size(1), torch::kFloat64);
        EXPECT_LT(cosines.abs().max().item<double>(), 2e-4);
    }
}

INSTANTIATE_TEST_SUITE_P(Presets, OnLines,
                         ::testing::Combine(::testing::Values("default", "paper"),
                                            ::testing::Values(1, 2, 7)),
                         [](const auto& given) {
                             return std::get<0>(given.param) + "In" +
                                    std::to_string(std::get<1>(given.param));
                         });

// The line through a point of my line is my line, and so are its eigenfunctions.
TEST(Theory, EveryPointOfALineSeesTheSameFunctions) {
    for (const std::string preset : {"default", "paper"}) {
        auto model = random_model(wild_options(preset), 3, 4);
        model->numerics() = model->numerics().finer(16);
        const auto seen = model->inspect(random_samples(model, 6));
        const auto cells = seen.grid.length.size(1);
        for (const std::int64_t cell : {cells / 5, cells / 2 - 3, 4 * cells / 5}) {
            const auto point = seen.grid.z.select(1, cell).select(1, 0);
            const auto there = model->inspect(point);
            EXPECT_TRUE(torch::allclose(there.lambda, seen.lambda, 1e-5, 1e-5));
            const auto length = seen.grid.length.select(1, cell).unsqueeze(1);
            const auto s =
                (seen.t_nodes.select(1, cell).select(1, 0) - seen.t_edges.select(1, cell))
                    .unsqueeze(1) /
                length;
            const auto P = seen.P.select(1, cell).mean(1).unsqueeze(1);
            const auto u0 = seen.u_edges.select(2, cell), u1 = seen.u_edges.select(2, cell + 1);
            const auto m0 = P * seen.f_edges.select(2, cell) * length;
            const auto m1 = P * seen.f_edges.select(2, cell + 1) * length;
            const auto s2 = s * s, s3 = s2 * s;
            const auto expected = (2 * s3 - 3 * s2 + 1) * u0 + (s3 - 2 * s2 + s) * m0 +
                                  (3 * s2 - 2 * s3) * u1 + (s3 - s2) * m1;
            const auto scale = std::get<0>(seen.u_edges.abs().max(2));
            EXPECT_LT(((there.u - expected) / scale).abs().max().item<double>(), 2e-4) << preset;
        }
    }
}

// The paper's theorem: over the domain, u_i and u_j are orthogonal with the weight
// w / |a| J, J the Jacobian of the projection of a point onto the entry of its line.
TEST(Theory, FunctionsAreOrthogonalOverTheDisc) {
    auto options = wild_options("default");
    options.eigenfunctions = 4;
    options.last_gain = 1.0;  // lines bend, but not so much that neighbours part at once
    auto model = random_model(options, 2, 5);
    auto& branch = *model->branches().front();

    // Midpoints in angle and in s, with the radius 1 - (1 - s)^2: dense at the boundary, where the
    // functions vanish.
    const int rings = 60, rays = 120;
    const auto s = (torch::arange(rings, torch::kFloat64) + 0.5) / rings;
    const auto r = 1.0 - (1.0 - s).square();
    const auto area = (2.0 * r * (1.0 - s)).repeat_interleave(rays);
    const auto angle = (torch::arange(rays, torch::kFloat64) + 0.5) * (2 * std::numbers::pi / rays);
    const auto x = torch::stack({torch::outer(r, torch::cos(angle)).reshape({-1}),
                                 torch::outer(r, torch::sin(angle)).reshape({-1})},
                                1)
                       .set_requires_grad(true);
    auto numerics = model->numerics();
    const auto lines = deepsl::field::trace(branch.field(), model->domain(), x, numerics.trace);
    const auto entry = deepsl::field::grid(lines, numerics.cells, numerics.scheme).entry;
    const auto row = [&](std::int64_t i) {
        return torch::autograd::grad({entry.select(1, i).sum()}, {x}, {}, true)[0];
    };
    // Along the unit circle the entry moves by -sin, cos of its angle.
    const auto gradient = entry.detach().select(1, 0).unsqueeze(1) * row(1) -
                          entry.detach().select(1, 1).unsqueeze(1) * row(0);
    const auto jacobian = gradient.norm(2, 1);

    const auto points = x.detach();
    const auto speed = branch.field().forward(points).norm(2, 1);
    const auto w = branch.coefficients(points).w.detach();
    const auto u = model->inspect(points).u;
    const auto cosines = [&](const Tensor& weight) {
        const auto products = torch::mm((u * (area * weight).unsqueeze(1)).t(), u);
        const auto norms = products.diagonal().sqrt();
        return (products / torch::outer(norms, norms) - torch::eye(4, torch::kFloat64))
            .abs()
            .max()
            .item<double>();
    };
    // The Jacobian is infinite where lines only graze the disc. A factor that depends on the line
    // alone keeps the theorem true and the quadrature accurate: a power of the cosine at entry.
    const auto at_entry = branch.field().forward(entry.detach());
    const auto cosine = -(entry.detach() * at_entry).sum(1) / at_entry.norm(2, 1);
    const auto factor = cosine.clamp_min(0.0).pow(4);
    EXPECT_LT(cosines((factor * w / speed * jacobian).detach()), 2e-4);
    EXPECT_GT(cosines((factor * w).detach()), 2e-2) << "without the right weight they are not";
}

// The paper's second theorem: with a constant field, u solves the rank-1 equation
// -div(p a a^T grad u) + q u = lambda w u, lambda being constant along lines.
TEST(Theory, ConstantFieldSolvesTheRankOneEquation) {
    auto options = wild_options("default");
    options.field = "straight";
    options.eigenfunctions = 3;
    auto model = random_model(options, 2, 6);
    auto& branch = *model->branches().front();
    const auto points = random_samples(model, 5);
    const auto a = branch.field().forward(points).detach();

    const auto eigen = [&](const Tensor& x) {
        const auto& n = model->numerics();
        const auto lines = deepsl::field::trace(branch.field(), model->domain(), x, n.trace);
        const auto grid = deepsl::field::grid(lines, n.cells, n.scheme);
        const auto z = grid.z.reshape({-1, 2});
        const auto c = branch.coefficients(z);
        const auto start = branch.coefficients(grid.entry).P;
        const auto shape = grid.z.sizes().slice(0, 3);
        return deepsl::model::eigenpairs(
            {c.P.reshape(shape), c.q.reshape(shape), c.w.reshape(shape), grid.length, start,
             Tensor(), n.scheme},
            options.eigenfunctions);
    };
    /// p a (a . grad u_i) at x
    const auto flux = [&](const Tensor& at, std::int64_t i) {
        const auto x = at.detach().clone().set_requires_grad(true);
        const auto gradient = torch::autograd::grad({eigen(x).u.select(1, i).sum()}, {x})[0];
        const auto p = 1.0 / branch.coefficients(at).P.detach();
        return p.unsqueeze(1) * a * (a * gradient).sum(1, true);
    };
    const auto error = [&](std::int64_t cells, std::int64_t i) {
        model->numerics().cells = cells;
        const double h = 1e-3;
        auto divergence = torch::zeros({points.size(0)}, torch::kFloat64);
        for (std::int64_t j = 0; j < 2; ++j) {
            auto step = torch::zeros({1, 2}, torch::kFloat64);
            step[0][j] = h;
            divergence += (flux(points + step, i) - flux(points - step, i)).select(1, j) / (2 * h);
        }
        const auto pairs = eigen(points);
        const auto c = branch.coefficients(points);
        const auto u = pairs.u.select(1, i).detach();
        const auto right = pairs.lambda.select(1, i).detach() * c.w.detach() * u;
        const auto left = -divergence + c.q.detach() * u;
        return ((left - right).abs() / (left.abs() + right.abs() + u.abs())).max().item<double>();
    };
    for (std::int64_t i = 0; i < 3; ++i) {
        EXPECT_LT(error(64, i), 2e-4) << "function " << i + 1;
        EXPECT_LT(error(64, i), 0.1 * error(4, i) + 1e-6) << "function " << i + 1;
    }
}

// In one dimension with a = 1 on ]0, 1[ and constant coefficients everything is known:
// u_i = v sin(i pi t) / (i pi) with t the distance from the entry.
TEST(Theory, ClosedFormWithPotential) {
    auto options = deepsl::model::model_preset("paper");
    options.precision = "float64";
    options.eigenfunctions = 6;
    Model model(1, 1, options);
    auto& branch = *model->branches().front();
    branch.set_field(std::make_shared<deepsl::field::FunctionFieldImpl>(
        [](const Tensor& z) { return torch::ones_like(z); }));
    const torch::NoGradGuard no_grad;
    for (auto& p : branch.named_parameters()) p.value().zero_();
    branch.named_parameters()["q.bias4"].fill_(0.3);
    const double P = 5.5, q = 10.0 * std::tanh(0.3), w = 0.1 + 9.9 / 2.0;

    const auto x = torch::tensor({{0.2}, {0.5}, {0.93}}, torch::kFloat64);
    const auto seen = model->inspect(x);
    for (std::int64_t b = 0; b < 3; ++b) {
        for (std::int64_t i = 0; i < 6; ++i) {
            const double k = static_cast<double>(i + 1) * std::numbers::pi;
            EXPECT_NEAR(seen.lambda[b][i].item<double>(), (k * k / P + q) / w, 1e-10 * k * k);
            EXPECT_NEAR(seen.u[b][i].item<double>(), std::sin(k * x[b][0].item<double>()) / k,
                        1e-10);
        }
        EXPECT_NEAR(seen.grid.t_minus[b].item<double>(), -x[b][0].item<double>(), 1e-14);
        EXPECT_NEAR(seen.grid.t_plus[b].item<double>(), 1.0 - x[b][0].item<double>(), 1e-14);
    }
}

}  // namespace
