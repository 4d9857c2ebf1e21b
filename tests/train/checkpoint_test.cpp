// Checkpoints: a run that is interrupted and resumed ends with the bits of one that never was.
#include "deepsl/train/checkpoint.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/io/file.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/parallel.h"
#include "deepsl/train/trainer.h"
#include "train/interrupted.h"

namespace deepsl::train {
namespace {

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void expect_same_values(const model::Predictor& a, const model::Predictor& b) {
    EXPECT_TRUE(same_bits(a.parameters().values(), b.parameters().values()));
}

/// All but times.
void expect_same_record(const TrainingRecord& a, const TrainingRecord& b) {
    ASSERT_EQ(a.epochs.size(), b.epochs.size());
    for (std::size_t i = 0; i < a.epochs.size(); ++i) {
        const auto &x = a.epochs[i], &y = b.epochs[i];
        EXPECT_EQ(x.epoch, y.epoch);
        EXPECT_EQ(x.epochs, y.epochs);
        EXPECT_TRUE(same(x.loss, y.loss)) << i;
        EXPECT_TRUE(same(x.spectral, y.spectral)) << i;
        EXPECT_TRUE(same(x.train_metric, y.train_metric)) << i;
        EXPECT_TRUE(same(x.validation_loss, y.validation_loss)) << i;
        EXPECT_TRUE(same(x.validation_metric, y.validation_metric)) << i;
        EXPECT_TRUE(same(x.lambda_first, y.lambda_first)) << i;
        EXPECT_TRUE(same(x.lambda_last, y.lambda_last)) << i;
        EXPECT_EQ(x.failures, y.failures);
        EXPECT_EQ(x.failed_lines, y.failed_lines);
        EXPECT_EQ(x.validation_failed, y.validation_failed);
        EXPECT_EQ(x.skipped_steps, y.skipped_steps);
        EXPECT_EQ(x.best, y.best);
    }
    EXPECT_EQ(a.best_epoch, b.best_epoch);
    EXPECT_EQ(a.metric_name, b.metric_name);
    EXPECT_TRUE(same(a.best_metric, b.best_metric));
    EXPECT_EQ(a.stopped_early, b.stopped_early);
    EXPECT_EQ(a.interrupted, b.interrupted);
    EXPECT_EQ(a.failed_lines, b.failed_lines);
    EXPECT_EQ(a.failures, b.failures);
    EXPECT_EQ(a.skipped_steps, b.skipped_steps);
    EXPECT_EQ(a.training_rows, b.training_rows);
    EXPECT_EQ(a.validation_rows, b.validation_rows);
}

void expect_same_when_interrupted(const MakePredictor& make, const TrainOptions& options,
                                  const Dataset& validation, const std::vector<int>& breaks) {
    SCOPED_TRACE(name(options.optimiser));
    const Data data;
    const Path path;
    const auto whole = make(1);
    const auto expected = train(*whole, data.training, validation, options);
    for (const int steps : breaks) {
        SCOPED_TRACE(steps);
        const auto first = make(1);
        const auto part = train(*first, data.training, validation, options, stop_after(steps),
                                {path, 100, 0.0, false});
        ASSERT_TRUE(part.interrupted);
        const auto second = make(99);
        std::vector<std::int64_t> told;
        Callbacks callbacks;
        callbacks.epoch = [&](const EpochReport& report) { told.push_back(report.epoch); };
        const auto record =
            train(*second, data.training, validation, options, callbacks, {path, 1, 0.0, true});
        expect_same_values(*second, *whole);
        expect_same_record(record, expected);
        EXPECT_GE(record.seconds, 0.0);
        ASSERT_FALSE(told.empty());
        EXPECT_EQ(told.front(), static_cast<std::int64_t>(part.epochs.size()));
    }
}

TEST(Checkpoint, AnInterruptedRunEndsWithTheSameBits) {
    for (const auto optimiser :
         {OptimiserKind::adam, OptimiserKind::adamw, OptimiserKind::fromage}) {
        auto options = quick(optimiser);
        options.alpha = 1e-3;
        options.weight_decay = 0.01;
        // In the first epoch, in the middle of others, at the very end of one, in the last.
        expect_same_when_interrupted(linear, options, generated(GeneratedSet::moons, 30, 4),
                                     {1, 5, 9, 14});
    }
}

TEST(Checkpoint, SoDoesOneThatSplitsOffItsValidation) {
    auto options = quick(OptimiserKind::adamw, 4);
    options.validation = 0.3;
    expect_same_when_interrupted(linear, options, {}, {4});
    options.validation = 0.0;
    expect_same_when_interrupted(linear, options, {}, {4});
    options.stop_epoch = 3;
    options.cool_down = 0.5;
    expect_same_when_interrupted(linear, options, {}, {4});
}

TEST(Checkpoint, SoDoesEveryKindOfModel) {
    auto options = quick(OptimiserKind::adamw);
    options.alpha = 1e-3;
    for (const auto kind :
         {model::Kind::dsl, model::Kind::ablation, model::Kind::mlp, model::Kind::node}) {
        SCOPED_TRACE(name(kind));
        expect_same_when_interrupted(predictor(kind), options,
                                     generated(GeneratedSet::moons, 30, 4), {7});
    }
}

TEST(Checkpoint, SoDoesOneThatContinuesOnAnotherNumberOfThreads) {
    const Data data;
    const Path path;
    const auto options = quick(OptimiserKind::adamw, 4);
    const auto before = threads();
    set_threads(1);
    const auto whole = linear(1), first = linear(1), second = linear(2);
    const auto expected = train(*whole, data.training, data.validation, options);
    train(*first, data.training, data.validation, options, stop_after(7), {path, 1, 0.0, false});
    set_threads(3);
    const auto record =
        train(*second, data.training, data.validation, options, {}, {path, 1, 0.0, true});
    set_threads(before);
    expect_same_record(record, expected);
    expect_same_values(*second, *whole);
}

TEST(Checkpoint, EarlyStoppingIsTheSameAfterResuming) {
    auto options = quick(OptimiserKind::adam, 100);
    options.schedule = Schedule::constant;
    options.learning_rate = 0.5;
    options.patience = 3;
    const Data data;
    const auto whole = linear(1);
    const auto expected = train(*whole, data.training, data.validation, options);
    ASSERT_TRUE(expected.stopped_early);
    const auto epochs = static_cast<int>(expected.epochs.size());
    // The second one between the best epoch and the end.
    expect_same_when_interrupted(linear, options, data.validation, {4, 3 * epochs - 4});
}

TEST(Checkpoint, ARunThatIsOverStaysAsItIs) {
    for (const std::int64_t patience : {0, 1}) {
        const Path path;
        const Data data;
        auto options = quick(OptimiserKind::adamw, patience > 0 ? 60 : 3);
        options.patience = patience;
        const auto model = linear(1), again = linear(2);
        const auto record =
            train(*model, data.training, data.validation, options, {}, {path, 0, 0.0, false});
        EXPECT_EQ(record.stopped_early, patience > 0);
        expect_same_record(
            train(*again, data.training, data.validation, options, {}, {path, 0, 0.0, true}),
            record);
        expect_same_values(*again, *model);
    }
}

TEST(Checkpoint, SeveralInterruptionsOfOneRun) {
    const Data data;
    const Path path;
    const auto options = quick(OptimiserKind::adamw, 6);
    const auto whole = linear(1);
    auto model = linear(1);
    const auto expected = train(*whole, data.training, data.validation, options);
    Checkpointing checkpointing{path, 2, 0.0, false};
    auto record =
        train(*model, data.training, data.validation, options, stop_after(4), checkpointing);
    checkpointing.resume = true;
    for (int i = 0; i < 20 && record.interrupted; ++i) {
        model = linear(static_cast<std::uint64_t>(i + 10));
        record =
            train(*model, data.training, data.validation, options, stop_after(5), checkpointing);
    }
    expect_same_record(record, expected);
    expect_same_values(*model, *whole);
}

TEST(Checkpoint, AnInterruptionLeavesTheModelWithItsBestValues) {
    const Data data;
    const Path path;
    const auto options = quick(OptimiserKind::adamw, 6);
    const auto without = linear(1), with = linear(1);
    std::vector<double> seen_without, seen_with;
    auto callbacks = stop_after(8);
    callbacks.epoch = [&](const EpochReport&) { seen_without = without->parameters().values(); };
    train(*without, data.training, data.validation, options, callbacks);
    callbacks = stop_after(8);
    callbacks.epoch = [&](const EpochReport&) { seen_with = with->parameters().values(); };
    train(*with, data.training, data.validation, options, callbacks, {path, 1, 0.0, false});
    expect_same_values(*with, *without);
    EXPECT_TRUE(same_bits(seen_with, seen_without)) << "in the callback, too";
}

TEST(Checkpoint, IsWrittenWhenDue) {
    const Data data;
    const Path path;
    const auto options = quick(OptimiserKind::adamw, 5);
    const auto saved_after = [&](const Checkpointing& checkpointing) {
        std::vector<std::int64_t> epochs;
        Callbacks callbacks;
        callbacks.epoch = [&](const EpochReport& report) {
            if (checkpointing.path.empty()) return;
            const auto file = io::read_tensor_file(checkpointing.path);
            if (file.find("epochs.counts")->shape[0] == 6 * report.epoch)
                epochs.push_back(report.epoch);
        };
        std::filesystem::remove(static_cast<const std::string&>(path));
        const auto model = linear(1);
        train(*model, data.training, data.validation, options, callbacks, checkpointing);
        return epochs;
    };
    EXPECT_EQ(saved_after({path, 1, 0.0, false}), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(saved_after({path, 2, 0.0, false}), (std::vector<std::int64_t>{2, 4, 5}));
    EXPECT_EQ(saved_after({path, 0, 1e-9, false}), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(saved_after({path, 0, 1e6, false}), (std::vector<std::int64_t>{5}));
    EXPECT_EQ(saved_after({"", 1, 0.0, false}), (std::vector<std::int64_t>{}));
    EXPECT_FALSE(std::filesystem::exists(static_cast<const std::string&>(path)));
}

TEST(Checkpoint, OneThatCannotBeReplacedIsReportedOnce) {
    const auto folder = std::filesystem::temp_directory_path() /
                        ("deepsl_checkpoint_dir_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const Data data;
    std::vector<std::string> warnings;
    Callbacks callbacks;
    callbacks.warning = [&](const std::string& what) { warnings.push_back(what); };
    // The folder goes after the first epoch.
    callbacks.epoch = [&](const EpochReport&) { std::filesystem::remove_all(folder); };
    const auto options = quick(OptimiserKind::adamw, 4);
    const Checkpointing checkpointing{(folder / "state").string(), 1, 0.0, false};
    const auto model = linear(1);
    EXPECT_EQ(train(*model, data.training, data.validation, options, callbacks, checkpointing)
                  .epochs.size(),
              4U);
    EXPECT_EQ(warnings.size(), 1U);

    std::filesystem::create_directory(folder);
    callbacks.warning = {};
    try {
        train(*model, data.training, data.validation, options, callbacks, checkpointing);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::output);
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace deepsl::train
