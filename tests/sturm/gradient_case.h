// A problem of random cells with a random loss of all that is solved for, whose gradient is
// compared with central differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "random_cells.h"

namespace deepsl::sturm::testing {

/// Eigenvalues of each problem.
inline constexpr std::size_t gradient_count = 6;

struct GradientCase {
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
    /// Random seeds at all edges from `begin` on.
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

inline GradientCase gradient_case(Kind kind, Scheme scheme, std::mt19937_64& random) {
    GradientCase c;
    c.cells = random_cells(kind, 2, 12, scheme, random);
    c.options.count = gradient_count;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < 2 * gradient_count; ++i) {
        c.v.push_back(0.5 + std::fabs(normal(random)));
        c.seed_lambda.push_back(normal(random));
        c.seed_u.push_back(30.0 * normal(random));
        c.seed_f.push_back(30.0 * normal(random));
    }
    return c;
}

/// Central differences at two steps, extrapolated; the error relative to the array's largest entry.
inline double worst_relative_error(const GradientCase& c, std::vector<double>& input,
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

inline void expect_exact(GradientCase& c, const char* what) {
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

}  // namespace deepsl::sturm::testing
