// Gradients of u and p u' at all edges at once: against central differences, against those of one
// edge after the other, and against a closed form.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "gradient_case.h"
#include "random_cells.h"

namespace deepsl::sturm {
namespace {

using testing::expect_exact;
using testing::gradient_case;
using testing::gradient_count;
using testing::GradientCase;
using testing::Kind;
using testing::OwnedCells;

class EdgeGradients : public ::testing::TestWithParam<Scheme> {};

TEST_P(EdgeGradients, AreExactForAllBoundaryConditions) {
    std::mt19937_64 random(11);
    for (const BoundaryCondition& left : testing::all_conditions()) {
        for (const BoundaryCondition& right : testing::all_conditions()) {
            GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
            c.cells.left = left;
            c.cells.right = right;
            c.options.edge = 5;  // has its own seeds, too
            c.options.first = 3;
            c.seed_edges(0, random);
            expect_exact(c, "boundary conditions");
        }
    }
}

TEST_P(EdgeGradients, AreExactForAllKindsOfCoefficients) {
    std::mt19937_64 random(12);
    for (Kind kind : {Kind::smooth, Kind::kinked, Kind::jumping, Kind::deep, Kind::constant}) {
        GradientCase c = gradient_case(kind, GetParam(), random);
        c.P_start = {1.3, 0.7};
        c.seed_edges(0, random);
        expect_exact(c, "kind");
        c.forget_one_edge();
        expect_exact(c, "kind, without other seeds");
    }
}

// A barrier on the right or on the left: seeds inside it alone, and everywhere.
TEST_P(EdgeGradients, AreExactInsideABarrier) {
    std::mt19937_64 random(13);
    for (const bool on_the_right : {true, false}) {
        for (const std::size_t first : std::initializer_list<std::size_t>{0, 8}) {
            GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
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
TEST_P(EdgeGradients, AreTheSumOfThoseOfEachEdge) {
    std::mt19937_64 random(14);
    for (const double barrier : {0.0, 3e4, 1e5}) {
        GradientCase c = gradient_case(Kind::smooth, GetParam(), random);
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
        GradientCase one = c;
        one.seed_u_edges = one.seed_f_edges = {};
        for (std::size_t edge = 0; edge < edges; ++edge) {
            one.options.edge = edge;
            for (std::size_t i = 0; i < 2 * gradient_count; ++i) {
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

TEST_P(EdgeGradients, TakeASeedAtTheEdgeEitherWay) {
    std::mt19937_64 random(15);
    for (Kind kind : testing::all_kinds) {
        GradientCase c = gradient_case(kind, GetParam(), random);
        const std::size_t edges = c.cells.cells + 1;
        for (std::size_t edge = 0; edge < edges; ++edge) {
            c.options.edge = edge;
            const CellProblems p = c.cells.view();
            const CellSolution s = solve(p, c.current());
            std::vector<double> u_edges(2 * gradient_count * edges),
                f_edges(2 * gradient_count * edges);
            for (std::size_t i = 0; i < 2 * gradient_count; ++i) {
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
TEST_P(EdgeGradients, OfTheNormAreThoseOfTheClosedForm) {
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

INSTANTIATE_TEST_SUITE_P(Schemes, EdgeGradients,
                         ::testing::Values(Scheme::midpoint, Scheme::magnus4),
                         [](const auto& given) {
                             return given.param == Scheme::midpoint ? "midpoint" : "magnus4";
                         });

}  // namespace
}  // namespace deepsl::sturm
