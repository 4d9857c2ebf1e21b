// Cells and nodes on a line; one sample alone and in a batch.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "field/lines.h"

namespace deepsl::field {
namespace {

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

}  // namespace
}  // namespace deepsl::field
