// How long to train, by rows left out.
#include "deepsl/train/folds.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "deepsl/model/baseline.h"
#include "deepsl/model/kinds.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

TEST(Folds, AreDisjointCompleteAndShareTheClasses) {
    const auto labels =
        torch::cat({torch::zeros({33}, torch::kInt64), torch::ones({17}, torch::kInt64)});
    const auto parts = fold_rows(50, labels, 5, 3);
    ASSERT_EQ(parts.size(), 5U);
    const auto all = std::get<0>(torch::cat(parts).sort());
    EXPECT_TRUE(torch::equal(all, torch::arange(50)));
    for (const auto& part : parts) {
        const auto ones = labels.index_select(0, part).sum().item<std::int64_t>();
        EXPECT_TRUE(ones == 3 || ones == 4) << ones;
    }
    EXPECT_FALSE(torch::equal(parts[0], fold_rows(50, labels, 5, 4)[0]));
}

/// Pure noise, and a plain rule: two ends of how long to train.
Dataset rows(bool noise) {
    torch::manual_seed(1);
    const auto x = 0.3 * torch::randn({60, 4});
    const auto y =
        noise ? torch::randint(2, {60}, torch::kInt64) : x.select(1, 0).gt(0.0).to(torch::kInt64);
    return {x, y};
}

EpochChoice chosen(const Dataset& data, const Callbacks& callbacks = {}) {
    torch::manual_seed(2);
    model::ModelOptions options;
    options.hidden = {16};
    TrainOptions training;
    training.epochs = 60;
    training.patience = 0;
    training.weight_decay = 0.0;
    training.learning_rate = 1e-2;
    return choose_epoch([&] { return model::make_predictor("mlp", 4, 2, options); },
                        [](std::int64_t, Dataset&, Dataset&) {}, data, 4, training, callbacks);
}

TEST(Folds, NoiseIsLeftSoonAndARuleIsLearned) {
    const auto noise = chosen(rows(true)), rule = chosen(rows(false));
    EXPECT_LT(noise.epoch, 20);
    EXPECT_GT(rule.epoch, 30);
    EXPECT_GT(rule.metric, 0.85);
    EXPECT_LT(rule.loss, noise.loss);
}

TEST(Folds, ChooseTheSameOnAnyNumberOfThreads) {
    const auto before = at::get_num_threads();
    at::set_num_threads(1);
    const auto one = chosen(rows(false));
    at::set_num_threads(3);
    const auto three = chosen(rows(false));
    EXPECT_EQ(at::get_num_threads(), 3) << "as it was before";
    at::set_num_threads(before);
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
    callbacks.stop = [] { return true; };
    const auto stopped = chosen(rows(false), callbacks);
    EXPECT_TRUE(stopped.interrupted);
    EXPECT_FALSE(stopped.weights.empty());
}

TEST(Folds, AStopEpochKeepsTheWeightsAtItsEnd) {
    torch::manual_seed(2);
    const auto data = rows(false);
    TrainOptions options;
    options.epochs = 40;
    options.stop_epoch = 7;
    options.validation = 0.0;
    auto model = model::make_predictor("mlp", 4, 2, {});
    const auto record = train(*model, data, {}, options);
    EXPECT_EQ(record.epochs.size(), 7U);
    EXPECT_EQ(record.best_epoch, 7);
    EXPECT_FALSE(record.stopped_early);
}

}  // namespace
}  // namespace deepsl::train
