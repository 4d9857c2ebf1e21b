// Problems given by functions: jumps and kinks that nobody announced, high indices, ranges, honest
// estimates, and one clear sentence for everything that is no problem.
#include "deepsl/sturm/solver.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "random_cells.h"

namespace deepsl::sturm {
namespace {

constexpr double pi = std::numbers::pi;
constexpr BoundaryCondition dirichlet = BoundaryCondition::dirichlet();

double one(double) { return 1.0; }
double zero(double) { return 0.0; }

Problem fourier() { return {one, zero, one, 0.0, pi, dirichlet, dirichlet, {}}; }

// u'' + lambda w u = 0 with w = 1 left of c and 4 right of it: sin(k c) cos(2k(1-c)) +
// cos(k c) sin(2k(1-c)) / 2 = 0 at k = sqrt(lambda).
double string_equation(double lambda, double c) {
    const double k = std::sqrt(lambda);
    return std::sin(k * c) * std::cos(2 * k * (1 - c)) +
           0.5 * std::cos(k * c) * std::sin(2 * k * (1 - c));
}

TEST(Solver, FindsJumpsThatNobodyAnnounced) {
    for (double c : {0.5, 1.0 / 3.0, 0.37, 0.123456789, 0.9999, 1e-3, 0.70710678}) {
        Problem p{one,       zero, [c](double t) { return t > c ? 4.0 : 1.0; }, 0.0, 1.0, dirichlet,
                  dirichlet, {}};
        const Solution blind = solve(p, Indices{1, 10});
        p.breaks = {c};
        const Solution told = solve(p, Indices{1, 10});
        for (std::size_t i = 0; i < 10; ++i) {
            EXPECT_EQ(blind.pairs[i].status, Status::ok);
            EXPECT_NEAR(string_equation(told.pairs[i].lambda, c), 0.0, 1e-11);
            EXPECT_NEAR(blind.pairs[i].lambda, told.pairs[i].lambda, 1e-9 * told.pairs[i].lambda);
            EXPECT_LE(std::fabs(blind.pairs[i].lambda - told.pairs[i].lambda),
                      10 * blind.pairs[i].error_estimate);
        }
        EXPECT_LT(told.evaluations, blind.evaluations + 100);
    }
}

TEST(Solver, TellsHowFarItIs) {
    struct Told {
        std::size_t done, count;
    };
    const Problem smooth = fourier();
    // A kink between the edges of the mesh, which takes more meshes.
    const Problem kinked{one,       [](double t) { return 1e4 * std::fabs(t - 0.7123); },
                         one,       0.0,
                         pi,        dirichlet,
                         dirichlet, {}};
    for (const Problem* problem : {&smooth, &kinked}) {
        std::vector<Told> told;
        SolveOptions options;
        options.progress = [&](std::size_t done, std::size_t count) {
            told.push_back({done, count});
        };
        const auto watched = solve(*problem, Indices{3, 100}, options);
        ASSERT_GT(told.size(), 50u);
        EXPECT_EQ(told.back().done, 100u);
        std::size_t steps = 0;
        for (std::size_t i = 0; i < told.size(); ++i) {
            EXPECT_EQ(told[i].count, 100u);
            if (i == 0) continue;
            EXPECT_GE(told[i].done, told[i - 1].done);
            if (told[i].done > told[i - 1].done) ++steps;
        }
        EXPECT_GT(steps, 15u) << "it comes in small steps";
        EXPECT_LT(told.front().done, 20u);
        // Watching changes nothing.
        const auto alone = solve(*problem, Indices{3, 100});
        for (std::size_t i = 0; i < 100; ++i)
            EXPECT_EQ(watched.pairs[i].lambda, alone.pairs[i].lambda);

        told.clear();
        const auto in_range = solve(*problem, Range{50.0, 5000.0}, options);
        EXPECT_EQ(told.back().done, told.back().count);
        EXPECT_GE(told.back().count, in_range.pairs.size());
    }
}

TEST(Solver, IsEndedByWhatItsProgressThrows) {
    struct Enough {};
    std::size_t calls = 0;
    SolveOptions options;
    options.progress = [&](std::size_t, std::size_t) {
        if (++calls == 5) throw Enough();
    };
    EXPECT_THROW(solve(fourier(), Indices{1, 50}, options), Enough);
    EXPECT_EQ(calls, 5u);
}

TEST(Solver, FollowsWSharplyVaryingCoefficientsToHighIndices) {
    const Problem euler{one,       zero, [](double t) { return 1 / ((1 + t) * (1 + t)); },
                        0.0,       1.0,  dirichlet,
                        dirichlet, {}};
    for (const std::size_t first : std::initializer_list<std::size_t>{50, 500}) {
        const Solution s = solve(euler, Indices{first, 3});
        for (const Eigenpair& p : s.pairs) {
            const double truth =
                0.25 + std::pow(static_cast<double>(p.index) * pi / std::log(2.0), 2);
            EXPECT_EQ(p.status, Status::ok);
            EXPECT_NEAR(p.lambda, truth, 1e-10 * truth);
        }
    }
}

TEST(Solver, KeepsItsAccuracyAtHighIndicesWhenOnlyQVaries) {
    // lambda_n -> n^2 + mean of q; the next term falls like 1 / n^2.
    const Problem paine{
        one, [](double t) { return std::exp(t); }, one, 0.0, pi, dirichlet, dirichlet, {}};
    const Solution s = solve(paine, Indices{2000, 1});
    const double mean = (std::exp(pi) - 1.0) / pi;
    EXPECT_NEAR(s.pairs[0].lambda - 4e6, mean, 1e-4);
    EXPECT_LT(s.cells, 500U);
}

TEST(Solver, FindsWhatLiesInARange) {
    const auto indices = [](const Solution& s) {
        std::vector<std::size_t> n;
        for (const Eigenpair& p : s.pairs) n.push_back(p.index);
        return n;
    };
    using List = std::vector<std::size_t>;
    EXPECT_EQ(indices(solve(fourier(), Range{0.5, 30.0})), (List{1, 2, 3, 4, 5}));
    EXPECT_EQ(indices(solve(fourier(), Range{4.0, 9.0})), (List{2, 3}));
    EXPECT_EQ(indices(solve(fourier(), Range{4.0, 4.0})), (List{2}));
    EXPECT_EQ(indices(solve(fourier(), Range{4.5, 8.5})), List{});
    EXPECT_EQ(indices(solve(fourier(), Range{-10.0, 0.5})), List{});
    EXPECT_EQ(indices(solve(fourier(), Range{9990.0, 10210.0})), (List{100, 101}));
    EXPECT_THROW(solve(fourier(), Range{2.0, 1.0}), Error);
    EXPECT_THROW(solve(fourier(), Range{0.0, 1e12}), Error);
    // Where the first mesh miscounts: w varies by e^12.
    const Problem steep{[](double t) { return std::exp(6 * t); },
                        zero,
                        [](double t) { return std::exp(6 * t); },
                        0.0,
                        1.0,
                        dirichlet,
                        dirichlet,
                        {}};
    EXPECT_EQ(indices(solve(steep, Range{9 + pi * pi - 1e-6, 9 + 16 * pi * pi + 1e-6})),
              (List{1, 2, 3, 4}));
}

TEST(Solver, SeparatesAttractingEnds) {
    // u'(0) = -10 u(0), u'(1) = 10 u(1): two states below zero, k tanh(k/2) = 10 and
    // k coth(k/2) = 10 with lambda = -k^2.
    const Problem p{one, zero, one, 0.0, 1.0, {10.0, 1.0}, {-10.0, 1.0}, {}};
    const Solution s = solve(p, Indices{1, 3});
    const double k1 = std::sqrt(-s.pairs[0].lambda), k2 = std::sqrt(-s.pairs[1].lambda);
    EXPECT_NEAR(k1 * std::tanh(k1 / 2), 10.0, 1e-9);
    EXPECT_NEAR(k2 / std::tanh(k2 / 2), 10.0, 1e-9);
    EXPECT_GT(s.pairs[2].lambda, 0.0);
}

TEST(Solver, ReturnsBothOfAPairCloserThanRounding) {
    const Problem wells{one,       [](double t) { return 1e4 * (t * t - 1) * (t * t - 1); },
                        one,       -2.0,
                        2.0,       dirichlet,
                        dirichlet, {}};
    const Solution s = solve(wells, Indices{1, 6});
    for (std::size_t i = 0; i < 6; i += 2) {
        EXPECT_EQ(s.pairs[i].status, Status::ok);
        EXPECT_LT(s.pairs[i].lambda, s.pairs[i + 1].lambda);
        EXPECT_NEAR(s.pairs[i].lambda, s.pairs[i + 1].lambda, 1e-8);
        // Each function is one of a plane of them, and says so.
        EXPECT_GT(s.pairs[0].function.error_estimate(), 1e-2);
    }
    EXPECT_GT(s.pairs[2].lambda, s.pairs[1].lambda + 100.0);
}

TEST(Solver, EstimatesTheErrorOfAPairHonestly) {
    // Two wells with a barrier between: sinh and sin meet at 1/3, in closed form by parity.
    for (double depth : {300.0, 824.0, 1236.5788487295415}) {
        const Problem p{
            one,       [&](double t) { return t > 1.0 / 3 && t < 2.0 / 3 ? 2 * depth : -depth; },
            one,       0.0,
            1.0,       dirichlet,
            dirichlet, {1.0 / 3, 2.0 / 3}};
        const Solution s = solve(p, Indices{1, 2});
        for (std::size_t i = 0; i < 2; ++i) {
            // k cot(k/3) = -K tanh(K/6) for the even state, coth for the odd one.
            const auto mismatch = [&](double lambda) {
                const double k = std::sqrt(lambda + depth), K = std::sqrt(2 * depth - lambda);
                const double decay = i == 0 ? std::tanh(K / 6) : 1 / std::tanh(K / 6);
                return k * std::cos(k / 3) + K * decay * std::sin(k / 3);
            };
            const double lambda = s.pairs[i].lambda;
            const double slope = (mismatch(lambda + 1e-4) - mismatch(lambda - 1e-4)) / 2e-4;
            const double error = std::fabs(mismatch(lambda) / slope);
            EXPECT_LE(error, 10 * s.pairs[i].error_estimate) << depth;
            EXPECT_LE(error, 1e-9 * depth);
        }
    }
}

TEST(Solver, SeesANarrowFeature) {
    for (double at : {0.1234, 0.47, 0.777}) {
        Problem p{one,       zero, [at](double t) { return 1 + 1e6 * (std::fabs(t - at) < 1e-3); },
                  0.0,       1.0,  dirichlet,
                  dirichlet, {}};
        const Solution blind = solve(p, Indices{1, 3});
        p.breaks = {at - 1e-3, at + 1e-3};
        const Solution told = solve(p, Indices{1, 3});
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(blind.pairs[i].lambda / told.pairs[i].lambda, 1.0, 1e-8);
    }
}

TEST(Solver, KeepsItsWordAtTheTightestTolerance) {
    const Problem p{[](double t) { return 1 / ((1 + t) * (1 + t)); },
                    zero,
                    [](double t) { return (1 + t) * (1 + t); },
                    0.0,
                    1.0,
                    dirichlet,
                    dirichlet,
                    {}};
    const Solution s = solve(p, Indices{1, 10}, {.tolerance = 1e-13});
    for (const Eigenpair& pair : s.pairs) {
        const double truth = std::pow(3 * static_cast<double>(pair.index) * pi / 7, 2);
        EXPECT_EQ(pair.status, Status::ok);
        EXPECT_NEAR(pair.lambda, truth, 1e-13 * truth);
    }
    EXPECT_LT(s.cells, 10000U);
}

TEST(Solver, FollowsADeepTriangularWell) {
    // The Airy function's first zero, scaled; all but a thousandth of the interval is barrier.
    const Problem p{one, [](double t) { return 1e9 * t; }, one, 0.0, 1.0, dirichlet, dirichlet, {}};
    const Solution s = solve(p, Indices{1, 2});
    EXPECT_NEAR(s.pairs[0].lambda, 2.338107410459767e6, 1e-3);
    EXPECT_NEAR(s.pairs[1].lambda, 4.087949444130971e6, 1e-3);
    EXPECT_EQ(s.pairs[1].function.zeros().size(), 1U);
}

// Against the same solver at a far tighter tolerance, on random functions of all kinds.
TEST(Solver, EstimatesItsErrorHonestly) {
    std::mt19937_64 random(5);
    using testing::Kind;
    for (Kind kind : {Kind::smooth, Kind::kinked, Kind::jumping}) {
        for (int repeat = 0; repeat < 8; ++repeat) {
            const testing::RandomFunction P(kind, random), q(kind, random), w(kind, random);
            const Problem p{[P](double t) { return std::exp(std::tanh(P(t))); },
                            [q](double t) { return 50 * q(t); },
                            [w](double t) { return std::exp(std::tanh(w(t))); },
                            0.0,
                            1.0,
                            dirichlet,
                            BoundaryCondition::neumann(),
                            {}};
            const Solution best = solve(p, Indices{1, 8}, {.tolerance = 1e-12});
            for (double tolerance : {1e-4, 1e-6, 1e-8}) {
                const Solution s = solve(p, Indices{1, 8}, {.tolerance = tolerance});
                for (std::size_t i = 0; i < 8; ++i) {
                    const double error = std::fabs(s.pairs[i].lambda - best.pairs[i].lambda);
                    EXPECT_EQ(s.pairs[i].status, Status::ok);
                    EXPECT_LE(error,
                              10 * (s.pairs[i].error_estimate + best.pairs[i].error_estimate));
                    EXPECT_LE(error, tolerance * std::max(1.0, std::fabs(best.pairs[i].lambda)));
                }
            }
        }
    }
}

TEST(Solver, SaysWhenTheMeshDoesNotSuffice) {
    const Problem noise{
        one, [](double t) { return 1e4 * std::sin(1e5 * t); }, one, 0.0, 1.0, dirichlet, dirichlet,
        {}};
    const Solution s = solve(noise, Indices{1, 2}, {.tolerance = 1e-10, .max_cells = 200});
    EXPECT_EQ(s.pairs[0].status, Status::tolerance_not_met);
    EXPECT_GT(s.pairs[0].error_estimate, 1e-9);
}

std::string complaint(const Problem& p, const Indices& indices = {}, const SolveOptions& o = {}) {
    try {
        solve(p, indices, o);
    } catch (const Error& e) {
        EXPECT_EQ(e.kind(), Error::Kind::data);
        return e.what();
    }
    return "";
}

TEST(SolverArguments, AreRefusedInOneSentence) {
    const auto with = [](auto change) {
        Problem p = fourier();
        change(p);
        return complaint(p);
    };
    EXPECT_EQ(with([](Problem&) {}), "");
    EXPECT_EQ(with([](Problem& p) { p.p = [](double t) { return 1.0 - t; }; }),
              "p(t) = -2.14159265359 at t = 3.14159265359; it must be positive on the whole "
              "interval, ends included.");
    EXPECT_NE(with([](Problem& p) {
                  p.w = [](double t) { return std::fabs(t - 1) - 0.3; };
              }).find("w(t) = "),
              std::string::npos);
    EXPECT_NE(with([](Problem& p) {
                  p.q = [](double t) { return std::sqrt(t - 1); };
              }).find("at t = 0; it must be finite"),
              std::string::npos);
    EXPECT_NE(with([](Problem& p) { p.b = 0.0; }).find("empty or reversed"), std::string::npos);
    EXPECT_NE(with([](Problem& p) { p.b = -1.0; }).find("empty or reversed"), std::string::npos);
    EXPECT_NE(
        with([](Problem& p) { p.b = std::numeric_limits<double>::infinity(); }).find("not finite"),
        std::string::npos);
    EXPECT_NE(with([](Problem& p) { p.right = {0.0, 0.0}; }).find("right end"), std::string::npos);
    EXPECT_NE(with([](Problem& p) { p.q = nullptr; }).find("must all be given"), std::string::npos);
    EXPECT_NE(with([](Problem& p) {
                  p.a = -1e308;
                  p.b = 1e308;
              }).find("too long"),
              std::string::npos);
    EXPECT_NE(with([](Problem& p) {
                  p.a = 1e15;
                  p.b = 1e15 + 1;
              }).find("shift t"),
              std::string::npos);
    EXPECT_EQ(with([](Problem& p) { p.breaks = {0.5, std::nextafter(0.5, 1.0), 7.0, -1.0}; }), "");
    EXPECT_NE(complaint(fourier(), {0, 1}), "");
    EXPECT_NE(complaint(fourier(), {1, 0}), "");
    EXPECT_NE(complaint(fourier(), {1, 1}, {.tolerance = 1e-17}).find("tolerance"),
              std::string::npos);
}

}  // namespace
}  // namespace deepsl::sturm
