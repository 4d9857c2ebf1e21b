// Deep Sturm-Liouville and its baselines through the loop: that they learn, with the same bits for
// the same seed on any number of threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/predictor.h"
#include "deepsl/parallel.h"
#include "deepsl/train/step.h"
#include "deepsl/train/trainer.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

std::unique_ptr<model::Predictor> small_model(
    std::size_t inputs, std::size_t outputs, model::Kind kind = model::Kind::dsl,
    model::Precision precision = model::Precision::float32) {
    model::ModelOptions options;
    options.hidden = {16, 8};
    options.field_hidden = {8};
    options.eigenfunctions = 6;
    options.precision = precision;
    return model::make_predictor(kind, inputs, outputs, options, 1);
}

TEST(Learning, DeepSturmLiouvilleLearnsMoons) {
    const auto model = small_model(2, 2);
    const auto moons = generated(GeneratedSet::moons, 100, 3);
    const auto before = evaluate(*model, moons, Loss::cross_entropy);
    EXPECT_LT(before.metric.value, 0.75);
    const auto record = train(*model, moons, {}, quick(40));
    const auto after = evaluate(*model, moons, Loss::cross_entropy);
    EXPECT_EQ(after.metric.name, "accuracy");
    EXPECT_GT(after.metric.value, 0.9);
    EXPECT_LT(after.loss, 0.4);
    EXPECT_EQ(record.failed_lines, 0);
    EXPECT_EQ(record.training_rows, 80);
    EXPECT_EQ(record.validation_rows, 20);
    EXPECT_GT(record.epochs.front().lambda_last, record.epochs.front().lambda_first);
    // Fresh points, too.
    EXPECT_GT(evaluate(*model, generated(GeneratedSet::moons, 500, 4), Loss::hinge).metric.value,
              0.85);
}

TEST(Learning, EveryLossAndOptimiserLearnsMoons) {
    const auto moons = generated(GeneratedSet::moons, 100, 3);
    for (const auto optimiser :
         {OptimiserKind::adamw, OptimiserKind::adam, OptimiserKind::fromage}) {
        auto options = quick(15);
        options.optimiser = optimiser;
        options.loss = Loss::hinge;
        options.alpha = 1e-3;
        const auto model = small_model(2, 1);
        const auto record = train(*model, moons, moons, options);
        EXPECT_GT(record.best_metric, 0.8) << name(optimiser);
        EXPECT_GT(record.epochs.front().spectral, 0.0);
    }
}

// The energy of F along its lines is a term of the loss, which training lowers; a model without
// lines has none.
TEST(Learning, SmoothnessFlattensF) {
    const auto wave = generated(GeneratedSet::wave, 100, 5);
    const auto rise = [&](double weight) {
        auto options = quick(15);
        options.smoothness = weight;
        const auto model = small_model(1, 1);
        const auto record = train(*model, wave, wave, options);
        EXPECT_EQ(record.epochs.back().spectral > 0.0, weight > 0.0);
        const auto y = model->predict(wave.x).y;
        const auto [least, most] = std::minmax_element(y.values().begin(), y.values().end());
        return *most - *least;
    };
    EXPECT_LT(rise(10.0), 0.5 * rise(0.0));
}

TEST(Learning, RegressionLearnsAWave) {
    const auto model = small_model(1, 1);
    const auto wave = generated(GeneratedSet::wave, 200, 5);
    const auto record = train(*model, wave, wave, quick(30));
    EXPECT_EQ(record.metric_name, "r2");
    EXPECT_GT(record.best_metric, 0.4);
    EXPECT_GT(record.best_metric, record.epochs.front().validation_metric + 0.1);
    EXPECT_EQ(evaluate(*model, wave, Loss::squared).metric.value, record.best_metric);
}

TEST(Learning, BaselinesLearnThroughTheSameLoop) {
    const auto moons = generated(GeneratedSet::moons, 100, 3);
    for (const auto kind : {model::Kind::mlp, model::Kind::node, model::Kind::ablation}) {
        const auto model = small_model(2, 2, kind);
        const auto record = train(*model, moons, moons, quick(60));
        EXPECT_GT(record.best_metric, 0.85) << name(kind);
        if (kind == model::Kind::mlp) {
            EXPECT_TRUE(std::isnan(record.epochs.front().lambda_first));
            EXPECT_EQ(record.epochs.front().spectral, 0.0);
        }
    }
}

TEST(Learning, SameSeedSameBitsOnAnyNumberOfThreads) {
    const auto moons = generated(GeneratedSet::moons, 150, 3);
    const auto before = threads();
    for (const auto precision : {model::Precision::float32, model::Precision::float64}) {
        const auto trained = [&](std::int64_t seed, int count) {
            set_threads(count);
            const auto model = small_model(2, 2, model::Kind::dsl, precision);
            auto options = quick(3);
            options.batch = 100;
            options.alpha = 1e-3;
            options.seed = seed;
            train(*model, moons, {}, options);
            return model->parameters().values();
        };
        const auto first = trained(7, 1);
        for (const int count : {1, 2, 5}) EXPECT_TRUE(same_bits(first, trained(7, count))) << count;
        EXPECT_FALSE(same_bits(first, trained(8, 1)));
    }
    set_threads(before);
}

// End to end, in float64: the gradient of data loss and spectral term by all parameters along a
// random direction, against a central difference.
TEST(Learning, TheGradientOfABatchIsThatOfItsLoss) {
    auto moons = generated(GeneratedSet::moons, 70, 3);
    moons.x(3, 0) = 5.0;  // fails
    std::vector<std::size_t> rows(70);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    const auto model = small_model(2, 2, model::Kind::dsl, model::Precision::float64);
    model->calibrate(moons.x, calibration_targets(moons, 2));
    const auto values = model->parameters().values();
    BatchPass passes(*model);
    std::vector<double> gradient(values.size()), ignored(values.size());
    passes.gradient(moons, rows, Loss::cross_entropy, 0.01, gradient);

    Random random(4);
    std::vector<double> direction(values.size());
    for (const auto& tensor : model->parameters().list())
        for (std::size_t i = 0; i < tensor.size(); ++i)
            if (tensor.role != network::Role::measured)
                direction[tensor.offset + i] = normal(random);
    const auto loss_at = [&](double h) {
        auto moved = values;
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += h * direction[i];
        model->set_values(moved);
        const auto sums = passes.gradient(moons, rows, Loss::cross_entropy, 0.01, ignored);
        EXPECT_EQ(sums.kept, 69U);
        return sums.mean_data() + sums.mean_spectral();
    };
    double slope = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) slope += gradient[i] * direction[i];
    const double h = 1e-5;
    EXPECT_NEAR(slope, (loss_at(h) - loss_at(-h)) / (2 * h), 1e-6 * std::abs(slope));
}

TEST(Learning, RowsThatFailAreCountedAndLeftOut) {
    const auto model = small_model(2, 2);
    auto moons = generated(GeneratedSet::moons, 103, 3);
    moons.x(5, 0) = std::nan("");
    moons.x(17, 1) = std::numeric_limits<double>::infinity();
    moons.x(30, 0) = 3.0;
    moons.x(31, 1) = -1.0, moons.x(31, 0) = 0.0;
    moons.x(99, 0) = -5.0;
    const auto good = generated(GeneratedSet::moons, 50, 4);
    const auto record = train(*model, moons, good, quick(20));
    const Failures expected{{"not_finite", 2}, {"outside", 3}};
    for (const auto& report : record.epochs) {
        EXPECT_EQ(report.failures, expected);
        EXPECT_TRUE(std::isfinite(report.loss));
        EXPECT_GT(report.lambda_last, report.lambda_first);
    }
    for (const double value : model->parameters().values()) EXPECT_TRUE(std::isfinite(value));
    EXPECT_GT(record.best_metric, 0.8);

    const auto evaluation = evaluate(*model, moons, Loss::cross_entropy);
    EXPECT_EQ(evaluation.samples, 103);
    EXPECT_EQ(evaluation.failed, 5);
    EXPECT_EQ(evaluation.failures, expected);
    EXPECT_LE(evaluation.metric.value, 98.0 / 103.0);
    EXPECT_TRUE(std::isfinite(evaluation.loss));
}

}  // namespace
}  // namespace deepsl::train
