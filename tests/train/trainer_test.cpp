// The loop: that models learn, that the same seed gives the same bits, that failures are counted
// and left out, and that the best weights are the ones that stay.
#include "deepsl/train/trainer.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "deepsl/data/generated.h"
#include "deepsl/model/baseline.h"
#include "deepsl/model/model.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

/// Points of a generated set, moved into the middle of the unit ball.
Dataset generated(const char* name, std::size_t samples, std::uint64_t seed) {
    const auto made = data::generate(name, {samples, std::nullopt, seed});
    const auto features = static_cast<std::int64_t>(made.features);
    const auto x = torch::tensor(made.x, torch::kFloat64).view({-1, features});
    const auto centre = features == 2 ? torch::tensor({0.5, 0.25}, torch::kFloat64)
                                      : torch::zeros({1}, torch::kFloat64);
    const auto inner = (x - centre) / (features == 2 ? 2.5 : 1.5);
    if (made.classes > 0) return {inner, torch::tensor(made.label, torch::kInt64)};
    return {inner, torch::tensor(made.y, torch::kFloat64).unsqueeze(1)};
}

model::Model small_model(std::int64_t inputs, std::int64_t outputs) {
    at::set_num_threads(1);  // threads would wait for each other longer than they work
    torch::manual_seed(1);
    model::ModelOptions options;
    options.hidden = {16, 8};
    options.field_hidden = {8};
    options.eigenfunctions = 6;
    return model::Model(inputs, outputs, options);
}

TrainOptions quick(std::int64_t epochs) {
    TrainOptions options;
    options.batch = 25;
    options.epochs = epochs;
    options.patience = 0;
    options.learning_rate = 0.01;
    return options;
}

std::vector<Tensor> state_of(const torch::nn::Module& model) {
    std::vector<Tensor> all;
    for (const auto& p : model.parameters()) all.push_back(p.detach().clone());
    for (const auto& b : model.buffers()) all.push_back(b.clone());
    return all;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) same = a[i].equal(b[i]);
    return same;
}

/// F(x) = a x with one weight, to see what the loop does: samples with x > 100 fail, those below
/// -100 give a gradient that is not finite. A buffer counts the training steps.
class ProbeImpl : public model::PredictorImpl {
public:
    ProbeImpl() : PredictorImpl(1, 1) {
        a_ = register_parameter("a", torch::zeros({1, 1}, torch::kFloat64));
        steps_ = register_buffer("steps", torch::zeros({1}, torch::kInt64));
    }
    model::Prediction forward(const Tensor& x) override {
        if (is_training()) steps_ += 1;
        const auto huge = x.lt(-100.0).to(torch::kFloat64) * std::numeric_limits<double>::max();
        model::Prediction result{
            x * a_ + (a_ - a_.detach()) * huge * 10.0, {}, x.le(100.0).squeeze(1), {}};
        for (std::int64_t b = 0; b < x.size(0); ++b) {
            result.outcomes.emplace_back();
            if (!result.ok[b].item<bool>())
                result.outcomes.back().line = field::LineStatus::outside;
        }
        return result;
    }
    void calibrate(const Tensor& x, const Tensor& targets) override {
        calibrated_x = x;
        calibrated_targets = targets;
    }
    std::vector<Tensor> linear_parameters() override { return {}; }
    double a() const { return a_.item<double>(); }
    std::int64_t steps() const { return steps_.item<std::int64_t>(); }

    Tensor calibrated_x, calibrated_targets;

private:
    Tensor a_, steps_;
};
TORCH_MODULE(Probe);

Tensor column(const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64).unsqueeze(1);
}

TEST(Train, DeepSturmLiouvilleLearnsMoons) {
    auto model = small_model(2, 2);
    const auto moons = generated("moons", 100, 3);
    const auto before = evaluate(*model, moons, Loss::cross_entropy);
    EXPECT_LT(before.metric.value, 0.6);
    const auto record = train(*model, moons, {}, quick(40));
    const auto after = evaluate(*model, moons, Loss::cross_entropy);
    EXPECT_EQ(after.metric.name, "accuracy");
    EXPECT_GT(after.metric.value, 0.9);
    EXPECT_LT(after.loss, 0.4);
    EXPECT_EQ(record.failed_lines, 0);
    EXPECT_EQ(record.training_rows, 80);
    EXPECT_EQ(record.validation_rows, 20);
    // Fresh points, too.
    EXPECT_GT(evaluate(*model, generated("moons", 500, 4), Loss::hinge).metric.value, 0.85);
}

TEST(Train, EveryLossAndOptimiserLearnsMoons) {
    const auto moons = generated("moons", 100, 3);
    for (const char* optimiser : {"adamw", "adam", "fromage"}) {
        auto options = quick(15);
        options.optimiser = optimiser;
        options.loss = "hinge";
        options.alpha = 1e-3;
        auto model = small_model(2, 1);
        const auto record = train(*model, moons, moons, options);
        EXPECT_GT(record.best_metric, 0.8) << optimiser;
        EXPECT_GT(record.epochs.front().spectral, 0.0);
    }
}

TEST(Train, RegressionLearnsAWave) {
    auto model = small_model(1, 1);
    const auto wave = generated("wave", 200, 5);
    const auto record = train(*model, wave, wave, quick(30));
    EXPECT_EQ(record.metric_name, "r2");
    EXPECT_GT(record.best_metric, 0.4);
    EXPECT_GT(record.best_metric, record.epochs.front().validation_metric + 0.1);
    EXPECT_EQ(evaluate(*model, wave, Loss::squared).metric.value, record.best_metric);
}

TEST(Train, BaselineLearnsThroughTheSameLoop) {
    torch::manual_seed(1);
    model::MlpModel model(2, 2, network::MlpOptions{});
    const auto moons = generated("moons", 100, 3);
    const auto record = train(*model, moons, moons, quick(60));
    EXPECT_GT(record.best_metric, 0.85);
    EXPECT_TRUE(std::isnan(record.epochs.front().lambda_first));
    EXPECT_EQ(record.epochs.front().spectral, 0.0);
}

TEST(Train, SameSeedSameBits) {
    const auto moons = generated("moons", 60, 3);
    std::uint64_t others = 100;
    const auto trained = [&](std::int64_t seed) {
        auto model = small_model(2, 2);
        auto options = quick(4);
        options.seed = seed;
        // Whatever else draws random numbers meanwhile must not matter.
        torch::manual_seed(++others);
        train(*model, moons, {}, options);
        return state_of(*model);
    };
    const auto first = trained(7);
    EXPECT_TRUE(same_bits(first, trained(7)));
    EXPECT_FALSE(same_bits(first, trained(8)));
}

TEST(Train, EarlyStoppingRestoresTheBestWeights) {
    auto model = small_model(2, 2);
    const auto moons = generated("moons", 80, 3), others = generated("moons", 60, 4);
    auto options = quick(200);
    options.schedule = "constant";
    options.learning_rate = 0.1;  // so high that it goes up and down
    options.patience = 4;
    std::vector<Tensor> best;
    Callbacks callbacks;
    callbacks.epoch = [&](const EpochReport& report) {
        if (report.best) best = state_of(*model);
    };
    const auto record = train(*model, moons, others, options, callbacks);
    const auto last = static_cast<std::int64_t>(record.epochs.size());
    ASSERT_TRUE(record.stopped_early);
    EXPECT_EQ(last - record.best_epoch, 4);
    const auto& chosen = record.epochs[static_cast<std::size_t>(record.best_epoch - 1)];
    EXPECT_TRUE(chosen.best);
    EXPECT_TRUE(same_bits(state_of(*model), best));
    const auto found = evaluate(*model, others, Loss::cross_entropy);
    EXPECT_EQ(found.metric.value, record.best_metric);
    EXPECT_EQ(found.loss, chosen.validation_loss);
    EXPECT_NE(found.loss, record.epochs.back().validation_loss);
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
    options.schedule = "constant";
    options.learning_rate = 0.1;
    options.best = "loss";
    bool metric_chooses_another = false;
    for (const unsigned seed : {3U, 5U, 7U}) {
        const auto moons = generated("moons", 80, seed);
        auto others = generated("moons", 60, seed + 1);
        // Wrong labels punish those who are sure: the loss grows while the accuracy stays.
        others.target.slice(0, 0, 12).copy_(1 - others.target.slice(0, 0, 12));
        auto model = small_model(2, 2);
        const auto record = train(*model, moons, others, options);
        const auto& chosen = record.epochs[static_cast<std::size_t>(record.best_epoch - 1)];
        for (const auto& report : record.epochs) {
            EXPECT_GE(report.validation_loss, chosen.validation_loss);
            metric_chooses_another |= report.validation_metric > chosen.validation_metric;
        }
        EXPECT_EQ(record.best_metric, chosen.validation_metric);
        EXPECT_EQ(evaluate(*model, others, Loss::cross_entropy).loss, chosen.validation_loss);
    }
    EXPECT_TRUE(metric_chooses_another) << "choose seeds that tell the rules apart";
}

TEST(Train, BuffersAreRestoredWithTheWeights) {
    Probe model;
    auto options = quick(6);
    options.schedule = "constant";
    options.learning_rate = 1.0;  // a overshoots 1 at once
    const Dataset line{column({1.0, 2.0, -1.0}), column({1.0, 2.0, -1.0})};
    const auto record = train(*model, line, line, options);
    ASSERT_LT(record.best_epoch, 6);
    EXPECT_EQ(model->steps(), record.best_epoch);  // one batch an epoch
    EXPECT_EQ(evaluate(*model, line, Loss::squared).metric.value, record.best_metric);
}

TEST(Train, WithoutValidationTheSmallestTrainingLossDecides) {
    Probe model;
    auto options = quick(6);
    options.schedule = "constant";
    options.learning_rate = 1.0;
    options.validation = 0.0;
    const Dataset line{column({1.0, 2.0, -1.0}), column({1.0, 2.0, -1.0})};
    const auto record = train(*model, line, {}, options);
    EXPECT_EQ(record.validation_rows, 0);
    const auto& best = record.epochs[static_cast<std::size_t>(record.best_epoch - 1)];
    for (const auto& report : record.epochs) {
        EXPECT_GE(report.loss, best.loss);
        EXPECT_TRUE(std::isnan(report.validation_metric));
    }
    EXPECT_EQ(record.best_metric, best.train_metric);
    EXPECT_EQ(model->steps(), record.best_epoch);
}

TEST(Train, RowsThatFailAreCountedAndLeftOut) {
    auto model = small_model(2, 2);
    auto moons = generated("moons", 103, 3);
    moons.x[5][0] = std::nan("");
    moons.x[17][1] = std::numeric_limits<double>::infinity();
    moons.x[30] = torch::tensor({3.0, 0.0}, torch::kFloat64);
    moons.x[31] = torch::tensor({0.0, -1.0}, torch::kFloat64);
    moons.x[99] = torch::tensor({-5.0, 5.0}, torch::kFloat64);
    const auto good = generated("moons", 50, 4);
    const auto record = train(*model, moons, good, quick(20));
    const Failures expected{{"not_finite", 2}, {"outside", 3}};
    ASSERT_EQ(record.epochs.size(), 20U);
    for (const auto& report : record.epochs) {
        EXPECT_EQ(report.failed_lines, 5);
        EXPECT_EQ(report.failures, expected);
        EXPECT_EQ(report.skipped_steps, 0);
        EXPECT_TRUE(std::isfinite(report.loss));
        EXPECT_LE(report.train_metric, 98.0 / 103.0);
        EXPECT_GT(report.lambda_last, report.lambda_first);
    }
    EXPECT_EQ(record.failed_lines, 100);
    EXPECT_EQ(record.failures.at("outside"), 60);
    for (const auto& tensor : state_of(*model)) EXPECT_TRUE(tensor.isfinite().all().item<bool>());
    EXPECT_GT(record.best_metric, 0.8);

    const auto evaluation = evaluate(*model, moons, Loss::cross_entropy);
    EXPECT_EQ(evaluation.samples, 103);
    EXPECT_EQ(evaluation.failed, 5);
    EXPECT_EQ(evaluation.failures, expected);
    EXPECT_LE(evaluation.metric.value, 98.0 / 103.0);
    EXPECT_TRUE(std::isfinite(evaluation.loss));
}

TEST(Train, ABatchInWhichAllFailTakesNoStep) {
    Probe model;
    auto options = quick(3);
    options.batch = 1;
    options.validation = 0.0;
    const auto record = train(*model, {column({200.0, 300.0}), column({1.0, 1.0})}, {}, options);
    EXPECT_EQ(model->a(), 0.0);
    EXPECT_EQ(record.skipped_steps, 6);
    EXPECT_EQ(record.failed_lines, 6);
    EXPECT_EQ(record.epochs.front().loss, std::numeric_limits<double>::infinity());

    // One good row among them is learned from.
    const auto mixed =
        train(*model, {column({200.0, 1.0, 300.0}), column({1.0, 1.0, 1.0})}, {}, options);
    EXPECT_EQ(mixed.skipped_steps, 6);
    EXPECT_GT(model->a(), 0.0);
}

TEST(Train, AGradientThatIsNotFiniteIsSkippedAndCounted) {
    Probe model;
    auto options = quick(3);
    options.batch = 1;
    options.validation = 0.0;
    const auto record = train(*model, {column({-200.0, 1.0}), column({0.0, 1.0})}, {}, options);
    for (const auto& report : record.epochs) EXPECT_EQ(report.skipped_steps, 1);
    EXPECT_GT(model->a(), 0.0);
    EXPECT_TRUE(std::isfinite(model->a()));
}

TEST(Train, CalibrationSeesFiniteTrainingRows) {
    Probe model;
    const double nan = std::nan("");
    train(*model, {column({1.0, nan, 3.0, 4.0}), torch::tensor({1, 1, 0, 1}, torch::kInt64)},
          {column({9.0}), torch::tensor({0}, torch::kInt64)}, quick(1));
    const auto [x, order] = model->calibrated_x.squeeze(1).sort();
    EXPECT_TRUE(x.equal(torch::tensor({1.0, 3.0, 4.0}, torch::kFloat64))) << x;
    EXPECT_TRUE(model->calibrated_targets.squeeze(1).index_select(0, order).equal(
        torch::tensor({1.0, -1.0, 1.0}, torch::kFloat64)));
}

TEST(Train, StopEndsTidily) {
    auto model = small_model(2, 2);
    const auto moons = generated("moons", 100, 3);
    int steps = 0;
    std::vector<double> fractions;
    Callbacks callbacks;
    callbacks.stop = [&] { return ++steps == 6; };
    callbacks.progress = [&](const Progress& p) { fractions.push_back(p.fraction); };
    const auto record = train(*model, moons, moons, quick(50), callbacks);  // four steps an epoch
    EXPECT_TRUE(record.interrupted);
    EXPECT_FALSE(record.stopped_early);
    EXPECT_EQ(steps, 6);
    EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.5, 0.75, 1.0, 0.25, 0.5}));
    ASSERT_EQ(record.epochs.size(), 2U);
    EXPECT_EQ(record.epochs.back().seconds_left, 0.0);
    EXPECT_EQ(evaluate(*model, moons, Loss::cross_entropy).metric.value, record.best_metric);
}

TEST(Train, BatchLargerThanTheDataIsOneStep) {
    Probe model;
    auto options = quick(2);
    options.batch = 1000;
    const auto record = train(*model, {column({1.0, 2.0}), column({1.0, 2.0})}, {}, options);
    EXPECT_EQ(record.epochs.size(), 2U);
    EXPECT_EQ(record.training_rows, 1);
    EXPECT_EQ(record.validation_rows, 1);
}

}  // namespace
}  // namespace deepsl::train
