// How a smooth guess of the target changes with the inputs.
#include "deepsl/field/kernel_guess.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "deepsl/random.h"

namespace deepsl::field {
namespace {

struct Sample {
    Matrix<double> x, y;
};

Sample sample(std::size_t rows, const std::function<double(std::span<const double>)>& f) {
    Random random(3);
    Sample s{Matrix<double>(rows, 4), Matrix<double>(rows, 1)};
    for (std::size_t r = 0; r < rows; ++r) {
        for (double& value : s.x.row(r)) value = normal(random);
        s.y(r, 0) = f(s.x.row(r));
    }
    return s;
}

TEST(KernelGuess, OfALinearTargetIsItsDirection) {
    const auto [x, y] = sample(200, [](auto z) { return 0.6 * z[0] - 0.8 * z[2]; });
    const auto direction = kernel_directions(x, y, 1);
    // The first of the largest numbers is positive.
    EXPECT_NEAR(direction(0, 0), -0.6, 0.05);
    EXPECT_NEAR(direction(0, 1), 0.0, 0.05);
    EXPECT_NEAR(direction(0, 2), 0.8, 0.05);
    // The variance is 1, and so is the squared length of the gradient.
    const auto product = gradient_product(x, y);
    EXPECT_NEAR(product(0, 0), 0.36, 0.08);
    EXPECT_NEAR(product(2, 2), 0.64, 0.12);
    EXPECT_NEAR(product(0, 2), -0.48, 0.1);
    EXPECT_LT(product(1, 1), 0.02);
}

TEST(KernelGuess, SeesWhatNoLineTells) {
    // Neither has a slope on average.
    const auto parabola = sample(200, [](auto z) { return z[1] * z[1]; });
    EXPECT_GT(std::fabs(kernel_directions(parabola.x, parabola.y, 1)(0, 1)), 0.98);
    const auto saddle = sample(300, [](auto z) { return z[0] * z[3]; });
    const auto product = gradient_product(saddle.x, saddle.y);
    for (const auto matters : {0U, 3U})
        for (const auto noise : {1U, 2U})
            EXPECT_GT(product(matters, matters), 5.0 * product(noise, noise));
}

TEST(KernelGuess, OfSeveralTargetsAddsUp) {
    const auto [x, y] = sample(150, [](auto z) { return z[0]; });
    Matrix<double> both(x.rows(), 2);
    for (std::size_t r = 0; r < x.rows(); ++r) both(r, 0) = x(r, 0), both(r, 1) = x(r, 3);
    const auto product = gradient_product(x, both);
    EXPECT_NEAR(product(0, 0), product(3, 3), 0.15);
    const auto directions = kernel_directions(x, both, 2);
    ASSERT_EQ(directions.rows(), 2U);
    double inside = 0.0;
    for (std::size_t d = 0; d < 2; ++d)
        for (const auto c : {0U, 3U}) inside += directions(d, c) * directions(d, c);
    EXPECT_GT(inside, 1.9) << "both lie in the plane of the two inputs that matter";
}

TEST(KernelGuess, OfNothingIsNothing) {
    const auto flat = sample(30, [](auto) { return 2.0; });
    const auto of_flat = gradient_product(flat.x, flat.y);
    for (const double value : of_flat.values()) EXPECT_EQ(value, 0.0);
    EXPECT_EQ(kernel_directions(flat.x, flat.y, 9).rows(), 4U);
    // Of rows that are all the same, or a single one, too.
    const Matrix<double> same(5, 2, 1.0), targets(5, 1, {0.0, 1.0, 0.0, 1.0, 0.0});
    const auto of_same = gradient_product(same, targets);
    for (const double value : of_same.values()) EXPECT_TRUE(std::isfinite(value)) << value;
    const Matrix<double> one(1, 2, 1.0), target(1, 1, 1.0);
    const auto of_one = gradient_product(one, target);
    for (const double value : of_one.values()) EXPECT_EQ(value, 0.0);
}

TEST(KernelGuess, DoesNotMindWhereColumnsLie) {
    auto [x, y] = sample(100, [](auto z) { return z[0] + z[1] * z[1]; });
    const auto here = gradient_product(x, y);
    for (std::size_t r = 0; r < x.rows(); ++r) x(r, 0) += 1e8, x(r, 2) -= 1e9;
    const auto there = gradient_product(x, y);
    for (std::size_t i = 0; i < here.values().size(); ++i)
        EXPECT_NEAR(there.values()[i], here.values()[i], 1e-5);
}

TEST(KernelGuess, TakesSomeOfManyRows) {
    const auto [x, y] = sample(3000, [](auto z) { return std::sin(2.0 * z[2]); });
    const auto direction = kernel_directions(x, y, 1);
    EXPECT_GT(std::fabs(direction(0, 2)), 0.98);
}

}  // namespace
}  // namespace deepsl::field
