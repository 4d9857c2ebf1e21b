// Field lines against closed forms, brute force and central differences, and each way to fail.
#include "deepsl/field/trace.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace deepsl::field {
namespace {

using sturm::Scheme;
using torch::Tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Tensor table(const std::vector<std::vector<double>>& rows) {
    std::vector<double> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    return torch::tensor(flat, torch::kFloat64)
        .reshape({static_cast<std::int64_t>(rows.size()), -1});
}

std::vector<double> numbers(const Tensor& t) {
    const auto wide = t.detach().to(torch::kFloat64).contiguous();
    return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}

bool same_bits(const Tensor& a, const Tensor& b) {
    const auto x = a.detach().contiguous(), y = b.detach().contiguous();
    return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
           std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

double largest(const Tensor& t) {
    return t.numel() == 0 ? 0.0 : t.detach().abs().max().item<double>();
}

bool finite(const Tensor& t) { return torch::isfinite(t).all().item<bool>(); }

VectorFieldPointer field_of(FunctionFieldImpl::Function f) {
    return std::make_shared<FunctionFieldImpl>(std::move(f));
}

/// The field a for all z.
VectorFieldPointer constant(const Tensor& a) {
    return field_of([a](const Tensor& z) { return a.to(z.scalar_type()).expand_as(z); });
}

/// z' = M (z - c)
VectorFieldPointer linear_field(const Tensor& M, const Tensor& c) {
    return field_of([M, c](const Tensor& z) { return (z - c).matmul(M.t()); });
}

enum class Kind { positive, directional, straight };

VectorFieldPointer network_field(Kind kind, std::int64_t n, torch::ScalarType type, double gain,
                                 double centre, std::vector<std::int64_t> hidden = {7}) {
    network::MlpOptions o;
    o.inputs = o.outputs = n;
    o.hidden = std::move(hidden);
    o.activation = network::Activation::tanh;
    o.last_gain = gain;
    o.shift = centre;
    o.scale = 4.0;
    VectorFieldPointer field;
    if (kind == Kind::positive) {
        field = std::make_shared<PositiveFieldImpl>(o);
    } else {
        field = std::make_shared<DirectionalFieldImpl>(o, kind == Kind::directional);
    }
    field->to(type);
    return field;
}

/// Samples well inside, random.
Tensor samples(const Domain& domain, std::int64_t count, torch::ScalarType type) {
    const auto n = domain.dimensions();
    if (domain.name() == "box")
        return (0.1 + 0.8 * torch::rand({count, n}, torch::kFloat64)).to(type);
    const auto direction = torch::randn({count, n}, torch::kFloat64);
    const auto radius = 0.9 * torch::rand({count, 1}, torch::kFloat64);
    return (direction / direction.norm(2, 1, true) * radius).to(type);
}

struct Traced {
    FieldLines lines;
    LineGrid grid;
};

Traced follow(const VectorFieldPointer& field, const DomainPointer& domain, const Tensor& x,
              const TraceOptions& options = {}, std::int64_t cells = 4,
              Scheme scheme = Scheme::magnus4) {
    auto lines = trace(*field, domain, x, options);
    auto cut = grid(lines, cells, scheme);
    return {std::move(lines), std::move(cut)};
}

TraceOptions with(const Method& method, int steps = 6, double tolerance = 1e-5) {
    TraceOptions o;
    o.method = &method;
    o.steps = steps;
    o.tolerance = tolerance;
    return o;
}

void expect_ok(const FieldLines& lines) {
    for (const auto status : lines.status()) EXPECT_EQ(name(status), "ok");
}

/// A point of a piece and its velocity by s, from the method's table.
struct Point {
    std::vector<double> z, slope;
};

Point point_of(const FieldLines& lines, FieldLines::Place place, double s) {
    const auto& step = lines.steps[static_cast<std::size_t>(place.step)];
    Point p{numbers(step.z[place.row]), {}};
    p.slope.assign(p.z.size(), 0.0);
    const double h = step.h[place.row].item<double>();
    for (std::size_t i = 0; i < step.k.size(); ++i) {
        const auto k = numbers(step.k[i][place.row]);
        double b = 0.0, db = 0.0;
        for (std::size_t j = 0; j < lines.method->degree(); ++j) {
            const double power = static_cast<double>(j + 1);
            b += lines.method->dense[i][j] * std::pow(s, power);
            db += lines.method->dense[i][j] * power * std::pow(s, power - 1.0);
        }
        for (std::size_t c = 0; c < k.size(); ++c) {
            p.z[c] += h * b * k[c];
            p.slope[c] += h * db * k[c];
        }
    }
    return p;
}

/// The polynomials' coefficients of a piece, for quick dense evaluation: [power][coordinate].
std::vector<std::vector<double>> polynomial(const FieldLines& lines, FieldLines::Place place) {
    const auto& step = lines.steps[static_cast<std::size_t>(place.step)];
    std::vector<std::vector<double>> c{numbers(step.z[place.row])};
    const double h = step.h[place.row].item<double>();
    for (std::size_t j = 0; j < lines.method->degree(); ++j) {
        auto& row = c.emplace_back(c[0].size(), 0.0);
        for (std::size_t i = 0; i < step.k.size(); ++i) {
            const auto k = numbers(step.k[i][place.row]);
            for (std::size_t d = 0; d < k.size(); ++d)
                row[d] += h * lines.method->dense[i][j] * k[d];
        }
    }
    return c;
}

// ---- the methods' tables -----------------------------------------------------------------------

struct Tree {
    std::vector<Tree> children;
    int order() const {
        int sum = 1;
        for (const auto& c : children) sum += c.order();
        return sum;
    }
    double density() const {
        double product = order();
        for (const auto& c : children) product *= c.density();
        return product;
    }
    /// The elementary weight of each stage.
    std::vector<double> weights(const Method& m) const {
        std::vector<double> w(m.stages(), 1.0);
        for (const auto& child : children) {
            const auto inner = child.weights(m);
            for (std::size_t i = 0; i < m.stages(); ++i) {
                double sum = 0.0;
                for (std::size_t j = 0; j < m.a[i].size(); ++j) sum += m.a[i][j] * inner[j];
                w[i] *= sum;
            }
        }
        return w;
    }
};

/// All trees of an order, some of them more than once.
std::vector<Tree> trees(int order) {
    if (order == 1) return {Tree{}};
    std::vector<Tree> result;
    // Hang one child of each size on every smaller tree.
    for (int size = 1; size < order; ++size)
        for (const auto& base : trees(order - size))
            for (const auto& child : trees(size)) {
                Tree t = base;
                t.children.push_back(child);
                result.push_back(t);
            }
    return result;
}

TEST(Method, TablesMeetTheirOrderConditions) {
    for (const auto* m : methods()) {
        SCOPED_TRACE(m->name);
        ASSERT_EQ(m->dense.size(), m->stages());
        const int dense_order = m->order - 1;
        for (int order = 1; order <= m->order; ++order) {
            for (const auto& tree : trees(order)) {
                ASSERT_EQ(tree.order(), order);
                const auto w = tree.weights(*m);
                for (const double s : {0.2, 0.5, 0.9, 1.0}) {
                    if (order > dense_order && s < 1.0) continue;
                    double sum = 0.0;
                    for (std::size_t i = 0; i < w.size(); ++i)
                        for (std::size_t j = 0; j < m->degree(); ++j)
                            sum += m->dense[i][j] * std::pow(s, static_cast<double>(j + 1)) * w[i];
                    EXPECT_NEAR(sum, std::pow(s, order) / tree.density(), 1e-14)
                        << "order " << order << " at " << s;
                }
                double end = 0.0, error = 0.0;
                for (std::size_t i = 0; i < m->a.back().size(); ++i) end += m->a.back()[i] * w[i];
                EXPECT_NEAR(end, 1.0 / tree.density(), 1e-14) << "order " << order;
                for (std::size_t i = 0; i < m->error.size(); ++i) error += m->error[i] * w[i];
                if (m->adaptive() && order < m->order) {
                    EXPECT_NEAR(error, 0.0, 1e-14) << "order " << order;
                }
            }
        }
        // And not by accident: one order more fails.
        double worst = 0.0, worst_error = 0.0;
        for (const auto& tree : trees(m->order + 1)) {
            const auto w = tree.weights(*m);
            double end = 0.0;
            for (std::size_t i = 0; i < m->a.back().size(); ++i) end += m->a.back()[i] * w[i];
            worst = std::max(worst, std::fabs(end - 1.0 / tree.density()));
        }
        for (const auto& tree : trees(m->order)) {
            const auto w = tree.weights(*m);
            double error = 0.0;
            for (std::size_t i = 0; i < m->error.size(); ++i) error += m->error[i] * w[i];
            worst_error = std::max(worst_error, std::fabs(error));
        }
        EXPECT_GT(worst, 1e-5);
        if (m->adaptive()) {
            EXPECT_GT(worst_error, 1e-6);
        }
    }
}

TEST(Method, DenseOutputPassesThroughStepEndsWithTheFieldsSlope) {
    torch::manual_seed(1);
    for (const auto* m : methods()) {
        SCOPED_TRACE(m->name);
        const auto field = network_field(Kind::directional, 3, torch::kFloat64, 3.0, 0.0);
        const auto domain = ball(3);
        const auto lines =
            trace(*field, domain, samples(*domain, 6, torch::kFloat64), with(*m, 6, 1e-6));
        expect_ok(lines);
        for (std::size_t line = 0; line < lines.pieces.size(); ++line) {
            const auto& pieces = lines.pieces[line];
            ASSERT_FALSE(pieces.empty());
            EXPECT_EQ(point_of(lines, pieces[0], 0.0).z,
                      numbers(lines.x[static_cast<std::int64_t>(line % 6)]));
            for (std::size_t j = 0; j < pieces.size(); ++j) {
                const double h = lines.steps[static_cast<std::size_t>(pieces[j].step)]
                                     .h[pieces[j].row]
                                     .item<double>();
                EXPECT_EQ(h > 0.0, line < 6) << "forwards first, then backwards";
                const auto begin = point_of(lines, pieces[j], 0.0);
                const auto end = point_of(lines, pieces[j], 1.0);
                const torch::NoGradGuard no_grad;
                const auto a = numbers(field->forward(table({begin.z, end.z})));
                for (std::size_t i = 0; i < 3; ++i) {
                    EXPECT_NEAR(begin.slope[i], h * a[i], 1e-14);
                    EXPECT_NEAR(end.slope[i], h * a[3 + i], 1e-14);
                }
                if (j + 1 == pieces.size()) continue;
                const auto next = point_of(lines, pieces[j + 1], 0.0);
                for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(end.z[i], next.z[i], 1e-14);
            }
        }
    }
}

// ---- closed forms ------------------------------------------------------------------------------

/// Where x + t a leaves, for the sign of t.
double straight_exit(const Domain& domain, const std::vector<double>& x,
                     const std::vector<double>& a, double sign) {
    if (domain.name() == "box") {
        double t = infinity;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double v = sign * a[i];
            if (v != 0.0) t = std::min(t, (v > 0.0 ? 1.0 - x[i] : -x[i]) / v);
        }
        return sign * t;
    }
    double aa = 0.0, ax = 0.0, xx = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        aa += a[i] * a[i];
        ax += a[i] * x[i];
        xx += x[i] * x[i];
    }
    // aa t^2 + 2 ax t - (1 - xx) = 0, without cancellation
    const double root = std::sqrt(ax * ax + aa * (1.0 - xx));
    const double far = -(ax + std::copysign(root, ax)) / aa;
    const double near = (1.0 - xx) / (ax + std::copysign(root, ax));
    return (far > 0.0) == (sign > 0.0) ? far : near;
}

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

// ---- exits -------------------------------------------------------------------------------------

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

// ---- outcomes ----------------------------------------------------------------------------------

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

// ---- the grid ----------------------------------------------------------------------------------

TEST(Grid, ShapesAndSums) {
    torch::manual_seed(7);
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
        for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
            for (const std::int64_t m : {1, 2, 5, 40}) {
                const auto domain = ball(3);
                const auto x = samples(*domain, 11, type);
                const auto field = network_field(Kind::directional, 3, type, 2.0, 0.0);
                const torch::NoGradGuard no_grad;
                const auto [lines, cut] = follow(field, domain, x, with(rk4()), m, scheme);
                const auto nodes = static_cast<std::int64_t>(nodes_per_cell(scheme));
                EXPECT_EQ(cut.z.sizes(), (std::vector<std::int64_t>{11, 2 * m, nodes, 3}));
                EXPECT_EQ(cut.z.scalar_type(), type);
                EXPECT_EQ(cut.entry.sizes(), x.sizes());
                EXPECT_EQ(cut.length.scalar_type(), torch::kFloat64);
                EXPECT_LE(largest(cut.length.sum(1) - (cut.t_plus - cut.t_minus)), 1e-13);
                EXPECT_LE(largest(cut.length.narrow(1, 0, m).sum(1) + cut.t_minus), 1e-13);
                EXPECT_GT(cut.length.min().item<double>(), 0.0);
                EXPECT_LT(cut.t_minus.max().item<double>(), 0.0);
                EXPECT_LE(cut.residual.max().item<double>(),
                          type == torch::kFloat64 ? 1e-13 : 1e-6);
                EXPECT_LE(largest(cut.exit.norm(2, 1) - 1.0),
                          type == torch::kFloat64 ? 1e-12 : 2e-6);
                const auto level = [&](const Tensor& z) { return domain->level(numbers(z)); };
                for (std::int64_t b = 0; b < 11; ++b)
                    for (std::int64_t c = 0; c < 2 * m; ++c)
                        EXPECT_LT(level(cut.z[b][c][0]), 0.0) << "nodes lie inside";
            }
        }
    }
}

/// Position at time t, by the pieces.
std::vector<double> position(const FieldLines& lines, std::size_t sample, double t) {
    const auto line = t >= 0.0 ? sample : sample + static_cast<std::size_t>(lines.samples());
    double begin = 0.0;
    for (std::size_t j = 0;; ++j) {
        const auto place = lines.pieces[line][j];
        const double h =
            lines.steps[static_cast<std::size_t>(place.step)].h[place.row].item<double>();
        if (std::fabs(t) <= std::fabs(begin + h) || j + 1 == lines.pieces[line].size())
            return point_of(lines, place, (t - begin) / h).z;
        begin += h;
    }
}

TEST(Grid, NodesLieOnTheLineInOrder) {
    torch::manual_seed(8);
    for (const auto* method : methods()) {
        for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
            for (const std::int64_t m : {1, 3, 8}) {
                const auto domain = box(2);
                const auto field = network_field(Kind::positive, 2, torch::kFloat64, 3.0, 0.5);
                const torch::NoGradGuard no_grad;
                const auto [lines, cut] =
                    follow(field, domain, samples(*domain, 5, torch::kFloat64),
                           with(*method, 3, 1e-7), m, scheme);
                const auto nodes = sturm::nodes(scheme);
                for (std::int64_t b = 0; b < 5; ++b) {
                    double t = cut.t_minus[b].item<double>();
                    for (std::int64_t c = 0; c < 2 * m; ++c) {
                        const double length = cut.length[b][c].item<double>();
                        for (std::size_t i = 0; i < nodes.size(); ++i) {
                            const auto z = numbers(cut.z[b][c][static_cast<std::int64_t>(i)]);
                            const auto exact =
                                position(lines, static_cast<std::size_t>(b), t + nodes[i] * length);
                            EXPECT_NEAR(z[0], exact[0], 1e-12);
                            EXPECT_NEAR(z[1], exact[1], 1e-12);
                        }
                        t += length;
                    }
                    EXPECT_NEAR(t, cut.t_plus[b].item<double>(), 1e-13);
                }
            }
        }
    }
}

// Cells of equal pace: where the field is slow, a cell lasts longer.
TEST(Grid, CellsAreOfEqualPace) {
    const auto field = field_of([](const Tensor& z) { return 0.05 + z; });
    const auto [lines, cut] = follow(field, box(1), table({{0.5}}), with(rk4(), 50), 4);
    const auto length = numbers(cut.length);
    for (std::size_t c = 0; c + 1 < length.size(); ++c) EXPECT_GT(length[c], length[c + 1]);
    const auto z = torch::cat({cut.entry, cut.z.mean(2)[0], cut.exit});
    const auto share = numbers(z.diff(1, 0));
    // Middles of cells, and half a cell at both ends.
    for (std::size_t c = 1; c + 1 < share.size(); ++c) EXPECT_NEAR(share[c], 0.125, 0.01);
}

// ---- one sample and its neighbours -------------------------------------------------------------

void expect_same_alone(Kind kind, const DomainPointer& domain, const Method& method,
                       torch::ScalarType type) {
    const auto n = domain->dimensions();
    SCOPED_TRACE(testing::Message() << "field " << static_cast<int>(kind) << ", " << domain->name()
                                    << " of " << n << ", " << method.name << ", " << type);
    const auto field = network_field(kind, n, type, 2.0, domain->centre());
    const std::int64_t count = 19;
    const auto data = samples(*domain, count, type);
    const auto run = [&](std::int64_t first, std::int64_t rows) {
        const auto x = data.narrow(0, first, rows).clone().requires_grad_(true);
        auto [lines, cut] = follow(field, domain, x, with(method, 5, 1e-4), 3);
        expect_ok(lines);
        const auto loss = cut.t_plus.sum() - 2.0 * cut.t_minus.sum() + cut.length.square().sum() +
                          (cut.exit + 3.0 * cut.entry + cut.z.sum({1, 2})).sum();
        const auto dx = torch::autograd::grad({loss}, {x})[0];
        return std::pair{cut, dx};
    };
    const auto [all, dx] = run(0, count);
    int values = 0, gradients = 0, tried = 0;
    const auto compare = [&](std::int64_t first, std::int64_t rows) {
        const auto [part, d] = run(first, rows);
        bool same = true;
        for (const auto member : {&LineGrid::z, &LineGrid::length, &LineGrid::entry,
                                  &LineGrid::exit, &LineGrid::t_minus, &LineGrid::t_plus})
            same = same && same_bits(part.*member, (all.*member).narrow(0, first, rows));
        ++tried;
        values += !same;
        gradients += !same_bits(d, dx.narrow(0, first, rows));
        EXPECT_LE(largest(d - dx.narrow(0, first, rows)),
                  (type == torch::kFloat64 ? 1e-12 : 1e-4) * largest(dx));
    };
    for (const std::int64_t b : {0, 1, 7, 16, 18}) compare(b, 1);
    compare(3, 2);
    compare(5, 8);
    EXPECT_EQ(values, 0) << "of " << tried << " parts have other values alone";
    EXPECT_EQ(gradients, 0) << "of " << tried << " parts have another gradient alone";
}

TEST(Batch, ASampleAloneHasTheSameBitsPositive) {
    torch::manual_seed(9);
    for (const auto type : {torch::kFloat32, torch::kFloat64})
        for (const auto* m : methods())
            for (const std::int64_t n : {1, 2, 5, 16, 33, 200})
                expect_same_alone(Kind::positive, box(n), *m, type);
}

TEST(Batch, ASampleAloneHasTheSameBitsDirectional) {
    torch::manual_seed(10);
    for (const auto type : {torch::kFloat32, torch::kFloat64})
        for (const auto* m : methods())
            for (const std::int64_t n : {1, 2, 5, 16, 33, 200})
                expect_same_alone(Kind::directional, ball(n), *m, type);
}

TEST(Batch, ASampleAloneHasTheSameBitsStraight) {
    torch::manual_seed(11);
    for (const auto type : {torch::kFloat32, torch::kFloat64})
        for (const std::int64_t n : {1, 2, 5, 16, 200})
            for (const auto& domain : {box(n), ball(n)})
                expect_same_alone(Kind::straight, domain, rk4(), type);
}

TEST(Batch, ThreadsLeaveNoTrace) {
    torch::manual_seed(12);
    const int before = at::get_num_threads();
    const auto domain = ball(9);
    const auto field = network_field(Kind::directional, 9, torch::kFloat32, 2.0, 0.0);
    const auto x = samples(*domain, 300, torch::kFloat32).requires_grad_(true);
    std::vector<Tensor> z, gradient;
    for (const int threads : {1, 2}) {
        at::set_num_threads(threads);
        const auto cut = follow(field, domain, x).grid;
        z.push_back(cut.z);
        gradient.push_back(
            torch::autograd::grad({cut.z.square().sum() + cut.t_plus.sum()}, {x})[0]);
    }
    at::set_num_threads(before);
    EXPECT_TRUE(same_bits(z[0], z[1]));
    EXPECT_TRUE(same_bits(gradient[0], gradient[1]));
}

TEST(Batch, TheLayoutOfSamplesInMemoryMakesNoDifference) {
    torch::manual_seed(13);
    const auto domain = ball(3);
    const auto field = network_field(Kind::directional, 3, torch::kFloat64, 2.0, 0.0);
    auto x = samples(*domain, 6, torch::kFloat64);
    x[2].fill_(nan);
    const auto a = follow(field, domain, x).grid;
    const auto b = follow(field, domain, x.t().contiguous().t()).grid;
    EXPECT_TRUE(same_bits(a.z, b.z));
    EXPECT_TRUE(same_bits(a.length, b.length));
}

// ---- gradients ---------------------------------------------------------------------------------

using Outputs = std::vector<Tensor>;

Outputs outputs_of(const LineGrid& cut) {
    return {cut.t_minus, cut.t_plus, cut.entry, cut.exit, cut.length, cut.z};
}

const char* const output_names[] = {"t_minus", "t_plus", "entry", "exit", "length", "nodes"};

/// The largest error of the gradients of random sums over each output by `inputs`, relative to
/// the largest entry of that gradient, or to `least` where it is smaller: some are zero.
std::vector<double> gradient_errors(const std::function<Outputs()>& f, std::vector<Tensor> inputs,
                                    double step, double least) {
    const auto outputs = f();
    std::vector<Tensor> seeds;
    for (const auto& o : outputs) seeds.push_back(torch::randn_like(o));
    std::vector<std::vector<Tensor>> gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        gradients.push_back(
            torch::autograd::grad({outputs[i]}, inputs, {seeds[i]}, true, false, true));
    std::vector<double> worst(outputs.size(), 0.0);
    const torch::NoGradGuard no_grad;
    const auto sums = [&] {
        std::vector<double> s;
        const auto now = f();
        for (std::size_t i = 0; i < now.size(); ++i)
            s.push_back((now[i] * seeds[i]).sum().item<double>());
        return s;
    };
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        auto flat = inputs[k].detach().view({-1});
        double* numbers_of = flat.data_ptr<double>();
        std::vector<double> error(outputs.size(), 0.0);
        for (std::int64_t e = 0; e < flat.numel(); ++e) {
            const double old = numbers_of[e];
            const auto at = [&](double h) {
                numbers_of[e] = old + h;
                const auto s = sums();
                numbers_of[e] = old;
                return s;
            };
            const auto a = at(step), b = at(-step), c = at(0.5 * step), d = at(-0.5 * step);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const double wide = (a[i] - b[i]) / (2.0 * step), narrow = (c[i] - d[i]) / step;
                const double numeric = (4.0 * narrow - wide) / 3.0;
                const double own = gradients[i][k].defined()
                                       ? gradients[i][k].reshape({-1})[e].item<double>()
                                       : 0.0;
                error[i] = std::max(error[i], std::fabs(own - numeric));
            }
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const double size = gradients[i][k].defined() ? largest(gradients[i][k]) : 0.0;
            worst[i] = std::max(worst[i], error[i] / std::max(size, least));
        }
    }
    return worst;
}

struct GradientCase {
    Kind kind;
    DomainPointer domain;
    std::int64_t cells;
    Scheme scheme;
};

std::vector<GradientCase> gradient_cases() {
    return {{Kind::positive, box(1), 3, Scheme::magnus4},
            {Kind::positive, box(3), 3, Scheme::magnus4},
            {Kind::positive, ball(2), 1, Scheme::midpoint},
            {Kind::directional, ball(1), 2, Scheme::magnus4},
            {Kind::directional, ball(3), 3, Scheme::magnus4},
            {Kind::directional, box(2), 3, Scheme::midpoint},
            {Kind::straight, ball(3), 1, Scheme::magnus4},
            {Kind::straight, box(3), 4, Scheme::midpoint}};
}

TEST(Gradient, RungeKuttaAgreesWithDifferences) {
    torch::manual_seed(14);
    int number = 0;
    for (const auto& c : gradient_cases()) {
        const auto field = network_field(c.kind, c.domain->dimensions(), torch::kFloat64, 2.0,
                                         c.domain->centre(), {5});
        const auto x = samples(*c.domain, 4, torch::kFloat64).requires_grad_(true);
        auto inputs = field->parameters();
        inputs.push_back(x);
        const auto errors = gradient_errors(
            [&] {
                return outputs_of(
                    follow(field, c.domain, x, with(rk4(), 4), c.cells, c.scheme).grid);
            },
            inputs, 5e-5, 1e-2);
        for (std::size_t i = 0; i < errors.size(); ++i)
            EXPECT_LE(errors[i], 1e-7) << "case " << number << ", " << output_names[i];
        ++number;
    }
}

// Steps chosen by a tolerance are constants of the gradient, and so is the share of a cell in the
// line; what does not depend on where cells are cut has the right gradient all the same.
TEST(Gradient, DormandPrinceAgreesWithDifferences) {
    torch::manual_seed(15);
    int number = 0;
    for (const auto& c : gradient_cases()) {
        const auto field = network_field(c.kind, c.domain->dimensions(), torch::kFloat64, 1.0,
                                         c.domain->centre(), {3});
        const auto x = samples(*c.domain, 2, torch::kFloat64).requires_grad_(true);
        auto inputs = field->parameters();
        inputs.push_back(x);
        const auto errors = gradient_errors(
            [&]() -> Outputs {
                const auto cut = follow(field, c.domain, x, with(dormand_prince(), 6, 1e-11), 40,
                                        Scheme::magnus4)
                                     .grid;
                const auto values = torch::cos(3.0 * cut.z).sum(3).mean(2);
                return {cut.t_minus, cut.t_plus,        cut.entry,
                        cut.exit,    cut.length.sum(1), (values * cut.length).sum(1)};
            },
            inputs, 1e-3, 0.1);
        for (std::size_t i = 0; i < errors.size(); ++i)
            EXPECT_LE(errors[i], 1e-5) << "case " << number << ", " << output_names[i];
        ++number;
    }
}

// By hand, in one dimension with a constant field a: t+ = (1 - x) / a, t- = -x / a.
TEST(Gradient, ExitTimesOfAConstantFieldByHand) {
    for (const auto* m : methods()) {
        const auto a = torch::tensor({0.7}, torch::kFloat64).requires_grad_(true);
        const auto x = table({{0.3}}).requires_grad_(true);
        const auto field = field_of([&](const Tensor& z) { return a.expand_as(z); });
        const auto cut = follow(field, box(1), x, with(*m)).grid;
        const auto plus = torch::autograd::grad({cut.t_plus}, {x, a}, {}, true);
        EXPECT_NEAR(plus[0].item<double>(), -1.0 / 0.7, 1e-13);
        EXPECT_NEAR(plus[1].item<double>(), -0.7 / 0.49, 1e-13);
        const auto minus = torch::autograd::grad({cut.t_minus}, {x, a}, {}, true);
        EXPECT_NEAR(minus[0].item<double>(), -1.0 / 0.7, 1e-13);
        EXPECT_NEAR(minus[1].item<double>(), 0.3 / 0.49, 1e-13);
        const auto exit = torch::autograd::grad({cut.exit}, {x, a}, {}, true);
        EXPECT_NEAR(exit[0].item<double>(), 0.0, 1e-13);
        EXPECT_NEAR(exit[1].item<double>(), 0.0, 1e-13);
    }
}

}  // namespace
}  // namespace deepsl::field
