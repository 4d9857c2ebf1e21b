// Exits: never stepped over, never invented.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "field/lines.h"

namespace deepsl::field {
namespace {

/// No point of a line before its exit lies outside, and the exit lies on the boundary.
void expect_first_exit(const FieldLines& lines, int points, double slack) {
    for (std::size_t line = 0; line < lines.pieces.size(); ++line) {
        if (lines.line_status[line] != LineStatus::ok) continue;
        const auto& pieces = lines.pieces[line];
        for (std::size_t j = 0; j < pieces.size(); ++j) {
            const bool last = j + 1 == pieces.size();
            const double end = last ? lines.exit[line] : 1.0;
            const auto c = polynomial(lines, pieces[j]);
            std::vector<double> z(c[0].size());
            const auto level = [&](double s) {
                for (std::size_t i = 0; i < z.size(); ++i) {
                    z[i] = 0.0;
                    for (std::size_t k = c.size(); k-- > 0;) z[i] = z[i] * s + c[k][i];
                }
                return lines.domain->level(z);
            };
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

/// A smooth field of the wave numbers k, with a drift.
VectorFieldPointer waves(std::int64_t n, double wave, double drift) {
    const auto K = wave * torch::randn({n, n}, torch::kFloat64);
    const auto phase = 6.0 * torch::rand({n}, torch::kFloat64);
    const auto d = drift * torch::randn({n}, torch::kFloat64);
    return field_of([=](const Tensor& z) { return torch::sin(z.matmul(K) + phase) + d; });
}

TEST(Exit, NoEarlierCrossingExistsOnSmoothFields) {
    torch::manual_seed(3);
    for (int trial = 0; trial < 12; ++trial) {
        for (const auto& domain : {box(1), box(2), ball(2), ball(3)}) {
            for (const auto* method : methods()) {
                for (const int steps : {1, 2, 6}) {
                    const auto field = waves(domain->dimensions(), 1.0 + trial, 0.7);
                    auto options = with(*method, steps, 1e-4);
                    options.max_steps = 60;
                    const auto lines =
                        trace(*field, domain, samples(*domain, 12, torch::kFloat64), options);
                    SCOPED_TRACE(testing::Message() << domain->name() << " " << method->name << " "
                                                    << steps << " steps, trial " << trial);
                    expect_first_exit(lines, 40, 1e-12);
                }
            }
        }
    }
}

// Inside, the field is -1: the line leaves at -1 after 0.01. What the field does far outside must
// not matter, but a step of 1 goes out to the left, through the whole domain and out to the right.
TEST(Exit, ALineThatLeavesAndComesBackWithinOneStepHasLeft) {
    const auto field = field_of([](const Tensor& z) {
        return torch::where(z.abs() < 1.2, -1.0, torch::full_like(z, 6.0));
    });
    const auto [lines, cut] =
        follow(field, ball(1), table({{-0.99}}), with(rk4(), 1), 4, Scheme::magnus4);
    expect_ok(lines);
    expect_first_exit(lines, 1000, 1e-12);
    EXPECT_NEAR(cut.exit.item<double>(), -1.0, 1e-9);
    EXPECT_LT(cut.t_plus.item<double>(), 0.1);
}

// The same in the plane, with fields of many kinds outside.
TEST(Exit, WhatTheFieldDoesOutsideNeverHidesAnExit) {
    torch::manual_seed(4);
    for (const auto& domain : {box(2), ball(2)}) {
        const double c = domain->centre();
        for (int trial = 0; trial < 40; ++trial) {
            const auto inner = torch::randn({2}, torch::kFloat64);
            const auto outer = 8.0 * torch::randn({2}, torch::kFloat64);
            const auto field = field_of([=](const Tensor& z) {
                const auto far = (z - c).abs().amax(1, true) > (c > 0.0 ? 0.6 : 1.1);
                return torch::where(far, outer, inner);
            });
            const auto x = c + (samples(*domain, 16, torch::kFloat64) - c) * 1.1;
            const auto lines = trace(*field, domain, x, with(rk4(), 1));
            SCOPED_TRACE(testing::Message() << domain->name() << ", trial " << trial);
            expect_first_exit(lines, 100, 1e-12);
        }
    }
}

// Circles about (1/2, 0) that reach beyond the ball by little, for a short arc.
TEST(Exit, GrazingLinesLeaveWhereTheyGraze) {
    const auto M = table({{0.0, -1.0}, {1.0, 0.0}}), c = table({{0.5, 0.0}});
    for (const double depth : {1e-2, 1e-3, 1e-4, 1e-6}) {
        const double r = 0.5 + depth;
        // |c + r e(phi)| = 1
        const double phi = std::acos((1.0 - 0.25 - r * r) / r);
        for (const int steps : {24, 100}) {
            SCOPED_TRACE(testing::Message() << "depth " << depth << ", " << steps << " steps");
            const double start = -2.0;
            const auto x = table({{0.5 + r * std::cos(start), r * std::sin(start)}});
            const auto [lines, cut] = follow(linear_field(M, c), ball(2), x, with(rk4(), steps));
            expect_ok(lines);
            expect_first_exit(lines, 400, 1e-12);
            // The discrete line is off by some 1e-3/steps^4, and grazing magnifies that.
            const double off = 1.0 / std::pow(steps, 4.0) / std::max(phi, 1e-3);
            EXPECT_NEAR(cut.t_plus.item<double>(), -phi - start, off);
        }
    }
}

TEST(Exit, ALineThatStaysInsideByLittleIsNotCutShort) {
    const auto M = table({{0.0, -1.0}, {1.0, 0.0}}), c = table({{0.5, 0.0}});
    for (const double depth : {1e-2, 1e-3, 1e-4}) {
        const double r = 0.5 - depth;
        auto options = with(rk4(), 24);
        options.max_steps = 150;
        const auto lines = trace(*linear_field(M, c), ball(2), table({{0.5 - r, 0.0}}), options);
        EXPECT_EQ(lines.status()[0], LineStatus::step_limit) << depth;
    }
}

TEST(Exit, SamplesCloseToTheBoundary) {
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
        for (const auto* method : methods()) {
            for (const auto& domain : {box(2), ball(2)}) {
                const bool in_box = domain->name() == "box";
                const auto x =
                    (in_box ? table({{1.0 - 1e-6, 0.5}, {1e-6, 0.5}, {1.0 - 1e-6, 1.0 - 1e-6}})
                            : table({{1.0 - 1e-6, 0.0}, {-0.6 + 1e-6, 0.8 - 1e-6}}))
                        .to(type);
                for (const auto& a :
                     {table({{1.0, 0.0}}), table({{0.0, 1.0}}), table({{-1.0, 0.0}}),
                      table({{-1.0, 1.0}}), table({{0.8, 0.6}})}) {
                    const auto [lines, cut] = follow(constant(a[0]), domain, x, with(*method), 2);
                    expect_ok(lines);
                    for (std::int64_t b = 0; b < x.size(0); ++b) {
                        const auto start = numbers(x[b]), slope = numbers(a.to(type));
                        for (const double sign : {1.0, -1.0}) {
                            const double exact = straight_exit(*domain, start, slope, sign);
                            const double own =
                                (sign > 0.0 ? cut.t_plus : cut.t_minus)[b].item<double>();
                            // Times are in double: even a line of 1e-6 is known to many digits.
                            EXPECT_NEAR(own, exact,
                                        (type == torch::kFloat64 ? 1e-9 : 1e-6) * std::fabs(exact))
                                << domain->name() << " " << method->name << " " << type;
                            EXPECT_GT(sign * own, 0.0);
                        }
                    }
                    EXPECT_GT(cut.length.min().item<double>(), 0.0);
                }
            }
        }
    }
}

TEST(Exit, PositiveFieldsCrossTheBoxFromZeroToOne) {
    torch::manual_seed(5);
    for (int trial = 0; trial < 8; ++trial) {
        const std::int64_t n = 1 + 2 * trial;
        const auto field = network_field(Kind::positive, n, torch::kFloat64, 4.0, 0.5);
        const auto domain = box(n);
        const auto x = samples(*domain, 10, torch::kFloat64);
        const torch::NoGradGuard no_grad;
        const auto [lines, cut] = follow(field, domain, x, with(rk4(), 12), 8);
        expect_ok(lines);
        expect_first_exit(lines, 30, 1e-12);
        EXPECT_LE(largest(cut.exit.amax(1) - 1.0), 1e-12);
        EXPECT_GT(cut.exit.min().item<double>(), 0.0);
        EXPECT_LE(largest(cut.entry.amin(1)), 1e-12);
        EXPECT_LT(cut.entry.max().item<double>(), 1.0);
        // Every coordinate grows along the line.
        const auto path = torch::cat(
            {cut.entry.unsqueeze(1), cut.z.reshape({10, 32, n}), cut.exit.unsqueeze(1)}, 1);
        EXPECT_GT(path.diff(1, 1).min().item<double>(), 0.0);
        const auto a = field->forward(torch::randn({100, n}, torch::kFloat64) * 30.0);
        EXPECT_GE(a.min().item<double>(), 0.01);
        EXPECT_LE(a.max().item<double>(), 1.0);
    }
}

TEST(Exit, DirectionalFieldsAdvance) {
    torch::manual_seed(6);
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
        for (const double gain : {0.1, 10.0, 1e6}) {
            const std::int64_t n = 5;
            const auto field = std::dynamic_pointer_cast<DirectionalFieldImpl>(
                network_field(Kind::directional, n, type, gain, 0.0));
            const torch::NoGradGuard no_grad;
            EXPECT_NEAR(field->direction().norm().item<double>(), 1.0, 1e-6);
            const auto z = torch::randn({1000, n}, type);
            const auto a = field->forward(z);
            EXPECT_TRUE(finite(a));
            EXPECT_GE(a.matmul(field->direction()).min().item<double>(), 0.2 - 1e-6);
            EXPECT_LE(a.norm(2, 1).max().item<double>(), 1.8 + 1e-6);
            for (const auto& domain : {box(n), ball(n)}) {
                const auto lines = trace(*field, domain, samples(*domain, 20, type));
                expect_ok(lines);
            }
        }
    }
    const auto straight = network_field(Kind::straight, 3, torch::kFloat64, 1.0, 0.0);
    EXPECT_EQ(straight->parameters().size(), 1u);
    auto field = std::dynamic_pointer_cast<DirectionalFieldImpl>(straight);
    field->set_direction(table({{3.0, 0.0, 4.0}}));
    EXPECT_LE(largest(field->forward(torch::rand({2, 3}, torch::kFloat64)) -
                      table({{0.6, 0.0, 0.8}, {0.6, 0.0, 0.8}})),
              1e-15);
    EXPECT_THROW(field->set_direction(torch::zeros({3})), c10::Error);
    EXPECT_THROW(field->set_direction(torch::ones({4})), c10::Error);
}

}  // namespace
}  // namespace deepsl::field
