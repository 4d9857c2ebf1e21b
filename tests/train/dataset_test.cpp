// Data sets: what is refused and in which words, and how rows are split.
#include "deepsl/train/dataset.h"

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/baseline.h"
#include "deepsl/option.h"
#include "deepsl/train/options.h"
#include "deepsl/train/trainer.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

Tensor labels(const std::vector<std::int64_t>& values) {
    return torch::tensor(values, torch::kInt64);
}

model::MlpModel mlp(std::int64_t inputs, std::int64_t outputs) {
    return model::MlpModel(inputs, outputs, network::MlpOptions{});
}

/// What is said of these data; empty if nothing is wrong.
std::string refusal(std::int64_t outputs, const Dataset& data) {
    auto model = mlp(2, outputs);
    try {
        check_dataset(*model, data, "here");
    } catch (const OptionError& error) {
        return error.what();
    }
    return "";
}

TEST(Dataset, GoodOnesPass) {
    const auto x = torch::zeros({3, 2});
    EXPECT_EQ(refusal(3, {x, labels({0, 1, 2})}), "");
    EXPECT_EQ(refusal(1, {x, labels({0, 1, 1})}), "");
    EXPECT_EQ(refusal(2, {x, torch::zeros({3, 2})}), "");
    EXPECT_EQ(refusal(1, {torch::full({3, 2}, std::nan("")), torch::zeros({3, 1})}), "");
}

TEST(Dataset, BadOnesAreRefusedInClearWords) {
    const auto x = torch::zeros({3, 2});
    auto with_nan = torch::zeros({3, 1});
    with_nan[1][0] = std::nan("");
    EXPECT_EQ(refusal(2, {}), "here: there are no rows; give at least one sample");
    EXPECT_EQ(refusal(2, {torch::zeros({0, 2}), labels({})}),
              "here: there are no rows; give at least one sample");
    EXPECT_EQ(refusal(2, {torch::zeros({3, 4}), labels({0, 1, 1})}),
              "here: x must be floating-point numbers [rows, 2], but is Float [3, 4]");
    EXPECT_EQ(refusal(2, {torch::zeros({3, 2}, torch::kInt64), labels({0, 1, 1})}),
              "here: x must be floating-point numbers [rows, 2], but is Long [3, 2]");
    EXPECT_EQ(refusal(2, {x, labels({0, 1})}),
              "here: x has 3 rows, but target has 2; give one for each");
    EXPECT_EQ(refusal(2, {x, {}}), "here: x has 3 rows, but target has 0; give one for each");
    EXPECT_EQ(
        refusal(3, {x, labels({0, 3, 1})}),
        "here: row 1 has label 3, but a model with 3 outputs takes labels from 0 to 2; number "
        "the classes from 0, or give the model an output for each");
    EXPECT_EQ(
        refusal(1, {x, labels({0, 1, -1})}),
        "here: row 2 has label -1, but a model with 1 output takes labels from 0 to 1; number "
        "the classes from 0, or give the model an output for each");
    EXPECT_EQ(refusal(1, {x, with_nan}),
              "here: the target in row 1 is nan, but targets must be finite; leave such rows out");
    const std::string wrong_kind =
        "here: target must be labels, int64 [rows], or floating-point numbers [rows, 2], but is ";
    EXPECT_EQ(refusal(2, {x, torch::zeros({3, 1})}), wrong_kind + "Float [3, 1]");
    EXPECT_EQ(refusal(2, {x, torch::zeros({3}, torch::kInt32)}), wrong_kind + "Int [3]");
}

TEST(Dataset, TrainAndEvaluateRefuseBeforeTheyTouchTheModel) {
    auto model = mlp(2, 2);
    const auto before = model->parameters().front().detach().clone();
    const Dataset good{torch::randn({8, 2}), labels({0, 1, 0, 1, 0, 1, 0, 1})};
    const Dataset bad{torch::randn({2, 2}), labels({0, 2})};
    const Dataset numbers{torch::randn({2, 2}), torch::zeros({2, 2})};
    TrainOptions squared, no_batch;
    squared.loss = "squared";
    no_batch.batch = 0;
    EXPECT_THROW(train(*model, bad, {}, {}), OptionError);
    EXPECT_THROW(train(*model, good, bad, {}), OptionError);
    EXPECT_THROW(train(*model, good, numbers, {}), OptionError);
    EXPECT_THROW(train(*model, good, {}, squared), OptionError);
    EXPECT_THROW(train(*model, good, {}, no_batch), OptionError);
    EXPECT_THROW(evaluate(*model, good, Loss::squared), OptionError);
    EXPECT_THROW(evaluate(*model, bad, Loss::hinge), OptionError);
    EXPECT_TRUE(model->parameters().front().equal(before));
}

TEST(Dataset, CalibrationTargets) {
    const auto x = torch::zeros({2, 1});
    EXPECT_TRUE(calibration_targets({x, labels({2, 0})}, 3)
                    .equal(torch::tensor({{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}}, torch::kFloat64)));
    EXPECT_TRUE(calibration_targets({x, labels({1, 0})}, 1)
                    .equal(torch::tensor({{1.0}, {-1.0}}, torch::kFloat64)));
    const auto numbers = torch::randn({2, 2});
    EXPECT_TRUE(calibration_targets({x, numbers}, 2).equal(numbers));
}

TEST(Dataset, PermutationIsOneAndIsFixed) {
    std::mt19937_64 random(5);
    const auto order = permutation(1000, random);
    EXPECT_TRUE(std::get<0>(order.sort()).equal(torch::arange(1000, torch::kInt64)));
    EXPECT_FALSE(permutation(1000, random).equal(order));
    // From the standard's generator alone, so the same everywhere.
    std::mt19937_64 fresh(0);
    EXPECT_TRUE(permutation(6, fresh).equal(labels({3, 4, 5, 1, 2, 0}))) << permutation(6, fresh);
}

TEST(Dataset, SplitKeepsEveryRowOnceWithItsTarget) {
    const auto x = torch::arange(100, torch::kFloat32).unsqueeze(1);
    const Dataset data{x, torch::arange(100, torch::kInt64)};
    std::mt19937_64 random(1);
    const auto parts = split(data, 0.2, random);
    EXPECT_EQ(parts.training.size(), 80);
    EXPECT_EQ(parts.validation.size(), 20);
    std::set<std::int64_t> seen;
    for (const auto* part : {&parts.training, &parts.validation}) {
        EXPECT_TRUE(part->x.squeeze(1).to(torch::kInt64).equal(part->target));
        for (std::int64_t i = 0; i < part->size(); ++i)
            seen.insert(part->target[i].item<std::int64_t>());
    }
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_FALSE(parts.training.target.equal(std::get<0>(parts.training.target.sort())));
}

TEST(Dataset, SplitOfVeryFewRows) {
    std::mt19937_64 random(1);
    const auto sizes = [&](std::int64_t rows, double share) {
        const auto parts =
            split({torch::zeros({rows, 1}), torch::zeros({rows}, torch::kInt64)}, share, random);
        return std::pair(parts.training.size(), parts.validation.size());
    };
    EXPECT_EQ(sizes(1, 0.2), std::pair(std::int64_t{1}, std::int64_t{0}));
    EXPECT_EQ(sizes(2, 0.2), std::pair(std::int64_t{1}, std::int64_t{1}));
    EXPECT_EQ(sizes(2, 0.9), std::pair(std::int64_t{1}, std::int64_t{1}));
    EXPECT_EQ(sizes(5, 0.0), std::pair(std::int64_t{5}, std::int64_t{0}));
}

TEST(TrainOptions, PresetsAndRanges) {
    EXPECT_NO_THROW(check_train(train_preset("default")));
    const auto paper = train_preset("paper");
    EXPECT_NO_THROW(check_train(paper));
    EXPECT_EQ(paper.loss, "hinge");
    EXPECT_EQ(paper.optimiser, "adam");
    EXPECT_EQ(paper.alpha, 1e-4);
    EXPECT_THROW(train_preset("mine"), OptionError);

    TrainOptions options;
    options.learning_rate = std::nan("");
    try {
        check_train(options);
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_STREQ(error.what(),
                     "learning-rate takes a number from 0 to 10, but 'nan' was given");
    }
}

}  // namespace
}  // namespace deepsl::train
