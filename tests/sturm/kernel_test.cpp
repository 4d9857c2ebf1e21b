// The kernels: both builds agree, and one pass tells the truth about one line.
#include "kernel.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "roots.h"

namespace deepsl::sturm::detail {
namespace {

constexpr double pi = std::numbers::pi;

Line random_line(std::size_t count, double size, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    Line line;
    line.left = start_left(BoundaryCondition::dirichlet());
    line.right = start_right({1.0, 2.0});
    line.pieces.resize(count);
    const double h = 1.0 / static_cast<double>(count);
    for (std::size_t k = 0; k < count; ++k)
        line.pieces.set(k, {h * std::exp(normal(random)), h * size * normal(random),
                            h * std::exp(normal(random))});
    kernel_portable().measure(line);
    return line;
}

// sin and cosh themselves, piece by piece, in plain double.
void reference_step(const Piece& c, double lambda, double& u, double& f) {
    const double g = c.g0 - lambda * c.g1, Y = c.a * g, x = std::sqrt(std::fabs(Y));
    const double C = Y > 0 ? std::cosh(x) : std::cos(x);
    const double S = x == 0 ? 1.0 : (Y > 0 ? std::sinh(x) : std::sin(x)) / x;
    const double next = C * u + S * c.a * f;
    f = S * g * u + C * f;
    u = next;
}

std::vector<const Kernel*> builds() {
    std::vector<const Kernel*> all{&kernel_portable()};
    if (has_avx2()) all.push_back(&kernel_avx2());
    return all;
}

TEST(Kernel, FollowsASolutionExactlyWhateverTheSizeOfAPiece) {
    std::mt19937_64 random(1);
    for (const Kernel* k : builds()) {
        for (double size : {0.1, 10.0, 1e3, 1e5}) {
            for (const std::size_t count : std::initializer_list<std::size_t>{1, 2, 5, 64, 131}) {
                const Line line = random_line(count, size, random);
                const Lanes lambda{{-0.3 * size, 0.1 * size, size, 3.0 * size}};
                Lanes u, f;
                k->from_left(line, count, lambda, u, f);
                for (std::size_t i = 0; i < lanes; ++i) {
                    double ru = line.left.u, rf = line.left.f;
                    for (std::size_t j = 0; j < count; ++j)
                        reference_step(line.pieces[j], lambda[i], ru, rf);
                    if (!std::isfinite(ru) || !std::isfinite(rf)) continue;
                    const double tolerance = 1e-13 * std::sqrt(size) *
                                             (std::fabs(ru) + std::fabs(rf)) *
                                             static_cast<double>(count + 10);
                    EXPECT_NEAR(u[i], ru, tolerance) << k->name;
                    EXPECT_NEAR(f[i], rf, tolerance) << k->name;
                }
            }
        }
    }
}

// Lanes may ask for very different things of one piece: at lambda = 0 it is nothing at all, at 1e12
// it holds many waves, at -1e12 it would overflow.
TEST(Kernel, LanesDoNotDisturbEachOther) {
    Line line;
    line.left = start_left(BoundaryCondition::dirichlet());
    line.right = start_right(BoundaryCondition::neumann());
    line.pieces.resize(6);
    for (std::size_t k = 0; k < 6; ++k) line.pieces.set(k, {0.25, 0.0, 0.25});
    for (const Kernel* k : builds()) {
        k->measure(line);
        const Lanes scale{{1.0, 1.0, 1.0, 1.0}};
        Pass mixed, alone;
        mixed.lambda = Lanes{{0.0, 1e12, -1e12, 1e-9}};
        k->pass(line, 3, scale, mixed);
        for (std::size_t i = 0; i < lanes; ++i) {
            for (double& x : alone.lambda.at) x = mixed.lambda[i];
            k->pass(line, 3, scale, alone);
            EXPECT_TRUE(std::isfinite(mixed.angle[i]));
            EXPECT_NEAR(mixed.angle[i], alone.angle[0], 1e-9 * (1.0 + alone.angle[0])) << i;
            EXPECT_NEAR(mixed.slope[i], alone.slope[0], 1e-9 * alone.slope[0]) << i;
        }
    }
}

TEST(Kernel, BothBuildsAgree) {
    if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
    std::mt19937_64 random(2);
    for (double size : {1.0, 100.0, 1e4}) {
        for (const std::size_t count : std::initializer_list<std::size_t>{2, 9, 64}) {
            const Line line = random_line(count, size, random);
            const Lanes lambda{{0.0, 5.0, 50.0, 500.0}};
            const Lanes scale{{1.0, 2.0, 3.0, 4.0}};
            Pass a, b;
            a.lambda = b.lambda = lambda;
            kernel_portable().pass(line, 1, scale, a);
            kernel_avx2().pass(line, 1, scale, b);
            for (std::size_t i = 0; i < lanes; ++i) {
                EXPECT_NEAR(a.angle[i], b.angle[i], 1e-10 * (1 + a.angle[i]));
                EXPECT_NEAR(a.slope[i], b.slope[i], 1e-10 * (1e-3 + std::fabs(a.slope[i])));
            }
            Line again = line;
            kernel_avx2().measure(again);
            EXPECT_DOUBLE_EQ(again.figures.sum_a, line.figures.sum_a);
            EXPECT_EQ(again.figures.min_q_over_w, line.figures.min_q_over_w);
            EXPECT_EQ(again.figures.max_pw, line.figures.max_pw);
            EXPECT_NEAR(again.figures.liouville_q, line.figures.liouville_q, 1e-10 * size);
        }
    }
}

// The angle is continuous and increasing, and its slope is its derivative.
TEST(Kernel, TheAngleIncreasesAndItsSlopeIsItsDerivative) {
    std::mt19937_64 random(3);
    for (const Kernel* k : builds()) {
        for (const std::size_t match : std::initializer_list<std::size_t>{1, 7, 30}) {
            const Line line = random_line(31, 30.0, random);
            const Lanes scale{{4.0, 4.0, 4.0, 4.0}};
            double before = -1.0;
            for (double lambda = -60.0; lambda < 300.0; lambda += 0.37) {
                const double d = 1e-4;
                Pass p;
                p.lambda = Lanes{{lambda - d, lambda, lambda + d, lambda}};
                k->pass(line, match, scale, p);
                EXPECT_GT(p.angle[1], before);
                before = p.angle[1];
                const double numeric = (p.angle[2] - p.angle[0]) / (2 * d);
                EXPECT_NEAR(p.slope[1], numeric, 1e-4 * numeric + 1e-9);
            }
        }
    }
}

TEST(Kernel, CountsEigenvaluesBelow) {
    Line line;
    line.left = start_left(BoundaryCondition::dirichlet());
    line.right = start_right(BoundaryCondition::dirichlet());
    line.pieces.resize(3);
    for (std::size_t k = 0; k < 3; ++k) line.pieces.set(k, {pi / 3, 0.0, pi / 3});
    for (const Kernel* k : builds()) {
        k->measure(line);
        EXPECT_EQ(count_below(*k, line, -5.0), 0U);
        EXPECT_EQ(count_below(*k, line, 0.99), 0U);
        EXPECT_EQ(count_below(*k, line, 1.01), 1U);
        EXPECT_EQ(count_below(*k, line, 15.9), 3U);
        EXPECT_EQ(count_below(*k, line, 1e6 + 1.0), 1000U);
    }
}

TEST(Kernel, TracesFunctionsThatMeetBothConditions) {
    std::mt19937_64 random(4);
    for (const Kernel* k : builds()) {
        const Line line = random_line(40, 500.0, random);
        std::vector<Root> roots(lanes);
        Lanes lambda;
        for (std::size_t i = 0; i < lanes; ++i) {
            roots[i].index = i + 1;
            roots[i].lambda = std::numeric_limits<double>::quiet_NaN();
        }
        find_roots(*k, line, 20, 200, roots);
        for (std::size_t i = 0; i < lanes; ++i) lambda[i] = roots[i].lambda;
        EdgeStates y;
        k->trace(line, lambda, y);
        for (std::size_t i = 0; i < lanes; ++i) {
            EXPECT_EQ(roots[i].status, Status::ok);
            EXPECT_EQ(y.u[0][i], 0.0);
            EXPECT_NEAR(y.u[40][i] + 2.0 * y.f[40][i], 0.0,
                        1e-10 * (std::fabs(y.u[40][i]) + std::fabs(y.f[40][i])));
        }
    }
}

}  // namespace
}  // namespace deepsl::sturm::detail
