// Losses against numbers worked out by hand.
#include "deepsl/train/loss.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

using Labels = std::vector<std::int64_t>;

model::Prediction prediction(const Matrix<double>& y, const Matrix<double>& lambda = {},
                             std::vector<bool> ok = {}) {
    if (ok.empty()) ok.assign(y.rows(), true);
    return {y, lambda, outcomes_of(ok)};
}

double mean(Loss loss, const Matrix<double>& y, const Labels& labels) {
    return loss_sums(loss, prediction(y), {labels, {}}, 0.0).mean_data();
}
Matrix<double> seeds(Loss loss, const Matrix<double>& y, const Labels& labels) {
    LossSeeds result;
    loss_sums(loss, prediction(y), {labels, {}}, 0.0, &result);
    return result.y;
}

TEST(Loss, HingeOfSeveralOutputsCountsTheWorstClassWithinTheMargin) {
    // Label 0: 1 - 2 + 1.5; label 2: 1 - 0 + 0.5; label 1 by more than the margin: 0.
    const auto y = rows_of({2.0, 1.5, -3.0, 0.5, -0.25, 0.0, 0.0, 1.25, 0.125}, 3);
    EXPECT_NEAR(mean(Loss::hinge, y, {0, 2, 1}), (0.5 + 1.5 + 0.0) / 3, 1e-15);
}

TEST(Loss, HingeOfOneOutputUsesSigns) {
    EXPECT_NEAR(mean(Loss::hinge, column({0.25, -2.0, 3.0}), {1, 0, 0}), (0.75 + 0.0 + 4.0) / 3,
                1e-15);
}

TEST(Loss, HingeGradientIsZeroBeyondTheMarginAndConstantWithin) {
    EXPECT_EQ(seeds(Loss::hinge, rows_of({2.0, 1.5, -3.0, 0.5, -0.25, 0.0, 0.0, 1.25, 0.125}, 3),
                    {0, 2, 1}),
              rows_of({-1.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0}, 3));
    EXPECT_EQ(seeds(Loss::hinge, column({0.25, -2.0, 3.0}), {1, 0, 0}), column({-1.0, 0.0, 1.0}));
}

TEST(Loss, CrossEntropy) {
    const auto y = rows_of({1.0, 2.0, 0.0, 0.0}, 2);
    EXPECT_NEAR(mean(Loss::cross_entropy, y, {0, 1}),
                (std::log1p(std::exp(1.0)) + std::log(2.0)) / 2, 1e-15);
    EXPECT_NEAR(mean(Loss::cross_entropy, column({1.5, -0.5}), {0, 0}),
                (std::log1p(std::exp(1.5)) + std::log1p(std::exp(-0.5))) / 2, 1e-15);
    // One output is the difference of two.
    EXPECT_NEAR(mean(Loss::cross_entropy, column({0.75}), {1}),
                mean(Loss::cross_entropy, rows_of({0.0, 0.75}, 2), {1}), 1e-15);
    // No overflow, however sure the model is.
    EXPECT_DOUBLE_EQ(mean(Loss::cross_entropy, column({-800.0}), {1}), 800.0);
    EXPECT_DOUBLE_EQ(mean(Loss::cross_entropy, rows_of({800.0, 0.0}, 2), {1}), 800.0);
    EXPECT_EQ(seeds(Loss::cross_entropy, column({-800.0}), {1}), column({-1.0}));
}

TEST(Loss, SquaredIsTheMeanOverOutputs) {
    const auto y = rows_of({1.0, 2.0, 3.0, 4.0}, 2), t = rows_of({0.0, 2.0, 5.0, 1.0}, 2);
    LossSeeds derivatives;
    const auto sums = loss_sums(Loss::squared, prediction(y), {{}, t}, 0.0, &derivatives);
    EXPECT_DOUBLE_EQ(sums.data, (1.0 + 0.0 + 4.0 + 9.0) / 2);
    EXPECT_DOUBLE_EQ(sums.mean_data(), (1.0 + 0.0 + 4.0 + 9.0) / 4);
    EXPECT_EQ(derivatives.y, rows_of({1.0, 0.0, -2.0, 3.0}, 2));
}

TEST(Loss, SeedsAreDerivativesOfTheSums) {
    const Labels several{0, 2, 1}, two{0, 1, 1};
    const auto y3 = rows_of({0.3, -0.2, 0.9, 1.1, 0.4, -0.6, 0.15, 0.7, -2.0}, 3);
    const auto y1 = column({0.3, -0.2, 0.9}), numbers = column({0.1, 0.2, -0.7});
    struct Case {
        Loss loss;
        Matrix<double> y;
        Targets targets;
    };
    for (const auto& [loss, y, targets] :
         {Case{Loss::hinge, y3, {several, {}}}, Case{Loss::cross_entropy, y3, {several, {}}},
          Case{Loss::hinge, y1, {two, {}}}, Case{Loss::cross_entropy, y1, {two, {}}},
          Case{Loss::squared, y1, {{}, numbers}}, Case{Loss::automatic, y3, {several, {}}}}) {
        const auto lambda = rows_of({-1.0, 2.0, 0.5, 3.0, 1.0, -4.0}, 2);
        LossSeeds derivatives;
        loss_sums(loss, prediction(y, lambda), targets, 0.3, &derivatives);
        const auto total = [&](const Matrix<double>& at, const Matrix<double>& spectrum) {
            const auto sums = loss_sums(loss, prediction(at, spectrum), targets, 0.3);
            return sums.data + sums.spectral;
        };
        const double h = 1e-6;
        for (std::size_t i = 0; i < y.values().size(); ++i) {
            auto up = y, down = y;
            up.values()[i] += h;
            down.values()[i] -= h;
            EXPECT_NEAR(derivatives.y.values()[i],
                        (total(up, lambda) - total(down, lambda)) / (2 * h), 1e-8);
        }
        for (std::size_t i = 0; i < lambda.values().size(); ++i) {
            auto up = lambda, down = lambda;
            up.values()[i] += h;
            down.values()[i] -= h;
            EXPECT_NEAR(derivatives.lambda.values()[i], (total(y, up) - total(y, down)) / (2 * h),
                        1e-8);
        }
    }
}

TEST(Loss, SpectralTermIsTheMeanOfAbsoluteEigenvalues) {
    LossSeeds derivatives;
    const auto zeros = column({0.0, 0.0});
    const auto sums = loss_sums(Loss::squared,
                                prediction(column({0.5, -1.0}), rows_of({-1.0, 2.0, 3.0, 10.0}, 2)),
                                {{}, zeros}, 0.25, &derivatives);
    EXPECT_DOUBLE_EQ(sums.mean_data(), 0.625);
    EXPECT_DOUBLE_EQ(sums.mean_spectral(), 1.0);
    EXPECT_EQ(derivatives.lambda, rows_of({-0.125, 0.125, 0.125, 0.125}, 2));
}

TEST(Loss, FailedRowsAreLeftOutWhateverStandsThere) {
    const double nan = std::nan("");
    const Labels labels{1, 1, 1};
    LossSeeds derivatives;
    const auto sums =
        loss_sums(Loss::hinge,
                  prediction(column({0.5, nan, -1.0}), rows_of({1.0, 2.0, nan, nan, 4.0, 5.0}, 2),
                             {true, false, true}),
                  {labels, {}}, 2.0, &derivatives);
    EXPECT_EQ(sums.kept, 2U);
    EXPECT_DOUBLE_EQ(sums.mean_data(), (0.5 + 2.0) / 2);
    EXPECT_DOUBLE_EQ(sums.mean_spectral(), 6.0);
    EXPECT_EQ(derivatives.y, column({-1.0, 0.0, -1.0}));
    EXPECT_EQ(derivatives.lambda, rows_of({1.0, 1.0, 0.0, 0.0, 1.0, 1.0}, 2));
}

TEST(Loss, OfNoSampleIsInfiniteAndHasNoGradient) {
    const double nan = std::nan("");
    const auto numbers = column({1.0, 2.0});
    LossSeeds derivatives;
    const auto sums =
        loss_sums(Loss::squared, prediction(column({nan, nan}), column({nan, nan}), {false, false}),
                  {{}, numbers}, 1.0, &derivatives);
    EXPECT_EQ(sums.kept, 0U);
    EXPECT_EQ(sums.data, 0.0);
    EXPECT_EQ(sums.spectral, 0.0);
    EXPECT_EQ(sums.mean_data(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(sums.mean_spectral(), 0.0);
    EXPECT_EQ(derivatives.y, column({0.0, 0.0}));
    EXPECT_EQ(derivatives.lambda, column({0.0, 0.0}));
}

TEST(Loss, WithoutASpectrumOrItsWeightThereIsNoSpectralTerm) {
    const auto y = column({1.0}), zero = column({0.0});
    LossSeeds derivatives;
    EXPECT_EQ(loss_sums(Loss::squared, prediction(y), {{}, zero}, 1.0, &derivatives).spectral, 0.0);
    EXPECT_EQ(derivatives.lambda.rows(), 0U);
    EXPECT_EQ(loss_sums(Loss::squared, prediction(y, column({5.0})), {{}, zero}, 0.0, &derivatives)
                  .spectral,
              0.0);
    EXPECT_EQ(derivatives.lambda.rows(), 0U);
}

TEST(Loss, FitsTheTargets) {
    EXPECT_EQ(loss_for(Loss::automatic, true), Loss::cross_entropy);
    EXPECT_EQ(loss_for(Loss::automatic, false), Loss::squared);
    EXPECT_EQ(loss_for(Loss::hinge, true), Loss::hinge);
    EXPECT_EQ(loss_for(Loss::squared, false), Loss::squared);
    EXPECT_THROW(loss_for(Loss::hinge, false), Error);
    EXPECT_THROW(loss_for(Loss::cross_entropy, false), Error);
    EXPECT_THROW(loss_for(Loss::squared, true), Error);
}

}  // namespace
}  // namespace deepsl::train
