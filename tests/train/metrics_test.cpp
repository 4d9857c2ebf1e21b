// Metrics against numbers worked out by hand.
#include "deepsl/train/metrics.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl::train {
namespace {

using torch::Tensor;

Tensor rows(const std::vector<double>& values, std::int64_t columns) {
    return torch::tensor(values, torch::kFloat64).view({-1, columns});
}
Tensor labels(const std::vector<std::int64_t>& values) {
    return torch::tensor(values, torch::kInt64);
}
const Tensor first_failed = torch::tensor({false, true, true, true});

TEST(Metrics, AccuracyCountsFailedSamplesAsWrong) {
    const auto y = rows({2.0, 1.0, 0.0, 3.0, 5.0, 4.0, 1.0, 2.0}, 2);  // 0, 1, 0, 1
    const auto c = labels({0, 1, 1, 1});
    EXPECT_DOUBLE_EQ(accuracy(y, c), 0.75);
    EXPECT_DOUBLE_EQ(accuracy(y, c, first_failed), 0.5);
    EXPECT_DOUBLE_EQ(accuracy(rows({-1.0, 2.0, -0.5, 0.25}, 1), labels({0, 1, 1, 0})), 0.5);
}

TEST(Metrics, LogLossLeavesFailedSamplesOut) {
    const auto y = rows({std::nan(""), 0.0, 1.0, -1.0}, 1);
    EXPECT_NEAR(log_loss(y, labels({0, 0, 1, 1}), first_failed),
                (std::log(2.0) + std::log1p(std::exp(-1.0)) + std::log1p(std::exp(1.0))) / 3,
                1e-15);
}

TEST(Metrics, R2) {
    const auto t = rows({1.0, 2.0, 3.0, 6.0}, 1);  // mean 3, spread 4 + 1 + 0 + 9
    EXPECT_DOUBLE_EQ(r2(t, t), 1.0);
    EXPECT_DOUBLE_EQ(r2(torch::full_like(t, 3.0), t), 0.0);
    const auto y = rows({1.5, 2.0, 3.0, 5.0}, 1);
    EXPECT_DOUBLE_EQ(r2(y, t), 1.0 - 1.25 / 14.0);
    // The first counts as if 3 had been predicted.
    EXPECT_DOUBLE_EQ(r2(rows({std::nan(""), 2.0, 3.0, 5.0}, 1), t, first_failed), 1.0 - 5.0 / 14.0);
    // Two outputs: the mean. A constant one is met, or not.
    EXPECT_DOUBLE_EQ(r2(rows({0.0, 5.0, 2.0, 5.0}, 2), rows({0.0, 5.0, 2.0, 5.0}, 2)), 1.0);
    EXPECT_DOUBLE_EQ(r2(rows({0.0, 5.0, 2.0, 4.0}, 2), rows({0.0, 5.0, 2.0, 5.0}, 2)), 0.5);
}

TEST(Metrics, AbsoluteAndSquaredErrors) {
    const auto y = rows({9.0, 2.0, 3.0, 4.0}, 1), t = rows({0.0, 3.0, 1.0, 4.0}, 1);
    EXPECT_DOUBLE_EQ(mae(y, t), 3.0);
    EXPECT_DOUBLE_EQ(rmse(y, t), std::sqrt(86.0 / 4.0));
    EXPECT_DOUBLE_EQ(mae(y, t, first_failed), 1.0);
    EXPECT_DOUBLE_EQ(rmse(y, t, first_failed), std::sqrt(5.0 / 3.0));
}

TEST(Metrics, NothingLeftIsInfinitelyBad) {
    const auto none = torch::zeros({2}, torch::kBool);
    const auto y = rows({1.0, 2.0}, 1);
    EXPECT_EQ(log_loss(y, labels({0, 1}), none), std::numeric_limits<double>::infinity());
    EXPECT_EQ(rmse(y, y, none), std::numeric_limits<double>::infinity());
    EXPECT_EQ(r2(y, y, none), 0.0);
    EXPECT_EQ(accuracy(y, labels({1, 1}), none), 0.0);
}

// Scores 1, 2, 2, 3 of classes 0, 0, 1, 1: of four pairs three are in order and one is tied.
TEST(Metrics, AreaCountsPairsInOrder) {
    EXPECT_DOUBLE_EQ(auc(rows({1.0, 2.0, 2.0, 3.0}, 1), labels({0, 0, 1, 1})), 3.5 / 4.0);
    EXPECT_DOUBLE_EQ(auc(rows({0.0, 1.0, 0.0, -1.0}, 2), labels({1, 0})), 1.0);
    // Three classes; the third sample, of the last class, looks like the first one.
    const auto y = rows({5, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 5}, 3);
    EXPECT_DOUBLE_EQ(auc(y, labels({0, 1, 2, 2})), (2.0 / 3.0 + 1.0 + 0.5) / 3.0);
}

// Class 0: two of three right, class 1: one of one, taken for class 1 twice in all.
TEST(Metrics, BalancedAccuracyF1AndConfusion) {
    const auto y = rows({-1.0, -1.0, 1.0, 1.0}, 1);
    const auto c = labels({0, 0, 0, 1});
    EXPECT_DOUBLE_EQ(balanced_accuracy(y, c), (2.0 / 3.0 + 1.0) / 2.0);
    EXPECT_DOUBLE_EQ(f1(y, c), 2.0 / 3.0);
    const auto counts = confusion(y, c);
    EXPECT_EQ(counts[0][0].item<int>(), 2);
    EXPECT_EQ(counts[0][1].item<int>(), 1);
    EXPECT_EQ(counts[1][0].item<int>(), 0);
    EXPECT_EQ(counts[1][1].item<int>(), 1);
}

TEST(Metrics, TheFirstIsTheOneToChooseBy) {
    const auto y = rows({1.0, -2.0}, 1);
    const auto classes = metrics(y, labels({1, 0}));
    ASSERT_EQ(classes.size(), 5U);
    EXPECT_EQ(classes[0].name, "accuracy");
    EXPECT_EQ(classes[0].value, 1.0);
    EXPECT_TRUE(classes[0].higher_is_better);
    EXPECT_EQ(classes[2].name, "log_loss");
    EXPECT_FALSE(classes[2].higher_is_better);
    const auto numbers = metrics(y, y);
    ASSERT_EQ(numbers.size(), 3U);
    EXPECT_EQ(numbers[0].name, "r2");
    EXPECT_TRUE(numbers[0].higher_is_better);
    EXPECT_EQ(numbers[2].name, "rmse");
    EXPECT_FALSE(numbers[2].higher_is_better);
}

}  // namespace
}  // namespace deepsl::train
