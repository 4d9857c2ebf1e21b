// From columns of data to points of a domain and back, and what columns tell about a target.
#include "deepsl/field/scaling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/parallel.h"
#include "deepsl/random.h"

namespace deepsl::field {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Matrix<double> random_table(std::size_t rows, std::size_t columns, std::uint64_t seed,
                            double factor = 1.0, double shift = 0.0) {
    Random random(seed);
    Matrix<double> x(rows, columns);
    for (auto& v : x.values()) v = shift + factor * normal(random);
    return x;
}

Matrix<double> times(Matrix<double> x, double factor) {
    for (auto& v : x.values()) v *= factor;
    return x;
}

double largest_norm(const Matrix<double>& z) {
    double largest = 0.0;
    for (std::size_t r = 0; r < z.rows(); ++r) {
        double square = 0.0;
        for (const double c : z.row(r)) square += c * c;
        largest = std::max(largest, std::sqrt(square));
    }
    return largest;
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b, double tolerance) {
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.columns(), b.columns());
    for (std::size_t i = 0; i < a.values().size(); ++i)
        EXPECT_NEAR(a.values()[i], b.values()[i], tolerance);
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    expect_near(Matrix<double>(1, a.size(), a), Matrix<double>(1, b.size(), b), tolerance);
}

TEST(Scaling, PutsDataInsideAndBack) {
    const auto x = random_table(200, 3, 1, 5.0, 100.0);
    for (const auto kind : {DomainKind::ball, DomainKind::box}) {
        const auto scaling = fit_scaling(x, make_domain(kind, 3));
        const auto z = scaling.forward(x);
        const auto [low, high] = std::minmax_element(z.values().begin(), z.values().end());
        const auto far = scaling.forward(times(x, 1e9));
        switch (kind) {
            case DomainKind::ball:
                EXPECT_NEAR(largest_norm(z), 1.0 / 1.5, 1e-12);
                EXPECT_NEAR(largest_norm(far), 0.9, 1e-12);
                break;
            case DomainKind::box:
                EXPECT_NEAR(*low, 0.25, 1e-12);
                EXPECT_NEAR(*high, 0.75, 1e-12);
                for (const double c : far.values()) EXPECT_EQ(c, 0.98);
                break;
        }
        expect_near(scaling.inverse(z), x, 1e-9);
        expect_near(scaling.unlimited(x), z, 0.0);
        EXPECT_EQ(scaling.pulled_in(x), 0U);
        EXPECT_EQ(scaling.pulled_in(times(x, 1e6)), 200U);
        EXPECT_GT(std::fabs(scaling.unlimited(times(x, 1e6))(0, 0)), 1000.0);
    }
}

TEST(Scaling, SpreadIsTheRootMeanSquareAboutTheCentre) {
    // Columns to z = -+1/3 and -+2/3 about their means, by hand: in the box the range is half.
    const Matrix<double> x(2, 2, std::vector<double>{0.0, 10.0, 1.0, 30.0});
    EXPECT_NEAR(fit_scaling(x, box(2)).spread, 0.25, 1e-15);
    // In the ball both rows have the norm 1 / 1.5, so each of 2 columns has its share.
    EXPECT_NEAR(fit_scaling(x, ball(2)).spread, 1.0 / 1.5 / std::sqrt(2.0), 1e-15);
    EXPECT_NEAR(fit_uniform_scaling(x, ball(2)).spread, 1.0 / 1.5 / std::sqrt(2.0), 1e-15);
}

TEST(Scaling, StretchesColumnsByTheirRelevance) {
    Random random(1);
    Matrix<double> x(200, 3);
    for (auto& v : x.values()) v = 7.0 + uniform(random);
    const std::vector<double> relevance{0.5, 2.0, 1.0}, share{0.25, 1.0, 0.5};
    const auto factor_of = [&](const DomainPointer& domain, const std::vector<double>& of_columns) {
        const auto scaling = fit_uniform_scaling(x, domain, of_columns);
        // But for rows that are pulled in, of which there are none here.
        expect_near(scaling.inverse(scaling.forward(x)), x, 1e-12);
        return scaling.placement.factor;
    };
    const auto in_ball = factor_of(ball(3), relevance);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(in_ball[c] / in_ball[1], share[c], 1e-12);
    EXPECT_EQ(factor_of(ball(3), {4.0, 4.0, 4.0}), factor_of(ball(3), {}));
    const auto in_box = factor_of(box(3), relevance), alike = factor_of(box(3), {});
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(in_box[c] / alike[c], share[c], 1e-12);
    Matrix<double> centre(1, 3);
    for (std::size_t c = 0; c < 3; ++c) {
        double low = x(0, c), high = x(0, c);
        for (std::size_t r = 0; r < x.rows(); ++r) {
            low = std::min(low, x(r, c));
            high = std::max(high, x(r, c));
        }
        centre(0, c) = 0.5 * (low + high);
    }
    expect_near(fit_uniform_scaling(x, box(3), relevance).forward(centre),
                Matrix<double>(1, 3, 0.5), 1e-12);
}

TEST(Scaling, RefusesWhatCannotBeScaled) {
    const auto kind_of = [](const auto& call) {
        try {
            call();
        } catch (const Error& error) {
            return error.kind();
        }
        ADD_FAILURE() << "nothing was thrown";
        return Error::Kind::output;
    };
    for (const auto& domain : {ball(2), box(2)}) {
        EXPECT_EQ(kind_of([&] { fit_scaling(Matrix<double>(2, 2, nan), domain); }),
                  Error::Kind::data);
        EXPECT_EQ(kind_of([&] { fit_uniform_scaling(Matrix<double>(2, 2, INFINITY), domain); }),
                  Error::Kind::data);
        EXPECT_EQ(kind_of([&] { fit_scaling(Matrix<double>(0, 2), domain); }), Error::Kind::data);
        EXPECT_EQ(kind_of([&] { fit_scaling(Matrix<double>(2, 3), domain); }),
                  Error::Kind::argument);
        const auto x = random_table(4, 2, 1);
        for (const auto& bad : std::vector<std::vector<double>>{{1.0}, {1.0, 0.0}, {1.0, nan}})
            EXPECT_EQ(kind_of([&] { fit_uniform_scaling(x, domain, bad); }), Error::Kind::argument);
        const auto scaling = fit_scaling(x, domain);
        EXPECT_EQ(kind_of([&] { scaling.forward(Matrix<double>(2, 3)); }), Error::Kind::argument);
    }
}

TEST(Scaling, ConstantColumnsBecomeConstant) {
    for (const auto& domain : {ball(2), box(2)})
        for (const double value : {0.1, 1.0, -1e9, 0.0}) {
            const auto scaling = fit_scaling(Matrix<double>(5, 2, value), domain);
            expect_near(scaling.forward(Matrix<double>(5, 2, value)),
                        Matrix<double>(5, 2, domain->centre()), 1e-7);
            EXPECT_NEAR(scaling.spread, 0.0, 1e-7);
        }
}

TEST(Scaling, MissingNumbersStayMissing) {
    const auto x = random_table(50, 2, 4);
    for (const auto& domain : {ball(2), box(2)}) {
        const auto scaling = fit_scaling(x, domain);
        const auto z = scaling.forward(Matrix<double>(1, 2, std::vector<double>{nan, 0.0}));
        EXPECT_TRUE(std::isnan(z(0, 0)));
        EXPECT_EQ(scaling.pulled_in(Matrix<double>(1, 2, nan)), 0U);
    }
}

TEST(Association, TellsHowMuchAColumnSaysAboutTheTarget) {
    // A copy of the target, its negative, half of its variance, nothing, a constant.
    const Matrix<double> x(4, 5, std::vector<double>{0, 2, 0, 0, 3,  //
                                                     0, 2, 1, 1, 3,  //
                                                     1, 1, 1, 0, 3,  //
                                                     1, 1, 2, 1, 3});
    const std::vector<double> wanted{1.0, 1.0, 0.5, 0.0, 0.0};
    expect_near(association(x, std::vector<std::int64_t>{0, 0, 1, 1}), wanted, 1e-12);
    expect_near(association(x, Matrix<double>(4, 1, std::vector<double>{-4, -4, 5, 5})), wanted,
                1e-12);
    // A hill, which a line does not see; and the third of three classes, which is half of all.
    const Matrix<double> place(3, 1, std::vector<double>{-1.0, 0.0, 1.0});
    const Matrix<double> hill(3, 1, std::vector<double>{0.0, 3.0, 0.0});
    EXPECT_NEAR(association(place, hill).front(), 1.0, 1e-12);
    const Matrix<double> third(3, 1, std::vector<double>{0.0, 0.0, 1.0});
    EXPECT_NEAR(association(third, std::vector<std::int64_t>{0, 1, 2}).front(), 0.5, 1e-12);
}

TEST(Association, OfLabelsIsThatOfTheirIndicators) {
    const auto x = random_table(60, 4, 7);
    std::vector<std::int64_t> labels(60);
    Matrix<double> indicators(60, 5);
    Random random(8);
    for (std::size_t r = 0; r < labels.size(); ++r) {
        labels[r] = static_cast<std::int64_t>(below(5, random));
        indicators(r, static_cast<std::size_t>(labels[r])) = 1.0;
    }
    const auto one = association(x, labels), other = association(x, indicators);
    expect_near(one, other, 1e-14);
    EXPECT_GT(*std::max_element(one.begin(), one.end()), 1e-3);
    set_threads(3);
    EXPECT_EQ(association(x, labels), one);
    set_threads(1);
}

TEST(Association, OfATargetThatNeverChangesIsZero) {
    const auto x = random_table(10, 2, 9);
    expect_near(association(x, std::vector<std::int64_t>(10, 0)), {0.0, 0.0}, 0.0);
    expect_near(association(x, Matrix<double>(10, 1, 3.0)), {0.0, 0.0}, 0.0);
    EXPECT_THROW(association(x, std::vector<std::int64_t>(9, 0)), Error);
    EXPECT_THROW(association(x, std::vector<std::int64_t>(10, -1)), Error);
}

}  // namespace
}  // namespace deepsl::field
