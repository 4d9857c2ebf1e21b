// Field lines against closed forms.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "field/lines.h"

namespace deepsl::field::test {
namespace {

/// Times, ends, lengths and nodes of straight lines along `slope`, by closed forms.
template <class Real>
void expect_straight(const Traced<Real>& cut, const Domain& domain, const std::vector<Real>& x,
                     const std::vector<double>& slope, Scheme scheme, double tolerance,
                     double residual) {
    const auto n = domain.dimensions(), m = cut.grid.cells / 2;
    const auto nodes = sturm::nodes(scheme);
    for (std::size_t b = 0; b < cut.grid.samples; ++b) {
        const std::vector<double> start(x.data() + b * n, x.data() + (b + 1) * n);
        const double plus = straight_exit(domain, start, slope, 1.0);
        const double minus = straight_exit(domain, start, slope, -1.0);
        const double size = plus - minus;
        EXPECT_NEAR(cut.t_plus(b), plus, tolerance * size);
        EXPECT_NEAR(cut.t_minus(b), minus, tolerance * size);
        EXPECT_LE(cut.grid.residual[b], residual);
        double t = minus;
        for (std::size_t c = 0; c < 2 * m; ++c) {
            const double own = (c < m ? -minus : plus) / static_cast<double>(m);
            EXPECT_NEAR(cut.lengths(b)[c], own, tolerance * size);
            for (std::size_t i = 0; i < nodes.size(); ++i)
                for (std::size_t d = 0; d < n; ++d)
                    EXPECT_NEAR(cut.node(b, c, i)[d], start[d] + (t + nodes[i] * own) * slope[d],
                                tolerance);
            t += own;
        }
        for (std::size_t d = 0; d < n; ++d) {
            EXPECT_NEAR(cut.exit(b)[d], start[d] + plus * slope[d], tolerance);
            EXPECT_NEAR(cut.entry(b)[d], start[d] + minus * slope[d], tolerance);
        }
    }
}

template <class Real>
class Trace : public testing::Test {
protected:
    static constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;
    static constexpr double residual = sizeof(Real) == 8 ? 1e-13 : 1e-6;
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Trace, Reals);

TYPED_TEST(Trace, ConstantFieldsLeaveWhereStraightLinesDo) {
    using Real = TypeParam;
    Random random(2);
    for (const std::size_t n : {1U, 2U, 16U, 200U})
        for (const auto& domain : {box(n), ball(n)})
            for (const auto* method : methods)
                for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
                    SCOPED_TRACE(testing::Message() << (is_box(*domain) ? "box" : "ball") << " of "
                                                    << n << ", " << name_of(*method));
                    std::vector<double> a(n);
                    for (auto& c : a) c = static_cast<Real>(normal(random));
                    const auto x = samples<Real>(*domain, 9, random);
                    const auto cut = follow(constant<Real>(a), domain, x, with(*method), 3, scheme);
                    expect_ok(cut.lines);
                    expect_straight(cut, *domain, x, a, scheme, this->tolerance, this->residual);
                }
}

// A field that is the same everywhere has one piece each way, whose end is known in closed form.
TYPED_TEST(Trace, StraightFieldsHaveOnePieceEachWay) {
    using Real = TypeParam;
    Random random(3);
    for (const std::size_t n : {1U, 2U, 16U, 200U})
        for (const auto& domain : {box(n), ball(n)})
            for (const auto* method : methods)
                for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
                    const auto field =
                        network_field<Real>(FieldKind::straight, n, 1.0, 0.0, random());
                    ASSERT_TRUE((*field).constant());
                    std::vector<Real> a(n), z(n);
                    (*field).forward(z.data(), 1, a.data(), nullptr);
                    const auto x = samples<Real>(*domain, 9, random);
                    const auto cut = follow(field, domain, x, with(*method), 3, scheme);
                    expect_ok(cut.lines);
                    for (std::size_t b = 0; b < 9; ++b) EXPECT_EQ(cut.lines.step_count(b), 2);
                    expect_straight(cut, *domain, x, {a.begin(), a.end()}, scheme, this->tolerance,
                                    this->residual);
                }
}

// The same constant field through a network without weights, in Runge-Kutta steps.
TYPED_TEST(Trace, StraightFieldsAgreeWithRungeKutta) {
    using Real = TypeParam;
    Random random(4);
    for (const std::size_t n : {1U, 3U, 16U})
        for (const auto& domain : {box(n), ball(n)}) {
            const auto straight_field =
                network_field<Real>(FieldKind::straight, n, 1.0, 0.0, random());
            network::MlpOptions o;
            o.inputs = o.outputs = n;
            o.hidden = {};
            Field<Real> stepped(
                std::make_unique<NetworkField<Real>>(std::make_unique<network::Mlp<Real>>(o)), 1);
            auto& values = stepped.parameters.values();
            std::fill(values.begin(), values.end(), 0.0);
            std::copy_n(straight_field.parameters.values().begin(), n,
                        values.begin() + static_cast<std::ptrdiff_t>(n * n));
            stepped.load();
            const auto x = samples<Real>(*domain, 20, random);
            auto a = follow(straight_field, domain, x, with(rk4()), 3);
            auto b = follow(stepped, domain, x, with(rk4()), 3);
            expect_ok(b.lines);
            const double near = this->tolerance;
            const auto compare = [&](const auto& one, const auto& other) {
                ASSERT_EQ(one.size(), other.size());
                for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], near);
            };
            compare(a.grid.z, b.grid.z);
            compare(a.grid.exit, b.grid.exit);
            compare(a.grid.length, b.grid.length);
            compare(a.grid.t_minus, b.grid.t_minus);
            compare(a.grid.t_plus, b.grid.t_plus);
            // And so do derivatives by x.
            std::vector<Real> by_z(a.grid.z.size()), by_exit(a.grid.exit.size());
            std::vector<double> by_length(a.grid.length.size()), by_time(20);
            for (auto& c : by_z) c = static_cast<Real>(normal(random));
            for (auto& c : by_exit) c = static_cast<Real>(normal(random));
            for (auto& c : by_length) c = normal(random);
            for (auto& c : by_time) c = normal(random);
            const GridSeeds<Real> seeds{by_z.data(), by_length.data(), by_exit.data(),
                                        by_time.data(), by_time.data()};
            const auto da = pull_back(straight_field, a, Scheme::magnus4, seeds);
            const auto db = pull_back(stepped, b, Scheme::magnus4, seeds);
            const double size = largest(da.x);
            for (std::size_t i = 0; i < da.x.size(); ++i)
                EXPECT_NEAR(da.x[i], db.x[i], (sizeof(Real) == 8 ? 1e-11 : 1e-4) * size);
        }
}

/// A flow z' = M (z - c) in two dimensions whose solution is known.
struct Flow {
    const char* name;
    DomainPointer domain;
    std::vector<double> M, c, x;
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
         {0.5, 1.0, 0.0, 0.5},
         {0.0, 0.0},
         {0.3, 0.4},
         [](const std::vector<double>& x, double t) {
             return std::vector<double>{std::exp(0.5 * t) * (x[0] + t * x[1]),
                                        std::exp(0.5 * t) * x[1]};
         }},
        {"saddle in the ball",
         ball(2),
         {1.0, 0.0, 0.0, -0.7},
         {-2.0, 0.5},
         {0.1, -0.6},
         [](const std::vector<double>& x, double t) {
             return std::vector<double>{-2.0 + (x[0] + 2.0) * std::exp(t),
                                        0.5 + (x[1] - 0.5) * std::exp(-0.7 * t)};
         }},
        // Circles about a point near the rim.
        {"rotation in the ball",
         ball(2),
         {0.0, -1.0, 1.0, 0.0},
         {0.8, 0.0},
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
    const auto cut = follow(linear_field(flow.M, flow.c), flow.domain, flow.x, options, 3);
    expect_ok(cut.lines);
    Errors e;
    const double plus = flow.exit(1.0), minus = flow.exit(-1.0);
    e.times = std::max(std::fabs(cut.t_plus() - plus), std::fabs(cut.t_minus() - minus));
    const auto at_exit = flow.at(flow.x, plus), at_entry = flow.at(flow.x, minus);
    for (std::size_t i = 0; i < 2; ++i)
        e.ends = std::max({e.ends, std::fabs(cut.exit()[i] - at_exit[i]),
                           std::fabs(cut.entry()[i] - at_entry[i])});
    const auto nodes = sturm::nodes(Scheme::magnus4);
    double t = cut.t_minus();
    for (std::size_t c = 0; c < cut.grid.cells; ++c) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto exact = flow.at(flow.x, t + nodes[i] * cut.lengths()[c]);
            for (std::size_t d = 0; d < 2; ++d)
                e.nodes = std::max(e.nodes, std::fabs(cut.node(0, c, i)[d] - exact[d]));
        }
        t += cut.lengths()[c];
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
        return lines_of(linear_field(flow.M, flow.c), flow.domain, flow.x,
                        with(dormand_prince(), 6, tolerance))
            .step_count(0);
    };
    EXPECT_LT(steps(1e-4), steps(1e-8));
    EXPECT_LT(steps(1e-8), steps(1e-12));
}

// Memory that has seen other lines leaves no trace in these.
TYPED_TEST(Trace, LinesMayBeTracedIntoUsedMemory) {
    using Real = TypeParam;
    Random random(5);
    Traced<Real> used;
    for (const std::size_t n : {3U, 7U, 2U})
        for (const std::size_t count : {20U, 3U, 33U})
            for (const auto* method : methods) {
                const auto domain = ball(n);
                const auto field =
                    network_field<Real>(FieldKind::directional, n, 2.0, 0.0, random());
                auto x = samples<Real>(*domain, count, random);
                x[n] = std::numeric_limits<Real>::quiet_NaN();
                const auto options = with(*method, 5, 1e-4);
                auto fresh = follow(field, domain, x, options, 3);
                used.tape.clear();
                trace(*field, *domain, x.data(), count, options, used.lines, &used.tape);
                grid(used.lines, 3, Scheme::magnus4, used.grid);
                EXPECT_TRUE(same_bits(fresh.grid.z, used.grid.z));
                EXPECT_TRUE(same_bits(fresh.grid.length, used.grid.length));
                const std::vector<Real> seed(fresh.grid.z.size(), Real(0.5));
                const GridSeeds<Real> seeds{seed.data()};
                const auto a = pull_back(field, fresh, Scheme::magnus4, seeds);
                const auto b = pull_back(field, used, Scheme::magnus4, seeds);
                EXPECT_TRUE(same_bits(a.x, b.x));
                EXPECT_TRUE(same_bits(a.parameters, b.parameters));
            }
}

}  // namespace
}  // namespace deepsl::field::test
