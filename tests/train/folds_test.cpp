// How long to train, by rows left out.
#include "deepsl/train/folds.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "deepsl/parallel.h"
#include "deepsl/random.h"
#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

TEST(Folds, AreDisjointCompleteAndShareTheClasses) {
    std::vector<std::int64_t> labels(50);
    std::fill(labels.begin() + 33, labels.end(), 1);
    const auto parts = fold_rows(50, labels, 5, 3);
    ASSERT_EQ(parts.size(), 5U);
    std::set<std::size_t> all;
    for (const auto& part : parts) {
        EXPECT_EQ(part.size(), 10U);
        std::int64_t ones = 0;
        for (const auto row : part) {
            all.insert(row);
            ones += labels[row];
        }
        EXPECT_TRUE(ones == 3 || ones == 4) << ones;
    }
    EXPECT_EQ(all.size(), 50U);
    EXPECT_NE(parts[0], fold_rows(50, labels, 5, 4)[0]);
    EXPECT_EQ(fold_rows(7, {}, 3, 0)[0].size(), 3U);
}

TEST(Folds, SeedsDiffer) {
    std::set<std::uint64_t> seeds;
    for (std::int64_t seed = 0; seed < 100; ++seed)
        for (std::int64_t fold = 0; fold < 20; ++fold) seeds.insert(fold_seed(seed, fold));
    EXPECT_EQ(seeds.size(), 2000U);
}

/// Pure noise, and a plain rule: two ends of how long to train.
Dataset rows(bool noise) {
    Random random(1);
    Dataset data{Matrix<double>(60, 4), {}, {}};
    for (auto& value : data.x.values()) value = normal(random);
    for (std::size_t r = 0; r < 60; ++r)
        data.labels.push_back(noise ? static_cast<std::int64_t>(below(2, random))
                                    : (data.x(r, 0) > 0.0 ? 1 : 0));
    return data;
}

TrainOptions slowly() {
    TrainOptions training;
    training.epochs = 60;
    training.patience = 0;
    training.weight_decay = 0.0;
    training.learning_rate = 3e-2;
    training.linear_rate = 1.0;
    return training;
}

/// With first values that depend on the seed.
std::unique_ptr<model::Predictor> fresh(std::uint64_t seed) {
    auto model = std::make_unique<LinearModel>(4, 2);
    Random random(seed);
    auto values = model->parameters().values();
    for (auto& value : values) value = 0.1 * normal(random);
    model->set_values(values);
    return model;
}

EpochChoice chosen(const Dataset& data, const Callbacks& callbacks = {},
                   const Checkpointing& checkpointing = {}) {
    return choose_epoch({fresh, [](std::int64_t, Dataset&, Dataset&) {}, slowly()}, data, 4,
                        callbacks, checkpointing);
}

TEST(Folds, NoiseIsLeftSoonAndARuleIsLearned) {
    const auto noise = chosen(rows(true)), rule = chosen(rows(false));
    EXPECT_LT(noise.epoch, 20);
    EXPECT_GT(rule.epoch, 30);
    EXPECT_GT(rule.metric, 0.85);
    EXPECT_LT(rule.loss, noise.loss);
    EXPECT_FALSE(rule.interrupted);
}

TEST(Folds, TakeTheEpochOfTheSmallestMeanLoss) {
    const auto data = rows(false);
    const auto choice = chosen(data);
    const auto parts = fold_rows(60, data.labels, 4, 0);
    std::vector<double> mean(60);
    for (std::size_t k = 0; k < 4; ++k) {
        std::vector<std::size_t> known;
        for (std::size_t j = 0; j < 4; ++j)
            if (j != k) known.insert(known.end(), parts[j].begin(), parts[j].end());
        auto model = fresh(fold_seed(0, static_cast<std::int64_t>(k)));
        const auto record = train(*model, data.rows_at(known), data.rows_at(parts[k]), slowly());
        for (std::size_t e = 0; e < 60; ++e) mean[e] += record.epochs[e].validation_loss / 4;
        EXPECT_EQ(choice.models[k].predictor->parameters().values(), model->parameters().values())
            << "after its own best epoch";
        EXPECT_EQ(choice.models[k].left_out, parts[k]);
        EXPECT_EQ(choice.models[k].prediction.y, predict(*model, data.rows_at(parts[k])).y);
    }
    const auto best = std::min_element(mean.begin(), mean.end()) - mean.begin();
    EXPECT_EQ(choice.epoch, best + 1);
    EXPECT_NEAR(choice.loss, mean[static_cast<std::size_t>(best)], 1e-12);
}

TEST(Folds, PrepareSeesEachFold) {
    std::mutex guard;
    std::set<std::int64_t> folds;
    const auto prepare = [&](std::int64_t fold, Dataset& known, Dataset& left_out) {
        const std::lock_guard lock(guard);
        folds.insert(fold);
        EXPECT_EQ(known.size(), 45U);
        EXPECT_EQ(left_out.size(), 15U);
    };
    auto options = slowly();
    options.epochs = 2;
    choose_epoch({fresh, prepare, options}, rows(false), 4);
    EXPECT_EQ(folds, (std::set<std::int64_t>{0, 1, 2, 3}));
}

TEST(Folds, ChooseTheSameOnAnyNumberOfThreads) {
    const auto before = threads();
    set_threads(1);
    const auto one = chosen(rows(false));
    set_threads(3);
    const auto three = chosen(rows(false));
    EXPECT_EQ(threads(), 3) << "as it was before";
    set_threads(before);
    EXPECT_EQ(one.epoch, three.epoch);
    EXPECT_EQ(one.loss, three.loss);
    EXPECT_EQ(one.metric, three.metric);
}

TEST(Folds, TellOfEachAndStopWhenAsked) {
    Callbacks callbacks;
    std::vector<FoldReport> told;
    callbacks.fold = [&](const FoldReport& report) { told.push_back(report); };
    chosen(rows(false), callbacks);
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told.back().fold, 4);
    EXPECT_EQ(told.back().folds, 4);
    EXPECT_GT(told.back().best_epoch, 0);
    callbacks.stop = [] { return true; };
    const auto stopped = chosen(rows(false), callbacks);
    EXPECT_TRUE(stopped.interrupted);
    ASSERT_EQ(stopped.models.size(), 4U);
    EXPECT_NE(stopped.models[0].predictor, nullptr);
    EXPECT_EQ(stopped.models[0].record.epochs.size(), 1U);
    EXPECT_EQ(told.size(), 4U);
}

TEST(Folds, EachHasACheckpointOfItsOwn) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("deepsl_folds_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    Checkpointing checkpointing{(folder / "run").string(), 1, 0.0, false};
    EXPECT_EQ(fold_checkpoint(checkpointing, 3), (folder / "run.fold3").string());
    EXPECT_EQ(fold_checkpoint({}, 3), "");
    const auto data = rows(false);
    const auto expected = chosen(data);
    const auto before = threads();
    set_threads(1);  // the folds one after the other
    Callbacks callbacks;
    callbacks.stop = [steps = 0]() mutable { return ++steps >= 90; };
    EXPECT_TRUE(chosen(data, callbacks, checkpointing).interrupted);
    // One that had not begun starts from nothing.
    std::filesystem::remove(fold_checkpoint(checkpointing, 4));
    checkpointing.resume = true;
    const auto resumed = chosen(data, {}, checkpointing);
    set_threads(before);
    EXPECT_EQ(resumed.epoch, expected.epoch);
    EXPECT_EQ(resumed.loss, expected.loss);
    EXPECT_EQ(resumed.metric, expected.metric);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace deepsl::train
