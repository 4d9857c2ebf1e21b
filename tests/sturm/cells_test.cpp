// Problems on cells: closed forms, convergence, independence of the batch, start conditions,
// warm starts, and every status.
#include "deepsl/sturm/cells.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "discretise.h"
#include "random_cells.h"
#include "reference.h"

namespace deepsl::sturm {
namespace {

using testing::Kind;
using testing::OwnedCells;
using testing::random_cells;

constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double square(double x) { return x * x; }

template <typename P, typename Q, typename W>
OwnedCells sample(P p_inverse, Q q, W w, double a, double b, std::size_t cells, Scheme scheme) {
    OwnedCells c{1, cells, scheme, {}, {}, {}, {}, {}, {}};
    const double h = (b - a) / static_cast<double>(cells);
    for (std::size_t k = 0; k < cells; ++k) {
        c.length.push_back(h);
        for (double node : nodes(scheme)) {
            const double t = a + h * (static_cast<double>(k) + node);
            c.P.push_back(p_inverse(t));
            c.q.push_back(q(t));
            c.w.push_back(w(t));
        }
    }
    return c;
}

OwnedCells constant(double P, double q, double w, double length, std::size_t cells, Scheme scheme) {
    const auto value = [](double x) { return [x](double) { return x; }; };
    return sample(value(P), value(q), value(w), 0.0, length, cells, scheme);
}

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
        EXPECT_NEAR(two, 2.0, 0.1) << "n = " << n;
        EXPECT_NEAR(four, 4.0, 0.2) << "n = " << n;
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

// Two equal wells: the lower the gap between the pair, the steeper the angle rises around it.
TEST_P(Cells, TellTheTwoStatesOfADoubleWellApart) {
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
                EXPECT_NEAR(s.lambda[i], static_cast<double>(truth), 1e-12 * depth)
                    << "depth " << depth << ", n = " << i + 1 << " of " << count;
            }
        }
    }
}

TEST_P(Cells, TakeAnyNonsenseForAWarmStart) {
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

TEST_P(Cells, TakeDifferentNonsenseForEachIndex) {
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

TEST_P(Cells, EndInTimeWhateverTheContrast) {
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

TEST_P(Cells, SurviveABarrierThatOverflowsOneSidedShooting) {
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

TEST_P(Cells, ReportWhatIsWrongWithEachProblem) {
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

TEST_P(Cells, ReportTooFewPassesAndOverflow) {
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
        } catch (const InputError& e) {
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
    EXPECT_THROW(solve(c.view(), o, 0, 1, other), InputError);
    CellGradient small;
    EXPECT_THROW(gradient(c.view(), {}, other, {}, 0, 1, small), InputError);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Cells, ::testing::Values(Scheme::midpoint, Scheme::magnus4),
                         [](const auto& given) {
                             return given.param == Scheme::midpoint ? "midpoint" : "magnus4";
                         });

}  // namespace
}  // namespace deepsl::sturm
