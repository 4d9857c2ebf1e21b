// Optimisers: Fromage against steps written out, groups, schedules and clipping.
#include "deepsl/train/optimiser.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/model.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

Tensor parameter(const std::vector<double>& values, const std::vector<double>& gradient) {
    auto p = torch::tensor(values, torch::kFloat64).requires_grad_();
    p.mutable_grad() = torch::tensor(gradient, torch::kFloat64);
    return p;
}

model::Model small_model() {
    model::ModelOptions options;
    options.hidden = {4};
    options.field_hidden = {3};
    options.eigenfunctions = 2;
    return model::Model(2, 2, options);
}

TEST(Fromage, StepWrittenOut) {
    auto w = parameter({3.0, 4.0}, {0.0, 2.0});  // |w| = 5, |g| = 2
    Fromage fromage({{{w}}}, FromageOptions(0.5));
    fromage.step();
    const auto root = std::sqrt(1.25);
    EXPECT_NEAR(w[0].item<double>(), 3.0 / root, 1e-15);
    EXPECT_NEAR(w[1].item<double>(), (4.0 - 0.5 * 2.5 * 2.0) / root, 1e-15);

    w.mutable_grad() = torch::tensor({6.0, 0.0}, torch::kFloat64);
    const auto before = w.detach().clone();
    const auto size = std::hypot(before[0].item<double>(), before[1].item<double>());
    fromage.step();
    EXPECT_NEAR(w[0].item<double>(), (before[0].item<double>() - 0.5 * size) / root, 1e-15);
    EXPECT_NEAR(w[1].item<double>(), before[1].item<double>() / root, 1e-15);
}

TEST(Fromage, ZeroWeightOrGradientTakesAPlainStep) {
    auto zero_weight = parameter({0.0, 0.0}, {1.0, -2.0});
    auto zero_gradient = parameter({3.0}, {0.0});
    auto none = torch::ones({1}, torch::kFloat64).requires_grad_();
    Fromage fromage({{{zero_weight, zero_gradient, none}}}, FromageOptions(0.1));
    fromage.step();
    const auto root = std::sqrt(1.01);
    EXPECT_NEAR(zero_weight[0].item<double>(), -0.1 / root, 1e-16);
    EXPECT_NEAR(zero_weight[1].item<double>(), 0.2 / root, 1e-16);
    EXPECT_NEAR(zero_gradient[0].item<double>(), 3.0 / root, 1e-15);
    EXPECT_EQ(none[0].item<double>(), 1.0);
}

TEST(Optimiser, GroupsHaveTheirOwnRatesAndDecay) {
    auto model = small_model();
    TrainOptions options;
    options.learning_rate = 0.01;
    options.linear_rate = 7.0;
    options.weight_decay = 3.0;
    Optimiser optimiser(*model, options, 10);
    const auto& groups = optimiser.inner().param_groups();
    ASSERT_EQ(groups.size(), 3U);
    const auto decay = [&](std::size_t g) {
        return dynamic_cast<const torch::optim::AdamWOptions&>(groups[g].options()).weight_decay();
    };
    EXPECT_EQ(groups[0].options().get_lr(), 0.01);
    EXPECT_EQ(groups[1].options().get_lr(), 0.01);
    EXPECT_DOUBLE_EQ(groups[2].options().get_lr(), 0.07);
    EXPECT_EQ(decay(0), 3.0);
    EXPECT_EQ(decay(1), 0.0);
    EXPECT_EQ(decay(2), 0.0);

    const auto linear = model->linear_parameters();
    ASSERT_EQ(groups[2].params().size(), linear.size());
    for (std::size_t i = 0; i < linear.size(); ++i)
        EXPECT_TRUE(groups[2].params()[i].is_same(linear[i]));
    for (const auto& p : groups[0].params()) EXPECT_GE(p.dim(), 2);
    for (const auto& p : groups[1].params()) EXPECT_LT(p.dim(), 2);
    EXPECT_EQ(groups[0].params().size() + groups[1].params().size() + linear.size(),
              model->parameters().size());
}

TEST(Optimiser, TakesTheOptimiserAsked) {
    auto model = small_model();
    TrainOptions options;
    const auto made = [&](const char* name) {
        options.optimiser = name;
        return Optimiser(*model, options, 1);
    };
    EXPECT_NE(dynamic_cast<torch::optim::AdamW*>(&made("adamw").inner()), nullptr);
    EXPECT_NE(dynamic_cast<torch::optim::Adam*>(&made("adam").inner()), nullptr);
    EXPECT_NE(dynamic_cast<Fromage*>(&made("fromage").inner()), nullptr);
}

TEST(Schedule, CosineGoesDownAlongAHalfWave) {
    EXPECT_DOUBLE_EQ(schedule_factor("cosine", 0.0, 0, 8), 1.0);
    EXPECT_DOUBLE_EQ(schedule_factor("cosine", 0.0, 2, 8), 0.5 + 0.25 * std::numbers::sqrt2);
    EXPECT_DOUBLE_EQ(schedule_factor("cosine", 0.0, 4, 8), 0.5);
    EXPECT_NEAR(schedule_factor("cosine", 0.0, 8, 8), 0.0, 1e-16);
    EXPECT_EQ(schedule_factor("constant", 0.0, 7, 8), 1.0);
    EXPECT_DOUBLE_EQ(schedule_factor("constant", 0.5, 0, 8), 0.25);
    EXPECT_DOUBLE_EQ(schedule_factor("constant", 0.5, 2, 8), 0.75);
    EXPECT_EQ(schedule_factor("constant", 0.5, 3, 8), 1.0);
    EXPECT_DOUBLE_EQ(schedule_factor("cosine", 1.0, 4, 8), 0.5 * 0.625);
}

TEST(Schedule, CoolsDownBeforeTheLastStep) {
    EXPECT_EQ(cool_down_factor(0.5, 3, 8), 1.0);
    EXPECT_EQ(cool_down_factor(0.5, 4, 8), 1.0);
    EXPECT_EQ(cool_down_factor(0.5, 5, 8), 0.75);
    EXPECT_EQ(cool_down_factor(0.5, 7, 8), 0.25);
    EXPECT_EQ(cool_down_factor(0.5, 9, 8), 0.0);
    EXPECT_EQ(cool_down_factor(0.0, 7, 8), 1.0);
}

TEST(Optimiser, CoolsDownBeforeItsStopEpoch) {
    auto model = small_model();
    TrainOptions options;
    options.schedule = "constant";
    options.learning_rate = 0.5;
    options.epochs = 10;
    options.cool_down = 0.5;
    const auto rates = [&](std::int64_t stop_epoch) {
        options.stop_epoch = stop_epoch;
        Optimiser optimiser(*model, options, 20);  // two steps an epoch
        std::vector<double> seen;
        for (int step = 0; step < 4; ++step) {
            optimiser.step();
            seen.push_back(optimiser.inner().param_groups()[0].options().get_lr());
        }
        return seen;
    };
    EXPECT_EQ(rates(0), (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
    EXPECT_EQ(rates(2), (std::vector<double>{0.5, 0.5, 0.5, 0.25}));
}

TEST(Optimiser, FollowsItsSchedule) {
    auto model = small_model();
    TrainOptions options;
    options.linear_rate = 5.0;
    Optimiser optimiser(*model, options, 4);
    const auto& groups = optimiser.inner().param_groups();
    optimiser.step();
    EXPECT_DOUBLE_EQ(groups[0].options().get_lr(), 2e-3);
    optimiser.skip();
    optimiser.step();
    EXPECT_DOUBLE_EQ(groups[0].options().get_lr(), 1e-3);
    EXPECT_DOUBLE_EQ(groups[2].options().get_lr(), 5e-3);
}

TEST(Clipping, ScalesAllGradientsByOneFactor) {
    const auto a = parameter({0.0, 0.0}, {3.0, 0.0}), b = parameter({0.0}, {-4.0});
    const auto none = torch::ones({1}).requires_grad_();
    EXPECT_DOUBLE_EQ(clip_gradients({a, none, b}, 10.0), 5.0);
    EXPECT_EQ(b.grad()[0].item<double>(), -4.0);
    EXPECT_DOUBLE_EQ(clip_gradients({a, none, b}, 0.0), 5.0);
    EXPECT_EQ(b.grad()[0].item<double>(), -4.0);
    EXPECT_DOUBLE_EQ(clip_gradients({a, none, b}, 2.5), 5.0);
    EXPECT_DOUBLE_EQ(a.grad()[0].item<double>(), 1.5);
    EXPECT_DOUBLE_EQ(b.grad()[0].item<double>(), -2.0);
}

TEST(Optimiser, GradientThatIsNotFiniteTakesNoStep) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        auto model = small_model();
        Optimiser optimiser(*model, {}, 10);
        for (auto& p : model->parameters()) p.mutable_grad() = torch::ones_like(p);
        const auto weight = model->parameters().front();
        weight.grad().view(-1)[0] = bad;
        const auto before = weight.detach().clone();
        EXPECT_FALSE(optimiser.step());
        EXPECT_EQ(optimiser.skipped(), 1);
        EXPECT_TRUE(weight.equal(before));

        weight.grad().fill_(1.0);
        EXPECT_TRUE(optimiser.step());
        EXPECT_EQ(optimiser.skipped(), 1);
        EXPECT_FALSE(weight.equal(before));
    }
}

}  // namespace
}  // namespace deepsl::train
