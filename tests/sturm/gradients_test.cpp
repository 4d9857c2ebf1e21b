// Gradients of eigenvalues and of u, p u' at one edge against central differences, and what holds
// for all gradients.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "gradient_case.h"
#include "random_cells.h"

namespace deepsl::sturm {
namespace {

using testing::expect_exact;
using testing::gradient_case;
using testing::GradientCase;
using testing::Kind;
using testing::OwnedCells;
using testing::random_cells;

class Gradients : public ::testing::TestWithParam<Scheme> {};

TEST_P(Gradients, AreExactForAllBoundaryConditions) {
    std::mt19937_64 random(1);
    for (const BoundaryCondition& left : testing::all_conditions()) {
        for (const BoundaryCondition& right : testing::all_conditions()) {
            GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
            c.cells.left = left;
            c.cells.right = right;
            c.options.edge = 5;
            expect_exact(c, "boundary conditions");
        }
    }
}

TEST_P(Gradients, AreExactForAllKindsOfCoefficients) {
    std::mt19937_64 random(2);
    // A jump's contrast inside one cell may switch its scheme; jumping problems keep clear of the
    // switch here because their steps lie between cells or are mild.
    for (Kind kind : {Kind::smooth, Kind::kinked, Kind::jumping, Kind::deep, Kind::constant}) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            GradientCase c = gradient_case(kind, GetParam(), random);
            c.options.edge = 7;
            expect_exact(c, "kind");
        }
    }
}

TEST_P(Gradients, AreExactAtEveryEdge) {
    std::mt19937_64 random(3);
    GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
    for (std::size_t edge = 1; edge < c.cells.cells; ++edge) {
        c.options.edge = edge;
        expect_exact(c, "edge");
    }
}

TEST_P(Gradients, PassThroughTheStartValueOfP) {
    std::mt19937_64 random(4);
    GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
    c.options.edge = 6;
    c.P_start = {1.3, 0.7};
    expect_exact(c, "P_start");
}

// A well on the left and a high barrier on the right: u at an edge inside the barrier is tiny, and
// so is its gradient. Following the adjoint the wrong way through the barrier would drown it.
TEST_P(Gradients, AreExactInsideABarrier) {
    std::mt19937_64 random(5);
    GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
    const std::size_t per = nodes_per_cell(GetParam());
    for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t k = 0; k < c.cells.cells * per; ++k) {
            const std::size_t at = b * c.cells.cells * per + k;
            if (k >= 5 * per) c.cells.q[at] += 4000.0;
        }
    }
    c.options.edge = 8;
    c.options.count = 2;
    std::fill(c.seed_lambda.begin(), c.seed_lambda.end(), 0.0);
    for (auto* x : {&c.v, &c.seed_lambda, &c.seed_u, &c.seed_f}) x->resize(4);
    expect_exact(c, "barrier");
}

// u beyond a barrier may be of any size that double holds; so may its gradient.
TEST_P(Gradients, StayFiniteWhereUIsHuge) {
    std::mt19937_64 random(9);
    OwnedCells c = random_cells(Kind::constant, 1, 40, GetParam(), random);
    for (std::size_t k = 0; k < c.q.size(); ++k) {
        c.P[k] = c.w[k] = 1.0;
        c.q[k] = k < c.q.size() / 2 ? 4e5 : 0.0;
    }
    CellOptions options;
    options.edge = 30;
    const std::vector<double> ones(options.count, 1.0);
    const CellSolution s = solve(c.view(), options);
    EXPECT_EQ(s.status[0], Status::ok);
    EXPECT_GT(std::fabs(s.u[0]), 1e100);
    const CellGradient g = gradient(c.view(), options, s, {{}, ones, ones});
    const std::vector<double> at_edges(options.count * 41, 1.0);
    const CellGradient all = gradient(c.view(), options, s, {{}, {}, {}, at_edges, at_edges});
    for (const auto* x : {&g.P, &g.q, &g.w, &g.length, &all.P, &all.q, &all.w, &all.length})
        for (double y : *x) EXPECT_TRUE(std::isfinite(y));
}

// Or so small that nothing is left of it, before the line ends.
TEST_P(Gradients, StayFiniteWhereUVanishes) {
    std::mt19937_64 random(10);
    OwnedCells c = random_cells(Kind::constant, 1, 40, GetParam(), random);
    for (std::size_t k = 0; k < c.q.size(); ++k) {
        c.P[k] = c.w[k] = 1.0;
        c.q[k] = k < c.q.size() / 2 ? 0.0 : 4e7;
    }
    CellOptions options;
    options.all_edges = true;
    const CellSolution s = solve(c.view(), options);
    EXPECT_EQ(s.status[0], Status::ok);
    EXPECT_EQ(s.u_edges[39], 0.0);
    const std::vector<double> ones(options.count * 41, 1.0);
    const CellGradient g = gradient(c.view(), options, s, {{}, {}, {}, ones, ones});
    for (const auto* x : {&g.P, &g.q, &g.w, &g.length})
        for (double y : *x) EXPECT_TRUE(std::isfinite(y));
    EXPECT_NE(g.q[0], 0.0);
}

TEST_P(Gradients, AreThoseOfEachProblemAlone) {
    std::mt19937_64 random(6);
    const OwnedCells batch = random_cells(Kind::kinked, 9, 16, GetParam(), random);
    CellOptions options;
    options.edge = 8;
    const std::vector<double> ones(9 * options.count, 1.0);
    const CellSolution s = solve(batch.view(), options);
    const std::vector<double> at_edges(17 * ones.size(), 0.1);
    const CellGradient all =
        gradient(batch.view(), options, s, {ones, ones, {}, at_edges, at_edges});
    for (std::size_t b = 0; b < 9; ++b) {
        const OwnedCells alone = batch.only(b);
        const std::vector<double> few(options.count, 1.0), few_edges(17 * options.count, 0.1);
        const CellGradient g = gradient(alone.view(), options, solve(alone.view(), options),
                                        {few, few, {}, few_edges, few_edges});
        const std::size_t per = 16 * nodes_per_cell(GetParam());
        for (std::size_t k = 0; k < per; ++k) {
            EXPECT_EQ(g.P[k], all.P[b * per + k]);
            EXPECT_EQ(g.q[k], all.q[b * per + k]);
            EXPECT_EQ(g.w[k], all.w[b * per + k]);
        }
    }
}

TEST_P(Gradients, LeaveOutWhatFailed) {
    std::mt19937_64 random(7);
    OwnedCells batch = random_cells(Kind::smooth, 3, 8, GetParam(), random);
    batch.w[8 * nodes_per_cell(GetParam())] = -1.0;  // the second problem is no problem
    CellOptions options;
    options.edge = 4;
    const std::vector<double> ones(3 * options.count, 1.0);
    const CellSolution s = solve(batch.view(), options);
    EXPECT_EQ(s.status[options.count], Status::not_positive);
    const CellGradient g = gradient(batch.view(), options, s, {ones, ones, ones});
    const std::size_t per = 8 * nodes_per_cell(GetParam());
    for (std::size_t k = 0; k < 3 * per; ++k) {
        EXPECT_TRUE(std::isfinite(g.q[k]));
        EXPECT_EQ(g.q[k] == 0.0, k / per == 1);
    }
}

// Hellmann and Feynman: adding c to q / w adds c to every eigenvalue, and scaling w divides them.
TEST_P(Gradients, ObeyTheScalingLaws) {
    std::mt19937_64 random(8);
    const OwnedCells c = random_cells(Kind::smooth, 1, 20, GetParam(), random);
    CellOptions options;
    options.count = 1;
    options.first = 4;
    const std::vector<double> one{1.0};
    const CellSolution s = solve(c.view(), options);
    const CellGradient g = gradient(c.view(), options, s, {one, {}, {}});
    double by_shift = 0.0, by_w = 0.0, by_q = 0.0, by_P = 0.0;
    for (std::size_t k = 0; k < c.q.size(); ++k) {
        by_shift += g.q[k] * c.w[k];
        by_q += g.q[k] * c.q[k];
        by_w += g.w[k] * c.w[k];
        by_P += g.P[k] * c.P[k];
    }
    EXPECT_NEAR(by_shift, 1.0, 1e-11);
    EXPECT_NEAR(by_w, -s.lambda[0], 1e-10 * std::fabs(s.lambda[0]));
    EXPECT_NEAR(by_q - by_P, s.lambda[0], 1e-10 * std::fabs(s.lambda[0]));
}

INSTANTIATE_TEST_SUITE_P(Schemes, Gradients, ::testing::Values(Scheme::midpoint, Scheme::magnus4),
                         [](const auto& given) {
                             return given.param == Scheme::midpoint ? "midpoint" : "magnus4";
                         });

}  // namespace
}  // namespace deepsl::sturm
