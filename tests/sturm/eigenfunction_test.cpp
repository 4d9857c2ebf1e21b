// Eigenfunctions anywhere in the interval: closed forms, norms, orthogonality, zeros.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "deepsl/sturm/solver.h"
#include "problem_set.h"

namespace deepsl::sturm {
namespace {

constexpr double pi = std::numbers::pi;

double one(double) { return 1.0; }
double zero(double) { return 0.0; }

TEST(Eigenfunction, IsASineForTheFourierProblem) {
    const Problem p{one, zero, one, 0.0, pi, {}, {}, {}};
    for (const Eigenpair& pair : solve(p, Indices{1, 12}).pairs) {
        const auto n = static_cast<double>(pair.index);
        const double norm = std::sqrt(2.0 / pi);
        for (double t = 0.0; t <= pi; t += 0.01) {
            const auto y = pair.function.at(t);
            EXPECT_NEAR(y.u, norm * std::sin(n * t), 1e-13 * n);
            EXPECT_NEAR(y.pu, norm * n * std::cos(n * t), 1e-13 * n * n);
        }
        EXPECT_NEAR(pair.function.norm(), std::sqrt(pi / 2) / n, 1e-13);
        const std::vector<double> zeros = pair.function.zeros();
        ASSERT_EQ(zeros.size(), pair.index - 1);
        for (std::size_t k = 0; k < zeros.size(); ++k)
            EXPECT_NEAR(zeros[k], static_cast<double>(k + 1) * pi / n, 1e-13);
    }
}

// p = w = e^(6t): u = e^(-3t) sin(n pi t), up to a factor.
TEST(Eigenfunction, HasItsClosedFormWithVaryingCoefficients) {
    const auto e6 = [](double t) { return std::exp(6 * t); };
    const Problem p{e6, zero, e6, 0.0, 1.0, {}, {}, {}};
    for (const Eigenpair& pair : solve(p, Indices{1, 8}).pairs) {
        const double k = static_cast<double>(pair.index) * pi;
        for (double t = 0.003; t < 1.0; t += 0.0173) {
            const auto y = pair.function.at(t);
            const double damped = std::sqrt(2.0) * std::exp(-3 * t);
            EXPECT_NEAR(y.u, damped * std::sin(k * t), 1e-9);
            EXPECT_NEAR(y.pu / e6(t), damped * (k * std::cos(k * t) - 3 * std::sin(k * t)),
                        1e-9 * k);
        }
        EXPECT_NEAR(pair.function.start_scale() * std::sqrt(2.0) * k, 1.0, 1e-9);
        EXPECT_LT(pair.function.error_estimate(), 1e-8);
    }
}

TEST(Eigenfunction, StartsAtOneWhereUDoesNotVanish) {
    const Problem p{
        one, zero, one, 0.0, pi, BoundaryCondition::neumann(), BoundaryCondition::neumann(), {}};
    const Solution s = solve(p, Indices{1, 3});
    EXPECT_NEAR(s.pairs[0].function.at(1.0).u, std::sqrt(1 / pi), 1e-13);
    EXPECT_NEAR(s.pairs[1].function.norm(), std::sqrt(pi / 2), 1e-12);
    EXPECT_NEAR(s.pairs[2].function.at(0.7).u, std::sqrt(2 / pi) * std::cos(1.4), 1e-12);
}

TEST(Eigenfunction, RefusesPointsOutside) {
    const Solution s = solve({one, zero, one, 0.0, 1.0, {}, {}, {}}, Indices{1, 1});
    EXPECT_THROW(s.pairs[0].function.at(1.1), Error);
    EXPECT_THROW(s.pairs[0].function.at(std::nan("")), Error);
    EXPECT_THROW(Eigenfunction().at(0.5), Error);
}

// Gauss-Legendre with 5 points on n parts.
template <typename F>
double integrate(F f, double a, double b, int parts) {
    constexpr double x[] = {0.0, 0.5384693101056831, 0.9061798459386640};
    constexpr double w[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    double sum = 0.0;
    const double h = (b - a) / parts;
    for (int k = 0; k < parts; ++k) {
        const double middle = a + h * (k + 0.5);
        sum += w[0] * f(middle);
        for (int j = 1; j < 3; ++j)
            sum += w[j] * (f(middle - 0.5 * h * x[j]) + f(middle + 0.5 * h * x[j]));
    }
    return 0.5 * h * sum;
}

class KnownFunctions : public ::testing::TestWithParam<testing::NamedProblem> {};

TEST_P(KnownFunctions, AreOrthonormalAndMeetTheirConditions) {
    const Problem& p = GetParam().problem;
    const Solution s = solve(p, Indices{1, 5});
    for (std::size_t i = 0; i < 5; ++i) {
        const Eigenfunction& u = s.pairs[i].function;
        if (u.error_estimate() > 1e-6) continue;
        for (std::size_t j = 0; j <= i; ++j) {
            const Eigenfunction& v = s.pairs[j].function;
            if (v.error_estimate() > 1e-6) continue;
            const double inner =
                integrate([&](double t) { return p.w(t) * u.at(t).u * v.at(t).u; }, p.a, p.b, 200);
            // Rough coefficients are rough for the quadrature too.
            EXPECT_NEAR(inner, i == j ? 1.0 : 0.0, 2e-5) << GetParam().name << i << j;
        }
        const auto left = u.at(p.a), right = u.at(p.b);
        const double size = std::hypot(left.u, left.pu) + std::hypot(right.u, right.pu);
        EXPECT_NEAR(p.left.alpha1 * left.u + p.left.alpha2 * left.pu, 0.0, 1e-8 * size);
        EXPECT_NEAR(p.right.alpha1 * right.u + p.right.alpha2 * right.pu, 0.0, 1e-8 * size);
    }
}

INSTANTIATE_TEST_SUITE_P(Known, KnownFunctions, ::testing::ValuesIn(testing::problem_set()),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace deepsl::sturm
