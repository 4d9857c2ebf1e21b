// Problems on cells that are hard or none: double wells, barriers, nonsense to start from, every
// status, and arguments that do not fit.
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "discretise.h"
#include "reference.h"
#include "sampled_cells.h"

namespace deepsl::sturm {
namespace {

using testing::constant;
using testing::Kind;
using testing::OwnedCells;
using testing::random_cells;
using testing::sample;

constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class HardCells : public ::testing::TestWithParam<Scheme> {};

// Two equal wells: the lower the gap between the pair, the steeper the angle rises around it.
TEST_P(HardCells, TellTheTwoStatesOfADoubleWellApart) {
    for (double depth = 50.0; depth < 5000.0; depth *= 1.3) {
        const OwnedCells c =
            sample([](double) { return 1.0; },
                   [&](double t) { return std::fabs(t - 0.5) < 1.0 / 6.0 ? 2 * depth : -depth; },
                   [](double) { return 1.0; }, 0.0, 1.0, 3, GetParam());
        detail::Line line;
        ASSERT_EQ(detail::make_line(c.view(), 0, line), Status::ok);
        for (std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
            CellOptions o;
            o.count = count;
            const CellSolution s = solve(c.view(), o);
            for (std::size_t i = 0; i < count; ++i) {
                const long double truth =
                    testing::slow_eigenvalue(line, i + 1, s.lambda[i] - 1.0L, s.lambda[i] + 1.0L);
                EXPECT_NEAR(s.lambda[i], static_cast<double>(truth), 3e-13 * depth)
                    << "depth " << depth << ", n = " << i + 1 << " of " << count;
            }
        }
    }
}

TEST_P(HardCells, TakeAnyNonsenseForAWarmStart) {
    std::mt19937_64 random(19);
    for (const BoundaryCondition& left : testing::all_conditions()) {
        OwnedCells c = random_cells(Kind::smooth, 2, 10, GetParam(), random);
        c.left = left;
        const CellSolution cold = solve(c.view(), {});
        for (double nonsense :
             {1e300, -1e300, 1e10, -1e10, 0.0, std::numeric_limits<double>::infinity()}) {
            const std::vector<double> guess(20, nonsense);
            CellOptions o;
            o.warm_start = guess;
            const CellSolution s = solve(c.view(), o);
            for (std::size_t i = 0; i < 20; ++i) {
                EXPECT_EQ(s.status[i], Status::ok);
                EXPECT_NEAR(s.lambda[i], cold.lambda[i], 1e-11 * (100 + std::fabs(s.lambda[i])));
            }
        }
    }
}

TEST_P(HardCells, TakeDifferentNonsenseForEachIndex) {
    OwnedCells c = sample([](double) { return 1.0; }, [](double t) { return t < 0.5 ? 0.0 : 4e5; },
                          [](double) { return 1.0; }, 0.0, 1.0, 2, GetParam());
    c.left = {16.0, 1.0};
    CellOptions o;
    o.count = 4;
    const CellSolution cold = solve(c.view(), o);
    EXPECT_NEAR(cold.lambda[0], -256.0, 1e-2);
    const std::vector<double> guess{0.0, 1e10, 1e10, -1e6};
    o.warm_start = guess;
    const CellSolution warm = solve(c.view(), o);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(warm.lambda[i], cold.lambda[i], 1e-7);
}

TEST_P(HardCells, EndInTimeWhateverTheContrast) {
    std::mt19937_64 random(20);
    std::uniform_real_distribution<double> exponent(-7.0, 7.0);
    OwnedCells c = random_cells(Kind::smooth, 3, 50, GetParam(), random);
    for (double& x : c.P) x = std::pow(10.0, exponent(random));
    for (double& x : c.w) x = std::pow(10.0, exponent(random));
    c.left = {1e9, 1.0};
    const CellSolution s = solve(c.view(), {});
    for (std::size_t i = 1; i < 30; ++i) {
        if (i % 10 != 0 && s.status[i] == Status::ok && s.status[i - 1] == Status::ok) {
            EXPECT_GT(s.lambda[i], s.lambda[i - 1]);
        }
    }
}

TEST_P(HardCells, SurviveABarrierThatOverflowsOneSidedShooting) {
    // A well in the middle between barriers of 100 e-foldings each.
    OwnedCells c = sample([](double) { return 1.0; },
                          [](double t) { return std::fabs(t) < 1.0 ? 0.0 : 400.0; },
                          [](double) { return 1.0; }, -6.0, 6.0, 120, GetParam());
    CellOptions o;
    o.count = 4;
    o.all_edges = true;
    const CellSolution s = solve(c.view(), o);
    // A well of half width 1 and depth 400: k tan k = sqrt(400 - k^2), even states.
    const double k = std::sqrt(s.lambda[0]);
    EXPECT_NEAR(k * std::tan(k), std::sqrt(400.0 - k * k), 1e-8);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(s.status[i], Status::ok);
        int changes = 0;
        for (std::size_t e = 1; e < 120; ++e)
            changes += s.u_edges[i * 121 + e] * s.u_edges[i * 121 + e + 1] < 0.0;
        EXPECT_EQ(changes, static_cast<int>(i));
    }
}

TEST_P(HardCells, ReportWhatIsWrongWithEachProblem) {
    std::mt19937_64 random(17);
    OwnedCells c = random_cells(Kind::smooth, 7, 10, GetParam(), random);
    const std::size_t per = 10 * nodes_per_cell(GetParam());
    c.q[1 * per + 3] = nan;
    c.P[2 * per + 4] = 0.0;
    c.w[3 * per + 5] = -1.0;
    c.length[4 * 10 + 6] = 0.0;
    c.q[5 * per] = 1e300;
    const CellSolution s = solve(c.view(), {});
    const Status expected[] = {Status::ok,
                               Status::not_finite,
                               Status::not_positive,
                               Status::not_positive,
                               Status::not_positive,
                               Status::out_of_range,
                               Status::ok};
    for (std::size_t b = 0; b < 7; ++b) {
        EXPECT_EQ(s.status[b * 10], expected[b]) << "problem " << b;
        EXPECT_EQ(std::isnan(s.lambda[b * 10]), expected[b] != Status::ok);
        EXPECT_FALSE(sentence(s.status[b * 10]).empty());
    }
}

TEST_P(HardCells, ReportTooFewPassesAndOverflow) {
    std::mt19937_64 random(18);
    const OwnedCells c = random_cells(Kind::deep, 1, 30, GetParam(), random);
    CellOptions o;
    o.max_passes = 1;
    const CellSolution hasty = solve(c.view(), o);
    EXPECT_EQ(hasty.status[0], Status::pass_limit);

    // A well behind a barrier of a thousand e-foldings: with u'(a) = 1 it is out of range.
    const OwnedCells far =
        sample([](double) { return 1.0; }, [](double t) { return t < 1.0 ? 1e6 : 0.0; },
               [](double) { return 1.0; }, 0.0, 2.0, 40, GetParam());
    CellOptions p;
    p.edge = 30;
    const CellSolution s = solve(far.view(), p);
    EXPECT_EQ(s.status[0], Status::overflow);
    EXPECT_TRUE(std::isnan(s.u[0]));
    // The eigenvalue is good all the same, and so is its gradient.
    EXPECT_GT(s.lambda[0], 8.0);
    EXPECT_LT(s.lambda[0], pi * pi);
    const std::vector<double> ones(10, 1.0);
    const CellGradient g = gradient(far.view(), p, s, {ones, ones, {}});
    double by_q = 0.0;
    for (double x : g.q) by_q += x;
    EXPECT_NEAR(by_q, 10.0, 1e-9);  // adding a constant to q adds it to all ten
    // Without a seed nothing comes back, though a cell alone may multiply by e^1000.
    const OwnedCells steep =
        sample([](double) { return 1.0; }, [](double t) { return t < 4.0 ? 1e6 : 0.0; },
               [](double) { return 1.0; }, 0.0, 8.0, 8, GetParam());
    const std::vector<double> zeros(10, 0.0);
    p.edge = 4;
    for (double x : gradient(steep.view(), p, solve(steep.view(), p), {{}, zeros, {}}).q)
        EXPECT_EQ(x, 0.0);

    const std::vector<double> v(10, std::numeric_limits<double>::infinity());
    CellOptions q;
    q.v = v;
    EXPECT_EQ(solve(constant(1, 0, 1, 1, 4, GetParam()).view(), q).status[0], Status::not_finite);
}

TEST(CellArguments, AreCheckedByName) {
    const OwnedCells c = constant(1, 0, 1, 1, 4, Scheme::midpoint);
    const auto message = [&](const CellProblems& p, const CellOptions& o) -> std::string {
        try {
            solve(p, o);
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), Error::Kind::argument);
            return e.what();
        }
        return "";
    };
    const std::vector<double> three(3, 1.0);
    CellProblems p = c.view();
    p.q = three;
    EXPECT_EQ(message(p, {}), "q has 3 values; it needs 4.");
    CellOptions o;
    o.edge = 5;
    EXPECT_EQ(message(c.view(), o), "edge is 5; the cells have edges 0 to 4.");
    o = {};
    o.first = 0;
    EXPECT_NE(message(c.view(), o).find("first"), std::string::npos);
    o = {};
    o.v = three;
    EXPECT_EQ(message(c.view(), o), "v has 3 values; it needs 10, or none.");
    p = c.view();
    p.left = {0.0, 0.0};
    EXPECT_NE(message(p, {}).find("left end"), std::string::npos);
    EXPECT_EQ(message(c.view(), {}), "");
    // A solution made for other options does not fit.
    CellSolution other = make_solution(c.view(), {});
    o = {};
    o.all_edges = true;
    EXPECT_THROW(solve(c.view(), o, 0, 1, other), Error);
    CellGradient small;
    EXPECT_THROW(gradient(c.view(), {}, other, {}, 0, 1, small), Error);
}

INSTANTIATE_TEST_SUITE_P(Schemes, HardCells, ::testing::Values(Scheme::midpoint, Scheme::magnus4),
                         [](const auto& given) {
                             return given.param == Scheme::midpoint ? "midpoint" : "magnus4";
                         });

}  // namespace
}  // namespace deepsl::sturm
