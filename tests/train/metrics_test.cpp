// Metrics against numbers worked out by hand.
#include "deepsl/train/metrics.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/train/evaluation.h"
#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

using Classes = std::vector<std::int64_t>;

const auto first_failed = outcomes_of({false, true, true, true});

TEST(Metrics, AccuracyCountsFailedSamplesAsWrong) {
    const auto y = rows_of({2.0, 1.0, 0.0, 3.0, 5.0, 4.0, 1.0, 2.0}, 2);  // 0, 1, 0, 1
    const Classes c{0, 1, 1, 1};
    EXPECT_DOUBLE_EQ(accuracy(y, c), 0.75);
    EXPECT_DOUBLE_EQ(accuracy(y, c, first_failed), 0.5);
    EXPECT_DOUBLE_EQ(accuracy(column({-1.0, 2.0, -0.5, 0.25}), Classes{0, 1, 1, 0}), 0.5);
    EXPECT_EQ(guesses(y), (Classes{0, 1, 0, 1}));
}

TEST(Metrics, LogLossLeavesFailedSamplesOut) {
    EXPECT_NEAR(log_loss(column({std::nan(""), 0.0, 1.0, -1.0}), Classes{0, 0, 1, 1}, first_failed),
                (std::log(2.0) + std::log1p(std::exp(-1.0)) + std::log1p(std::exp(1.0))) / 3,
                1e-15);
}

TEST(Metrics, HaveOneNameForPeople) {
    EXPECT_EQ(metric_title("balanced_accuracy"), "balanced accuracy");
    EXPECT_EQ(metric_title("log_loss"), "log loss");
    EXPECT_EQ(metric_title("r2"), "R²");
    EXPECT_EQ(metric_title("r2 in 5 folds"), "R² in 5 folds");
    EXPECT_EQ(metric_title("validation r2"), "validation R²");
    EXPECT_EQ(metric_title("r20"), "r20");
    EXPECT_EQ(metric_title("accuracy"), "accuracy");
}

TEST(Metrics, R2) {
    const auto t = column({1.0, 2.0, 3.0, 6.0});  // mean 3, spread 4 + 1 + 0 + 9
    EXPECT_DOUBLE_EQ(r2(t, t), 1.0);
    EXPECT_DOUBLE_EQ(r2(column({3.0, 3.0, 3.0, 3.0}), t), 0.0);
    EXPECT_DOUBLE_EQ(r2(column({1.5, 2.0, 3.0, 5.0}), t), 1.0 - 1.25 / 14.0);
    // The first counts as if 3 had been predicted.
    EXPECT_DOUBLE_EQ(r2(column({std::nan(""), 2.0, 3.0, 5.0}), t, first_failed), 1.0 - 5.0 / 14.0);
    // Two outputs: the mean. A constant one is met, or not.
    const auto two = rows_of({0.0, 5.0, 2.0, 5.0}, 2);
    EXPECT_DOUBLE_EQ(r2(two, two), 1.0);
    EXPECT_DOUBLE_EQ(r2(rows_of({0.0, 5.0, 2.0, 4.0}, 2), two), 0.5);
}

TEST(Metrics, AbsoluteAndSquaredErrors) {
    const auto y = column({9.0, 2.0, 3.0, 4.0}), t = column({0.0, 3.0, 1.0, 4.0});
    EXPECT_DOUBLE_EQ(mae(y, t), 3.0);
    EXPECT_DOUBLE_EQ(rmse(y, t), std::sqrt(86.0 / 4.0));
    EXPECT_DOUBLE_EQ(mae(y, t, first_failed), 1.0);
    EXPECT_DOUBLE_EQ(rmse(y, t, first_failed), std::sqrt(5.0 / 3.0));
}

TEST(Metrics, NothingLeftIsInfinitelyBad) {
    const auto none = outcomes_of({false, false});
    const auto y = column({1.0, 2.0});
    EXPECT_EQ(log_loss(y, Classes{0, 1}, none), std::numeric_limits<double>::infinity());
    EXPECT_EQ(rmse(y, y, none), std::numeric_limits<double>::infinity());
    EXPECT_EQ(r2(y, y, none), 0.0);
    EXPECT_EQ(accuracy(y, Classes{1, 1}, none), 0.0);
}

// Scores 1, 2, 2, 3 of classes 0, 0, 1, 1: of four pairs three are in order and one is tied.
TEST(Metrics, AreaCountsPairsInOrder) {
    EXPECT_DOUBLE_EQ(auc(column({1.0, 2.0, 2.0, 3.0}), Classes{0, 0, 1, 1}), 3.5 / 4.0);
    EXPECT_DOUBLE_EQ(auc(rows_of({0.0, 1.0, 0.0, -1.0}, 2), Classes{1, 0}), 1.0);
    // Three classes; the third sample, of the last class, looks like the first one.
    const auto y = rows_of({5, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 5}, 3);
    EXPECT_DOUBLE_EQ(auc(y, Classes{0, 1, 2, 2}), (2.0 / 3.0 + 1.0 + 0.5) / 3.0);
    EXPECT_TRUE(std::isnan(auc(column({1.0, 2.0}), Classes{1, 1}))) << "there is no pair";
    // Scores that are not numbers are tied, below all others.
    const double nan = std::nan("");
    EXPECT_DOUBLE_EQ(auc(column({nan, nan, 1.0}), Classes{0, 1, 1}), 0.75);
}

// Class 0: two of three right, class 1: one of one, taken for class 1 twice in all.
TEST(Metrics, BalancedAccuracyF1AndConfusion) {
    const auto y = column({-1.0, -1.0, 1.0, 1.0});
    const Classes c{0, 0, 0, 1};
    EXPECT_DOUBLE_EQ(balanced_accuracy(y, c), (2.0 / 3.0 + 1.0) / 2.0);
    EXPECT_DOUBLE_EQ(f1(y, c), 2.0 / 3.0);
    EXPECT_EQ(confusion(y, c), (Matrix<std::int64_t>(2, 2, Classes{2, 1, 0, 1})));
    EXPECT_EQ(confusion(y, c, first_failed), (Matrix<std::int64_t>(2, 2, Classes{1, 1, 0, 1})));
    // Three classes, the last one absent and never guessed: right 1 of 1 and 1 of 2.
    const auto three = rows_of({2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 2.0, 1.0, 0.0}, 3);
    EXPECT_DOUBLE_EQ(balanced_accuracy(three, Classes{0, 1, 1}), 0.75);
    EXPECT_DOUBLE_EQ(f1(three, Classes{0, 1, 1}), (2.0 / 3.0 + 2.0 / 3.0) / 2.0);
}

TEST(Metrics, TheMajorityIsWhatAnyModelMustExceed) {
    EXPECT_DOUBLE_EQ(majority_share(Classes{0, 2, 2, 1, 2}), 0.6);
    EXPECT_DOUBLE_EQ(majority_share(Classes{0}), 1.0);
    EXPECT_TRUE(std::isnan(majority_share({})));
}

TEST(Metrics, TheFirstIsTheOneToChooseBy) {
    const auto y = column({1.0, -2.0});
    const Classes labels{1, 0};
    const auto classes = metrics(y, {labels, {}});
    ASSERT_EQ(classes.size(), 5U);
    EXPECT_EQ(classes[0].name, "accuracy");
    EXPECT_EQ(classes[0].value, 1.0);
    EXPECT_TRUE(classes[0].higher_is_better);
    EXPECT_EQ(classes[2].name, "log_loss");
    EXPECT_FALSE(classes[2].higher_is_better);
    EXPECT_EQ(main_metric(y, {labels, {}}).name, "accuracy");
    const auto numbers = metrics(y, {{}, y});
    ASSERT_EQ(numbers.size(), 3U);
    EXPECT_EQ(numbers[0].name, "r2");
    EXPECT_TRUE(numbers[0].higher_is_better);
    EXPECT_EQ(numbers[2].name, "rmse");
    EXPECT_FALSE(numbers[2].higher_is_better);
}

TEST(Evaluation, TellsAllFigures) {
    LinearModel model(1, 1);
    auto values = model.parameters().values();
    values[0] = 2.0;  // y = 2 x
    model.set_values(values);
    const auto found =
        evaluate(model, labelled(column({1.0, -1.0, 0.25, 200.0, std::nan("")}), {1, 0, 0, 1, 0}),
                 Loss::hinge);
    EXPECT_EQ(found.samples, 5);
    EXPECT_EQ(found.failed, 2);
    EXPECT_EQ(found.failures, (Failures{{"not_finite", 1}, {"outside", 1}}));
    EXPECT_DOUBLE_EQ(found.loss, (0.0 + 0.0 + 1.5) / 3);
    EXPECT_EQ(found.metric.name, "accuracy");
    EXPECT_DOUBLE_EQ(found.metric.value, 0.4);
    EXPECT_DOUBLE_EQ(found.majority, 0.6);
    EXPECT_EQ(found.metrics.size(), 5U);
    const auto numbers =
        evaluate(model, numbered(column({1.0, 2.0}), column({2.0, 4.0})), Loss::automatic);
    EXPECT_EQ(numbers.loss, 0.0);
    EXPECT_TRUE(std::isnan(numbers.majority));
}

}  // namespace
}  // namespace deepsl::train
