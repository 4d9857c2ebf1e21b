// Gradients through lines and exits against central differences.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "field/lines.h"

namespace deepsl::field::test {
namespace {

const char* const output_names[] = {"t_minus", "t_plus", "entry", "exit", "length", "nodes"};

/// Weights of a sum over everything a line gives.
struct LineSeeds {
    std::vector<double> z, length, exit, t_minus, t_plus;

    explicit LineSeeds(const Grid<double>& g)
        : z(g.z.size()),
          length(g.length.size()),
          exit(g.exit.size()),
          t_minus(g.samples),
          t_plus(g.samples) {}

    GridSeeds<double> view() const {
        return {z.data(), length.data(), exit.data(), t_minus.data(), t_plus.data()};
    }
    double sum(const Grid<double>& g) const {
        double total = 0.0;
        const auto add = [&](const std::vector<double>& c, const std::vector<double>& values) {
            for (std::size_t i = 0; i < c.size(); ++i) total += c[i] * values[i];
        };
        add(z, g.z);
        add(length, g.length);
        add(exit, g.exit);
        add(t_minus, g.t_minus);
        add(t_plus, g.t_plus);
        return total;
    }

    /// Of one output only; the others get no weight.
    static LineSeeds of(const Grid<double>& g, int output, Random& random) {
        LineSeeds seeds(g);
        const auto entries = g.samples * g.n, nodes = seeds.z.size() - entries;
        const auto fill = [&](std::vector<double>& c, std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i) c[i] = normal(random);
        };
        if (output == 0) fill(seeds.t_minus, 0, g.samples);
        if (output == 1) fill(seeds.t_plus, 0, g.samples);
        if (output == 2) fill(seeds.z, nodes, entries);
        if (output == 3) fill(seeds.exit, 0, entries);
        if (output == 4) fill(seeds.length, 0, seeds.length.size());
        if (output == 5) fill(seeds.z, 0, nodes);
        return seeds;
    }
};

/// The largest error of a gradient against differences of `sum`, by the field's numbers and by x;
/// relative to the largest entry, or to `least` where it is smaller: some are zero.
double gradient_error(Field<double>& field, std::vector<double>& x,
                      const LineGradient<double>& gradient, const std::function<double()>& sum,
                      double step, double least) {
    const auto error = [&](std::vector<double>& values, const std::vector<double>& exact) {
        double worst = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double old = values[i];
            const auto at = [&](double h) {
                values[i] = old + h;
                field.load();
                const double result = sum();
                values[i] = old;
                return result;
            };
            const double wide = (at(step) - at(-step)) / (2.0 * step);
            const double narrow = (at(0.5 * step) - at(-0.5 * step)) / step;
            const double off = std::fabs(exact[i] - (4.0 * narrow - wide) / 3.0);
            if (!(off <= worst)) worst = off;
        }
        field.load();
        return worst / std::max(largest(exact), least);
    };
    return std::max(error(field.parameters.values(), gradient.parameters), error(x, gradient.x));
}

struct GradientCase {
    FieldKind kind;
    DomainPointer domain;
    std::size_t cells;
    Scheme scheme;
};

std::vector<GradientCase> gradient_cases() {
    std::vector<GradientCase> cases;
    for (const auto kind :
         {FieldKind::positive, FieldKind::directional, FieldKind::straight, FieldKind::gradient})
        for (const std::size_t n : {1U, 3U})
            for (const auto& domain : {box(n), ball(n)})
                for (const auto scheme : {Scheme::magnus4, Scheme::midpoint})
                    cases.push_back({kind, domain, 1 + cases.size() % 4, scheme});
    return cases;
}

TEST(Gradient, RungeKuttaAgreesWithDifferences) {
    Random random(14);
    int number = 0;
    for (const auto& c : gradient_cases()) {
        auto field = network_field<double>(c.kind, c.domain->dimensions(), 2.0, c.domain->centre(),
                                           random(), {5});
        auto x = samples<double>(*c.domain, 4, random);
        for (int output = 0; output < 6; ++output) {
            auto traced = follow(field, c.domain, x, with(rk4(), 4), c.cells, c.scheme);
            expect_ok(traced.lines);
            const auto seeds = LineSeeds::of(traced.grid, output, random);
            const auto gradient = pull_back(field, traced, c.scheme, seeds.view());
            const auto sum = [&] {
                return seeds.sum(
                    follow(field, c.domain, x, with(rk4(), 4), c.cells, c.scheme).grid);
            };
            EXPECT_LE(gradient_error(field, x, gradient, sum, 5e-5, 1e-2), 1e-7)
                << "case " << number << ", " << output_names[output];
        }
        ++number;
    }
}

// Steps chosen by a tolerance are constants of the gradient, and so is the share of a cell in the
// line; what does not depend on where cells are cut has the right gradient all the same.
TEST(Gradient, DormandPrinceAgreesWithDifferences) {
    Random random(15);
    int number = 0;
    const auto options = with(dormand_prince(), 6, 1e-11);
    for (const auto& c : gradient_cases()) {
        if (c.scheme == Scheme::midpoint) continue;
        auto field = network_field<double>(c.kind, c.domain->dimensions(), 1.0, c.domain->centre(),
                                           random(), {3});
        auto x = samples<double>(*c.domain, 2, random);
        for (int output = 0; output < 6; ++output) {
            auto traced = follow(field, c.domain, x, options, 120);
            const auto& g = traced.grid;
            // Instead of lengths their sum, and instead of nodes the integral of
            // cos(3 z_1) + .. + cos(3 z_n) along the line.
            auto seeds = LineSeeds::of(g, output < 4 ? output : -1, random);
            const double weight[] = {normal(random), normal(random)};
            const auto integral = [&](const Grid<double>& grid, LineSeeds* back) {
                double sum = 0.0;
                for (std::size_t b = 0; b < grid.samples; ++b)
                    for (std::size_t cell = 0; cell < grid.cells; ++cell) {
                        const auto at = b * grid.cells + cell;
                        const double length = grid.length[at];
                        double value = 0.0;
                        for (std::size_t i = 0; i < 2 * grid.n; ++i) {
                            const double z = grid.z[2 * at * grid.n + i];
                            value += 0.5 * std::cos(3.0 * z);
                            if (back != nullptr)
                                back->z[2 * at * grid.n + i] =
                                    -1.5 * std::sin(3.0 * z) * length * weight[b];
                        }
                        if (back != nullptr) back->length[at] = value * weight[b];
                        sum += weight[b] * value * length;
                    }
                return sum;
            };
            if (output == 4)
                for (std::size_t i = 0; i < g.length.size(); ++i)
                    seeds.length[i] = weight[i / g.cells];
            if (output == 5) integral(g, &seeds);
            const auto gradient = pull_back(field, traced, Scheme::magnus4, seeds.view());
            const auto sum = [&] {
                const auto again = follow(field, c.domain, x, options, 120);
                return output == 5 ? integral(again.grid, nullptr) : seeds.sum(again.grid);
            };
            EXPECT_LE(gradient_error(field, x, gradient, sum, 3e-4, 0.1), 1e-6)
                << "case " << number << ", " << output_names[output];
        }
        ++number;
    }
}

// By hand, in one dimension with a constant field a: t+ = (1 - x) / a, t- = -x / a.
TEST(Gradient, ExitTimesOfAConstantFieldByHand) {
    for (const auto* m : methods) {
        const auto field = constant({0.7});
        auto cut = follow(field, box(1), {0.3}, with(*m));
        const double one = 1.0;
        const auto back = [&](const GridSeeds<double>& seeds) {
            cut = follow(field, box(1), {0.3}, with(*m));
            return pull_back(field, cut, Scheme::magnus4, seeds);
        };
        const auto plus = back({nullptr, nullptr, nullptr, nullptr, &one});
        EXPECT_NEAR(plus.x[0], -1.0 / 0.7, 1e-13);
        EXPECT_NEAR(plus.parameters[0], -0.7 / 0.49, 1e-13);
        const auto minus = back({nullptr, nullptr, nullptr, &one, nullptr});
        EXPECT_NEAR(minus.x[0], -1.0 / 0.7, 1e-13);
        EXPECT_NEAR(minus.parameters[0], 0.3 / 0.49, 1e-13);
        const auto exit = back({nullptr, nullptr, &one, nullptr, nullptr});
        EXPECT_NEAR(exit.x[0], 0.0, 1e-13);
        EXPECT_NEAR(exit.parameters[0], 0.0, 1e-13);
    }
}

// Fields by themselves: a(z) back to z and to their numbers.
TEST(Gradient, FieldsAgreeWithDifferences) {
    Random random(16);
    for (const auto kind :
         {FieldKind::positive, FieldKind::directional, FieldKind::straight, FieldKind::gradient})
        for (const std::size_t n : {1U, 2U, 9U}) {
            auto field = network_field<double>(kind, n, 2.0, 0.3, random(), {5});
            // A direction need not have length 1.
            for (auto& value : field.parameters.values()) value *= 1.3;
            field.load();
            std::vector<double> z(6 * n), seed(6 * n), a(6 * n);
            for (auto& c : z) c = normal(random);
            for (auto& c : seed) c = normal(random);
            network::Tape tape;
            LineGradient<double> gradient{std::vector<double>(6 * n),
                                          std::vector<double>(field.parameters.size())};
            (*field).forward(z.data(), 6, a.data(), &tape);
            (*field).pullback(z.data(), 6, seed.data(), tape, gradient.x.data(),
                              gradient.parameters.data());
            const auto sum = [&] {
                (*field).forward(z.data(), 6, a.data(), nullptr);
                double total = 0.0;
                for (std::size_t i = 0; i < a.size(); ++i) total += seed[i] * a[i];
                return total;
            };
            EXPECT_LE(gradient_error(field, z, gradient, sum, 2e-4, 1e-2), 1e-8)
                << names(kind)[static_cast<std::size_t>(kind)] << " " << n;
        }
}

}  // namespace
}  // namespace deepsl::field::test
