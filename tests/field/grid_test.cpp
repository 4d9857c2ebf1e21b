// Cells and nodes on a line; one sample alone and in a batch.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "field/lines.h"

namespace deepsl::field::test {
namespace {

template <class Real>
void shapes_and_sums() {
    Random random(7);
    const bool wide = sizeof(Real) == 8;
    for (const auto scheme : {Scheme::midpoint, Scheme::magnus4})
        for (const std::size_t m : {1U, 2U, 5U, 40U}) {
            const auto domain = ball(3);
            const auto x = samples<Real>(*domain, 11, random);
            const auto field = network_field<Real>(FieldKind::directional, 3, 2.0, 0.0, m);
            const auto cut = follow(field, domain, x, with(rk4()), m, scheme);
            const auto& g = cut.grid;
            const auto nodes = nodes_per_cell(scheme);
            EXPECT_EQ(g.cells, 2 * m);
            EXPECT_EQ(g.nodes, nodes);
            EXPECT_EQ(g.rows(), 11 * (2 * m * nodes + 1));
            EXPECT_EQ(g.z.size(), g.rows() * 3);
            EXPECT_EQ(g.exit.size(), x.size());
            EXPECT_EQ(g.length.size(), 11 * 2 * m);
            for (std::size_t b = 0; b < 11; ++b) {
                const auto length = cut.lengths(b);
                const auto half = length.begin() + static_cast<std::ptrdiff_t>(m);
                EXPECT_NEAR(std::accumulate(length.begin(), length.end(), 0.0),
                            cut.t_plus(b) - cut.t_minus(b), 1e-13);
                EXPECT_NEAR(std::accumulate(length.begin(), half, 0.0), -cut.t_minus(b), 1e-13);
                EXPECT_GT(*std::min_element(length.begin(), length.end()), 0.0);
                EXPECT_LT(cut.t_minus(b), 0.0);
                EXPECT_LE(g.residual[b], wide ? 1e-13 : 1e-6);
                EXPECT_NEAR(domain->level(numbers(cut.exit(b))), 0.0, wide ? 1e-12 : 2e-6);
                EXPECT_NEAR(domain->level(numbers(cut.entry(b))), 0.0, wide ? 1e-12 : 2e-6);
                for (std::size_t c = 0; c < 2 * m; ++c)
                    for (std::size_t i = 0; i < nodes; ++i)
                        EXPECT_LT(domain->level(numbers(cut.node(b, c, i))), 0.0);
            }
        }
}

TEST(Grid, ShapesAndSums) {
    shapes_and_sums<float>();
    shapes_and_sums<double>();
}

/// Position at time t, by the pieces.
std::vector<double> position(const Lines<double>& lines, std::size_t sample, double t) {
    const auto line = t >= 0.0 ? sample : sample + lines.samples;
    double begin = 0.0;
    for (std::size_t j = 0;; ++j) {
        const auto place = lines.pieces[line][j];
        const double h = lines.rounds[place.round].h[place.row];
        if (std::fabs(t) <= std::fabs(begin + h) || j + 1 == lines.pieces[line].size())
            return evaluate(polynomial(lines, place), (t - begin) / h);
        begin += h;
    }
}

TEST(Grid, NodesLieOnTheLineInOrder) {
    Random random(8);
    for (const auto* method : methods)
        for (const auto scheme : {Scheme::midpoint, Scheme::magnus4})
            for (const std::size_t m : {1U, 3U, 8U}) {
                const auto domain = box(2);
                const auto field =
                    network_field<double>(FieldKind::positive, 2, 3.0, 0.5, random());
                const auto cut = follow(field, domain, samples<double>(*domain, 5, random),
                                        with(*method, 3, 1e-7), m, scheme);
                const auto nodes = sturm::nodes(scheme);
                for (std::size_t b = 0; b < 5; ++b) {
                    double t = cut.t_minus(b);
                    for (std::size_t c = 0; c < 2 * m; ++c) {
                        const double length = cut.lengths(b)[c];
                        for (std::size_t i = 0; i < nodes.size(); ++i) {
                            const auto exact = position(cut.lines, b, t + nodes[i] * length);
                            EXPECT_NEAR(cut.node(b, c, i)[0], exact[0], 1e-12);
                            EXPECT_NEAR(cut.node(b, c, i)[1], exact[1], 1e-12);
                        }
                        t += length;
                    }
                    EXPECT_NEAR(t, cut.t_plus(b), 1e-13);
                }
            }
}

// Cells of equal pace: where the field is slow, a cell lasts longer.
TEST(Grid, CellsAreOfEqualPace) {
    const auto field = formula<double>(1, {}, [](auto, auto z, auto a) { a[0] = z[0] + 0.05; });
    const auto cut = follow(field, box(1), {0.5}, with(rk4(), 50), 4);
    const auto length = cut.lengths();
    for (std::size_t c = 0; c + 1 < length.size(); ++c) EXPECT_GT(length[c], length[c + 1]);
    // Middles of cells.
    for (std::size_t c = 0; c + 1 < length.size(); ++c) {
        const auto middle = [&](std::size_t cell) {
            return 0.5 * (cut.node(0, cell, 0)[0] + cut.node(0, cell, 1)[0]);
        };
        EXPECT_NEAR(middle(c + 1) - middle(c), 0.125, 0.01);
    }
}

template <class Real>
void expect_same_alone(FieldKind kind, const DomainPointer& domain, const Method& method,
                       Random& random) {
    const auto n = domain->dimensions();
    SCOPED_TRACE(testing::Message() << names(kind)[static_cast<std::size_t>(kind)] << ", "
                                    << (is_box(*domain) ? "box" : "ball") << " of " << n << ", "
                                    << name_of(method) << ", " << sizeof(Real) << " bytes");
    const auto field = network_field<Real>(kind, n, 2.0, domain->centre(), random());
    constexpr std::size_t count = 19, cells = 3;
    const auto data = samples<Real>(*domain, count, random);
    // Derivatives of a loss by everything there is, a row for each sample.
    std::vector<Real> by_node(count * 2 * cells * 2 * n), by_end(count * n), by_entry(count * n);
    std::vector<double> by_length(count * 2 * cells), by_time(count);
    for (auto* seeds : {&by_node, &by_end, &by_entry})
        for (auto& c : *seeds) c = static_cast<Real>(normal(random));
    for (auto* seeds : {&by_length, &by_time})
        for (auto& c : *seeds) c = normal(random);
    struct Run {
        Traced<Real> cut;
        std::vector<Real> dx, nodes, entry;
    };
    const auto run = [&](std::size_t first, std::size_t rows) {
        const auto part = [&](const auto& from, std::size_t width) {
            return std::vector(from.begin() + static_cast<std::ptrdiff_t>(first * width),
                               from.begin() + static_cast<std::ptrdiff_t>((first + rows) * width));
        };
        Run r{follow(field, domain, part(data, n), with(method, 5, 1e-4), cells), {}, {}, {}};
        expect_ok(r.cut.lines);
        auto by_z = part(by_node, 4 * cells * n);
        const auto entries = part(by_entry, n);
        by_z.insert(by_z.end(), entries.begin(), entries.end());
        const auto exit = part(by_end, n);
        const auto length = part(by_length, 2 * cells);
        const auto time = part(by_time, 1);
        r.dx = pull_back(field, r.cut, Scheme::magnus4,
                         {by_z.data(), length.data(), exit.data(), time.data(), time.data()})
                   .x;
        const auto& z = r.cut.grid.z;
        const auto split = z.begin() + static_cast<std::ptrdiff_t>(rows * 4 * cells * n);
        r.nodes.assign(z.begin(), split);
        r.entry.assign(split, z.end());
        return r;
    };
    const auto all = run(0, count);
    const auto compare = [&](std::size_t first, std::size_t rows) {
        const auto own = run(first, rows);
        EXPECT_TRUE(same_bits(own.nodes, all.nodes, first * 4 * cells * n)) << first;
        EXPECT_TRUE(same_bits(own.entry, all.entry, first * n)) << first;
        EXPECT_TRUE(same_bits(own.cut.grid.exit, all.cut.grid.exit, first * n)) << first;
        EXPECT_TRUE(same_bits(own.cut.grid.length, all.cut.grid.length, first * 2 * cells));
        EXPECT_TRUE(same_bits(own.cut.grid.t_minus, all.cut.grid.t_minus, first)) << first;
        EXPECT_TRUE(same_bits(own.cut.grid.t_plus, all.cut.grid.t_plus, first)) << first;
        EXPECT_TRUE(same_bits(own.dx, all.dx, first * n)) << first << ", gradient";
        EXPECT_TRUE(finite(own.dx));
    };
    for (const std::size_t b : {0U, 1U, 7U, 16U, 18U}) compare(b, 1);
    compare(3, 2);
    compare(5, 8);
}

template <class Real>
class Batch : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Batch, Reals);

TYPED_TEST(Batch, ASampleAloneHasTheSameBits) {
    Random random(9);
    for (const auto* m : methods)
        for (const std::size_t n : {1U, 2U, 5U, 16U, 33U, 200U}) {
            expect_same_alone<TypeParam>(FieldKind::positive, box(n), *m, random);
            expect_same_alone<TypeParam>(FieldKind::directional, ball(n), *m, random);
            expect_same_alone<TypeParam>(FieldKind::gradient, ball(n), *m, random);
            for (const auto& domain : {box(n), ball(n)})
                expect_same_alone<TypeParam>(FieldKind::straight, domain, *m, random);
        }
}

}  // namespace
}  // namespace deepsl::field::test
