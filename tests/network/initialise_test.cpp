// The first values of weights.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/matrix.h"
#include "deepsl/network/mlp.h"
#include "deepsl/random.h"

namespace deepsl::network {
namespace {

Matrix<double> weights(std::size_t out, std::size_t in, Initialiser initialiser, double gain,
                       std::uint64_t seed = 1) {
    Random random(seed);
    Matrix<double> result(out, in, -99.0);
    initialise(result.values(), out, in, {in, out}, initialiser, gain, random);
    return result;
}

const std::vector<std::pair<std::size_t, std::size_t>> shapes{{1, 1}, {5, 5},   {7, 3},
                                                              {3, 7}, {64, 32}, {1, 9}};

TEST(Initialise, GlorotFillsItsRangeEvenly) {
    for (const double gain : {1.0, 0.1}) {
        const auto w = weights(60, 90, Initialiser::glorot, gain).values();
        const double bound = gain * std::sqrt(6.0 / 150.0);
        double sum = 0.0, square = 0.0;
        for (const double v : w) {
            sum += v;
            square += v * v;
        }
        const auto count = static_cast<double>(w.size());
        const auto [low, high] = std::minmax_element(w.begin(), w.end());
        EXPECT_GE(*low, -bound);
        EXPECT_LE(*high, bound);
        EXPECT_LT(*low, -0.99 * bound);
        EXPECT_GT(*high, 0.99 * bound);
        // A uniform number has the variance bound^2 / 3; five deviations of the sums.
        EXPECT_NEAR(sum / count, 0.0, 5.0 * bound / std::sqrt(3.0 * count));
        EXPECT_NEAR(square / count, bound * bound / 3.0,
                    5.0 * 0.3 * bound * bound / std::sqrt(count));
    }
}

TEST(Initialise, HeDependsOnWhatAUnitHears) {
    const auto w = weights(60, 90, Initialiser::he, 0.5).values();
    const double bound = 0.5 * std::sqrt(6.0 / 90.0);
    const auto [low, high] = std::minmax_element(w.begin(), w.end());
    EXPECT_GE(*low, -bound);
    EXPECT_LT(*low, -0.99 * bound);
    EXPECT_LE(*high, bound);
    EXPECT_GT(*high, 0.99 * bound);
}

TEST(Initialise, OrthogonalRowsOrColumnsAreOrthonormalTimesTheGain) {
    for (const auto& [out, in] : shapes)
        for (const double gain : {1.0, 0.1}) {
            const auto w = weights(out, in, Initialiser::orthogonal, gain);
            const auto few = std::min(out, in), many = std::max(out, in);
            const auto at = [&](std::size_t i, std::size_t k) {
                return out < in ? w(i, k) : w(k, i);
            };
            for (std::size_t i = 0; i < few; ++i)
                for (std::size_t j = 0; j < few; ++j) {
                    double dot = 0.0;
                    for (std::size_t k = 0; k < many; ++k) dot += at(i, k) * at(j, k);
                    EXPECT_NEAR(dot, i == j ? gain * gain : 0.0, 1e-14) << out << " x " << in;
                }
        }
}

// Without the signs of R, the Q of a Householder reflection prefers one side: of 1 x 1, always -1
// or always 1.
TEST(Initialise, OrthogonalHasNoPreferredSide) {
    int positive = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const double w = weights(1, 1, Initialiser::orthogonal, 1.0, seed)(0, 0);
        EXPECT_NEAR(std::fabs(w), 1.0, 1e-15);
        positive += w > 0.0 ? 1 : 0;
    }
    EXPECT_NEAR(positive, 200, 50);
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < 400; ++seed)
        sum += weights(3, 3, Initialiser::orthogonal, 1.0, seed)(0, 0);
    EXPECT_NEAR(sum / 400.0, 0.0, 5.0 / std::sqrt(3.0 * 400.0));
}

TEST(Initialise, TheSameSeedGivesTheSameWeights) {
    for (const auto kind : {Initialiser::glorot, Initialiser::orthogonal})
        for (const auto& [out, in] : shapes) {
            EXPECT_EQ(weights(out, in, kind, 1.0, 5), weights(out, in, kind, 1.0, 5));
            EXPECT_NE(weights(out, in, kind, 1.0, 5), weights(out, in, kind, 2.0, 5));
        }
    EXPECT_NE(weights(4, 4, Initialiser::glorot, 1.0, 5),
              weights(4, 4, Initialiser::glorot, 1.0, 6));
}

TEST(Initialise, AGainOfZeroGivesZeros) {
    for (const auto kind : {Initialiser::glorot, Initialiser::orthogonal})
        EXPECT_EQ(weights(3, 5, kind, 0.0), Matrix<double>(3, 5, 0.0));
}

}  // namespace
}  // namespace deepsl::network
