// Losses against numbers worked out by hand.
#include "deepsl/train/loss.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/option.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

Tensor rows(const std::vector<double>& values, std::int64_t columns) {
    return torch::tensor(values, torch::kFloat64).view({-1, columns});
}
Tensor labels(const std::vector<std::int64_t>& values) {
    return torch::tensor(values, torch::kInt64);
}
double value(Loss loss, const Tensor& y, const Tensor& target) {
    return data_loss(loss, y, target).item<double>();
}

model::Prediction prediction(const Tensor& y, const Tensor& lambda, const std::vector<bool>& ok) {
    model::Prediction result{y, lambda, torch::empty({y.size(0)}, torch::kBool), {}};
    for (std::size_t b = 0; b < ok.size(); ++b) {
        result.ok[static_cast<std::int64_t>(b)] = static_cast<bool>(ok[b]);
        result.outcomes.emplace_back();
        if (!ok[b]) result.outcomes.back().line = field::LineStatus::outside;
    }
    return result;
}

TEST(Loss, HingeOfSeveralOutputsCountsTheWorstClassWithinTheMargin) {
    // Label 0: 1 - 2 + 1.5; label 2: 1 - 0 + 0.5; label 1 by more than the margin: 0.
    const auto y = rows({2.0, 1.5, -3.0, 0.5, -0.25, 0.0, 0.0, 1.25, 0.125}, 3);
    EXPECT_NEAR(value(Loss::hinge, y, labels({0, 2, 1})), (0.5 + 1.5 + 0.0) / 3, 1e-15);
}

TEST(Loss, HingeOfOneOutputUsesSigns) {
    const auto y = rows({0.25, -2.0, 3.0}, 1);
    EXPECT_NEAR(value(Loss::hinge, y, labels({1, 0, 0})), (0.75 + 0.0 + 4.0) / 3, 1e-15);
}

TEST(Loss, HingeGradientIsZeroBeyondTheMarginAndConstantWithin) {
    auto y = rows({2.0, 1.5, -3.0, 0.5, -0.25, 0.0}, 3).requires_grad_();
    data_loss(Loss::hinge, y, labels({0, 2})).backward();
    const auto expected = rows({-0.5, 0.5, 0.0, 0.5, 0.0, -0.5}, 3);
    EXPECT_TRUE(torch::allclose(y.grad(), expected, 0.0, 1e-15)) << y.grad();

    auto one = rows({0.25, -2.0, 3.0}, 1).requires_grad_();
    data_loss(Loss::hinge, one, labels({1, 0, 0})).backward();
    EXPECT_TRUE(torch::allclose(one.grad(), rows({-1.0 / 3, 0.0, 1.0 / 3}, 1), 0.0, 1e-15));
}

TEST(Loss, CrossEntropy) {
    const auto y = rows({1.0, 2.0, 0.0, 0.0}, 2);
    EXPECT_NEAR(value(Loss::cross_entropy, y, labels({0, 1})),
                (std::log1p(std::exp(1.0)) + std::log(2.0)) / 2, 1e-15);
    EXPECT_NEAR(value(Loss::cross_entropy, rows({1.5, -0.5}, 1), labels({0, 0})),
                (std::log1p(std::exp(1.5)) + std::log1p(std::exp(-0.5))) / 2, 1e-15);
    // One output is the difference of two.
    EXPECT_NEAR(value(Loss::cross_entropy, rows({0.75}, 1), labels({1})),
                value(Loss::cross_entropy, rows({0.0, 0.75}, 2), labels({1})), 1e-15);
}

TEST(Loss, SquaredIsTheMeanOverSamplesAndOutputs) {
    EXPECT_NEAR(value(Loss::squared, rows({1.0, 2.0, 3.0, 4.0}, 2), rows({0.0, 2.0, 5.0, 1.0}, 2)),
                (1.0 + 0.0 + 4.0 + 9.0) / 4, 1e-15);
    // Targets in double meet outputs in single precision.
    EXPECT_EQ(data_loss(Loss::squared, torch::ones({1, 1}), rows({3.0}, 1)).item<double>(), 4.0);
}

TEST(Loss, SpectralTermIsTheMeanOfAbsoluteEigenvalues) {
    EXPECT_DOUBLE_EQ(spectral_term(rows({-1.0, 2.0, 3.0, 10.0}, 2)).item<double>(), 4.0);

    const auto y = rows({0.5, -1.0}, 1);
    const auto lambda = rows({-1.0, 2.0, 3.0, 10.0}, 2).requires_grad_();
    const auto batch =
        total_loss(Loss::squared, prediction(y, lambda, {true, true}), torch::zeros_like(y), 0.25);
    EXPECT_DOUBLE_EQ(batch.data, 0.625);
    EXPECT_DOUBLE_EQ(batch.spectral, 1.0);
    EXPECT_DOUBLE_EQ(batch.total.item<double>(), 1.625);
    batch.total.backward();
    EXPECT_TRUE(lambda.grad().equal(rows({-1.0, 1.0, 1.0, 1.0}, 2) / 16.0)) << lambda.grad();
}

TEST(Loss, FailedRowsAreLeftOutWhateverStandsThere) {
    const double nan = std::nan("");
    const auto y = rows({0.5, nan, -1.0}, 1).requires_grad_();
    const auto lambda = rows({1.0, 2.0, nan, nan, 4.0, 5.0}, 2).requires_grad_();
    const auto batch =
        total_loss(Loss::hinge, prediction(y, lambda, {true, false, true}), labels({1, 1, 1}), 2.0);
    EXPECT_EQ(batch.kept, 2);
    EXPECT_DOUBLE_EQ(batch.data, (0.5 + 2.0) / 2);
    EXPECT_DOUBLE_EQ(batch.spectral, 6.0);
    batch.total.backward();
    EXPECT_TRUE(y.grad().equal(rows({-0.5, 0.0, -0.5}, 1))) << y.grad();
    EXPECT_TRUE(lambda.grad().equal(rows({0.5, 0.5, 0.0, 0.0, 0.5, 0.5}, 2))) << lambda.grad();
}

TEST(Loss, AllRowsFailedIsZeroWithoutGradient) {
    const double nan = std::nan("");
    const auto y = rows({nan, nan}, 1).requires_grad_();
    const auto lambda = rows({nan, nan}, 1);
    const auto batch =
        total_loss(Loss::squared, prediction(y, lambda, {false, false}), rows({1.0, 2.0}, 1), 1.0);
    EXPECT_EQ(batch.kept, 0);
    EXPECT_EQ(batch.total.item<double>(), 0.0);
    EXPECT_FALSE(batch.total.requires_grad());
    EXPECT_EQ(batch.data, 0.0);
    EXPECT_EQ(batch.spectral, 0.0);
}

TEST(Loss, BaselinesHaveNoSpectralTerm) {
    const auto y = rows({1.0}, 1);
    const auto batch = total_loss(Loss::squared, prediction(y, {}, {true}), rows({0.0}, 1), 1.0);
    EXPECT_EQ(batch.total.item<double>(), 1.0);
}

TEST(Loss, NamesFitTheTargets) {
    EXPECT_EQ(loss_of("auto", true), Loss::cross_entropy);
    EXPECT_EQ(loss_of("auto", false), Loss::squared);
    EXPECT_EQ(loss_of("hinge", true), Loss::hinge);
    EXPECT_THROW(loss_of("hinge", false), OptionError);
    EXPECT_THROW(loss_of("squared", true), OptionError);
    EXPECT_THROW(loss_of("absolute", true), OptionError);
}

}  // namespace
}  // namespace deepsl::train
