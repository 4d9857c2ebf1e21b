// The loop: that the same seed gives the same bits, that failures are counted and left out, and
// that the best values are the ones that stay.
#include "deepsl/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/parallel.h"
#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

/// y = x, for a model that overshoots at once.
const Dataset line = numbered(column({1.0, 2.0, -1.0}), column({1.0, 2.0, -1.0}));
TrainOptions overshooting() {
    auto options = quick(6);
    options.schedule = Schedule::constant;
    options.learning_rate = 1.0;
    return options;
}

TEST(Train, LearnsByEveryLossAndOptimiser) {
    const auto moons = generated(GeneratedSet::moons, 300, 3);
    for (const auto optimiser : {OptimiserKind::adamw, OptimiserKind::adam, OptimiserKind::fromage})
        for (const auto loss : {Loss::hinge, Loss::cross_entropy})
            for (const std::size_t outputs : {1U, 2U}) {
                LinearModel model(2, outputs);
                auto options = quick(60);
                options.optimiser = optimiser;
                options.loss = loss;
                options.learning_rate = 0.05;
                const auto record = train(model, moons, moons, options);
                EXPECT_GT(record.best_metric, 0.83) << name(optimiser) << ", " << name(loss);
                EXPECT_LT(record.epochs.back().loss, record.epochs.front().loss);
            }
}

TEST(Train, SplitsOffRowsOfEveryClass) {
    Dataset rare{Matrix<double>(1000, 1, 0.5), std::vector<std::int64_t>(1000), {}};
    rare.labels[500] = rare.labels[501] = 1;
    LinearModel model(1, 2);
    const auto record = train(model, rare, {}, quick(1));
    EXPECT_EQ(record.training_rows, 799);
    EXPECT_EQ(record.validation_rows, 201) << "one of the rare class among them";
    EXPECT_LT(record.best_metric, 1.0);
    EXPECT_EQ(model.measured_rows(), 799.0);
}

TEST(Train, RegressionTellsR2) {
    LinearModel model(1, 1);
    auto options = quick(200);
    options.learning_rate = 0.1;
    const auto record = train(model, line, line, options);
    EXPECT_EQ(record.metric_name, "r2");
    EXPECT_GT(record.best_metric, 0.99);
    EXPECT_NEAR(model.W(0, 0), 1.0, 0.1);
    EXPECT_EQ(evaluate(model, line, Loss::squared).metric.value, record.best_metric);
    EXPECT_TRUE(std::isnan(record.epochs.front().lambda_first)) << "there is no spectrum";
    EXPECT_EQ(record.epochs.front().spectral, 0.0);
}

TEST(Train, TheSpectralTermMovesTheSpectrum) {
    LinearModel model(1, 1, 2);
    auto values = model.parameters().values();
    values[2] = 3.0;  // v
    values[3] = -5.0;
    model.set_values(values);
    auto options = quick(10);
    options.alpha = 0.5;
    const auto record = train(model, line, line, options);
    EXPECT_DOUBLE_EQ(record.epochs.front().spectral, 2.0) << "0.5 (3 + 5) / 2";
    EXPECT_DOUBLE_EQ(record.epochs.front().lambda_first, -5.0);
    EXPECT_DOUBLE_EQ(record.epochs.front().lambda_last, 3.0);
    EXPECT_LT(record.epochs.back().spectral, 2.0);
    EXPECT_LT(record.epochs.back().lambda_last, 3.0);
}

TEST(Train, SameSeedSameBitsOnAnyNumberOfThreads) {
    const auto moons = generated(GeneratedSet::moons, 700, 3);
    const auto before = threads();
    const auto trained = [&](std::int64_t seed, int count) {
        set_threads(count);
        LinearModel model(2, 2);
        auto options = quick(4);
        options.batch = 200;
        options.seed = seed;
        train(model, moons, {}, options);
        return model.parameters().values();
    };
    const auto first = trained(7, 1);
    for (const int count : {1, 2, 5}) EXPECT_TRUE(same_bits(first, trained(7, count))) << count;
    EXPECT_FALSE(same_bits(first, trained(8, 1)));
    set_threads(before);
}

TEST(Train, EarlyStoppingRestoresTheBestValues) {
    LinearModel model(2, 2);
    const auto moons = generated(GeneratedSet::moons, 80, 3),
               others = generated(GeneratedSet::moons, 60, 4);
    auto options = quick(200);
    options.schedule = Schedule::constant;
    options.learning_rate = 1.0;  // so high that it goes up and down
    options.patience = 4;
    std::vector<double> best;
    Callbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) {
        if (report.best) best = model.parameters().values();
    };
    const auto record = train(model, moons, others, options, callbacks);
    const auto last = static_cast<std::int64_t>(record.epochs.size());
    ASSERT_TRUE(record.stopped_early);
    EXPECT_EQ(last - record.best_epoch, 4);
    const auto& chosen = record.epochs[static_cast<std::size_t>(record.best_epoch - 1)];
    EXPECT_TRUE(chosen.best);
    EXPECT_TRUE(same_bits(model.parameters().values(), best));
    const auto found = evaluate(model, others, Loss::cross_entropy);
    EXPECT_EQ(found.metric.value, record.best_metric);
    EXPECT_NEAR(found.loss, chosen.validation_loss, 1e-12);
    EXPECT_NE(chosen.validation_loss, record.epochs.back().validation_loss);
    for (const auto& report : record.epochs) {
        EXPECT_LE(report.validation_metric, record.best_metric);
        if (report.validation_metric == record.best_metric) {
            EXPECT_GE(report.validation_loss, chosen.validation_loss);
        }
    }
    EXPECT_EQ(record.epochs.back().seconds_left, 0.0);
}

TEST(Train, BestMayBeTheSmallestLoss) {
    auto options = quick(20);
    options.schedule = Schedule::constant;
    options.learning_rate = 0.5;
    options.best = Best::loss;
    bool metric_chooses_another = false;
    for (const unsigned seed : {3U, 5U, 7U}) {
        const auto moons = generated(GeneratedSet::moons, 80, seed);
        auto others = generated(GeneratedSet::moons, 60, seed + 1);
        // Wrong labels punish those who are sure: the loss grows while the accuracy stays.
        for (std::size_t i = 0; i < 12; ++i) others.labels[i] = 1 - others.labels[i];
        LinearModel model(2, 2);
        const auto record = train(model, moons, others, options);
        const auto& chosen = record.epochs[static_cast<std::size_t>(record.best_epoch - 1)];
        for (const auto& report : record.epochs) {
            EXPECT_GE(report.validation_loss, chosen.validation_loss);
            metric_chooses_another |= report.validation_metric > chosen.validation_metric;
        }
        EXPECT_EQ(record.best_metric, chosen.validation_metric);
        EXPECT_NEAR(evaluate(model, others, Loss::cross_entropy).loss, chosen.validation_loss,
                    1e-12);
    }
    EXPECT_TRUE(metric_chooses_another) << "choose seeds that tell the rules apart";
}

TEST(Train, WithoutValidationTheSmallestTrainingLossDecides) {
    LinearModel model(1, 1);
    auto options = overshooting();
    options.validation = 0.0;
    std::vector<double> best;
    Callbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) {
        if (report.best) best = model.parameters().values();
    };
    const auto record = train(model, line, {}, options, callbacks);
    EXPECT_EQ(record.validation_rows, 0);
    ASSERT_LT(record.best_epoch, 6);
    const auto& chosen = record.epochs[static_cast<std::size_t>(record.best_epoch - 1)];
    for (const auto& report : record.epochs) {
        EXPECT_GE(report.loss, chosen.loss);
        EXPECT_TRUE(std::isnan(report.validation_metric));
    }
    EXPECT_EQ(record.best_metric, chosen.train_metric);
    EXPECT_TRUE(same_bits(model.parameters().values(), best));
}

TEST(Train, AStopEpochKeepsTheValuesAtItsEnd) {
    LinearModel model(1, 1);
    auto options = overshooting();
    options.epochs = 40;
    options.stop_epoch = 7;
    options.validation = 0.0;
    std::vector<double> last;
    Callbacks callbacks;
    callbacks.epoch = [&](const EpochReport&) { last = model.parameters().values(); };
    const auto record = train(model, line, {}, options, callbacks);
    EXPECT_EQ(record.epochs.size(), 7U);
    EXPECT_EQ(record.best_epoch, 7);
    EXPECT_EQ(record.epochs.front().epochs, 7);
    EXPECT_FALSE(record.stopped_early);
    EXPECT_TRUE(same_bits(model.parameters().values(), last));
}

TEST(Train, RowsThatFailAreCountedAndLeftOut) {
    LinearModel model(2, 2, 3);
    auto moons = generated(GeneratedSet::moons, 103, 3);
    moons.x(5, 0) = std::nan("");
    moons.x(17, 1) = std::numeric_limits<double>::infinity();
    for (const std::size_t row : {30U, 31U, 99U}) moons.x(row, 0) = 300.0;
    const auto good = generated(GeneratedSet::moons, 50, 4);
    const auto record = train(model, moons, good, quick(20));
    const Failures expected{{"not_finite", 2}, {"outside", 3}};
    ASSERT_EQ(record.epochs.size(), 20U);
    for (const auto& report : record.epochs) {
        EXPECT_EQ(report.failed_lines, 5);
        EXPECT_EQ(report.failures, expected);
        EXPECT_EQ(report.skipped_steps, 0);
        EXPECT_TRUE(std::isfinite(report.loss));
        EXPECT_LE(report.train_metric, 98.0 / 103.0);
    }
    EXPECT_EQ(record.failed_lines, 100);
    EXPECT_EQ(record.failures.at("outside"), 60);
    for (const double value : model.parameters().values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Train, FailedRowsOfValidationAreCounted) {
    LinearModel model(1, 1);
    const auto record =
        train(model, line, numbered(column({1.0, 300.0}), column({1.0, 2.0})), quick(1));
    EXPECT_EQ(record.epochs.front().validation_failed, 1);
    EXPECT_EQ(record.failed_lines, 0) << "those of training alone";
}

TEST(Train, ABatchInWhichAllFailTakesNoStep) {
    LinearModel model(1, 1);
    auto options = quick(3);
    options.batch = 1;
    options.validation = 0.0;
    const auto record =
        train(model, numbered(column({200.0, 300.0}), column({1.0, 1.0})), {}, options);
    EXPECT_EQ(model.W(0, 0), 0.0);
    EXPECT_EQ(model.b(0), 0.0);
    EXPECT_EQ(record.skipped_steps, 6);
    EXPECT_EQ(record.failed_lines, 6);
    EXPECT_EQ(record.epochs.front().loss, std::numeric_limits<double>::infinity());

    // One good row among them is learned from.
    const auto mixed =
        train(model, numbered(column({200.0, 1.0, 300.0}), column({1.0, 1.0, 1.0})), {}, options);
    EXPECT_EQ(mixed.skipped_steps, 6);
    EXPECT_GT(model.W(0, 0), 0.0);
}

TEST(Train, AGradientThatIsNotFiniteIsSkippedAndCounted) {
    LinearModel model(1, 1);
    auto options = quick(3);
    options.batch = 1;
    options.validation = 0.0;
    const auto record =
        train(model, numbered(column({-200.0, 1.0}), column({0.0, 1.0})), {}, options);
    for (const auto& report : record.epochs) EXPECT_EQ(report.skipped_steps, 1);
    EXPECT_GT(model.W(0, 0), 0.0);
    EXPECT_TRUE(std::isfinite(model.W(0, 0)));
}

TEST(Train, CalibrationSeesFiniteTrainingRows) {
    LinearModel model(1, 1);
    const double nan = std::nan("");
    train(model, labelled(column({1.0, nan, 3.0, 4.0}), {1, 1, 0, 1}), labelled(column({9.0}), {0}),
          quick(1));
    auto x = model.calibrated_x.values();
    ASSERT_EQ(x.size(), 3U);
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(model.calibrated_targets(i, 0), x[i] == 3.0 ? -1.0 : 1.0);
    std::sort(x.begin(), x.end());
    EXPECT_EQ(x, (std::vector<double>{1.0, 3.0, 4.0}));
    EXPECT_EQ(model.measured_rows(), 3.0) << "what was measured stays";
}

TEST(Train, StopEndsTidily) {
    LinearModel model(2, 2);
    const auto moons = generated(GeneratedSet::moons, 100, 3);
    int steps = 0;
    std::vector<double> fractions;
    Callbacks callbacks;
    callbacks.stop = [&] { return ++steps == 6; };
    callbacks.progress = [&](const Progress& p) { fractions.push_back(p.fraction); };
    const auto record = train(model, moons, moons, quick(50), callbacks);  // four steps an epoch
    EXPECT_TRUE(record.interrupted);
    EXPECT_FALSE(record.stopped_early);
    EXPECT_EQ(steps, 6);
    EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.5, 0.75, 1.0, 0.25, 0.5}));
    ASSERT_EQ(record.epochs.size(), 2U);
    EXPECT_EQ(record.epochs.back().seconds_left, 0.0);
    EXPECT_EQ(evaluate(model, moons, Loss::cross_entropy).metric.value, record.best_metric);
}

TEST(Train, BatchLargerThanTheDataIsOneStep) {
    LinearModel model(1, 1);
    auto options = quick(2);
    options.batch = 1000;
    const auto record = train(model, numbered(column({1.0, 2.0}), column({1.0, 2.0})), {}, options);
    EXPECT_EQ(record.epochs.size(), 2U);
    EXPECT_EQ(record.training_rows, 1);
    EXPECT_EQ(record.validation_rows, 1);
}

// The loop around a model that costs nothing takes some 10 ms; the bound leaves room for a busy
// machine.
TEST(Train, BookkeepingIsCheap) {
    LinearModel model(10, 2);
    Dataset data{Matrix<double>(100, 10, 0.5), std::vector<std::int64_t>(100), {}};
    for (std::size_t i = 0; i < 50; ++i) data.labels[i] = 1;
    auto options = quick(500);
    options.batch = 8;
    const auto record = train(model, data, {}, options);
    EXPECT_EQ(record.epochs.size(), 500U);
    EXPECT_LT(record.seconds, 1.0);
    RecordProperty("seconds", std::to_string(record.seconds));
}

}  // namespace
}  // namespace deepsl::train
