// The eigenproblem as an operation on tensors: closed forms, gradients, outcomes and shapes.
#include "deepsl/model/eigenpairs.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/sturm/status.h"

namespace deepsl::model {
namespace {

using sturm::Scheme;
using torch::Tensor;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

const auto wide = torch::kFloat64;

bool same_bits(const Tensor& a, const Tensor& b) {
    const auto x = a.detach().contiguous(), y = b.detach().contiguous();
    return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
           std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

double largest(const Tensor& t) { return t.detach().abs().max().item<double>(); }
bool finite(const Tensor& t) { return torch::isfinite(t).all().item<bool>(); }

std::int64_t nodes_of(Scheme scheme) {
    return static_cast<std::int64_t>(sturm::nodes_per_cell(scheme));
}

LineProblems random_problems(std::int64_t B, std::int64_t cells, std::int64_t d, Scheme scheme,
                             torch::ScalarType type = wide) {
    const auto n = nodes_of(scheme);
    LineProblems p;
    p.P = (1.0 + 3.0 * torch::rand({B, cells, n}, wide)).to(type);
    p.q = (5.0 * torch::randn({B, cells, n}, wide)).to(type);
    p.w = (0.3 + 2.0 * torch::rand({B, cells, n}, wide)).to(type);
    p.length = 0.05 + 0.2 * torch::rand({B, cells}, wide);
    p.P_start = (1.0 + 3.0 * torch::rand({B}, wide)).to(type);
    p.v = (0.5 + torch::rand({B, d}, wide)).to(type);
    p.scheme = scheme;
    return p;
}

std::vector<Tensor*> inputs_of(LineProblems& p) {
    return {&p.P, &p.q, &p.w, &p.length, &p.P_start, &p.v};
}

const char* const input_names[] = {"P", "q", "w", "length", "P_start", "v"};

void track(LineProblems& p) {
    for (auto* t : inputs_of(p)) *t = t->detach().clone().requires_grad_(true);
}

// -(p u')' + q u = lambda w u with constants: lambda_i = ((i pi / T)^2 p + q) / w and
// u_i = v T / (i pi) sin(i pi t / T).
TEST(Eigenpairs, ConstantCoefficientsHaveTheirClosedForm) {
    for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
        for (const bool with_v : {false, true}) {
            const std::int64_t cells = 6, d = 8, n = nodes_of(scheme);
            const std::vector<std::vector<double>> cases{// p, q, w
                                                         {0.5, 3.0, 1.3},
                                                         {0.25, -7.0, 0.4},
                                                         {1.0, 0.0, 1.0},
                                                         {2.0, 40.0, 3.0}};
            const auto B = static_cast<std::int64_t>(cases.size());
            LineProblems problems;
            problems.scheme = scheme;
            problems.P = torch::empty({B, cells, n}, wide);
            problems.q = torch::empty({B, cells, n}, wide);
            problems.w = torch::empty({B, cells, n}, wide);
            problems.P_start = torch::empty({B}, wide);
            // The sample is not in the middle: three short cells, then three long ones.
            problems.length = torch::tensor({0.1, 0.15, 0.1, 0.2, 0.3, 0.25}, wide).repeat({B, 1});
            if (with_v)
                problems.v =
                    torch::tensor({2.0, -3.0, 1.0, 1.0, 0.5, -1.0, 4.0, 1.0}, wide).repeat({B, 1});
            for (std::int64_t b = 0; b < B; ++b) {
                const auto& c = cases[static_cast<std::size_t>(b)];
                problems.P[b].fill_(1.0 / c[0]);
                problems.P_start[b].fill_(1.0 / c[0]);
                problems.q[b].fill_(c[1]);
                problems.w[b].fill_(c[2]);
            }
            const auto pairs = eigenpairs(problems, d, true);
            const double T = 1.1, at = 0.35;
            for (std::int64_t b = 0; b < B; ++b) {
                const auto& c = cases[static_cast<std::size_t>(b)];
                for (std::int64_t i = 0; i < d; ++i) {
                    const double k = static_cast<double>(i + 1) * pi / T;
                    const double v = with_v ? problems.v[b][i].item<double>() : 1.0;
                    EXPECT_NEAR(pairs.lambda[b][i].item<double>(), (k * k * c[0] + c[1]) / c[2],
                                1e-10 * (1.0 + k * k * c[0] / c[2]));
                    EXPECT_NEAR(pairs.u[b][i].item<double>(), v / k * std::sin(k * at), 1e-10);
                    EXPECT_EQ(pairs.status[b][i].item<int>(), 0);
                    EXPECT_GT(pairs.passes[b][i].item<int>(), 0);
                    EXPECT_EQ(pairs.u_edges[b][i][0].item<double>(), 0.0);
                    EXPECT_NEAR(pairs.u_edges[b][i][cells].item<double>(), 0.0, 1e-9);
                    EXPECT_NEAR(pairs.f_edges[b][i][0].item<double>(), v * c[0], 1e-12);
                    EXPECT_NEAR(pairs.u_edges[b][i][cells / 2].item<double>(),
                                pairs.u[b][i].item<double>(), 1e-11);
                }
            }
        }
    }
}

/// Errors of the gradients by each input, relative to the largest entry of that gradient.
void compare_with_differences(LineProblems problems, std::int64_t d, bool by_lambda, bool by_u) {
    track(problems);
    const auto B = problems.P.size(0);
    const auto seed_lambda = torch::randn({B, d}, wide), seed_u = 20.0 * torch::randn({B, d}, wide);
    const auto loss = [&] {
        const auto pairs = eigenpairs(problems, d);
        auto sum = torch::zeros({}, wide);
        if (by_lambda) sum = sum + (pairs.lambda * seed_lambda).sum();
        if (by_u) sum = sum + (pairs.u * seed_u).sum();
        return sum;
    };
    loss().backward();
    const auto inputs = inputs_of(problems);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        ASSERT_TRUE(inputs[k]->grad().defined());
        const auto gradient = inputs[k]->grad().reshape({-1});
        const double size = largest(gradient);
        if (!by_u && k >= 4) {  // eigenvalues do not depend on the scale of u
            EXPECT_EQ(size, 0.0) << input_names[k];
            continue;
        }
        EXPECT_GT(size, 1e-3) << input_names[k];
        const torch::NoGradGuard no_grad;
        double* x = inputs[k]->data_ptr<double>();
        for (std::int64_t e = 0; e < gradient.numel(); ++e) {
            const double old = x[e];
            const auto at = [&](double h) {
                x[e] = old + h;
                const double value = loss().item<double>();
                x[e] = old;
                return value;
            };
            const double h = 1e-4;
            const double coarse = (at(h) - at(-h)) / (2 * h), fine = (at(h / 2) - at(-h / 2)) / h;
            EXPECT_NEAR(gradient[e].item<double>(), (4 * fine - coarse) / 3, 1e-7 * size)
                << input_names[k] << " " << e;
        }
    }
}

TEST(Eigenpairs, GradientsAgreeWithDifferences) {
    torch::manual_seed(1);
    for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
        compare_with_differences(random_problems(3, 6, 4, scheme), 4, true, true);
        compare_with_differences(random_problems(2, 4, 3, scheme), 3, true, false);
        compare_with_differences(random_problems(2, 2, 3, scheme), 3, false, true);
    }
}

// By hand, at constants: d lambda / d q of all nodes together is 1/w, u is linear in v, and in
// P_start of degree -1.
TEST(Eigenpairs, GradientsOfConstantCoefficientsByHand) {
    LineProblems p;
    p.P = torch::full({1, 4, 2}, 2.0, wide);
    p.q = torch::full({1, 4, 2}, 3.0, wide);
    p.w = torch::full({1, 4, 2}, 1.6, wide);
    p.length = torch::full({1, 4}, 0.25, wide);
    p.P_start = torch::full({1}, 2.0, wide);
    p.v = torch::full({1, 3}, 1.5, wide);
    track(p);
    const auto pairs = eigenpairs(p, 3);
    for (std::int64_t i = 0; i < 3; ++i) {
        const double k = static_cast<double>(i + 1) * pi;
        const auto g =
            torch::autograd::grad({pairs.lambda[0][i]}, {p.P, p.q, p.w, p.length}, {}, true);
        EXPECT_NEAR(g[0].sum().item<double>(), -k * k / 4.0 / 1.6, 1e-9);
        EXPECT_NEAR(g[1].sum().item<double>(), 1.0 / 1.6, 1e-10);
        EXPECT_NEAR(g[2].sum().item<double>(), -(k * k / 2.0 + 3.0) / 2.56, 1e-9);
        EXPECT_NEAR(g[3].sum().item<double>() / 4.0, -2.0 * k * k / 2.0 / 1.6 / 1.0, 1e-8);
        const auto u = torch::autograd::grad({pairs.u[0][i]}, {p.v, p.P_start}, {}, true);
        const double value = pairs.u[0][i].item<double>();
        EXPECT_NEAR(u[0][0][i].item<double>(), value / 1.5, 1e-12);
        EXPECT_NEAR(u[0].sum().item<double>(), value / 1.5, 1e-12) << "only by its own v";
        EXPECT_NEAR(u[1].item<double>(), -value / 2.0, 1e-12);
    }
}

TEST(Eigenpairs, ABadProblemIsToldAndDisturbsNothing) {
    torch::manual_seed(2);
    const std::int64_t d = 5;
    auto good = random_problems(6, 8, d, Scheme::magnus4);
    track(good);
    const auto expected = eigenpairs(good, d);
    (expected.lambda.sum() + 10.0 * expected.u.sum()).backward();
    struct Bad {
        std::size_t input;
        double value;
        sturm::Status status;
    };
    for (const auto& bad :
         {Bad{0, nan, sturm::Status::not_finite}, Bad{1, nan, sturm::Status::not_finite},
          Bad{2, nan, sturm::Status::not_finite},
          Bad{1, std::numeric_limits<double>::infinity(), sturm::Status::not_finite},
          Bad{3, nan, sturm::Status::not_finite}, Bad{4, nan, sturm::Status::not_finite},
          Bad{5, nan, sturm::Status::not_finite}, Bad{4, 0.0, sturm::Status::not_positive},
          Bad{0, 0.0, sturm::Status::not_positive}, Bad{2, -1.0, sturm::Status::not_positive},
          Bad{3, 0.0, sturm::Status::not_positive}}) {
        SCOPED_TRACE(testing::Message() << input_names[bad.input] << " = " << bad.value);
        auto mixed = good;
        track(mixed);
        {
            const torch::NoGradGuard no_grad;
            inputs_of(mixed)[bad.input]->select(0, 2).reshape({-1})[0].fill_(bad.value);
        }
        const auto pairs = eigenpairs(mixed, d);
        int failed = 0;
        for (std::int64_t i = 0; i < d; ++i) {
            const auto status = static_cast<sturm::Status>(pairs.status[2][i].item<int>());
            if (status == sturm::Status::ok) continue;
            ++failed;
            EXPECT_EQ(sturm::name(status), sturm::name(bad.status));
            EXPECT_TRUE(std::isnan(pairs.u[2][i].item<double>()));
        }
        // A bad v spoils its own function only.
        EXPECT_EQ(failed, bad.input == 5 ? 1 : d);
        for (const std::int64_t b : {0, 1, 3, 4, 5}) {
            EXPECT_TRUE(same_bits(pairs.lambda[b], expected.lambda[b]));
            EXPECT_TRUE(same_bits(pairs.u[b], expected.u[b]));
            EXPECT_EQ(pairs.status[b].max().item<int>(), 0);
        }
        // Seeds on everything, also on what failed.
        (pairs.lambda.sum() + 10.0 * pairs.u.sum()).backward();
        for (std::size_t k = 0; k < 6; ++k) {
            const auto g = inputs_of(mixed)[k]->grad();
            EXPECT_TRUE(finite(g)) << input_names[k];
            for (const std::int64_t b : {0, 1, 3, 4, 5})
                EXPECT_TRUE(same_bits(g[b], inputs_of(good)[k]->grad()[b])) << input_names[k];
            if (failed == d) {
                EXPECT_EQ(largest(g[2]), 0.0) << input_names[k];
            }
        }
        // As the model does: what failed is replaced before it is used.
        const auto kept = torch::where(pairs.status == 0, pairs.u, torch::zeros({}, wide));
        EXPECT_TRUE(finite(kept));
    }
}

TEST(Eigenpairs, AProblemHasTheSameBitsInAnyBatch) {
    torch::manual_seed(3);
    const std::int64_t d = 5;
    auto all = random_problems(23, 6, d, Scheme::magnus4);
    track(all);
    const auto pairs = eigenpairs(all, d);
    (pairs.lambda.sum() + pairs.u.sum()).backward();
    for (const std::int64_t b : {0, 1, 4, 11, 22}) {
        auto one = all;
        for (auto* t : inputs_of(one)) *t = t->detach().narrow(0, b, 1);
        track(one);
        const auto own = eigenpairs(one, d);
        (own.lambda.sum() + own.u.sum()).backward();
        EXPECT_TRUE(same_bits(own.lambda[0], pairs.lambda[b]));
        EXPECT_TRUE(same_bits(own.u[0], pairs.u[b]));
        for (std::size_t k = 0; k < 6; ++k)
            EXPECT_TRUE(same_bits(inputs_of(one)[k]->grad()[0], inputs_of(all)[k]->grad()[b]))
                << input_names[k];
    }
}

TEST(Eigenpairs, Float32InputsGiveFloat32Gradients) {
    torch::manual_seed(4);
    auto narrow = random_problems(3, 6, 4, Scheme::magnus4, torch::kFloat32);
    auto same = narrow;
    for (auto* t : inputs_of(same)) *t = t->to(wide);
    track(narrow);
    track(same);
    const auto a = eigenpairs(narrow, 4), b = eigenpairs(same, 4);
    EXPECT_EQ(a.lambda.scalar_type(), wide);
    EXPECT_EQ(a.u.scalar_type(), wide);
    EXPECT_TRUE(same_bits(a.lambda, b.lambda));
    EXPECT_TRUE(same_bits(a.u, b.u));
    (a.lambda.sum() + a.u.sum()).backward();
    (b.lambda.sum() + b.u.sum()).backward();
    for (std::size_t k = 0; k < 6; ++k) {
        const auto g = inputs_of(narrow)[k]->grad();
        EXPECT_EQ(g.scalar_type(), inputs_of(narrow)[k]->scalar_type()) << input_names[k];
        EXPECT_TRUE(same_bits(g, inputs_of(same)[k]->grad().to(g.scalar_type()))) << input_names[k];
    }
}

TEST(Eigenpairs, InputsMayHaveAnyLayout) {
    torch::manual_seed(5);
    const auto p = random_problems(4, 6, 3, Scheme::magnus4);
    auto turned = p;
    turned.P = p.P.permute({2, 1, 0}).contiguous().permute({2, 1, 0});
    turned.length = p.length.t().contiguous().t();
    turned.P_start = p.P_start.unsqueeze(1);  // as a network returns it
    const auto a = eigenpairs(p, 3), b = eigenpairs(turned, 3);
    EXPECT_TRUE(same_bits(a.u, b.u));
    EXPECT_TRUE(same_bits(a.lambda, b.lambda));
}

TEST(Eigenpairs, ABatchMayBeEmpty) {
    auto p = random_problems(0, 4, 3, Scheme::magnus4);
    const auto pairs = eigenpairs(p, 3, true);
    EXPECT_EQ(pairs.lambda.sizes(), (std::vector<std::int64_t>{0, 3}));
    EXPECT_EQ(pairs.u_edges.sizes(), (std::vector<std::int64_t>{0, 3, 5}));
}

TEST(Eigenpairs, ShapesThatDoNotFitAreNamed) {
    const auto good = random_problems(3, 4, 2, Scheme::magnus4);
    const auto message = [](const LineProblems& p, std::int64_t d) -> std::string {
        try {
            eigenpairs(p, d);
        } catch (const c10::Error& error) {
            return error.what_without_backtrace();
        }
        return "";
    };
    const auto expect = [&](const LineProblems& p, std::int64_t d,
                            const std::vector<std::string>& parts) {
        const auto text = message(p, d);
        for (const auto& part : parts)
            EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
    };
    EXPECT_EQ(message(good, 2), "");
    auto p = good;
    p.q = torch::zeros({3, 4, 1}, wide);
    expect(p, 2, {"P, q and w", "[3, 4, 2]", "[3, 4, 1]"});
    p = good;
    p.P = torch::zeros({3, 8}, wide);
    expect(p, 2, {"[problem, cell, node]", "[3, 8]"});
    p = good;
    p.scheme = Scheme::midpoint;
    expect(p, 2, {"1 nodes", "2"});
    p = good;
    p.length = torch::zeros({3, 5}, wide);
    expect(p, 2, {"length", "[3, 4]", "[3, 5]"});
    p = good;
    p.P_start = torch::zeros({4}, wide);
    expect(p, 2, {"P_start", "3", "4"});
    expect(good, 3, {"v", "[3, 3]", "[3, 2]"});
    p = good;
    p.v = Tensor();
    expect(p, 0, {"d", "0"});
    expect(random_problems(3, 5, 2, Scheme::magnus4), 2, {"even", "5"});
}

}  // namespace
}  // namespace deepsl::model
