// Problems on cells: closed forms, convergence, independence of the batch, start conditions, warm
// starts.
#include "deepsl/sturm/cells.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "allocations.h"
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

double square(double x) { return x * x; }

class Cells : public ::testing::TestWithParam<Scheme> {};

// q = 3, w = 5, p = 2: lambda = (3 + 2 (n pi / L)^2) / 5 fixes the sign of q for good.
TEST_P(Cells, SolveConstantCoefficientsExactlyOnAnyNumberOfCells) {
    for (const std::size_t cells : std::initializer_list<std::size_t>{1, 2, 3, 7, 64, 1000}) {
        const OwnedCells c = constant(0.5, 3.0, 5.0, 1.5, cells, GetParam());
        CellOptions o;
        o.edge = cells / 2;
        const CellSolution s = solve(c.view(), o);
        const double x = 1.5 * static_cast<double>(o.edge) / static_cast<double>(cells);
        for (std::size_t i = 0; i < o.count; ++i) {
            const double k = static_cast<double>(i + 1) * pi / 1.5;
            const double truth = (3.0 + 2.0 * k * k) / 5.0;
            EXPECT_EQ(s.status[i], Status::ok);
            EXPECT_NEAR(s.lambda[i], truth, 1e-13 * truth);
            EXPECT_NEAR(s.u[i], std::sin(k * x) / k, 1e-11);
            EXPECT_NEAR(s.f[i], 2.0 * std::cos(k * x), 1e-11);
        }
    }
}

TEST_P(Cells, SolveEveryPairOfBoundaryConditions) {
    // -u'' = lambda u on [0, 1] with u'(0) = c u(0), u'(1) = -d u(1): k tan k = ... has no closed
    // form, but its solution must meet both conditions and the equation between them.
    for (const BoundaryCondition& left : testing::all_conditions()) {
        for (const BoundaryCondition& right : testing::all_conditions()) {
            OwnedCells c = constant(1.0, 0.0, 1.0, 1.0, 6, GetParam());
            c.left = left;
            c.right = right;
            CellOptions o;
            o.all_edges = true;
            const CellSolution s = solve(c.view(), o);
            for (std::size_t i = 0; i < o.count; ++i) {
                const double* u = &s.u_edges[i * 7];
                const double* f = &s.f_edges[i * 7];
                EXPECT_EQ(s.status[i], Status::ok);
                const double size = std::hypot(u[0], f[0]) + std::hypot(u[6], f[6]);
                EXPECT_NEAR(left.alpha1 * u[0] + left.alpha2 * f[0], 0.0, 1e-11 * size);
                EXPECT_NEAR(right.alpha1 * u[6] + right.alpha2 * f[6], 0.0, 1e-11 * size);
                const double L = s.lambda[i];
                const double k = std::sqrt(std::fabs(L));
                const double cosine = L > 0 ? std::cos(k) : std::cosh(k);
                const double sine = k == 0 ? 1.0 : (L > 0 ? std::sin(k) : std::sinh(k)) / k;
                EXPECT_NEAR(u[6], u[0] * cosine + f[0] * sine,
                            1e-10 * size * cosine * cosine + 1e-10);
            }
        }
    }
}

TEST_P(Cells, FindTheLowestStateOfAnAttractingEnd) {
    // u'(0) = -c u(0), u(1) = 0 with large c: lambda_1 is close to -c^2, below min q/w.
    OwnedCells c = constant(1.0, 0.0, 1.0, 1.0, 10, GetParam());
    c.left = {50.0, 1.0};
    const CellSolution s = solve(c.view(), {});
    EXPECT_EQ(s.status[0], Status::ok);
    EXPECT_NEAR(s.lambda[0], -2500.0, 1e-9);
    EXPECT_GT(s.lambda[1], 0.0);
}

// -u'' + e^t u = lambda u, and p = w = e^(6t): measured order of convergence.
TEST(Convergence, IsOfOrderTwoAndFour) {
    const auto error = [](Scheme scheme, std::size_t cells, std::size_t n) {
        const OwnedCells c =
            sample([](double t) { return std::exp(-3.0 * t); }, [](double) { return 0.0; },
                   [](double t) { return std::exp(3.0 * t); }, 0.0, 1.0, cells, scheme);
        const CellSolution s = solve(c.view(), {});
        const double truth = 2.25 + square(static_cast<double>(n) * pi);
        return std::fabs(s.lambda[n - 1] - truth);
    };
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 3, 6}) {
        const double two =
            std::log2(error(Scheme::midpoint, 64, n) / error(Scheme::midpoint, 128, n));
        const double four =
            std::log2(error(Scheme::magnus4, 64, n) / error(Scheme::magnus4, 128, n));
        EXPECT_NEAR(two, order_of(Scheme::midpoint), 0.1) << "n = " << n;
        EXPECT_NEAR(four, order_of(Scheme::magnus4), 0.2) << "n = " << n;
    }
}

TEST_P(Cells, AreTheSameAloneAndInAnyBatch) {
    std::mt19937_64 random(11);
    for (Kind kind : testing::all_kinds) {
        const OwnedCells batch = random_cells(kind, 7, 13, GetParam(), random);
        CellOptions o;
        o.edge = 6;
        const CellSolution all = solve(batch.view(), o);
        for (std::size_t b = 0; b < batch.problems; ++b) {
            const CellSolution one = solve(batch.only(b).view(), o);
            for (std::size_t i = 0; i < o.count; ++i) {
                EXPECT_EQ(one.lambda[i], all.lambda[b * o.count + i]);
                EXPECT_EQ(one.u[i], all.u[b * o.count + i]);
                EXPECT_EQ(one.f[i], all.f[b * o.count + i]);
            }
        }
    }
}

TEST_P(Cells, AreTheSameInRanges) {
    std::mt19937_64 random(12);
    const OwnedCells batch = random_cells(Kind::smooth, 6, 10, GetParam(), random);
    CellOptions o;
    o.edge = 5;
    const CellSolution all = solve(batch.view(), o);
    CellSolution parts = make_solution(batch.view(), o);
    solve(batch.view(), o, 4, 6, parts);
    solve(batch.view(), o, 0, 4, parts);
    EXPECT_EQ(parts.lambda, all.lambda);
    EXPECT_EQ(parts.u, all.u);
}

TEST_P(Cells, AreTheSameOnSeveralThreads) {
    std::mt19937_64 random(21);
    const OwnedCells batch = random_cells(Kind::deep, 40, 24, GetParam(), random);
    CellOptions o;
    o.edge = 12;
    const std::vector<double> ones(40 * o.count, 1.0);
    const CellSolution s = solve(batch.view(), o);
    const CellGradient g = gradient(batch.view(), o, s, {ones, ones, {}});
    CellSolution threaded = make_solution(batch.view(), o);
    CellGradient threaded_gradient = make_gradient(batch.view(), o);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < 4; ++k) {
        threads.emplace_back([&, k] {
            solve(batch.view(), o, 10 * k, 10 * k + 10, threaded);
            gradient(batch.view(), o, threaded, {ones, ones, {}}, 10 * k, 10 * k + 10,
                     threaded_gradient);
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(threaded.lambda, s.lambda);
    EXPECT_EQ(threaded.u, s.u);
    EXPECT_EQ(threaded_gradient.q, g.q);
    EXPECT_EQ(threaded_gradient.length, g.length);
}

// Training calls these thousands of times. After an easy batch no other of its shape has to ask for
// memory, however hard. Lines of two pieces are split, and long ones have a coarser line to begin
// with.
TEST_P(Cells, AllocateNothingAfterTheFirstCall) {
    const auto count_allocations = [](std::size_t cells, bool all_edges) {
        std::mt19937_64 random(22);
        CellOptions o;
        o.count = 6;
        o.edge = cells / 2;
        o.all_edges = all_edges;
        const std::vector<double> ones(3 * o.count, 1.0), at_edges(ones.size() * (cells + 1));
        CellSeeds seeds{ones, ones, {}};
        if (all_edges) seeds.u_edges = seeds.f_edges = at_edges;
        CellSolution s;
        CellGradient g;
        const auto call = [&](Kind kind) {
            const OwnedCells batch = random_cells(kind, 3, cells, GetParam(), random);
            const std::size_t before = test::allocations;
            prepare(batch.view(), o, s);
            solve(batch.view(), o, 0, 3, s);
            prepare(batch.view(), o, g);
            gradient(batch.view(), o, s, seeds, 0, 3, g);
            return test::allocations - before;
        };
        call(Kind::constant);
        std::size_t sum = 0;
        for (int repeat = 0; repeat < 20; ++repeat)
            for (Kind kind : testing::all_kinds) sum += call(kind);
        return sum;
    };
    for (const std::size_t cells : std::initializer_list<std::size_t>{2, 16, 70}) {
        for (const bool all_edges : {false, true}) {
            std::size_t counted = 1;  // on a thread that has no memory from other tests
            std::thread([&] { counted = count_allocations(cells, all_edges); }).join();
            EXPECT_EQ(counted, 0U) << cells;
        }
    }
}

// What was there before does not matter, failures included.
TEST_P(Cells, ReplaceWhatAnObjectHeld) {
    std::mt19937_64 random(23);
    OwnedCells batch = random_cells(Kind::smooth, 3, 8, GetParam(), random);
    CellOptions o;
    o.all_edges = true;
    const std::vector<double> P_start{1.0, 2.0, 3.0};
    o.P_start = P_start;
    const std::vector<double> ones(3 * o.count, 1.0), at_edges(9 * ones.size(), 1.0);
    const CellSeeds seeds{ones, ones, ones, at_edges, at_edges};
    CellSolution s = solve(batch.view(), o);
    CellGradient g = gradient(batch.view(), o, s, seeds);
    batch.w[8 * nodes_per_cell(GetParam())] = -1.0;  // the second problem is no problem now
    prepare(batch.view(), o, s);
    solve(batch.view(), o, 0, 3, s);
    prepare(batch.view(), o, g);
    gradient(batch.view(), o, s, seeds, 0, 3, g);
    const CellSolution fresh = solve(batch.view(), o);
    const CellGradient fresh_gradient = gradient(batch.view(), o, fresh, seeds);
    EXPECT_EQ(s.status, fresh.status);
    EXPECT_EQ(s.passes, fresh.passes);
    EXPECT_EQ(g.q, fresh_gradient.q);
    EXPECT_EQ(g.v, fresh_gradient.v);
    EXPECT_EQ(g.P_start, fresh_gradient.P_start);
    EXPECT_EQ(g.v[o.count], 0.0);
    // Other sizes, in the same objects.
    o.all_edges = false;
    o.count = 2;
    prepare(batch.view(), o, s);
    EXPECT_EQ(s.lambda.size(), 6U);
    EXPECT_TRUE(s.u_edges.empty());
    solve(batch.view(), o, 0, 3, s);
    EXPECT_EQ(s.lambda[1], solve(batch.view(), o).lambda[1]);
}

TEST_P(Cells, StartAtAnyIndex) {
    std::mt19937_64 random(13);
    const OwnedCells c = random_cells(Kind::kinked, 3, 16, GetParam(), random);
    CellOptions o;
    o.count = 12;
    const CellSolution all = solve(c.view(), o);
    for (const std::size_t first : std::initializer_list<std::size_t>{2, 5, 11}) {
        CellOptions p;
        p.first = first;
        p.count = 2;
        const CellSolution some = solve(c.view(), p);
        for (std::size_t b = 0; b < 3; ++b) {
            for (std::size_t i = 0; i < 2; ++i) {
                const double truth = all.lambda[b * 12 + first - 1 + i];
                EXPECT_NEAR(some.lambda[2 * b + i], truth, 1e-12 * (1.0 + std::fabs(truth)));
            }
        }
    }
}

TEST_P(Cells, HighIndicesCountEveryZero) {
    const OwnedCells c = constant(1.0, 0.0, 1.0, 1.0, 4, GetParam());
    CellOptions o;
    o.first = 100000;
    o.count = 3;
    const CellSolution s = solve(c.view(), o);
    for (std::size_t i = 0; i < 3; ++i) {
        const double truth = square(pi * static_cast<double>(100000 + i));
        EXPECT_NEAR(s.lambda[i], truth, 1e-12 * truth);
    }
}

TEST_P(Cells, WarmStartsFindTheSameEigenvalues) {
    std::mt19937_64 random(14);
    std::normal_distribution<double> normal;
    for (Kind kind : testing::all_kinds) {
        const OwnedCells c = random_cells(kind, 5, 20, GetParam(), random);
        const CellSolution cold = solve(c.view(), {});
        for (double off : {1e-9, 1e-3, 0.3, 10.0}) {
            std::vector<double> guess = cold.lambda;
            for (double& x : guess) x += off * normal(random) * (1.0 + std::fabs(x));
            guess[3] = nan;  // unknown ones may be left out
            CellOptions o;
            o.warm_start = guess;
            const CellSolution warm = solve(c.view(), o);
            for (std::size_t i = 0; i < guess.size(); ++i) {
                EXPECT_EQ(warm.status[i], Status::ok);
                EXPECT_NEAR(warm.lambda[i], cold.lambda[i],
                            2e-12 * (20.0 + std::fabs(cold.lambda[i])));
            }
        }
    }
}

TEST_P(Cells, StartWithTheSlopeGiven) {
    std::mt19937_64 random(15);
    const OwnedCells c = random_cells(Kind::smooth, 2, 15, GetParam(), random);
    CellOptions o;
    o.edge = 7;
    o.count = 5;
    const CellSolution unit = solve(c.view(), o);
    std::vector<double> v;
    for (int i = 0; i < 10; ++i) v.push_back(i - 4.0);
    o.v = v;
    const CellSolution scaled = solve(c.view(), o);
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_DOUBLE_EQ(scaled.u[i], v[i] * unit.u[i]);
        EXPECT_DOUBLE_EQ(scaled.f[i], v[i] * unit.f[i]);
    }
    // With P at the end itself, p u'(a) = 1 / P.
    const std::vector<double> P_start{2.0, 4.0};
    o.v = {};
    o.P_start = P_start;
    o.edge = 0;
    const CellSolution start = solve(c.view(), o);
    EXPECT_EQ(start.u[0], 0.0);
    EXPECT_DOUBLE_EQ(start.f[0], 0.5);
    EXPECT_DOUBLE_EQ(start.f[5], 0.25);
}

TEST_P(Cells, GiveTheSameAtOneEdgeAndAtAllEdges) {
    std::mt19937_64 random(16);
    for (Kind kind : testing::all_kinds) {
        const OwnedCells c = random_cells(kind, 3, 14, GetParam(), random);
        CellOptions all;
        all.all_edges = true;
        const CellSolution s = solve(c.view(), all);
        for (std::size_t edge = 0; edge <= 14; ++edge) {
            CellOptions o;
            o.edge = edge;
            const CellSolution one = solve(c.view(), o);
            for (std::size_t i = 0; i < 3 * o.count; ++i) {
                const double u = s.u_edges[i * 15 + edge], f = s.f_edges[i * 15 + edge];
                const double size = std::hypot(u, f);
                EXPECT_NEAR(one.u[i], u, 1e-9 * size);
                EXPECT_NEAR(one.f[i], f, 1e-9 * size);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Cells, ::testing::Values(Scheme::midpoint, Scheme::magnus4),
                         [](const auto& given) {
                             return given.param == Scheme::midpoint ? "midpoint" : "magnus4";
                         });

}  // namespace
}  // namespace deepsl::sturm
