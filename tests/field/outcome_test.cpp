// Each way for a line to fail, and that its neighbours do not notice.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "field/lines.h"

namespace deepsl::field {
namespace {

/// Three good samples, alone and with a bad one among them: the same bits, and the same gradients.
/// The field is f(parameter, z).
void expect_harmless(const std::function<Tensor(const Tensor&, const Tensor&)>& f,
                     const DomainPointer& domain, const std::vector<double>& bad,
                     LineStatus expected, const Method& method, int max_steps = 50) {
    SCOPED_TRACE(method.name);
    const auto good = table({{0.3, 0.2}, {0.5, 0.25}, {0.2, 0.4}});
    auto options = with(method, 12);
    options.max_steps = max_steps;
    const auto run = [&](const Tensor& data) {
        const auto x = data.clone().requires_grad_(true);
        const auto parameter = torch::tensor({0.9, 1.1}, torch::kFloat64).requires_grad_(true);
        const auto field = field_of([&f, &parameter](const Tensor& z) { return f(parameter, z); });
        const auto [lines, cut] = follow(field, domain, x, options);
        // As in training: everything of the good samples, and a zero seed for the bad one.
        std::vector<double> keep;
        for (const auto s : lines.status()) keep.push_back(s == LineStatus::ok ? 1.0 : 0.0);
        const auto mask = torch::tensor(keep, torch::kFloat64);
        const auto loss =
            (mask * (cut.t_plus - 2.0 * cut.t_minus)).sum() +
            (mask.unsqueeze(1) * (cut.exit + 3.0 * cut.entry + cut.z.sum({1, 2}))).sum() +
            (mask.unsqueeze(1) * cut.length.square()).sum();
        loss.backward();
        return std::tuple{lines.status(), cut, x.grad(), parameter.grad()};
    };
    const auto [status, cut, dx, dp] = run(good);
    for (const auto s : status) ASSERT_EQ(name(s), "ok");
    const auto mixed = torch::cat({good.narrow(0, 0, 1), table({bad}), good.narrow(0, 1, 2)});
    const auto [all, with_bad, dx_all, dp_all] = run(mixed);
    EXPECT_EQ(name(all[1]), name(expected));
    EXPECT_FALSE(sentence(all[1]).empty());
    const auto rows = torch::tensor({0, 2, 3});
    for (const auto b : {0u, 2u, 3u}) EXPECT_EQ(name(all[b]), "ok");
    for (const auto member : {&LineGrid::z, &LineGrid::length, &LineGrid::entry, &LineGrid::exit,
                              &LineGrid::t_minus, &LineGrid::t_plus, &LineGrid::residual}) {
        EXPECT_TRUE(same_bits((with_bad.*member).index_select(0, rows), cut.*member));
        EXPECT_TRUE(finite(with_bad.*member)) << "a failed line gets harmless values";
    }
    EXPECT_TRUE(finite(dx_all)) << dx_all;
    EXPECT_TRUE(finite(dp_all)) << dp_all;
    EXPECT_TRUE(same_bits(dx_all.index_select(0, rows), dx));
    EXPECT_EQ(largest(dx_all[1]), 0.0);
    EXPECT_LE(largest(dp_all - dp), 1e-13 * largest(dp));
}

Tensor mild(const Tensor& p, const Tensor& z) {
    return p *
           torch::stack(
               {1.0 + 0.3 * torch::sin(z.select(1, 1)), 0.5 + 0.2 * torch::cos(z.select(1, 0))}, 1);
}

/// A region that lines of the mild field through the good samples never enter.
Tensor corner(const Tensor& z) {
    return (z.select(1, 0) < -0.3).logical_and(z.select(1, 1) > 0.3).unsqueeze(1);
}

TEST(Outcome, ANotFiniteSampleIsToldAndDisturbsNothing) {
    for (const auto* m : methods()) {
        expect_harmless(mild, box(2), {nan, 0.5}, LineStatus::not_finite, *m);
        expect_harmless(mild, ball(2), {0.1, infinity}, LineStatus::not_finite, *m);
        expect_harmless(mild, ball(2), {-infinity, nan}, LineStatus::not_finite, *m);
    }
}

TEST(Outcome, ASampleOutsideIsToldAndDisturbsNothing) {
    for (const auto* m : methods()) {
        expect_harmless(mild, box(2), {1.5, 0.5}, LineStatus::outside, *m);
        expect_harmless(mild, box(2), {0.0, 0.5}, LineStatus::outside, *m);
        expect_harmless(mild, box(2), {0.5, 1.0}, LineStatus::outside, *m);
        expect_harmless(mild, ball(2), {1.0, 0.0}, LineStatus::outside, *m);
        expect_harmless(mild, ball(2), {1e200, 0.0}, LineStatus::outside, *m);
    }
}

TEST(Outcome, AnInfiniteFieldAtTheSampleIsToldAndDisturbsNothing) {
    for (const double value : {infinity, -infinity, nan}) {
        const auto f = [value](const Tensor& p, const Tensor& z) {
            return torch::where(corner(z), value, mild(p, z));
        };
        for (const auto* m : methods())
            expect_harmless(f, ball(2), {-0.6, 0.5}, LineStatus::not_finite, *m);
    }
}

TEST(Outcome, AFieldThatBlowsUpOnTheWayIsToldAndDisturbsNothing) {
    // The line starts outside the corner and enters it backwards.
    for (const double value : {infinity, nan}) {
        const auto f = [value](const Tensor& p, const Tensor& z) {
            return torch::where(corner(z), value, mild(p, z));
        };
        expect_harmless(f, ball(2), {-0.2, 0.6}, LineStatus::not_finite, rk4());
    }
    const auto f = [](const Tensor& p, const Tensor& z) {
        return torch::where(corner(z), nan, mild(p, z));
    };
    expect_harmless(f, ball(2), {-0.2, 0.6}, LineStatus::not_finite, dormand_prince());
}

// A point at rest: its line does not leave.
TEST(Outcome, AFieldThatVanishesIsToldAndDisturbsNothing) {
    const auto f = [](const Tensor& p, const Tensor& z) {
        return torch::where(corner(z), 0.0, mild(p, z));
    };
    for (const auto* m : methods())
        expect_harmless(f, ball(2), {-0.6, 0.5}, LineStatus::step_limit, *m);
}

TEST(Outcome, ALimitCycleReachesTheStepLimitAndDisturbsNothing) {
    // Circles about (-0.6, 0.5), within 0.25 of it.
    const auto f = [](const Tensor& p, const Tensor& z) {
        const auto u = z - table({{-0.6, 0.5}});
        const auto there = u.square().sum(1, true) < 0.0625;
        const auto around = torch::stack({-u.select(1, 1), u.select(1, 0)}, 1);
        return torch::where(there, p.mean() * around, mild(p, z));
    };
    for (const auto* m : methods())
        expect_harmless(f, ball(2), {-0.6, 0.7}, LineStatus::step_limit, *m, 60);
    // The sentence says what to do.
    EXPECT_NE(sentence(LineStatus::step_limit).find("max_steps"), std::string_view::npos);
}

// Dormand-Prince's second stage only leads to the others: it has no weight in the step itself.
TEST(Outcome, ANaNAtAStageWithoutWeightIsTold) {
    int call = 0;  // the first is at the sample
    const auto field =
        field_of([&call](const Tensor& z) { return torch::full_like(z, ++call == 2 ? nan : 1.0); });
    const auto lines = trace(*field, ball(1), torch::zeros({1, 1}, torch::kFloat64),
                             with(dormand_prince(), 6, 1e-5));
    EXPECT_EQ(name(lines.status()[0]), "not_finite");
}

TEST(Outcome, ABatchMayBeEmptyOrFailAltogether) {
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
        for (const auto* m : methods()) {
            auto x = torch::zeros({0, 3}, type).requires_grad_(true);
            const auto field = network_field(Kind::directional, 3, type, 1.0, 0.0);
            const auto [lines, cut] = follow(field, ball(3), x, with(*m), 2);
            EXPECT_EQ(lines.status().size(), 0u);
            EXPECT_EQ(cut.z.sizes(), (std::vector<std::int64_t>{0, 4, 2, 3}));
            EXPECT_EQ(cut.length.sizes(), (std::vector<std::int64_t>{0, 4}));
            EXPECT_EQ(cut.t_plus.sizes(), (std::vector<std::int64_t>{0}));

            auto bad = torch::full({2, 3}, 7.0, type).requires_grad_(true);
            const auto failed = follow(field, ball(3), bad, with(*m), 2);
            for (const auto s : failed.lines.status()) EXPECT_EQ(s, LineStatus::outside);
            EXPECT_TRUE(finite(failed.grid.z));
            EXPECT_GT(failed.grid.length.min().item<double>(), 0.0);
        }
    }
}

TEST(Outcome, BadArgumentsAreNamed) {
    const auto field = constant(table({{1.0, 0.5}})[0]);
    const auto message = [&](const Tensor& x, const TraceOptions& o) -> std::string {
        try {
            trace(*field, box(2), x, o);
        } catch (const sturm::InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto x = table({{0.5, 0.5}});
    EXPECT_NE(message(torch::zeros({4, 3}), {}).find("2 dimensions"), std::string::npos);
    EXPECT_NE(message(torch::zeros({4, 3}), {}).find("3"), std::string::npos);
    EXPECT_NE(message(torch::zeros({4}), {}), "");
    EXPECT_NE(message(x, with(rk4(), 0)), "");
    auto none = with(rk4());
    none.max_steps = 0;
    EXPECT_NE(message(x, none), "");
    for (const double tolerance : {0.0, -1.0, 1.0, nan, 1e-15})
        EXPECT_NE(message(x, with(dormand_prince(), 6, tolerance)).find("tolerance"),
                  std::string::npos);
    EXPECT_EQ(message(x, with(dormand_prince(), 6, 1e-12)), "");
    // float32 cannot hold 1e-7 per step, and the sentence says what to do.
    const auto narrow = x.to(torch::kFloat32);
    EXPECT_NE(message(narrow, with(dormand_prince(), 6, 1e-8)).find("float64"), std::string::npos);
    EXPECT_EQ(message(narrow, with(dormand_prince(), 6, 1e-6)), "");
    const auto lines = trace(*field, box(2), x);
    EXPECT_THROW(grid(lines, 0, Scheme::magnus4), sturm::InputError);
    EXPECT_THROW(box(0), c10::Error);
}

TEST(Outcome, AFieldOfTheWrongShapeIsRefused) {
    const auto x = table({{0.5, 0.5}, {0.4, 0.6}});
    const auto narrow = field_of([](const Tensor& z) { return 0.5 + z.narrow(1, 0, 1); });
    EXPECT_ANY_THROW(trace(*narrow, box(2), x));
    const auto other_type = field_of([](const Tensor& z) { return z.to(torch::kFloat32); });
    EXPECT_ANY_THROW(trace(*other_type, box(2), x));
}

}  // namespace
}  // namespace deepsl::field
