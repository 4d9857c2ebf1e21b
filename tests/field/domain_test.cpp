// Domains: levels, exits of straight lines, pulling in, and where data go.
#include "deepsl/field/domain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/random.h"

namespace deepsl::field {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Point = std::vector<double>;

/// {z : z_1^2 + 4 z_2^2 + .. < 1 and exp(z_1) < 2}: convex, smooth but for an edge, and with no
/// closed form of its own, so that the search is used.
class Odd final : public Domain {
public:
    explicit Odd(std::size_t n) : Domain(n) {}
    double centre() const override { return 0.0; }
    std::array<double, 2> bounds() const override { return {-1.0, 1.0}; }
    double level(std::span<const double> z) const override {
        return std::max(egg(z), std::exp(z[0]) - 2.0);
    }
    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        const bool on_egg = egg(z) >= std::exp(z[0]) - 2.0;
        for (std::size_t i = 0; i < z.size(); ++i)
            gradient[i] = on_egg ? 2.0 * weight(i) * z[i] : 0.0;
        if (!on_egg) gradient[0] = std::exp(z[0]);
    }
    double pace(std::span<const double> a) const override {
        double square = 0.0;
        for (const double c : a) square += c * c;
        return 0.5 * std::sqrt(square);
    }
    void pace_gradient(std::span<const double>, std::span<double>) const override {}
    bool pull_in(std::span<double>) const override { return false; }
    Placement place(MatrixView<const double>, bool, std::span<const double>) const override {
        return {};
    }
    Matrix<double> outline() const override { return {}; }

private:
    static double weight(std::size_t i) { return i == 0 ? 1.0 : 4.0; }
    static double egg(std::span<const double> z) {
        double square = -1.0;
        for (std::size_t i = 0; i < z.size(); ++i) square += weight(i) * z[i] * z[i];
        return square;
    }
};

std::vector<DomainPointer> domains(std::size_t n) {
    return {ball(n), box(n), std::make_shared<Odd>(n)};
}

Point inside(const Domain& domain, Random& random) {
    Point z(domain.dimensions());
    do {
        for (auto& c : z) c = uniform(random, domain.bounds()[0], domain.bounds()[1]);
    } while (domain.level(z) >= 0.0);
    return z;
}

Point velocity(std::size_t n, Random& random) {
    Point a(n);
    for (auto& c : a) c = normal(random);
    return a;
}

double level_at(const Domain& domain, const Point& z, const Point& a, double s) {
    auto at = z;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += s * a[i];
    return domain.level(at);
}

TEST(Domain, SaysWhetherItsFactorsCompareColumns) {
    // Columns of the ranges 1 and 4 count alike.
    const Matrix<double> x(3, 2, std::vector<double>{0.0, 4.0, 1.0, 0.0, 0.5, 2.0});
    for (const auto& domain : {ball(2), box(2)}) {
        const auto factor = domain->place(x, false, {}).factor;
        EXPECT_EQ(domain->factors_compare_columns(), factor[0] == factor[1]);
    }
    EXPECT_TRUE(ball(2)->factors_compare_columns());
    EXPECT_FALSE(Odd(2).factors_compare_columns()) << "a domain of one's own promises nothing";
}

TEST(Domain, LevelsAreKnownAtSomePoints) {
    EXPECT_DOUBLE_EQ(ball(2)->level(Point{0.0, 0.0}), -0.5);
    EXPECT_DOUBLE_EQ(ball(2)->level(Point{0.6, 0.8}), 0.0);
    EXPECT_DOUBLE_EQ(box(2)->level(Point{0.5, 0.5}), -0.5);
    EXPECT_DOUBLE_EQ(box(2)->level(Point{0.5, 0.9}), -0.1 + 5e-18);
    EXPECT_DOUBLE_EQ(box(2)->level(Point{-0.25, 0.9}), 0.25);
    for (const auto& domain : {ball(2), box(2)}) {
        EXPECT_TRUE(std::isnan(domain->level(Point{nan, 0.5})));
        EXPECT_TRUE(std::isnan(domain->level(Point{0.5, nan})));
        const double c = domain->centre();
        EXPECT_LT(domain->level(Point{c, c}), 0.0);
    }
}

TEST(Domain, GradientsAreThoseOfDifferences) {
    Random random(1);
    for (const std::size_t n : {1U, 3U, 8U})
        for (const auto& domain : {ball(n), box(n)})
            for (int repeat = 0; repeat < 20; ++repeat) {
                const auto z = inside(*domain, random), a = velocity(n, random);
                Point by_z(n), by_a(n);
                domain->level_gradient(z, by_z);
                domain->pace_gradient(a, by_a);
                for (std::size_t i = 0; i < n; ++i) {
                    constexpr double h = 1e-6;
                    auto up = z, down = z, faster = a, slower = a;
                    up[i] += h, down[i] -= h, faster[i] += h, slower[i] -= h;
                    EXPECT_NEAR(by_z[i], (domain->level(up) - domain->level(down)) / (2.0 * h),
                                1e-8);
                    EXPECT_NEAR(by_a[i], (domain->pace(faster) - domain->pace(slower)) / (2.0 * h),
                                1e-8);
                }
            }
}

TEST(Domain, EquallyFastCoordinatesShareTheGradientOfThePace) {
    Point gradient(3);
    box(3)->pace_gradient(Point{0.5, -0.5, 0.1}, gradient);
    EXPECT_EQ(gradient, (Point{0.5, -0.5, 0.0}));
    for (const auto& domain : {ball(3), box(3)}) {
        domain->pace_gradient(Point{0.0, 0.0, 0.0}, gradient);
        EXPECT_EQ(gradient, (Point{0.0, 0.0, 0.0}));
        EXPECT_EQ(domain->pace(Point{0.0, 0.0, 0.0}), 0.0);
        EXPECT_TRUE(std::isnan(domain->pace(Point{1.0, nan, 0.0})));
    }
}

TEST(Domain, AStraightLineOfOneWidthLeaves) {
    Random random(2);
    for (const auto& domain : domains(4))
        for (int repeat = 0; repeat < 100; ++repeat) {
            const auto z = inside(*domain, random), a = velocity(4, random);
            EXPECT_GE(level_at(*domain, z, a, 1.0 / domain->pace(a)), 0.0);
        }
}

TEST(Domain, StraightExitsAreThoseOfBisection) {
    Random random(3);
    for (const std::size_t n : {1U, 2U, 5U, 40U})
        for (const auto& domain : domains(std::min<std::size_t>(n, 5)))
            for (int repeat = 0; repeat < 50; ++repeat) {
                const auto z = inside(*domain, random);
                auto a = velocity(domain->dimensions(), random);
                const double speed = std::pow(10.0, uniform(random, -6.0, 6.0));
                for (auto& c : a) c *= speed;
                double low = 0.0, high = 1.0 / domain->pace(a);
                for (int i = 0; i < 200; ++i) {
                    const double middle = 0.5 * (low + high);
                    (level_at(*domain, z, a, middle) < 0.0 ? low : high) = middle;
                }
                EXPECT_NEAR(domain->straight_exit(z, a) / high, 1.0, 1e-12);
                // The search finds what the closed forms say, too.
                EXPECT_NEAR(domain->Domain::straight_exit(z, a) / high, 1.0, 1e-12);
            }
}

TEST(Domain, StraightExitsOfHardCases) {
    for (const auto& domain : {ball(2), box(2)}) {
        const double c = domain->centre(), edge = domain->bounds()[1];
        const Point middle{c, c};
        EXPECT_DOUBLE_EQ(domain->straight_exit(middle, Point{1.0, 0.0}), edge - c);
        EXPECT_DOUBLE_EQ(domain->straight_exit(middle, Point{0.0, -2.0}), 0.5 * (edge - c));
        EXPECT_TRUE(std::isinf(domain->straight_exit(middle, Point{0.0, 0.0})));
        EXPECT_TRUE(std::isnan(domain->straight_exit(middle, Point{nan, 1.0})));
        // Next to the boundary, outwards: no digit is lost.
        const Point near{edge - 1e-12, c};
        const double left = edge - near[0];
        EXPECT_NEAR(domain->straight_exit(near, Point{1.0, 0.0}) / left, 1.0, 1e-3);
        EXPECT_NEAR(domain->straight_exit(near, Point{-1.0, 0.0}), 2.0 * (edge - c), 1e-11);
    }
    EXPECT_DOUBLE_EQ(box(2)->straight_exit(Point{0.25, 0.5}, Point{-1.0, 0.0}), 0.25);
    EXPECT_DOUBLE_EQ(box(2)->straight_exit(Point{0.25, 0.5}, Point{-1.0, 4.0}), 0.125);
}

TEST(Domain, PointsNearTheBoundaryArePulledIn) {
    Point z{0.3, 0.4};
    EXPECT_FALSE(ball(2)->pull_in(z));
    EXPECT_EQ(z, (Point{0.3, 0.4}));
    z = {3.0, 4.0};
    EXPECT_TRUE(ball(2)->pull_in(z));
    EXPECT_NEAR(z[0], 0.54, 1e-15);
    EXPECT_NEAR(z[1], 0.72, 1e-15);
    z = {3e200, 4e200};  // whose squares are infinite
    EXPECT_TRUE(ball(2)->pull_in(z));
    EXPECT_NEAR(z[0], 0.54, 1e-15);
    z = {0.02, 0.98};
    EXPECT_FALSE(box(2)->pull_in(z));
    z = {-3.0, 0.5};
    EXPECT_TRUE(box(2)->pull_in(z));
    EXPECT_EQ(z, (Point{0.02, 0.5}));
    z = {0.5, 0.99};
    EXPECT_TRUE(box(2)->pull_in(z));
    EXPECT_EQ(z, (Point{0.5, 0.98}));
    for (const auto& domain : {ball(2), box(2)}) {
        z = {nan, 0.5};
        EXPECT_FALSE(domain->pull_in(z)) << "it stays what it is, for others to see";
        EXPECT_TRUE(std::isnan(z[0]));
        EXPECT_EQ(z[1], 0.5);
    }
}

TEST(Domain, WhatAnEncoderGivesLandsInside) {
    for (const auto kind : {DomainKind::box, DomainKind::ball}) {
        const auto domain = make_domain(kind, 3);
        for (const double size : {1e-3, 1.0, 30.0, 1e6, 1e150}) {
            const Point r{size, -2.0 * size, 0.5};
            Point z(3);
            domain->enter(r, z);
            const std::vector<float> narrow(z.begin(), z.end());
            EXPECT_LT(domain->level_of_floats(narrow), 0.0) << domain->centre() << " " << size;
            double square = 0.0;
            for (const double c : z) square += c * c;
            EXPECT_LE(square, kind == DomainKind::ball ? 0.25 + 1e-12 : 3.0);
        }
        // The pullback is that of differences.
        const Point r{0.7, -1.2, 2.0}, dz{1.0, -0.5, 0.3};
        Point dr(3), up(3), down(3);
        domain->enter_pullback(r, dz, dr);
        for (std::size_t i = 0; i < r.size(); ++i) {
            Point moved = r;
            moved[i] += 1e-5;
            domain->enter(moved, up);
            moved[i] -= 2e-5;
            domain->enter(moved, down);
            double difference = 0.0;
            for (std::size_t j = 0; j < r.size(); ++j)
                difference += dz[j] * (up[j] - down[j]) / 2e-5;
            EXPECT_NEAR(dr[i], difference, 1e-9) << domain->centre();
        }
    }
}

TEST(Domain, DataGoWhereTheDomainPutsThem) {
    // Columns of means 2 and 10, deviations 1 and 4; the largest z-score has the norm sqrt(2).
    const Matrix<double> x(4, 2, std::vector<double>{1, 6, 3, 14, 1, 14, 3, 6});
    const auto by_column = ball(2)->place(x, true, {});
    EXPECT_EQ(by_column.shift, (Point{2.0, 10.0}));
    EXPECT_NEAR(by_column.factor[0], 1.0 / (1.5 * std::sqrt(2.0)), 1e-15);
    EXPECT_NEAR(by_column.factor[1], 0.25 / (1.5 * std::sqrt(2.0)), 1e-15);
    // All rows have the norm sqrt(17) about the mean, or sqrt(5) with the second column halved.
    const auto together = ball(2)->place(x, false, {});
    for (const double f : together.factor) EXPECT_NEAR(f, 1.0 / (1.5 * std::sqrt(17.0)), 1e-15);
    const auto stretched = ball(2)->place(x, false, Point{1.0, 0.5});
    EXPECT_NEAR(stretched.factor[0], 1.0 / (1.5 * std::sqrt(5.0)), 1e-15);
    EXPECT_NEAR(stretched.factor[1], 0.5 / (1.5 * std::sqrt(5.0)), 1e-15);
    const auto boxed = box(2)->place(x, true, {});
    EXPECT_EQ(boxed.factor, (Point{0.25, 0.0625}));
    EXPECT_EQ(boxed.shift, (Point{0.0, 2.0}));
    EXPECT_EQ(box(2)->place(x, false, Point{1.0, 0.5}).factor, (Point{0.25, 0.03125}));
}

TEST(Domain, OneRowFarOutDoesNotPressTheOthersTogether) {
    // Norms 0..100 about the mean, which is made 0: the 0.99 quantile of 201 values, by hand.
    Matrix<double> x(201, 1);
    for (std::size_t i = 0; i < 201; ++i) x(i, 0) = static_cast<double>(i) - 100.0;
    // Sorted norms: 0, 1, 1, 2, 2, .., 100, 100; place 198 = 0.99 * 200 holds 99.
    EXPECT_NEAR(ball(1)->place(x, false, {}).factor[0], 1.0 / (1.5 * 99.0), 1e-15);
    // Between two values: norms 1, 1, 3, 3 at the place 2.97.
    const Matrix<double> few(4, 1, std::vector<double>{-3.0, -1.0, 1.0, 3.0});
    EXPECT_NEAR(ball(1)->place(few, false, {}).factor[0], 1.0 / 4.5, 1e-15);
    const Matrix<double> uneven(3, 1, std::vector<double>{-4.0, 1.0, 3.0});
    EXPECT_NEAR(ball(1)->place(uneven, false, {}).factor[0], 1.0 / (1.5 * 3.98), 1e-15);
}

TEST(Domain, ConstantColumnsStayInTheMiddle) {
    for (const auto& domain : {ball(2), box(2)})
        for (const bool by_column : {true, false}) {
            // 0.1 is not a sum of tenths: its mean would not be 0.1.
            Matrix<double> x(10, 2, 0.1);
            for (std::size_t r = 0; r < 10; ++r) x(r, 1) = static_cast<double>(r);
            for (const bool all : {false, true}) {
                if (all)
                    for (std::size_t r = 0; r < 10; ++r) x(r, 1) = 0.1;
                const auto p = domain->place(x, by_column, {});
                EXPECT_NEAR((0.1 - p.shift[0]) * p.factor[0], domain->centre(), 1e-15);
                EXPECT_TRUE(std::isfinite(p.factor[1]) && p.factor[1] > 0.0);
                EXPECT_LT(p.factor[0], 10.0) << "a new value would be thrown far out";
            }
        }
}

TEST(Domain, OutlinesLieOnTheBoundary) {
    for (const auto& domain : {ball(2), box(2)}) {
        const auto outline = domain->outline();
        ASSERT_GE(outline.rows(), 4U);
        ASSERT_EQ(outline.columns(), 2U);
        double low = 1.0, high = 0.0;
        for (std::size_t i = 0; i < outline.rows(); ++i) {
            EXPECT_NEAR(domain->level(outline.row(i)), 0.0, 1e-15);
            low = std::min({low, outline(i, 0), outline(i, 1)});
            high = std::max({high, outline(i, 0), outline(i, 1)});
        }
        EXPECT_NEAR(low, domain->bounds()[0], 1e-15);
        EXPECT_NEAR(high, domain->bounds()[1], 1e-15);
    }
    EXPECT_EQ(ball(2)->outline().rows(), 180U);
}

TEST(Domain, IsMadeByItsKind) {
    EXPECT_EQ(make_domain(DomainKind::ball, 3)->centre(), 0.0);
    EXPECT_EQ(make_domain(DomainKind::box, 3)->centre(), 0.5);
    EXPECT_EQ(make_domain(DomainKind::box, 3)->dimensions(), 3U);
    EXPECT_THROW(ball(0), Error);
    EXPECT_THROW(box(0), Error);
}

}  // namespace
}  // namespace deepsl::field
