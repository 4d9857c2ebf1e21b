// Exits: never stepped over, never invented.
#include "field/exit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "field/lines.h"

namespace deepsl::field::test {
namespace {

/// No point of a line before its exit lies outside, and the exit lies on the boundary.
void expect_first_exit(const Lines<double>& lines, int points, double slack) {
    for (std::size_t line = 0; line < 2 * lines.samples; ++line) {
        if (lines.line_status[line] != LineStatus::ok) continue;
        const auto& pieces = lines.pieces[line];
        for (std::size_t j = 0; j < pieces.size(); ++j) {
            const bool last = j + 1 == pieces.size();
            const double end = last ? lines.exit[line] : 1.0;
            const auto c = polynomial(lines, pieces[j]);
            const auto level = [&](double s) { return lines.domain->level(evaluate(c, s)); };
            for (int k = 0; k < points; ++k) {
                const double s = end * k / points;
                ASSERT_LT(level(s), slack) << "line " << line << " is outside at " << s
                                           << " of piece " << j << ", exit at " << end;
            }
            if (last) {
                ASSERT_NEAR(level(end), 0.0, 1e-12) << "line " << line;
            }
        }
    }
}

/// A smooth field of wave numbers about `wave`, with a drift.
Field<double> waves(std::size_t n, double wave, double drift, Random& random) {
    std::vector<double> K(n * n), phase(n), d(n);
    for (auto& c : K) c = wave * normal(random);
    for (auto& c : phase) c = 6.0 * uniform(random);
    for (auto& c : d) c = drift * normal(random);
    return formula<double>(n, K, [phase, d, n](auto p, auto z, auto a) {
        using std::sin;
        for (std::size_t i = 0; i < n; ++i) {
            auto sum = p[0] * 0.0 + phase[i];
            for (std::size_t j = 0; j < n; ++j) sum = sum + z[j] * p[j * n + i];
            a[i] = sin(sum) + d[i];
        }
    });
}

TEST(Exit, NoEarlierCrossingExistsOnSmoothFields) {
    Random random(3);
    for (int trial = 0; trial < 12; ++trial)
        for (const auto& domain : {box(1), box(2), ball(2), ball(3)})
            for (const auto* method : methods)
                for (const int steps : {1, 2, 6}) {
                    const auto field = waves(domain->dimensions(), 1.0 + trial, 0.7, random);
                    auto options = with(*method, steps, 1e-4);
                    options.max_steps = 60;
                    const auto lines =
                        lines_of(field, domain, samples<double>(*domain, 12, random), options);
                    SCOPED_TRACE(testing::Message()
                                 << (is_box(*domain) ? "box " : "ball ") << name_of(*method) << " "
                                 << steps << " steps, trial " << trial);
                    expect_first_exit(lines, 40, 1e-12);
                }
}

// Inside, the field is -1: the line leaves at -1 after 0.01. What the field does far outside must
// not matter, but a step of 1 goes out to the left, through the whole domain and out to the right.
TEST(Exit, ALineThatLeavesAndComesBackWithinOneStepHasLeft) {
    const auto field = formula<double>(
        1, {}, [](auto, auto z, auto a) { a[0] = z[0] < 1.2 && z[0] > -1.2 ? -1.0 : 6.0; });
    const auto cut = follow(field, ball(1), {-0.99}, with(rk4(), 1));
    expect_ok(cut.lines);
    expect_first_exit(cut.lines, 1000, 1e-12);
    EXPECT_NEAR(cut.exit()[0], -1.0, 1e-9);
    EXPECT_LT(cut.t_plus(), 0.1);
}

// The same in the plane, with fields of many kinds outside.
TEST(Exit, WhatTheFieldDoesOutsideNeverHidesAnExit) {
    Random random(4);
    for (const auto& domain : {box(2), ball(2)}) {
        const double c = domain->centre();
        for (int trial = 0; trial < 40; ++trial) {
            const double inner[] = {normal(random), normal(random)};
            const double outer[] = {8.0 * normal(random), 8.0 * normal(random)};
            const double reach = c > 0.0 ? 0.6 : 1.1;
            const auto field = formula<double>(2, {}, [=](auto, auto z, auto a) {
                const auto far = [&](auto u) { return u > c + reach || u < c - reach; };
                const bool outside = far(z[0]) || far(z[1]);
                for (std::size_t i = 0; i < 2; ++i) a[i] = outside ? outer[i] : inner[i];
            });
            auto x = samples<double>(*domain, 16, random);
            for (auto& value : x) value = c + 1.1 * (value - c);
            SCOPED_TRACE(testing::Message() << (c > 0.0 ? "box" : "ball") << ", trial " << trial);
            expect_first_exit(lines_of(field, domain, x, with(rk4(), 1)), 100, 1e-12);
        }
    }
}

const std::vector<double> turn{0.0, -1.0, 1.0, 0.0}, about{0.5, 0.0};

// Circles about (1/2, 0) that reach beyond the ball by little, for a short arc.
TEST(Exit, GrazingLinesLeaveWhereTheyGraze) {
    for (const double depth : {1e-2, 1e-3, 1e-4, 1e-6}) {
        const double r = 0.5 + depth;
        // |c + r e(phi)| = 1
        const double phi = std::acos((1.0 - 0.25 - r * r) / r);
        for (const int steps : {24, 100}) {
            SCOPED_TRACE(testing::Message() << "depth " << depth << ", " << steps << " steps");
            const double start = -2.0;
            const auto cut =
                follow(linear_field(turn, about), ball(2),
                       {0.5 + r * std::cos(start), r * std::sin(start)}, with(rk4(), steps));
            expect_ok(cut.lines);
            expect_first_exit(cut.lines, 400, 1e-12);
            // The discrete line is off by some 1e-3/steps^4, and grazing magnifies that.
            const double off = 1.0 / std::pow(steps, 4.0) / std::max(phi, 1e-3);
            EXPECT_NEAR(cut.t_plus(), -phi - start, off);
        }
    }
}

TEST(Exit, ALineThatStaysInsideByLittleIsNotCutShort) {
    for (const double depth : {1e-2, 1e-3, 1e-4}) {
        const double r = 0.5 - depth;
        auto options = with(rk4(), 24);
        options.max_steps = 150;
        const auto lines = lines_of(linear_field(turn, about), ball(2), {0.5 - r, 0.0}, options);
        EXPECT_EQ(lines.status(0), LineStatus::step_limit) << depth;
    }
}

template <class Real>
void close_to_the_boundary() {
    for (const auto* method : methods)
        for (const auto& domain : {box(2), ball(2)}) {
            const double near = 1e-6;
            const std::vector<double> wide =
                is_box(*domain)
                    ? std::vector<double>{1.0 - near, 0.5, near, 0.5, 1.0 - near, 1.0 - near}
                    : std::vector<double>{1.0 - near, 0.0, -0.6 + near, 0.8 - near};
            std::vector<Real> x(wide.size());
            std::transform(wide.begin(), wide.end(), x.begin(),
                           [](double c) { return static_cast<Real>(c); });
            for (const auto& direction : {std::vector<double>{1.0, 0.0},
                                          {0.0, 1.0},
                                          {-1.0, 0.0},
                                          {-1.0, 1.0},
                                          {0.8, 0.6}}) {
                std::vector<double> a;
                for (const double c : direction) a.push_back(static_cast<Real>(c));
                const auto cut = follow(constant<Real>(a), domain, x, with(*method), 2);
                expect_ok(cut.lines);
                for (std::size_t b = 0; b < x.size() / 2; ++b)
                    for (const double sign : {1.0, -1.0}) {
                        const double exact =
                            straight_exit(*domain, {x[2 * b], x[2 * b + 1]}, a, sign);
                        const double own = sign > 0.0 ? cut.t_plus(b) : cut.t_minus(b);
                        // Times are in double: even a line of 1e-6 is known to many digits.
                        EXPECT_NEAR(own, exact,
                                    (sizeof(Real) == 8 ? 1e-9 : 1e-6) * std::fabs(exact))
                            << (is_box(*domain) ? "box " : "ball ") << name_of(*method);
                        EXPECT_GT(sign * own, 0.0);
                    }
                EXPECT_GT(*std::min_element(cut.grid.length.begin(), cut.grid.length.end()), 0.0);
            }
        }
}

TEST(Exit, SamplesCloseToTheBoundary) {
    close_to_the_boundary<float>();
    close_to_the_boundary<double>();
}

TEST(Exit, PositiveFieldsCrossTheBoxFromZeroToOne) {
    Random random(5);
    for (std::size_t trial = 0; trial < 8; ++trial) {
        const std::size_t n = 1 + 2 * trial;
        const auto field = network_field<double>(FieldKind::positive, n, 4.0, 0.5, trial);
        const auto cut =
            follow(field, box(n), samples<double>(*box(n), 10, random), with(rk4(), 12), 8);
        expect_ok(cut.lines);
        expect_first_exit(cut.lines, 30, 1e-12);
        for (std::size_t b = 0; b < 10; ++b) {
            const auto exit = cut.exit(b), entry = cut.entry(b);
            EXPECT_NEAR(*std::max_element(exit.begin(), exit.end()), 1.0, 1e-12);
            EXPECT_GT(*std::min_element(exit.begin(), exit.end()), 0.0);
            EXPECT_NEAR(*std::min_element(entry.begin(), entry.end()), 0.0, 1e-12);
            EXPECT_LT(*std::max_element(entry.begin(), entry.end()), 1.0);
            // Every coordinate grows along the line.
            auto before = entry;
            for (std::size_t i = 0; i <= 32; ++i) {
                const auto now = i < 32 ? cut.node(b, i / 2, i % 2) : exit;
                for (std::size_t d = 0; d < n; ++d) EXPECT_GT(now[d], before[d]);
                before = now;
            }
        }
        std::vector<double> z(100 * n), a(100 * n);
        for (auto& c : z) c = 30.0 * normal(random);
        (*field).forward(z.data(), 100, a.data(), nullptr);
        EXPECT_GE(*std::min_element(a.begin(), a.end()), 0.01);
        EXPECT_LE(*std::max_element(a.begin(), a.end()), 1.0);
    }
}

template <class Real>
void directional_fields_advance() {
    Random random(6);
    for (const double gain : {0.1, 10.0, 1e6}) {
        const std::size_t n = 5;
        const auto field = network_field<Real>(FieldKind::directional, n, gain, 0.0, random());
        const auto d = dynamic_cast<const DirectionalField<Real>&>(*field).direction(
            field.parameters.values());
        double square = 0.0;
        for (const double c : d) square += c * c;
        EXPECT_NEAR(square, 1.0, 1e-6);
        std::vector<Real> z(1000 * n), a(1000 * n);
        for (auto& c : z) c = static_cast<Real>(normal(random));
        (*field).forward(z.data(), 1000, a.data(), nullptr);
        EXPECT_TRUE(finite(a));
        for (std::size_t r = 0; r < 1000; ++r) {
            double along = 0.0, size = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                const auto c = static_cast<double>(a[r * n + i]);
                along += c * d[i];
                size += c * c;
            }
            EXPECT_GE(along, 0.2 - 1e-6);
            EXPECT_LE(std::sqrt(size), 1.8 + 1e-6);
        }
        for (const auto& domain : {box(n), ball(n)})
            expect_ok(lines_of(field, domain, samples<Real>(*domain, 20, random)));
    }
}

TEST(Exit, DirectionalFieldsAdvance) {
    directional_fields_advance<float>();
    directional_fields_advance<double>();
    auto straight_field = network_field<double>(FieldKind::straight, 3, 1.0, 0.0, 1);
    EXPECT_EQ(straight_field.parameters.size(), 3U);
    auto& values = straight_field.parameters.values();
    straight_field.own->set_direction(std::vector<double>{3.0, 0.0, 4.0}, values);
    straight_field.load();
    const std::vector<double> z{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    std::vector<double> a(6);
    (*straight_field).forward(z.data(), 2, a.data(), nullptr);
    const double expected[] = {0.6, 0.0, 0.8};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a[i], expected[i % 3], 1e-15);
    EXPECT_THROW(straight_field.own->set_direction(std::vector<double>(3, 0.0), values), Error);
    EXPECT_THROW(straight_field.own->set_direction(std::vector<double>(4, 1.0), values), Error);
}

/// The first exit of z(s) = sum_j c_j s^j by a fine search.
double slow_exit(const Domain& domain, const std::vector<std::vector<double>>& c) {
    constexpr int points = 20000;
    for (int i = 1; i <= points; ++i) {
        if (domain.level(evaluate(c, static_cast<double>(i) / points)) < 0.0) continue;
        double low = static_cast<double>(i - 1) / points, high = static_cast<double>(i) / points;
        for (int k = 0; k < 60; ++k)
            (domain.level(evaluate(c, 0.5 * (low + high))) < 0.0 ? low : high) = 0.5 * (low + high);
        return high;
    }
    return infinity;
}

// Curves of any shape, many of which leave, come back and leave again.
TEST(ExitFinder, FindsTheFirstExitOfAnyPolynomial) {
    Random random(7);
    int came_back = 0, stayed = 0;
    ExitFinder finder;
    for (int trial = 0; trial < 1500; ++trial) {
        const std::size_t n = 1 + below(3, random), degree = 1 + below(4, random);
        const auto domain = below(2, random) == 0 ? box(n) : ball(n);
        std::vector<std::vector<double>> c(degree + 1, std::vector<double>(n));
        c[0] = samples<double>(*domain, 1, random);
        const double size = std::pow(10.0, uniform(random, -0.7, 0.9));
        for (std::size_t j = 1; j <= degree; ++j)
            for (auto& value : c[j]) value = size * normal(random);
        // Half of the curves end inside, wherever they have been.
        if (trial % 2 == 0) {
            const auto end = samples<double>(*domain, 1, random), now = evaluate(c, 1.0);
            for (std::size_t i = 0; i < n; ++i) c[degree][i] += end[i] - now[i];
        }
        finder.prepare(*domain, degree);
        for (std::size_t j = 0; j <= degree; ++j)
            std::copy(c[j].begin(), c[j].end(), finder.coefficient(j));
        const auto found = finder.first_exit();
        const double exact = slow_exit(*domain, c);
        if (exact == infinity) {
            ++stayed;
            EXPECT_FALSE(found.has_value() && *found < 1.0 - 1e-4) << "trial " << trial;
            continue;
        }
        ASSERT_TRUE(found.has_value()) << "trial " << trial;
        // The fine search may overlook an arc shorter than its step.
        EXPECT_LE(*found, exact + 1e-12) << "trial " << trial;
        if (*found < exact - 1e-10) {
            EXPECT_GE(domain->level(evaluate(c, *found + 1e-9)), -1e-8) << "trial " << trial;
        }
        came_back += domain->level(evaluate(c, 1.0)) < 0.0 ? 1 : 0;
    }
    EXPECT_GT(came_back, 200);
    EXPECT_GT(stayed, 100);
}

TEST(ExitFinder, TellsACurveThatIsNotFinite) {
    for (const double bad : {infinity, -infinity, nan})
        for (const std::size_t power : {0U, 1U, 3U}) {
            const auto domain = ball(2);
            ExitFinder finder;
            finder.prepare(*domain, 3);
            for (std::size_t j = 0; j <= 3; ++j) std::fill_n(finder.coefficient(j), 2, 0.1);
            finder.coefficient(power)[1] = bad;
            const auto found = finder.first_exit();
            ASSERT_TRUE(found.has_value());
            EXPECT_TRUE(std::isnan(*found));
        }
}

}  // namespace
}  // namespace deepsl::field::test
