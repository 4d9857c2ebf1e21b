// Gradients of eigenvalues and of u, p u' at one edge or all against central differences.
#include <cmath>
#include <functional>
#include <numbers>
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
    std::vector<double> seed_lambda, seed_u, seed_f, seed_u_edges, seed_f_edges;

    CellOptions current() const {
        CellOptions o = options;
        o.v = v;
        o.P_start = P_start;
        o.all_edges = !seed_u_edges.empty();
        return o;
    }
    double loss() const {
        const CellSolution s = solve(cells.view(), current());
        double sum = 0.0;
        for (std::size_t i = 0; i < s.lambda.size(); ++i) {
            EXPECT_EQ(s.status[i], Status::ok);
            sum += seed_lambda[i] * s.lambda[i] + seed_u[i] * s.u[i] + seed_f[i] * s.f[i];
        }
        for (std::size_t i = 0; i < seed_u_edges.size(); ++i)
            sum += seed_u_edges[i] * s.u_edges[i] + seed_f_edges[i] * s.f_edges[i];
        return sum;
    }
    CellGradient gradient_of_loss() const {
        const CellProblems p = cells.view();
        return gradient(p, current(), solve(p, current()),
                        {seed_lambda, seed_u, seed_f, seed_u_edges, seed_f_edges});
    }
    // Random seeds at all edges from `begin` on.
    void seed_edges(std::size_t begin, std::mt19937_64& random) {
        std::normal_distribution<double> normal;
        const std::size_t edges = cells.cells + 1;
        for (auto* x : {&seed_u_edges, &seed_f_edges}) {
            x->resize(2 * options.count * edges);
            for (std::size_t i = 0; i < x->size(); ++i)
                (*x)[i] = i % edges < begin ? 0.0 : 30.0 * normal(random);
        }
    }
    void forget_one_edge() {
        for (auto* x : {&seed_lambda, &seed_u, &seed_f}) std::fill(x->begin(), x->end(), 0.0);
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

TEST_P(Gradients, OfAllEdgesAreExactForAllBoundaryConditions) {
    std::mt19937_64 random(11);
    for (const BoundaryCondition& left : testing::all_conditions()) {
        for (const BoundaryCondition& right : testing::all_conditions()) {
            Case c = make_case(Kind::smooth, GetParam(), random);
            c.cells.left = left;
            c.cells.right = right;
            c.options.edge = 5;  // has its own seeds, too
            c.options.first = 3;
            c.seed_edges(0, random);
            expect_exact(c, "boundary conditions");
        }
    }
}

TEST_P(Gradients, OfAllEdgesAreExactForAllKindsOfCoefficients) {
    std::mt19937_64 random(12);
    for (Kind kind : {Kind::smooth, Kind::kinked, Kind::jumping, Kind::deep, Kind::constant}) {
        Case c = make_case(kind, GetParam(), random);
        c.P_start = {1.3, 0.7};
        c.seed_edges(0, random);
        expect_exact(c, "kind");
        c.forget_one_edge();
        expect_exact(c, "kind, without other seeds");
    }
}

// A barrier on the right or on the left: seeds inside it alone, and everywhere.
TEST_P(Gradients, OfAllEdgesAreExactInsideABarrier) {
    std::mt19937_64 random(13);
    for (const bool on_the_right : {true, false}) {
        for (const std::size_t first : std::initializer_list<std::size_t>{0, 8}) {
            Case c = make_case(Kind::smooth, GetParam(), random);
            const std::size_t at_nodes = c.cells.q.size() / 2;
            for (std::size_t k = 0; k < 2 * at_nodes; ++k)
                if ((k % at_nodes >= at_nodes / 2) == on_the_right) c.cells.q[k] += 4000.0;
            c.options.count = 2;
            for (auto* x : {&c.v, &c.seed_lambda, &c.seed_u, &c.seed_f}) x->resize(4);
            c.forget_one_edge();
            c.seed_edges(first, random);
            expect_exact(c, on_the_right ? "barrier on the right" : "barrier on the left");
        }
    }
}

// Entry by entry: those of a function's far tail are tiny, and must not drown in the others'
// rounding.
TEST_P(Gradients, OfAllEdgesAreTheSumOfThoseOfEachEdge) {
    std::mt19937_64 random(14);
    for (const double barrier : {0.0, 3e4, 1e5}) {
        Case c = make_case(Kind::smooth, GetParam(), random);
        c.P_start = {1.3, 0.7};
        const std::size_t at_nodes = c.cells.q.size() / 2, edges = c.cells.cells + 1;
        for (std::size_t k = 0; k < 2 * at_nodes; ++k)  // the wells lie in the middle third
            if (k % at_nodes < at_nodes / 3 || k % at_nodes >= 2 * at_nodes / 3)
                c.cells.q[k] += barrier;
        c.forget_one_edge();
        c.seed_edges(0, random);
        const CellSolution s = solve(c.cells.view(), c.current());
        const auto arrays = [](const CellGradient& g) {
            return std::vector{g.P, g.q, g.w, g.v, g.P_start};
        };
        auto sum = arrays(make_gradient(c.cells.view(), c.current()));
        auto size = sum;
        Case one = c;
        one.seed_u_edges = one.seed_f_edges = {};
        for (std::size_t edge = 0; edge < edges; ++edge) {
            one.options.edge = edge;
            for (std::size_t i = 0; i < 2 * count; ++i) {
                one.seed_u[i] = c.seed_u_edges[i * edges + edge];
                one.seed_f[i] = c.seed_f_edges[i * edges + edge];
            }
            const auto part =
                arrays(gradient(c.cells.view(), one.current(), s, {{}, one.seed_u, one.seed_f}));
            for (std::size_t n = 0; n < part.size(); ++n) {
                for (std::size_t k = 0; k < part[n].size(); ++k) {
                    sum[n][k] += part[n][k];
                    size[n][k] += std::fabs(part[n][k]);
                }
            }
        }
        const auto got = arrays(
            gradient(c.cells.view(), c.current(), s, {{}, {}, {}, c.seed_u_edges, c.seed_f_edges}));
        for (std::size_t n = 0; n < got.size(); ++n)
            for (std::size_t k = 0; k < got[n].size(); ++k)
                EXPECT_NEAR(got[n][k], sum[n][k], 1e-9 * size[n][k]) << n << ", " << k;
    }
}

TEST_P(Gradients, TakeASeedAtTheEdgeEitherWay) {
    std::mt19937_64 random(15);
    for (Kind kind : testing::all_kinds) {
        Case c = make_case(kind, GetParam(), random);
        const std::size_t edges = c.cells.cells + 1;
        for (std::size_t edge = 0; edge < edges; ++edge) {
            c.options.edge = edge;
            const CellProblems p = c.cells.view();
            const CellSolution s = solve(p, c.current());
            std::vector<double> u_edges(2 * count * edges), f_edges(2 * count * edges);
            for (std::size_t i = 0; i < 2 * count; ++i) {
                u_edges[i * edges + edge] = c.seed_u[i];
                f_edges[i * edges + edge] = c.seed_f[i];
            }
            const CellGradient one = gradient(p, c.current(), s, {{}, c.seed_u, c.seed_f});
            const CellGradient all = gradient(p, c.current(), s, {{}, {}, {}, u_edges, f_edges});
            const auto expect_same = [](const std::vector<double>& x,
                                        const std::vector<double>& y) {
                double largest = 30.0;  // the seeds': by symmetry all of x may be zero
                for (double z : x) largest = std::max(largest, std::fabs(z));
                for (std::size_t k = 0; k < x.size(); ++k)
                    EXPECT_NEAR(x[k], y[k], 1e-12 * largest) << k;
            };
            expect_same(one.P, all.P);
            expect_same(one.q, all.q);
            expect_same(one.w, all.w);
            expect_same(one.length, all.length);
            expect_same(one.v, all.v);
        }
    }
}

// On [0, L] with constant coefficients and Dirichlet ends u = (P / P_start) v sin(k t) / k,
// k = n pi / L, and the trapezoidal rule is exact for N = integral of w u^2 =
// (P / P_start)^2 w v^2 L^3 / (2 n^2 pi^2).
TEST_P(Gradients, OfTheNormAreThoseOfTheClosedForm) {
    constexpr std::size_t n_cells = 10;
    constexpr double L = 1.7, h = L / n_cells, P = 2.5, w = 0.6, v = 1.4, P_start = 0.8;
    OwnedCells c{1, n_cells, GetParam(), {}, {}, {}, {}, {}, {}};
    c.length.assign(n_cells, h);
    const std::size_t at_nodes = n_cells * nodes_per_cell(GetParam());
    c.P.assign(at_nodes, P);
    c.q.assign(at_nodes, -3.0);
    c.w.assign(at_nodes, w);
    for (std::size_t n = 1; n < 7; ++n) {
        CellOptions o;
        o.first = n;
        o.count = 1;
        o.all_edges = true;
        const std::vector<double> start{P_start}, slope{v};
        o.P_start = start;
        o.v = slope;
        const CellSolution s = solve(c.view(), o);
        double N = 0.0;
        std::vector<double> seeds;
        for (double u : s.u_edges) {
            N += h * w * u * u;
            seeds.push_back(2.0 * h * w * u);
        }
        const double wave = static_cast<double>(n) * std::numbers::pi / L;
        const double amplitude = P / P_start * v / wave;
        EXPECT_NEAR(N, 0.5 * w * L * amplitude * amplitude, 1e-12 * N);
        const CellGradient g = gradient(c.view(), o, s, {{}, {}, {}, seeds, {}});
        const auto total = [](const std::vector<double>& x) {
            double sum = 0.0;
            for (double y : x) sum += y;
            return sum;
        };
        // Of dN/dL = 3 N / L, one third is that of the rule's own h; dN/dw is that of its own w.
        EXPECT_NEAR(total(g.length) / n_cells, 2.0 * N / L, 1e-11 * N / L);
        EXPECT_NEAR(total(g.w), 0.0, 1e-11 * N / w);
        EXPECT_NEAR(total(g.q), 0.0, 1e-11 * N);
        EXPECT_NEAR(total(g.P), 2.0 * N / P, 1e-11 * N / P);
        EXPECT_NEAR(g.P_start[0], -2.0 * N / P_start, 1e-11 * N / P_start);
        EXPECT_NEAR(g.v[0], 2.0 * N / v, 1e-11 * N / v);
    }
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
