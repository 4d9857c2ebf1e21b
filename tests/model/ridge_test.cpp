// The linear guess from which fields start.
#include "model/ridge.h"

#include <cmath>

#include <gtest/gtest.h>

namespace deepsl::model {
namespace {

using torch::Tensor;

/// Squared error on rows left out one by one, by regressions without them, with this strength.
double left_out_error(const Tensor& x, const Tensor& y, double strength) {
    double error = 0.0;
    for (std::int64_t i = 0; i < x.size(0); ++i) {
        const auto others = torch::arange(x.size(0)).ne(i).nonzero().squeeze(1);
        // Penalised least squares whose intercept is free.
        const auto rows = torch::cat({torch::ones({others.size(0), 1}, torch::kFloat64),
                                      (x - x.mean(0)).index_select(0, others)},
                                     1);
        auto penalty = strength * torch::eye(rows.size(1), torch::kFloat64);
        penalty[0][0] = 0.0;
        const auto weights = torch::linalg_solve(rows.t().mm(rows) + penalty,
                                                 rows.t().mm(y.index_select(0, others)));
        const auto guess = weights[0] + (x[i] - x.mean(0)).matmul(weights.narrow(0, 1, x.size(1)));
        error += (y[i] - guess).square().sum().item<double>();
    }
    return error;
}

TEST(Ridge, TakesTheStrengthThatMissesRowsLeftOutLeast) {
    for (const double noise : {0.01, 1.0, 30.0}) {
        torch::manual_seed(3);
        const auto x = torch::randn({30, 12}, torch::kFloat64);
        const auto truth = torch::randn({12, 2}, torch::kFloat64);
        const auto y = x.mm(truth) + noise * torch::randn({30, 2}, torch::kFloat64);
        const auto inputs = x - x.mean(0), targets = y - y.mean(0);
        const auto gram = inputs.t().mm(inputs);
        const double unit = gram.trace().item<double>() / 12.0;
        Tensor best;
        double least = 1e300;
        for (int i = -8; i <= 8; ++i) {
            const double strength = unit * std::pow(10.0, 0.5 * i);
            const double error = left_out_error(x, y, strength);
            if (error >= least) continue;
            least = error;
            best = torch::linalg_solve(gram + strength * torch::eye(12, torch::kFloat64),
                                       inputs.t().mm(targets));
        }
        EXPECT_TRUE(torch::allclose(ridge_weights(x, y), best, 1e-8, 1e-10)) << noise;
    }
}

TEST(Ridge, SurvivesTablesThatSayNothing) {
    const auto zero = torch::zeros({5, 3}, torch::kFloat64);
    EXPECT_TRUE(torch::isfinite(ridge_weights(zero, zero)).all().item<bool>());
    const auto one = torch::ones({1, 3}, torch::kFloat64);
    EXPECT_TRUE(torch::isfinite(ridge_weights(one, one)).all().item<bool>());
    const auto wide = torch::randn({4, 50}, torch::kFloat64);
    EXPECT_TRUE(torch::isfinite(ridge_weights(wide, wide.narrow(1, 0, 1))).all().item<bool>());
}

}  // namespace
}  // namespace deepsl::model
