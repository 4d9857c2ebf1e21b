// Each way for a line to fail, and that its neighbours do not notice.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "field/lines.h"

namespace deepsl::field::test {
namespace {

/// Three good samples, alone and with a bad one among them: the same bits, and the same gradients.
/// The field is f(p, z, a).
template <class Formula>
void expect_harmless(const Formula& f, const DomainPointer& domain, std::vector<double> bad,
                     LineStatus expected, const Method& method, int max_steps = 50) {
    SCOPED_TRACE(name_of(method));
    const std::vector<double> good{0.3, 0.2, 0.5, 0.25, 0.2, 0.4};
    auto options = with(method, 12);
    options.max_steps = max_steps;
    const auto field = formula<double>(2, {0.9, 1.1}, f);
    constexpr std::size_t cells = 4, per_sample = 2 * cells * 2 * 2;
    // As in training: everything of the good samples, and a zero seed for the bad one.
    const auto run = [&](const std::vector<double>& x, std::size_t zero) {
        auto traced = follow(field, domain, x, options, cells);
        const auto count = x.size() / 2;
        std::vector<double> by_z(traced.grid.z.size()), by_exit(2 * count, 1.0);
        std::vector<double> by_length(traced.grid.length.size(), 0.7), plus(count, 1.0);
        for (std::size_t b = 0; b < count; ++b) {
            const double keep = b == zero ? 0.0 : 1.0;
            std::fill_n(by_z.begin() + static_cast<std::ptrdiff_t>(b * per_sample), per_sample,
                        keep);
            std::fill_n(by_z.end() - static_cast<std::ptrdiff_t>(2 * (count - b)), 2, 3.0 * keep);
            std::fill_n(by_exit.begin() + static_cast<std::ptrdiff_t>(2 * b), 2, keep);
            std::fill_n(by_length.begin() + static_cast<std::ptrdiff_t>(2 * cells * b), 2 * cells,
                        0.7 * keep);
            plus[b] = keep;
        }
        const auto gradient =
            pull_back(field, traced, Scheme::magnus4,
                      {by_z.data(), by_length.data(), by_exit.data(), plus.data(), plus.data()});
        return std::pair{std::move(traced), gradient};
    };
    const auto [alone, expected_gradient] = run(good, 99);
    expect_ok(alone.lines);
    auto mixed = good;
    mixed.insert(mixed.begin() + 2, bad.begin(), bad.end());
    const auto [all, gradient] = run(mixed, 1);
    EXPECT_EQ(name(all.lines.status(1)), name(expected));
    EXPECT_FALSE(sentence(all.lines.status(1)).empty());
    const std::size_t rows[] = {0, 2, 3};
    for (const auto b : rows) EXPECT_EQ(name(all.lines.status(b)), "ok");
    const auto& g = all.grid;
    EXPECT_TRUE(finite(g.z) && finite(g.length) && finite(g.exit) && finite(g.t_minus) &&
                finite(g.t_plus) && finite(g.residual))
        << "a failed line gets harmless values";
    EXPECT_GT(*std::min_element(g.length.begin(), g.length.end()), 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto b = rows[i];
        const auto row = [](const std::vector<double>& from, std::size_t at, std::size_t width) {
            const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at * width);
            return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
        };
        EXPECT_TRUE(same_bits(row(g.z, b, per_sample), alone.grid.z, i * per_sample));
        EXPECT_EQ(numbers(all.entry(b)), numbers(alone.entry(i)));
        EXPECT_EQ(numbers(all.exit(b)), numbers(alone.exit(i)));
        EXPECT_EQ(numbers(all.lengths(b)), numbers(alone.lengths(i)));
        EXPECT_EQ(all.t_minus(b), alone.t_minus(i));
        EXPECT_EQ(all.t_plus(b), alone.t_plus(i));
        EXPECT_EQ(g.residual[b], alone.grid.residual[i]);
        EXPECT_TRUE(same_bits(row(gradient.x, b, 2), expected_gradient.x, 2 * i));
    }
    EXPECT_EQ(gradient.x[2], 0.0);
    EXPECT_EQ(gradient.x[3], 0.0);
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(gradient.parameters[i], expected_gradient.parameters[i],
                    1e-13 * largest(expected_gradient.parameters));
}

const auto mild = [](auto p, auto z, auto a) {
    using std::cos;
    using std::sin;
    a[0] = p[0] * (1.0 + 0.3 * sin(z[1]));
    a[1] = p[1] * (0.5 + 0.2 * cos(z[0]));
};

/// The mild field, and this value in a region that its lines through the good samples never enter.
auto with_corner(double value) {
    return [value](auto p, auto z, auto a) {
        mild(p, z, a);
        if (z[0] < -0.3 && z[1] > 0.3) a[0] = a[1] = value;
    };
}

TEST(Outcome, ANotFiniteSampleIsToldAndDisturbsNothing) {
    for (const auto* m : methods) {
        expect_harmless(mild, box(2), {nan, 0.5}, LineStatus::not_finite, *m);
        expect_harmless(mild, ball(2), {0.1, infinity}, LineStatus::not_finite, *m);
        expect_harmless(mild, ball(2), {-infinity, nan}, LineStatus::not_finite, *m);
    }
}

TEST(Outcome, ASampleOutsideIsToldAndDisturbsNothing) {
    for (const auto* m : methods) {
        expect_harmless(mild, box(2), {1.5, 0.5}, LineStatus::outside, *m);
        expect_harmless(mild, box(2), {0.0, 0.5}, LineStatus::outside, *m);
        expect_harmless(mild, box(2), {0.5, 1.0}, LineStatus::outside, *m);
        expect_harmless(mild, ball(2), {1.0, 0.0}, LineStatus::outside, *m);
        expect_harmless(mild, ball(2), {1e200, 0.0}, LineStatus::outside, *m);
    }
}

TEST(Outcome, AnInfiniteFieldAtTheSampleIsToldAndDisturbsNothing) {
    for (const double value : {infinity, -infinity, nan})
        for (const auto* m : methods)
            expect_harmless(with_corner(value), ball(2), {-0.6, 0.5}, LineStatus::not_finite, *m);
}

TEST(Outcome, AFieldThatBlowsUpOnTheWayIsToldAndDisturbsNothing) {
    // The line starts outside the corner and enters it backwards.
    for (const double value : {infinity, nan})
        expect_harmless(with_corner(value), ball(2), {-0.2, 0.6}, LineStatus::not_finite, rk4());
    expect_harmless(with_corner(nan), ball(2), {-0.2, 0.6}, LineStatus::not_finite,
                    dormand_prince());
}

// A point at rest: its line does not leave.
TEST(Outcome, AFieldThatVanishesIsToldAndDisturbsNothing) {
    for (const auto* m : methods)
        expect_harmless(with_corner(0.0), ball(2), {-0.6, 0.5}, LineStatus::step_limit, *m);
}

TEST(Outcome, ALimitCycleReachesTheStepLimitAndDisturbsNothing) {
    // Circles about (-0.6, 0.5), within 0.25 of it.
    const auto f = [](auto p, auto z, auto a) {
        mild(p, z, a);
        const auto u = z[0] + 0.6, v = z[1] - 0.5;
        if (!(u * u + v * v < 0.0625)) return;
        a[0] = 0.5 * (p[0] + p[1]) * (0.0 - v);
        a[1] = 0.5 * (p[0] + p[1]) * u;
    };
    for (const auto* m : methods)
        expect_harmless(f, ball(2), {-0.6, 0.7}, LineStatus::step_limit, *m, 60);
    // The sentence says what to do.
    EXPECT_NE(sentence(LineStatus::step_limit).find("max_steps"), std::string_view::npos);
}

// Dormand-Prince's second stage only leads to the others: it has no weight in the step itself.
TEST(Outcome, ANaNAtAStageWithoutWeightIsTold) {
    int call = 0;  // the first is at the sample, the next two at the second stage both ways
    const auto field = formula<double>(1, {}, [&call](auto, auto, auto a) {
        ++call;
        a[0] = call == 2 || call == 3 ? nan : 1.0;
    });
    const auto lines = lines_of(field, ball(1), {0.0}, with(dormand_prince()));
    EXPECT_EQ(name(lines.status(0)), "not_finite");
}

template <class Real>
void empty_and_failed() {
    for (const auto kind :
         {FieldKind::directional, FieldKind::straight, FieldKind::positive, FieldKind::gradient})
        for (const auto* m : methods) {
            const auto field = network_field<Real>(kind, 3, 1.0, 0.0, 1);
            auto none = follow(field, ball(3), {}, with(*m), 2);
            EXPECT_EQ(none.lines.samples, 0U);
            EXPECT_TRUE(none.grid.z.empty());
            EXPECT_TRUE(none.grid.length.empty());
            EXPECT_TRUE(none.grid.t_plus.empty());
            auto gradient = pull_back(field, none, Scheme::magnus4, {});
            EXPECT_EQ(largest(gradient.parameters), 0.0);

            auto failed = follow(field, ball(3), std::vector<Real>(6, Real(7)), with(*m), 2);
            for (std::size_t b = 0; b < 2; ++b)
                EXPECT_EQ(failed.lines.status(b), LineStatus::outside);
            EXPECT_TRUE(finite(failed.grid.z));
            EXPECT_EQ(failed.grid.length, std::vector<double>(8, 0.5));
            const std::vector<Real> seed(failed.grid.z.size(), Real(1));
            gradient = pull_back(field, failed, Scheme::magnus4, {seed.data()});
            EXPECT_EQ(largest(gradient.parameters), 0.0);
            EXPECT_EQ(largest(gradient.x), 0.0);
        }
}

TEST(Outcome, ABatchMayBeEmptyOrFailAltogether) {
    empty_and_failed<float>();
    empty_and_failed<double>();
}

TEST(Outcome, BadArgumentsAreNamed) {
    const auto message = [](const TraceOptions& o, double least) -> std::string {
        try {
            check_trace(o, least);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::argument);
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message(with(rk4(), 0), 1e-13), "");
    auto none = with(rk4());
    none.max_steps = 0;
    EXPECT_NE(message(none, 1e-13), "");
    for (const double tolerance : {0.0, -1.0, 1.0, nan, 1e-15})
        EXPECT_NE(message(with(dormand_prince(), 6, tolerance), 1e-13).find("tolerance"),
                  std::string::npos);
    EXPECT_EQ(message(with(dormand_prince(), 6, 1e-12), 1e-13), "");
    // float32 cannot hold 1e-7 per step, and the sentence says what to do.
    EXPECT_NE(message(with(dormand_prince(), 6, 1e-8), 1e-6).find("float64"), std::string::npos);
    EXPECT_EQ(message(with(dormand_prince(), 6, 1e-6), 1e-6), "");
    EXPECT_THROW(box(0), Error);
    EXPECT_THROW(ball(0), Error);
}

TEST(Outcome, SizesThatDoNotFitAreRefused) {
    const auto field = constant({1.0, 0.5});
    const std::vector<double> x{0.5, 0.5, 0.5};
    Lines<double> lines;
    try {
        trace(*field, *box(3), x.data(), 1, TraceOptions(), lines, nullptr);
        FAIL() << "a field of two coordinates in a box of three";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find('2'), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find('3'), std::string::npos) << error.what();
    }
    trace(*field, *box(2), x.data(), 1, TraceOptions(), lines, nullptr);
    Grid<double> g;
    EXPECT_THROW(grid(lines, 0, Scheme::magnus4, g), Error);

    network::MlpOptions o;
    o.inputs = 3;
    o.outputs = 2;
    EXPECT_THROW(NetworkField<double>(std::make_unique<network::Mlp<double>>(o)), Error);
    EXPECT_THROW(DirectionalField<double>(3, std::make_unique<network::Mlp<double>>(o)), Error);
    EXPECT_THROW(DirectionalField<double>(2, std::make_unique<network::Mlp<double>>(o)), Error);
}

}  // namespace
}  // namespace deepsl::field::test
