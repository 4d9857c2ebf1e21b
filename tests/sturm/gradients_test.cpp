// Gradients of eigenvalues and of u, p u' at an edge against central differences.
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "random_cells.h"

namespace deepsl::sturm {
namespace {

using testing::Kind;
using testing::OwnedCells;
using testing::random_cells;

constexpr std::size_t count = 6;

struct Case {
    OwnedCells cells;
    CellOptions options;
    std::vector<double> v, P_start;
    std::vector<double> seed_lambda, seed_u, seed_f;

    CellOptions current() const {
        CellOptions o = options;
        o.v = v;
        o.P_start = P_start;
        return o;
    }
    double loss() const {
        const CellSolution s = solve(cells.view(), current());
        double sum = 0.0;
        for (std::size_t i = 0; i < s.lambda.size(); ++i) {
            EXPECT_EQ(s.status[i], Status::ok);
            sum += seed_lambda[i] * s.lambda[i] + seed_u[i] * s.u[i] + seed_f[i] * s.f[i];
        }
        return sum;
    }
    CellGradient gradient_of_loss() const {
        const CellProblems p = cells.view();
        return gradient(p, current(), solve(p, current()), {seed_lambda, seed_u, seed_f});
    }
};

Case make_case(Kind kind, Scheme scheme, std::mt19937_64& random) {
    Case c;
    c.cells = random_cells(kind, 2, 12, scheme, random);
    c.options.count = count;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < 2 * count; ++i) {
        c.v.push_back(0.5 + std::fabs(normal(random)));
        c.seed_lambda.push_back(normal(random));
        c.seed_u.push_back(30.0 * normal(random));
        c.seed_f.push_back(30.0 * normal(random));
    }
    return c;
}

// Central differences at two steps, extrapolated; the error relative to the array's largest entry.
double worst_relative_error(const Case& c, std::vector<double>& input,
                            const std::vector<double>& gradient) {
    EXPECT_EQ(input.size(), gradient.size());
    double largest = 0.0, worst = 0.0;
    for (std::size_t k = 0; k < input.size(); ++k) {
        const double x = input[k];
        const auto slope = [&](double step) {
            input[k] = x + step;
            const double up = c.loss();
            input[k] = x - step;
            const double down = c.loss();
            input[k] = x;
            return (up - down) / (2.0 * step);
        };
        const double step = 2e-3 * std::max(std::fabs(x), 1e-2);
        const double numeric = (4.0 * slope(0.5 * step) - slope(step)) / 3.0;
        largest = std::max(largest, std::fabs(numeric));
        worst = std::max(worst, std::fabs(numeric - gradient[k]));
    }
    return worst / largest;
}

void expect_exact(Case& c, const char* what) {
    const CellGradient g = c.gradient_of_loss();
    EXPECT_LE(worst_relative_error(c, c.cells.P, g.P), 1e-6) << what;
    EXPECT_LE(worst_relative_error(c, c.cells.q, g.q), 1e-6) << what;
    EXPECT_LE(worst_relative_error(c, c.cells.w, g.w), 1e-6) << what;
    EXPECT_LE(worst_relative_error(c, c.cells.length, g.length), 1e-6) << what;
    EXPECT_LE(worst_relative_error(c, c.v, g.v), 1e-6) << what;
    if (!c.P_start.empty()) {
        EXPECT_LE(worst_relative_error(c, c.P_start, g.P_start), 1e-6) << what;
    }
}

class Gradients : public ::testing::TestWithParam<Scheme> {};

TEST_P(Gradients, AreExactForAllBoundaryConditions) {
    std::mt19937_64 random(1);
    for (const BoundaryCondition& left : testing::all_conditions()) {
        for (const BoundaryCondition& right : testing::all_conditions()) {
            Case c = make_case(Kind::smooth, GetParam(), random);
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
            Case c = make_case(kind, GetParam(), random);
            c.options.edge = 7;
            expect_exact(c, "kind");
        }
    }
}

TEST_P(Gradients, AreExactAtEveryEdge) {
    std::mt19937_64 random(3);
    Case c = make_case(Kind::smooth, GetParam(), random);
    for (std::size_t edge = 1; edge < c.cells.cells; ++edge) {
        c.options.edge = edge;
        expect_exact(c, "edge");
    }
}

TEST_P(Gradients, PassThroughTheStartValueOfP) {
    std::mt19937_64 random(4);
    Case c = make_case(Kind::smooth, GetParam(), random);
    c.options.edge = 6;
    c.P_start = {1.3, 0.7};
    expect_exact(c, "P_start");
}

// A well on the left and a high barrier on the right: u at an edge inside the barrier is tiny, and
// so is its gradient. Following the adjoint the wrong way through the barrier would drown it.
TEST_P(Gradients, AreExactInsideABarrier) {
    std::mt19937_64 random(5);
    Case c = make_case(Kind::smooth, GetParam(), random);
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
    for (const auto* x : {&g.P, &g.q, &g.w, &g.length})
        for (double y : *x) EXPECT_TRUE(std::isfinite(y));
}

TEST_P(Gradients, AreThoseOfEachProblemAlone) {
    std::mt19937_64 random(6);
    const OwnedCells batch = random_cells(Kind::kinked, 9, 16, GetParam(), random);
    CellOptions options;
    options.edge = 8;
    const std::vector<double> ones(9 * options.count, 1.0);
    const CellSolution s = solve(batch.view(), options);
    const CellGradient all = gradient(batch.view(), options, s, {ones, ones, {}});
    for (std::size_t b = 0; b < 9; ++b) {
        const OwnedCells alone = batch.only(b);
        const std::vector<double> few(options.count, 1.0);
        const CellGradient g =
            gradient(alone.view(), options, solve(alone.view(), options), {few, few, {}});
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
