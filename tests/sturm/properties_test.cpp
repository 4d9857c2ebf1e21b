// What must hold for every Sturm-Liouville problem, tried on thousands of random ones. Since the
// discrete problem is an exact Sturm-Liouville problem itself, all of it holds to rounding, on any
// number of cells.
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "discretise.h"
#include "line.h"
#include "random_cells.h"
#include "reference.h"

namespace deepsl::sturm {
namespace {

using testing::Kind;
using testing::OwnedCells;
using testing::random_cells;

constexpr double pi = std::numbers::pi;
constexpr std::size_t batch = 12;  // problems a trial; RapidCheck makes hundreds of trials

struct Trial {
    OwnedCells cells;
    CellOptions options;
    CellSolution solution;
};

Trial any_trial() {
    const Kind kind = *rc::gen::elementOf(
        std::vector<Kind>(std::begin(testing::all_kinds), std::end(testing::all_kinds)));
    const auto scheme = *rc::gen::element(Scheme::midpoint, Scheme::magnus4);
    const auto count = *rc::gen::inRange<std::size_t>(1, 60);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
    Trial t{random_cells(kind, batch, count, scheme, random), {}, {}};
    t.cells.left = *rc::gen::elementOf(testing::all_conditions());
    t.cells.right = *rc::gen::elementOf(testing::all_conditions());
    t.options.all_edges = true;
    t.options.count = *rc::gen::inRange<std::size_t>(2, 11);
    t.options.edge = *rc::gen::inRange<std::size_t>(0, count + 1);
    t.solution = solve(t.cells.view(), t.options);
    return t;
}

// Every edge of every piece as an edge of its own cell, so that tests see the whole function: a
// piece of length h with P, q, w is a midpoint cell.
OwnedCells as_midpoint_cells(const OwnedCells& c, std::size_t b) {
    detail::Line line;
    RC_ASSERT(detail::make_line(c.view(), b, line) == Status::ok);
    OwnedCells m{1, 0, Scheme::midpoint, {}, {}, {}, {}, c.left, c.right};
    // Enough parts that no zero hides between two edges; an even number, for Simpson's rule.
    const std::size_t parts = 8 + 2 * (64 / line.pieces.size());
    const double h = 1.0 / static_cast<double>(parts);
    for (std::size_t k = 0; k < line.pieces.size(); ++k) {
        for (std::size_t j = 0; j < parts; ++j) {
            m.P.push_back(line.pieces.a[k]);
            m.q.push_back(line.pieces.g0[k]);
            m.w.push_back(line.pieces.g1[k]);
            m.length.push_back(h);
        }
    }
    m.cells = m.P.size();
    return m;
}

RC_GTEST_PROP(Property, EigenvaluesAreStrictlyOrderedAndAllOk, ()) {
    const Trial t = any_trial();
    for (std::size_t at = 0; at < t.solution.lambda.size(); ++at) {
        RC_ASSERT(t.solution.status[at] == Status::ok);
        RC_ASSERT(std::isfinite(t.solution.lambda[at]));
        if (at % t.options.count != 0) {
            RC_ASSERT(t.solution.lambda[at] > t.solution.lambda[at - 1]);
        }
    }
}

// Against shooting and bisection in long double: the value, and so the index.
RC_GTEST_PROP(Property, EigenvaluesAgreeWithASlowReference, ()) {
    const Trial t = any_trial();
    const std::size_t b = *rc::gen::inRange<std::size_t>(0, batch);
    detail::Line line;
    RC_ASSERT(detail::make_line(t.cells.view(), b, line) == Status::ok);
    double size_q = 0.0;
    for (std::size_t k = 0; k < line.pieces.size(); ++k)
        size_q = std::max(size_q, std::fabs(line.pieces.g0[k] / line.pieces.g1[k]));
    for (std::size_t i = 0; i < t.options.count; ++i) {
        const double lambda = t.solution.lambda[b * t.options.count + i];
        const double allowed = 2e-12 * (std::fabs(lambda) + size_q);
        RC_ASSERT(testing::slow_count_below(line, lambda - allowed) <= i);
        RC_ASSERT(testing::slow_count_below(line, lambda + allowed) >= i + 1);
    }
}

RC_GTEST_PROP(Property, TheNthFunctionHasNMinusOneZeros, ()) {
    const Trial t = any_trial();
    const std::size_t b = *rc::gen::inRange<std::size_t>(0, batch);
    const OwnedCells fine = as_midpoint_cells(t.cells, b);
    const CellSolution s = solve(
        fine.view(), t.options.edge == 0 ? t.options : [&] {
            CellOptions o = t.options;
            o.edge = 0;
            return o;
        }());
    for (std::size_t i = 0; i < t.options.count; ++i) {
        if (s.status[i] == Status::overflow) continue;
        const double gap = i > 0 ? s.lambda[i] - s.lambda[i - 1] : 1.0;
        const double next = i + 1 < t.options.count ? s.lambda[i + 1] - s.lambda[i] : 1.0;
        if (std::min(gap, next) < 1e-9 * (1.0 + std::fabs(s.lambda[i]))) continue;
        std::size_t changes = 0;
        const double* u = &s.u_edges[i * (fine.cells + 1)];
        for (std::size_t k = 0; k + 1 < fine.cells; ++k) {
            const bool from_start = k == 0 && t.cells.left.is_dirichlet();
            if (!from_start && u[k] * u[k + 1] < 0.0) ++changes;
        }
        if (!t.cells.right.is_dirichlet() && u[fine.cells - 1] * u[fine.cells] < 0.0) ++changes;
        RC_ASSERT(changes == i);
    }
}

RC_GTEST_PROP(Property, BothBoundaryConditionsAreMet, ()) {
    const Trial t = any_trial();
    const std::size_t edges = t.cells.cells + 1;
    for (std::size_t at = 0; at < t.solution.lambda.size(); ++at) {
        const double* u = &t.solution.u_edges[at * edges];
        const double* f = &t.solution.f_edges[at * edges];
        const auto miss = [](const BoundaryCondition& c, double x, double y) {
            return std::fabs(c.alpha1 * x + c.alpha2 * y) /
                   (std::hypot(c.alpha1, c.alpha2) * std::hypot(x, y));
        };
        // A function may outgrow the range of double, which has a status, or die out to zero.
        if (t.solution.status[at] == Status::overflow) continue;
        RC_ASSERT(t.solution.status[at] == Status::ok);
        RC_ASSERT(std::isfinite(u[edges - 1]) && std::isfinite(f[edges - 1]));
        RC_ASSERT(miss(t.cells.left, u[0], f[0]) < 1e-9);
        if (u[edges - 1] == 0.0 && f[edges - 1] == 0.0) continue;
        RC_ASSERT(miss(t.cells.right, u[edges - 1], f[edges - 1]) < 1e-9);
    }
}

// The integral of w u_i u_j over a piece has the closed form [u_i f_j - f_i u_j] / (l_i - l_j), so
// its sum over the line vanishes exactly when both conditions are met. Tested by quadrature
// instead, which knows nothing of that: Simpson's rule on many parts of each piece.
RC_GTEST_PROP(Property, FunctionsAreOrthogonal, ()) {
    const Trial t = any_trial();
    const std::size_t b = *rc::gen::inRange<std::size_t>(0, batch);
    const OwnedCells fine = as_midpoint_cells(t.cells, b);
    CellOptions o = t.options;
    o.edge = 0;
    const CellSolution s = solve(fine.view(), o);
    const std::size_t edges = fine.cells + 1;
    const auto inner = [&](std::size_t i, std::size_t j) {
        const double* x = &s.u_edges[i * edges];
        const double* y = &s.u_edges[j * edges];
        double sum = 0.0;
        for (std::size_t k = 0; k < fine.cells; k += 2) {
            sum += fine.w[k] * fine.length[k] / 3.0 *
                   (x[k] * y[k] + 4.0 * x[k + 1] * y[k + 1] + x[k + 2] * y[k + 2]);
        }
        return sum;
    };
    for (std::size_t i = 0; i < o.count; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (s.status[i] != Status::ok || s.status[j] != Status::ok) continue;
            if (s.lambda[i] - s.lambda[j] < 1e-6 * (1.0 + std::fabs(s.lambda[i]))) continue;
            // Where a part spans a large phase or growth, Simpson's rule itself is off.
            double steepest = 0.0;
            for (std::size_t k = 0; k < fine.cells; ++k) {
                const double size = std::max(std::fabs(s.lambda[i]), std::fabs(s.lambda[j]));
                const double g = std::fabs(fine.q[k]) + size * fine.w[k];
                steepest = std::max(steepest, fine.P[k] * g * fine.length[k] * fine.length[k]);
            }
            if (steepest > 0.05) continue;
            RC_ASSERT(std::fabs(inner(i, j)) <
                      std::sqrt(inner(i, i) * inner(j, j)) * (5.0 * steepest * steepest + 1e-7));
        }
    }
}

RC_GTEST_PROP(Property, ScalingLawsHold, ()) {
    const Trial t = any_trial();
    const double c = std::exp2(*rc::gen::inRange(-3, 4));
    const double shift = *rc::gen::inRange(-50, 50);
    OwnedCells scaled = t.cells, shifted = t.cells, reflected = t.cells;
    for (double& w : scaled.w) w *= c;
    for (std::size_t k = 0; k < shifted.q.size(); ++k) shifted.q[k] += shift * shifted.w[k];
    for (std::size_t b = 0; b < batch; ++b) {
        const auto turn = [&](std::vector<double>& x, std::size_t per) {
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>(b * per);
            std::reverse(begin, begin + static_cast<std::ptrdiff_t>(per));
        };
        const std::size_t per = t.cells.cells * nodes_per_cell(t.cells.scheme);
        for (auto* x : {&reflected.P, &reflected.q, &reflected.w}) turn(*x, per);
        turn(reflected.length, t.cells.cells);
    }
    std::swap(reflected.left, reflected.right);
    reflected.left.alpha2 *= -1.0;  // p u' changes its sign
    reflected.right.alpha2 *= -1.0;
    const CellSolution s1 = solve(scaled.view(), t.options);
    const CellSolution s2 = solve(shifted.view(), t.options);
    const CellSolution s3 = solve(reflected.view(), t.options);
    for (std::size_t at = 0; at < t.solution.lambda.size(); ++at) {
        const double lambda = t.solution.lambda[at];
        // Rounding is relative to |lambda| and to |q/w|, whichever is larger.
        const double size = 1e-12 * (std::fabs(lambda) + std::fabs(shift) + 3e4);
        RC_ASSERT(std::fabs(s1.lambda[at] * c - lambda) < size);
        RC_ASSERT(std::fabs(s2.lambda[at] - shift - lambda) < size);
        RC_ASSERT(std::fabs(s3.lambda[at] - lambda) < size);
    }
}

RC_GTEST_PROP(Property, DirichletEigenvaluesLieWithinTheirBounds, ()) {
    Trial t = any_trial();
    t.cells.left = t.cells.right = BoundaryCondition::dirichlet();
    t.solution = solve(t.cells.view(), t.options);
    for (std::size_t b = 0; b < batch; ++b) {
        detail::Line line;
        RC_ASSERT(detail::make_line(t.cells.view(), b, line) == Status::ok);
        double S = 0.0, min_pw = 1e300, max_pw = 0.0, min_qw = 1e300, max_qw = -1e300;
        for (std::size_t k = 0; k < line.pieces.size(); ++k) {
            const detail::Piece c = line.pieces[k];
            S += c.a;
            min_pw = std::min(min_pw, c.g1 / c.a);
            max_pw = std::max(max_pw, c.g1 / c.a);
            min_qw = std::min(min_qw, c.g0 / c.g1);
            max_qw = std::max(max_qw, c.g0 / c.g1);
        }
        for (std::size_t i = 0; i < t.options.count; ++i) {
            const double wave = static_cast<double>(i + 1) * pi / S;
            const double lambda = t.solution.lambda[b * t.options.count + i];
            const double slack =
                1e-10 * (std::fabs(lambda) + std::fabs(max_qw) + std::fabs(min_qw));
            RC_ASSERT(lambda >= wave * wave / max_pw + min_qw - slack);
            RC_ASSERT(lambda <= wave * wave / min_pw + max_qw + slack);
        }
    }
}

RC_GTEST_PROP(Property, AProblemAloneGivesTheSameBits, ()) {
    const Trial t = any_trial();
    const std::size_t b = *rc::gen::inRange<std::size_t>(0, batch);
    const CellSolution one = solve(t.cells.only(b).view(), t.options);
    for (std::size_t i = 0; i < t.options.count; ++i) {
        const std::size_t at = b * t.options.count + i;
        RC_ASSERT(one.lambda[i] == t.solution.lambda[at]);
        RC_ASSERT(one.u[i] == t.solution.u[at]);
        RC_ASSERT(one.f[i] == t.solution.f[at]);
    }
}

// Eigenvalues of two Dirichlet problems interlace with those of the whole: cutting a line in two
// by a Dirichlet condition raises every eigenvalue, by less than one index.
RC_GTEST_PROP(Property, CuttingALineInTwoInterlaces, ()) {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
    const auto cells = *rc::gen::inRange<std::size_t>(2, 40);
    const auto cut = *rc::gen::inRange<std::size_t>(1, cells);
    const OwnedCells whole = random_cells(Kind::kinked, 1, cells, Scheme::midpoint, random);
    const auto part = [&](std::size_t from, std::size_t to) {
        const auto slice = [&](const std::vector<double>& x) {
            return std::vector<double>(x.begin() + static_cast<std::ptrdiff_t>(from),
                                       x.begin() + static_cast<std::ptrdiff_t>(to));
        };
        return OwnedCells{1,
                          to - from,
                          Scheme::midpoint,
                          slice(whole.P),
                          slice(whole.q),
                          slice(whole.w),
                          slice(whole.length),
                          {},
                          {}};
    };
    CellOptions o;
    o.count = 9;
    const CellSolution all = solve(whole.view(), o);
    std::vector<double> both = solve(part(0, cut).view(), o).lambda;
    for (double x : solve(part(cut, cells).view(), o).lambda) both.push_back(x);
    std::sort(both.begin(), both.end());
    for (std::size_t i = 0; i + 1 < o.count; ++i) {
        const double slack = 1e-10 * (100.0 + std::fabs(both[i]));
        RC_ASSERT(both[i] >= all.lambda[i] - slack);
        RC_ASSERT(both[i] <= all.lambda[i + 1] + slack);
    }
}

}  // namespace
}  // namespace deepsl::sturm
