// Optimisers against steps written out, roles of parameters, schedules and clipping.
#include "deepsl/train/optimiser.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

using network::Role;

constexpr double no_clip = 0.0;

/// One tensor of each role and length.
network::Parameters tensors(const std::vector<Role>& roles, std::size_t length) {
    network::Parameters parameters;
    for (std::size_t i = 0; i < roles.size(); ++i)
        parameters.add(std::string("t").append(std::to_string(i)), {length}, roles[i]);
    return parameters;
}

TrainOptions plain(OptimiserKind kind, double rate) {
    TrainOptions options;
    options.optimiser = kind;
    options.learning_rate = rate;
    options.schedule = Schedule::constant;
    options.clip = no_clip;
    options.linear_rate = 1.0;
    options.weight_decay = 0.0;
    return options;
}

TEST(Fromage, StepWrittenOut) {
    Optimiser fromage(tensors({Role::matrix}, 2), plain(OptimiserKind::fromage, 0.5), 10);
    std::vector<double> w{3.0, 4.0}, g{0.0, 2.0};  // |w| = 5, |g| = 2
    fromage.step(w, g);
    const auto root = std::sqrt(1.25);
    EXPECT_NEAR(w[0], 3.0 / root, 1e-15);
    EXPECT_NEAR(w[1], (4.0 - 0.5 * 2.5 * 2.0) / root, 1e-15);

    g = {6.0, 0.0};
    const auto before = w;
    const auto size = std::hypot(before[0], before[1]);
    fromage.step(w, g);
    EXPECT_NEAR(w[0], (before[0] - 0.5 * size) / root, 1e-15);
    EXPECT_NEAR(w[1], before[1] / root, 1e-15);
}

TEST(Fromage, ZeroWeightOrGradientTakesAPlainStep) {
    Optimiser fromage(tensors({Role::matrix, Role::vector, Role::matrix}, 2),
                      plain(OptimiserKind::fromage, 0.1), 10);
    std::vector<double> w{0.0, 0.0, 3.0, 0.0, 3.0, 4.0}, g{1.0, -2.0, 0.0, 0.0, 0.0, 1.0};
    fromage.step(w, g);
    const auto root = std::sqrt(1.01);
    EXPECT_NEAR(w[0], -0.1 / root, 1e-16);
    EXPECT_NEAR(w[1], 0.2 / root, 1e-16);
    EXPECT_NEAR(w[2], 3.0 / root, 1e-15);
    // Tensors are scaled one by one: |w| = 5 and |g| = 1 for the last one.
    EXPECT_NEAR(w[5], (4.0 - 0.1 * 5.0) / root, 1e-15);
}

/// Adam by its formulas, one number at a time.
double adam_by_hand(double w, const std::vector<double>& gradients, double rate, double decay,
                    bool decoupled) {
    double m = 0.0, s = 0.0, t = 0.0;
    for (double g : gradients) {
        t += 1.0;
        if (decoupled)
            w -= rate * decay * w;
        else
            g += decay * w;
        m = 0.9 * m + 0.1 * g;
        s = 0.999 * s + 0.001 * g * g;
        const double mean = m / (1.0 - std::pow(0.9, t)), square = s / (1.0 - std::pow(0.999, t));
        w -= rate * mean / (std::sqrt(square) + 1e-8);
    }
    return w;
}

TEST(Adam, FollowsItsFormulasAndDecaysMatricesAlone) {
    const std::vector<double> gradients{0.3, -0.1, 0.0, 2.0, 1e-9, -0.7};
    for (const auto kind : {OptimiserKind::adam, OptimiserKind::adamw}) {
        auto options = plain(kind, 0.01);
        options.weight_decay = 0.5;
        options.linear_rate = 7.0;
        // Lengths that do not fit into vectors of the processor; a measured one in between.
        const std::size_t n = 5;
        const auto parameters =
            tensors({Role::matrix, Role::matrix, Role::measured, Role::vector, Role::linear}, n);
        Optimiser optimiser(parameters, options, 100);
        std::vector<double> w(5 * n, 1.5);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            std::vector<double> g(5 * n, gradients[i]);
            EXPECT_TRUE(optimiser.step(w, g));
        }
        const bool decoupled = kind == OptimiserKind::adamw;
        const std::vector<double> expected{adam_by_hand(1.5, gradients, 0.01, 0.5, decoupled),
                                           adam_by_hand(1.5, gradients, 0.01, 0.5, decoupled), 1.5,
                                           adam_by_hand(1.5, gradients, 0.01, 0.0, decoupled),
                                           adam_by_hand(1.5, gradients, 0.07, 0.0, decoupled)};
        for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], expected[i / n], 1e-14) << i;
        EXPECT_EQ(w[2 * n], 1.5);
        EXPECT_NE(expected[0], expected[3]);
    }
    EXPECT_NE(adam_by_hand(1.5, gradients, 0.01, 0.5, true),
              adam_by_hand(1.5, gradients, 0.01, 0.5, false));
}

TEST(Optimiser, ChangesTheValuesOfAModel) {
    LinearModel model(2, 1);
    Optimiser optimiser(model.parameters(), plain(OptimiserKind::adam, 0.5), 10);
    std::vector<double> gradient(model.parameters().size(), 1.0);
    EXPECT_TRUE(optimiser.step(model, gradient));
    EXPECT_NEAR(model.W(0, 0), -0.5, 1e-7);
    EXPECT_NEAR(model.b(0), -0.5, 1e-7);
    EXPECT_EQ(model.measured_rows(), 0.0);
}

TEST(Schedule, CosineGoesDownAlongAHalfWave) {
    EXPECT_DOUBLE_EQ(schedule_factor(Schedule::cosine, 0.0, 0, 8), 1.0);
    EXPECT_DOUBLE_EQ(schedule_factor(Schedule::cosine, 0.0, 2, 8),
                     0.5 + 0.25 * std::numbers::sqrt2);
    EXPECT_DOUBLE_EQ(schedule_factor(Schedule::cosine, 0.0, 4, 8), 0.5);
    EXPECT_NEAR(schedule_factor(Schedule::cosine, 0.0, 8, 8), 0.0, 1e-16);
    EXPECT_EQ(schedule_factor(Schedule::constant, 0.0, 7, 8), 1.0);
    EXPECT_DOUBLE_EQ(schedule_factor(Schedule::constant, 0.5, 0, 8), 0.25);
    EXPECT_DOUBLE_EQ(schedule_factor(Schedule::constant, 0.5, 2, 8), 0.75);
    EXPECT_EQ(schedule_factor(Schedule::constant, 0.5, 3, 8), 1.0);
    EXPECT_DOUBLE_EQ(schedule_factor(Schedule::cosine, 1.0, 4, 8), 0.5 * 0.625);
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
    auto options = plain(OptimiserKind::adamw, 0.5);
    options.epochs = 10;
    options.cool_down = 0.5;
    const auto rates = [&](std::int64_t stop_epoch) {
        options.stop_epoch = stop_epoch;
        Optimiser optimiser(tensors({Role::matrix}, 1), options, 20);  // two steps an epoch
        std::vector<double> seen, w{1.0}, g{1.0};
        for (int step = 0; step < 4; ++step) {
            seen.push_back(optimiser.rate());
            optimiser.step(w, g);
        }
        return seen;
    };
    EXPECT_EQ(rates(0), (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
    EXPECT_EQ(rates(2), (std::vector<double>{0.5, 0.5, 0.5, 0.25}));
}

TEST(Optimiser, FollowsItsSchedule) {
    TrainOptions options;
    Optimiser optimiser(tensors({Role::matrix, Role::linear}, 1), options, 4);
    std::vector<double> w(2), g(2, 1.0);
    EXPECT_DOUBLE_EQ(optimiser.rate(), 2e-3);
    optimiser.step(w, g);
    EXPECT_NEAR(w[0], -2e-3, 1e-9);
    EXPECT_NEAR(w[1], -10e-3, 1e-9) << "five times the rate";
    optimiser.skip();
    EXPECT_DOUBLE_EQ(optimiser.rate(), 1e-3);
    EXPECT_EQ(optimiser.skipped(), 1);
}

TEST(Clipping, ScalesTheWholeGradient) {
    std::vector<double> g{3.0, 0.0, -4.0};
    EXPECT_DOUBLE_EQ(clip_gradient(g, 10.0), 5.0);
    EXPECT_EQ(g[2], -4.0);
    EXPECT_DOUBLE_EQ(clip_gradient(g, no_clip), 5.0);
    EXPECT_EQ(g[2], -4.0);
    EXPECT_DOUBLE_EQ(clip_gradient(g, 2.5), 5.0);
    EXPECT_DOUBLE_EQ(g[0], 1.5);
    EXPECT_DOUBLE_EQ(g[2], -2.0);
    std::vector<double> many(1003, 2.0);
    EXPECT_DOUBLE_EQ(clip_gradient(many, no_clip), 2.0 * std::sqrt(1003.0));
}

TEST(Optimiser, ClipsBeforeItSteps) {
    auto options = plain(OptimiserKind::adam, 0.1);
    options.clip = 1.0;
    Optimiser optimiser(tensors({Role::matrix}, 2), options, 4);
    std::vector<double> w(2), g{30.0, 40.0};
    optimiser.step(w, g);
    EXPECT_NEAR(optimiser.state().mean[0], 0.1 * 0.6, 1e-15);
    EXPECT_NEAR(optimiser.state().mean[1], 0.1 * 0.8, 1e-15);
}

TEST(Optimiser, GradientThatIsNotFiniteTakesNoStep) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        LinearModel model(2, 2);
        Optimiser optimiser(model.parameters(), {}, 10);
        std::vector<double> gradient(model.parameters().size(), 1.0);
        gradient[0] = bad;
        const auto before = model.parameters().values();
        const auto state = optimiser.state();
        EXPECT_FALSE(optimiser.step(model, gradient));
        EXPECT_EQ(optimiser.skipped(), 1);
        EXPECT_EQ(model.parameters().values(), before);
        EXPECT_EQ(optimiser.state().mean, state.mean);

        gradient.assign(gradient.size(), 1.0);
        EXPECT_TRUE(optimiser.step(model, gradient));
        EXPECT_EQ(optimiser.skipped(), 1);
        EXPECT_NE(model.parameters().values(), before);
    }
}

TEST(Optimiser, GoesOnFromItsState) {
    for (const auto kind : {OptimiserKind::adamw, OptimiserKind::adam, OptimiserKind::fromage}) {
        TrainOptions options;
        options.optimiser = kind;
        const auto parameters = tensors({Role::matrix, Role::linear}, 3);
        Optimiser whole(parameters, options, 8), second(parameters, options, 8);
        std::vector<double> w(6, 0.3), resumed;
        for (int step = 0; step < 8; ++step) {
            if (step == 4) {
                second.restore(whole.state());
                resumed = w;
            }
            std::vector<double> g(6, std::sin(step));
            auto same = g;
            whole.step(w, g);
            if (step >= 4) second.step(resumed, same);
        }
        EXPECT_TRUE(same_bits(w, resumed));
        EXPECT_EQ(whole.state(), second.state());
    }
}

}  // namespace
}  // namespace deepsl::train
