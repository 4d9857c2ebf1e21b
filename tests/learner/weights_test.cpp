// How much say each of several predictions has, by rows that none of them has learned from.
#include "learner/weights.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/matrix.h"
#include "deepsl/random.h"

namespace deepsl::learner {
namespace {

model::Prediction saying(const std::vector<double>& y) {
    model::Prediction prediction;
    prediction.y = Matrix<double>(y.size(), 1, y);
    prediction.lambda = Matrix<double>(y.size(), 0);
    prediction.outcomes.resize(y.size());
    return prediction;
}

TEST(Weights, FollowWhoIsRight) {
    Random random(7);
    std::vector<double> right, noise, wrong, numbers;
    train::Targets truth;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 200; ++i) {
        labels.push_back(i % 2);
        const double sign = i % 2 == 0 ? -1.0 : 1.0;
        right.push_back(2.0 * sign);
        noise.push_back(normal(random));
        wrong.push_back(-2.0 * sign);
        numbers.push_back(2.0 * sign);
    }
    const Matrix<double> table(200, 1, numbers);
    for (const bool classes : {true, false}) {
        truth = {};
        if (classes)
            truth.labels = labels;
        else
            truth.numbers = table;
        const auto weights = vote_weights({saying(right), saying(noise), saying(wrong)}, truth);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-9);
        EXPECT_GT(weights[0], 0.8);
        EXPECT_LT(weights[2], 0.06);
        // Who says the same has the same say.
        const auto twins = vote_weights({saying(noise), saying(noise)}, truth);
        EXPECT_NEAR(twins[0], 0.5, 1e-9);
    }
}

// The exact minimum of two: w = 1/2 + (|e2|^2 - |e1|^2) / 2 / (|e1 - e2|^2 + 2 * 20 variance).
TEST(Weights, OfNumbersAreTheBestMean) {
    const std::vector<double> truth{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    const std::vector<double> first{1.1, 2.3, 2.9, 4.0, 4.6, 6.2},
        second{0.0, 3.0, 3.5, 2.0, 5.0, 9.0};
    double e1 = 0.0, e2 = 0.0, between = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
        const double a = first[i] - truth[i], b = second[i] - truth[i];
        e1 += a * a, e2 += b * b, between += (a - b) * (a - b);
    }
    const double variance = 35.0 / 12.0;
    const Matrix<double> numbers(6, 1, truth);
    train::Targets targets;
    targets.numbers = numbers;
    const auto weights = vote_weights({saying(first), saying(second)}, targets);
    EXPECT_NEAR(weights[0], 0.5 + 0.5 * (e2 - e1) / (between + 2.0 * 20.0 * variance), 1e-12);
}

// Outliers of opposite sign cancel in the mean, and must not throw the weights to a corner.
TEST(Weights, OfNumbersAreNeverWorseThanEvenOnes) {
    for (const double outlier : {8.0, 12.0, 40.0, 1e6, 1e150}) {
        Random random(5);
        std::vector<double> truth;
        std::vector<std::vector<double>> said(3);
        for (int i = 0; i < 30; ++i) {
            truth.push_back(normal(random));
            for (auto& each : said) each.push_back(truth.back() + 0.5 * normal(random));
        }
        said[1][0] += outlier;
        said[2][0] -= outlier;
        const Matrix<double> numbers(30, 1, truth);
        train::Targets targets;
        targets.numbers = numbers;
        const auto weights =
            vote_weights({saying(said[0]), saying(said[1]), saying(said[2])}, targets);
        const auto error = [&](const std::vector<double>& w) {
            double sum = 0.0;
            for (std::size_t i = 0; i < 30; ++i) {
                const double off =
                    w[0] * said[0][i] + w[1] * said[1][i] + w[2] * said[2][i] - truth[i];
                sum += off * off;
            }
            return sum;
        };
        EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1.0, 1e-9);
        EXPECT_LE(error(weights), error({1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}) * (1.0 + 1e-9))
            << outlier;
    }
}

TEST(Weights, OfWhatTellsNothingAreEven) {
    const std::vector<std::int64_t> labels{1, 0};
    train::Targets truth;
    truth.labels = labels;
    auto failed = saying({3.0, 1.0});
    for (auto& outcome : failed.outcomes) outcome.line = field::LineStatus::step_limit;
    for (const double weight : vote_weights({failed, saying({-3.0, 3.0})}, truth))
        EXPECT_NEAR(weight, 0.5, 1e-12) << "no row has both";
    const Matrix<double> same(2, 1, {4.0, 4.0});
    train::Targets constant;
    constant.numbers = same;
    double sum = 0.0;
    for (const double weight : vote_weights({saying({4.0, 4.0}), saying({4.0, 4.0})}, constant))
        sum += weight;
    EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(Weights, OfFewRowsStayNearlyAlike) {
    const std::vector<std::int64_t> labels{0, 1, 1};
    train::Targets truth;
    truth.labels = labels;
    const auto weights = vote_weights({saying({-1.0, 1.0, 1.0}), saying({1.0, -1.0, -1.0})}, truth);
    EXPECT_GT(weights[0], weights[1]);
    EXPECT_GT(weights[1], 0.35);
}

TEST(Weights, LookAtRowsThatAllHave) {
    const std::vector<std::int64_t> labels{1, 1};
    train::Targets truth;
    truth.labels = labels;
    auto first = saying({3.0, -50.0});
    first.outcomes[1].line = field::LineStatus::step_limit;
    const auto weights = vote_weights({first, saying({-3.0, 3.0})}, truth);
    EXPECT_GT(weights[0], weights[1]) << "the second row is not looked at";
}

}  // namespace
}  // namespace deepsl::learner
