// What the theory promises, in models with random weights: along lines, and over the domain.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/model.h"
#include "model/cases.h"

namespace deepsl::model::test {
namespace {

/// Coefficients that change much along a line, and lines that bend.
ModelOptions wild_options(Preset preset) {
    auto options = model_preset(preset);
    options.precision = Precision::float64;
    options.hidden = options.field_hidden = {16, 8};
    options.activation = Activation::tanh;
    options.last_gain = 4.0;
    options.eigenfunctions = 8;
    return options;
}

void set_cells(Model& model, std::size_t cells) {
    auto numerics = model.numerics();
    numerics.cells = cells;
    model.set_numerics(numerics);
}

double largest(std::span<const double> values) {
    double result = 0.0;
    for (const double value : values) result = std::max(result, std::fabs(value));
    return result;
}

double mean(const Matrix<double>& at_nodes, const Inspection& seen, std::size_t b,
            std::size_t cell) {
    const auto first = at_nodes.row(b).subspan(cell * seen.nodes, seen.nodes);
    return (first.front() + first.back()) / 2.0;
}

/// The largest cosine between two functions of a line with the weight w, by Simpson's rule with u
/// in the middle of a cell from its values and slopes at both edges. On a fine grid P at the nodes
/// stands for P at the edges well enough in the correction term.
double largest_cosine(const Inspection& seen, std::size_t b) {
    Matrix<double> gram(seen.d, seen.d);
    std::vector<double> middle(seen.d);
    for (std::size_t c = 0; c < seen.cells; ++c) {
        const double length = seen.length(b, c), P = mean(seen.P, seen, b, c);
        const double weight = mean(seen.w, seen, b, c) * length / 6.0;
        for (std::size_t i = 0; i < seen.d; ++i) {
            const auto u = seen.u_along(b, i), f = seen.f_along(b, i);
            middle[i] = 0.5 * (u[c] + u[c + 1]) + length / 8.0 * P * (f[c] - f[c + 1]);
        }
        for (std::size_t i = 0; i < seen.d; ++i)
            for (std::size_t j = 0; j < seen.d; ++j) {
                const auto u = seen.u_along(b, i), v = seen.u_along(b, j);
                gram(i, j) +=
                    weight * (u[c] * v[c] + 4.0 * middle[i] * middle[j] + u[c + 1] * v[c + 1]);
            }
    }
    double result = 0.0;
    for (std::size_t i = 0; i < seen.d; ++i)
        for (std::size_t j = 0; j < i; ++j)
            result = std::max(result, std::fabs(gram(i, j)) / std::sqrt(gram(i, i) * gram(j, j)));
    return result;
}

std::size_t zeros_inside(std::span<const double> u) {
    std::size_t result = 0;
    for (std::size_t e = 2; e + 1 < u.size(); ++e)
        if (std::signbit(u[e]) != std::signbit(u[e - 1])) ++result;
    return result;
}

void expect_as_promised(const Inspection& seen) {
    for (std::size_t b = 0; b < seen.samples; ++b) {
        SCOPED_TRACE("sample " + std::to_string(b));
        ASSERT_TRUE(seen.outcomes[b].ok()) << seen.outcomes[b].sentence();
        EXPECT_LT(seen.t_minus[b], 0.0);
        EXPECT_GT(seen.t_plus[b], 0.0);
        for (std::size_t i = 0; i < seen.d; ++i) {
            const auto u = seen.u_along(b, i);
            EXPECT_EQ(u.front(), 0.0);
            EXPECT_LT(std::fabs(u.back()), 1e-9 * largest(u));
            EXPECT_EQ(zeros_inside(u), i);
            EXPECT_EQ(u[seen.cells / 2], seen.u(b, i));
            if (i > 0) {
                EXPECT_GT(seen.lambda(b, i), seen.lambda(b, i - 1));
            }
        }
        EXPECT_LT(largest_cosine(seen, b), 2e-4);
    }
}

class OnLines : public ::testing::TestWithParam<std::tuple<Preset, std::size_t>> {};

TEST_P(OnLines, ZerosOrderDirichletAndOrthogonality) {
    const auto [preset, inputs] = GetParam();
    const auto options = wild_options(preset);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto model = make_model(inputs, 2, options, seed);
        set_cells(*model, 256);
        expect_as_promised(model->inspect(samples(16, options.domain, inputs, seed)));
    }
}

INSTANTIATE_TEST_SUITE_P(Presets, OnLines,
                         ::testing::Combine(::testing::Values(Preset::standard, Preset::paper),
                                            ::testing::Values(1, 2, 7)),
                         [](const auto& given) {
                             return std::string(name(std::get<0>(given.param))) + "In" +
                                    std::to_string(std::get<1>(given.param));
                         });

TEST(Theory, HoldsForEveryDomainFieldSchemeAndHead) {
    for (const auto& c : all_cases()) {
        std::ostringstream text;
        text << c;
        SCOPED_TRACE(text.str());
        const auto x = samples(4, c);
        const auto model = make(c, x, random_matrix(4, 2, 3));
        set_cells(*model, 256);
        for (std::size_t m = 0; m < model->fields(); ++m) expect_as_promised(model->inspect(x, m));
    }
}

// The line through a point of my line is my line, and so are its eigenfunctions.
TEST(Theory, EveryPointOfALineSeesTheSameFunctions) {
    for (const auto preset : {Preset::standard, Preset::paper}) {
        const auto options = wild_options(preset);
        const auto model = make_model(3, 2, options, 4);
        model->set_numerics(model->numerics().finer(32));
        const auto seen = model->inspect(samples(6, options.domain, 3, 4));
        for (const auto cell : {seen.cells / 5, seen.cells / 2 - 3, 4 * seen.cells / 5}) {
            const auto first = cell * seen.nodes;
            Matrix<double> points(seen.samples, 3);
            for (std::size_t b = 0; b < seen.samples; ++b)
                std::copy_n(seen.node(b, first).data(), 3, points.row(b).data());
            const auto there = model->inspect(points);
            for (std::size_t b = 0; b < seen.samples; ++b) {
                const double length = seen.length(b, cell), P = mean(seen.P, seen, b, cell);
                const double s = (seen.t_nodes(b, first) - seen.t_edges(b, cell)) / length;
                const double s2 = s * s, s3 = s2 * s;
                for (std::size_t i = 0; i < seen.d; ++i) {
                    EXPECT_NEAR(there.lambda(b, i), seen.lambda(b, i),
                                1e-5 * (1.0 + std::fabs(seen.lambda(b, i))));
                    const auto u = seen.u_along(b, i), f = seen.f_along(b, i);
                    const double expected =
                        (2 * s3 - 3 * s2 + 1) * u[cell] + (3 * s2 - 2 * s3) * u[cell + 1] +
                        P * length * ((s3 - 2 * s2 + s) * f[cell] + (s3 - s2) * f[cell + 1]);
                    EXPECT_NEAR(there.u(b, i), expected, 2e-4 * largest(u)) << name(preset);
                }
            }
        }
    }
}

// In one dimension with a = 1 on ]0, 1[ and constant coefficients everything is known:
// u_i = v sin(i pi t) / (i pi) with t the distance from the entry.
TEST(Theory, ClosedFormWithPotential) {
    auto options = model_preset(Preset::paper);
    options.precision = Precision::float64;
    options.eigenfunctions = 6;
    std::vector<BranchParts<double>> parts;
    parts.push_back(make_parts<double>(1, options));
    parts.front().field = std::make_unique<FunctionField>(
        1, [](std::span<const double>, std::span<double> a) { a[0] = 1.0; });
    const auto model = make_model<double>(1, std::move(parts), options, 1);
    auto values = model->parameters().values();
    for (const auto& p : model->parameters().list())
        if (p.role != network::Role::measured)
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(p.offset), p.size(), 0.0);
    part(*model, values, "field1.q.bias4")[0] = 0.3;
    model->set_values(values);
    const double P = 5.5, q = 10.0 * std::tanh(0.3), w = 0.1 + 9.9 / 2.0;

    const Matrix<double> x(3, 1, std::vector<double>{0.2, 0.5, 0.93});
    const auto seen = model->inspect(x);
    for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t i = 0; i < 6; ++i) {
            const double k = static_cast<double>(i + 1) * std::numbers::pi;
            EXPECT_NEAR(seen.lambda(b, i), (k * k / P + q) / w, 1e-10 * k * k);
            EXPECT_NEAR(seen.u(b, i), std::sin(k * x(b, 0)) / k, 1e-10);
        }
        EXPECT_NEAR(seen.t_minus[b], -x(b, 0), 1e-14);
        EXPECT_NEAR(seen.t_plus[b], 1.0 - x(b, 0), 1e-14);
    }
}

}  // namespace
}  // namespace deepsl::model::test
