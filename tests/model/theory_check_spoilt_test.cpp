// Each figure of the check leaves its bound when what it measures is spoilt.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "model/theory_check_fixture.h"

namespace deepsl::model::test {
namespace {

TEST_F(TheoryCheck, CountsLinesThatFailInAnyField) {
    auto options = small();
    options.fields = 2;
    const auto x = points(32);
    const auto model =
        bent(options, [](std::span<const double> z) { return z[1] > 0.1 ? NAN : 0.0; });
    check(*model, x);
    double expected = 0.0;
    for (std::size_t b = 0; b < x.rows(); ++b) expected += x(b, 1) > 0.1 ? 1.0 : 0.0;
    EXPECT_GT(expected, 0.0);
    EXPECT_EQ(value("failed_lines"), expected);
    // Next to where it is NaN the field has no divergence, which the weight over the domain needs.
    EXPECT_EQ(names(false),
              (std::vector<std::string_view>{"failed_lines", "orthogonality_over_domain"}));
}

// Coarse steps reach to where the field is NaN, fine ones do not: a model that predicts nothing on
// its own grid must not pass because it would on a finer one.
TEST_F(TheoryCheck, CountsSamplesThatFailOnTheModelsOwnGrid) {
    auto options = small();
    options.cells = options.steps = 2;  // steps of length 1/2
    Matrix<double> x(8, 2);
    for (std::size_t b = 0; b < 8; ++b) {
        x(b, 0) = 0.1 + 0.02 * static_cast<double>(b);
        x(b, 1) = 0.05 * static_cast<double>(b);
    }
    const auto model = bent(options, [](std::span<const double> z) {
        return std::hypot(z[0], z[1]) > 1.03 ? NAN : 0.0;
    });
    ASSERT_EQ(model->predict(x).failed(), 8u);
    check(*model, x, 32);
    EXPECT_EQ(value("failed_lines"), 8.0);
    EXPECT_GT(figures_.size(), 1u);
}

TEST_F(TheoryCheck, SaysNothingElseIfEveryLineFails) {
    const auto model = bent(small(), [](std::span<const double> z) { return z[0] * NAN; });
    check(*model, points(5));
    ASSERT_EQ(figures_.size(), 1u);
    EXPECT_EQ(value("failed_lines"), 5.0);
    EXPECT_FALSE(figures_.front().ok());
}

TEST_F(TheoryCheck, NoticesAGridThatIsTooCoarse) {
    const auto x = points(64);
    const auto model = calibrated(coarse(), x);
    check(*model, x);
    for (const auto* name : {"H", "orthogonality", "zeros", "prediction", "classes", "lambda"})
        EXPECT_FALSE(figure(name).ok()) << name << " " << value(name);
    // It was the grid, not the model.
    auto numerics = model->numerics();
    numerics.cells = 64;
    numerics.trace.steps = 64;
    model->set_numerics(numerics);
    check(*model, x, 1);
    EXPECT_EQ(names(false), none_);
}

// One edge inside a line shows no change of sign: only u_1 seems to have its zeros.
TEST_F(TheoryCheck, CountsZerosOnTheGridItLooksAt) {
    auto options = small();
    options.cells = 1;
    const auto x = points(8);
    check(*calibrated(options, x), x, 1);
    EXPECT_EQ(value("zeros"), 8.0 * static_cast<double>(options.eigenfunctions - 1));
}

// Where a field jumps, Runge-Kutta steps from another point make another line.
TEST_F(TheoryCheck, NoticesLinesThatDependOnWhereTheyBegin) {
    const auto model = bent(small(), [](std::span<const double> z) {
        return std::copysign(0.9, std::sin(40.0 * z[0] + 17.0 * z[1]));
    });
    check(*model, points(32));
    EXPECT_FALSE(figure("same_line").ok()) << value("same_line");
    EXPECT_FALSE(figure("prediction").ok()) << value("prediction");
    // Along each of these lines the eigenproblem is solved as well as along any other.
    for (const auto* name : {"failed_lines", "exit", "ends", "H", "orthogonality", "zeros"})
        EXPECT_TRUE(figure(name).ok()) << name << " " << value(name);
}

// In the middle of each step, and only there, the field is 1e8 or -1e8 across: the second and the
// third slope cancel, but for their rounding, which stays in the point where the line ends.
TEST_F(TheoryCheck, NoticesEndsOffTheBoundary) {
    constexpr int finer = 8;
    const double speed = 1.25;  // of (1, 0.75); a step crosses half of 1 / steps widths
    const double step = 1.0 / (static_cast<double>(small().steps) * finer * speed);
    const auto model = bent(small(), [&](std::span<const double> z) {
        const bool middle = std::cos(2.0 * std::numbers::pi / step * z[0]) < 0.0;
        return middle ? (std::fabs(z[1]) > 1.0 ? -1e8 : 1e8) : 0.75;
    });
    check(*model, Matrix<double>(2, 2, std::vector<double>{0.0, 0.1, 0.0, -0.3}), finer);
    EXPECT_EQ(value("failed_lines"), 0.0);
    EXPECT_FALSE(figure("exit").ok()) << value("exit");
    EXPECT_LT(value("exit"), 1e-6);
}

// u_200 turns a hundred times in each of two cells. It is followed from either end to the edge
// where it is largest: if that is the other end, in one of two directions, rounding shows there.
TEST_F(TheoryCheck, NoticesRoundingAtTheEnds) {
    auto options = small();
    options.cells = 1;
    options.eigenfunctions = 200;
    options.field = FieldKind::straight;
    const auto x = points(8);
    const auto model = make_model(2, 2, options, 1);
    double worst = 0.0;
    for (const double along : {1.0, -1.0}) {
        auto values = model->parameters().values();
        const auto direction = part(*model, values, "field1.field.direction");
        direction[0] = along;
        direction[1] = 0.0;
        model->set_values(values);
        check(*model, x, 1);
        worst = std::max(worst, value("ends"));
        EXPECT_EQ(figure("ends").ok(), value("ends") <= 1e-12);
    }
    EXPECT_GT(worst, 1e-12);
    EXPECT_LT(worst, 1e-6);
}

// The commutators in Magnus' method of order 4 grow like lambda, on such a grid beyond what has an
// exponential: H is then unknown, and what is unknown is not in bounds.
TEST_F(TheoryCheck, DoesNotPassWhatItCannotCompute) {
    auto options = small();
    options.cells = 1;
    options.eigenfunctions = 200;
    const auto x = points(8);
    check(*calibrated(options, x), x, 1);
    EXPECT_FALSE(figure("H").ok()) << value("H");
}

}  // namespace
}  // namespace deepsl::model::test
