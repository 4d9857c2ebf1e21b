// Field lines against closed forms.
#include "deepsl/field/trace.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "field/lines.h"

namespace deepsl::field {
namespace {

void check_constant_field(const DomainPointer& domain, const Method& method, Scheme scheme,
                          torch::ScalarType type) {
    const auto n = domain->dimensions();
    SCOPED_TRACE(testing::Message()
                 << domain->name() << " of " << n << ", " << method.name << ", " << type);
    const bool wide = type == torch::kFloat64;
    const double tolerance = wide ? 1e-12 : 2e-5;
    const auto a = torch::randn({n}, type);
    const auto x = samples(*domain, 9, type);
    const std::int64_t m = 3;
    const auto [lines, cut] = follow(constant(a), domain, x, with(method), m, scheme);
    expect_ok(lines);
    const auto nodes = sturm::nodes(scheme);
    const auto slope = numbers(a);
    for (std::int64_t b = 0; b < x.size(0); ++b) {
        const auto start = numbers(x[b]);
        const double plus = straight_exit(*domain, start, slope, 1.0);
        const double minus = straight_exit(*domain, start, slope, -1.0);
        const double size = plus - minus;
        EXPECT_NEAR(cut.t_plus[b].item<double>(), plus, tolerance * size);
        EXPECT_NEAR(cut.t_minus[b].item<double>(), minus, tolerance * size);
        EXPECT_LE(cut.residual[b].item<double>(), wide ? 1e-13 : 1e-6);
        const auto exit = numbers(cut.exit[b]), entry = numbers(cut.entry[b]);
        const auto length = numbers(cut.length[b]);
        double t = minus;
        for (std::int64_t c = 0; c < 2 * m; ++c) {
            const double own = (c < m ? -minus : plus) / static_cast<double>(m);
            EXPECT_NEAR(length[static_cast<std::size_t>(c)], own, tolerance * size);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const auto z = numbers(cut.z[b][c][static_cast<std::int64_t>(i)]);
                for (std::size_t d = 0; d < start.size(); ++d)
                    EXPECT_NEAR(z[d], start[d] + (t + nodes[i] * own) * slope[d], tolerance);
            }
            t += own;
        }
        for (std::size_t d = 0; d < start.size(); ++d) {
            EXPECT_NEAR(exit[d], start[d] + plus * slope[d], tolerance);
            EXPECT_NEAR(entry[d], start[d] + minus * slope[d], tolerance);
        }
    }
}

TEST(Trace, ConstantFieldsLeaveWhereStraightLinesDo) {
    torch::manual_seed(2);
    for (const std::int64_t n : {1, 2, 16, 200})
        for (const auto& domain : {box(n), ball(n)})
            for (const auto* method : methods())
                for (const auto scheme : {Scheme::midpoint, Scheme::magnus4})
                    for (const auto type : {torch::kFloat32, torch::kFloat64})
                        check_constant_field(domain, *method, scheme, type);
}

/// A flow z' = M (z - c) in two dimensions whose solution is known.
struct Flow {
    const char* name;
    DomainPointer domain;
    Tensor M, c;
    std::vector<double> x;
    std::function<std::vector<double>(const std::vector<double>&, double)> at;

    /// The first exit, by fine steps and bisection.
    double exit(double sign) const {
        const auto outside = [&](double t) { return domain->level(at(x, t)) >= 0.0; };
        double low = 0.0, high = 0.0;
        for (high = sign * 1e-4; !outside(high); high += sign * 1e-4) low = high;
        for (int i = 0; i < 60; ++i)
            (outside(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
        return high;
    }
};

std::vector<Flow> flows() {
    return {
        // exp(At) = e^{t/2} [[1, t], [0, 1]]: growth with shear, from a corner of the box.
        {"shear in the box",
         box(2),
         table({{0.5, 1.0}, {0.0, 0.5}}),
         table({{0.0, 0.0}}),
         {0.3, 0.4},
         [](const std::vector<double>& x, double t) {
             return std::vector<double>{std::exp(0.5 * t) * (x[0] + t * x[1]),
                                        std::exp(0.5 * t) * x[1]};
         }},
        {"saddle in the ball",
         ball(2),
         table({{1.0, 0.0}, {0.0, -0.7}}),
         table({{-2.0, 0.5}}),
         {0.1, -0.6},
         [](const std::vector<double>& x, double t) {
             return std::vector<double>{-2.0 + (x[0] + 2.0) * std::exp(t),
                                        0.5 + (x[1] - 0.5) * std::exp(-0.7 * t)};
         }},
        // Circles about a point near the rim.
        {"rotation in the ball",
         ball(2),
         table({{0.0, -1.0}, {1.0, 0.0}}),
         table({{0.8, 0.0}}),
         {-0.1, 0.2},
         [](const std::vector<double>& x, double t) {
             const double u = x[0] - 0.8, v = x[1];
             return std::vector<double>{0.8 + u * std::cos(t) - v * std::sin(t),
                                        u * std::sin(t) + v * std::cos(t)};
         }},
    };
}

/// Largest errors of exit times, exit points and nodes.
struct Errors {
    double times = 0.0, ends = 0.0, nodes = 0.0;
};

Errors errors_of(const Flow& flow, const TraceOptions& options) {
    const auto x = table({flow.x});
    const auto [lines, cut] = follow(linear_field(flow.M, flow.c), flow.domain, x, options, 3);
    expect_ok(lines);
    Errors e;
    const double plus = flow.exit(1.0), minus = flow.exit(-1.0);
    e.times = std::max(std::fabs(cut.t_plus.item<double>() - plus),
                       std::fabs(cut.t_minus.item<double>() - minus));
    const auto exit = numbers(cut.exit), entry = numbers(cut.entry);
    const auto at_exit = flow.at(flow.x, plus), at_entry = flow.at(flow.x, minus);
    for (std::size_t i = 0; i < 2; ++i)
        e.ends =
            std::max({e.ends, std::fabs(exit[i] - at_exit[i]), std::fabs(entry[i] - at_entry[i])});
    const auto nodes = sturm::nodes(Scheme::magnus4);
    double t = cut.t_minus.item<double>();
    for (std::int64_t c = 0; c < cut.length.size(1); ++c) {
        const double length = cut.length[0][c].item<double>();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto exact = flow.at(flow.x, t + nodes[i] * length);
            const auto z = numbers(cut.z[0][c][static_cast<std::int64_t>(i)]);
            for (std::size_t d = 0; d < 2; ++d)
                e.nodes = std::max(e.nodes, std::fabs(z[d] - exact[d]));
        }
        t += length;
    }
    return e;
}

TEST(Trace, RungeKuttaConvergesWithOrderFour) {
    for (const auto& flow : flows()) {
        SCOPED_TRACE(flow.name);
        const auto coarse = errors_of(flow, with(rk4(), 8));
        const auto fine = errors_of(flow, with(rk4(), 64));
        const auto order = [](double a, double b) { return std::log2(a / b) / 3.0; };
        for (const double measured :
             {order(coarse.times, fine.times), order(coarse.ends, fine.ends),
              order(coarse.nodes, fine.nodes)}) {
            EXPECT_GT(measured, 3.6);
            EXPECT_LT(measured, 5.0);
        }
        EXPECT_LT(fine.ends, 1e-7);
    }
}

TEST(Trace, DormandPrinceMeetsItsTolerance) {
    for (const auto& flow : flows()) {
        double previous = infinity;
        for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
            SCOPED_TRACE(testing::Message() << flow.name << ", tolerance " << tolerance);
            const auto e = errors_of(flow, with(dormand_prince(), 6, tolerance));
            // A tolerance per step; errors add up over the steps, and exits are a little oblique.
            EXPECT_LE(e.ends, 20.0 * tolerance);
            EXPECT_LE(e.times, 20.0 * tolerance);
            EXPECT_LE(e.nodes, 20.0 * tolerance);
            EXPECT_LT(e.ends, previous);
            previous = e.ends;
        }
    }
}

TEST(Trace, ToleranceSavesSteps) {
    const auto flow = flows().front();
    const auto steps = [&](double tolerance) {
        return trace(*linear_field(flow.M, flow.c), flow.domain, table({flow.x}),
                     with(dormand_prince(), 6, tolerance))
            .step_counts()[0];
    };
    EXPECT_LT(steps(1e-4), steps(1e-8));
    EXPECT_LT(steps(1e-8), steps(1e-12));
}

}  // namespace
}  // namespace deepsl::field
