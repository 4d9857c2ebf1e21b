// From the sample to the loss: gradients by every network and by x against differences, float32
// against float64, and one sample alone against the same in a batch.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/train/loss.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

/// Every domain with every field, scheme and kind of coefficients; what else there is, by turns.
std::vector<Case> gradient_cases(MethodKind method) {
    std::vector<Case> cases;
    for (const auto domain : {DomainKind::ball, DomainKind::box})
        for (const auto field : {FieldKind::directional, FieldKind::straight, FieldKind::positive,
                                 FieldKind::gradient})
            for (const auto scheme : {Scheme::magnus4, Scheme::midpoint})
                for (const auto coefficients :
                     {CoefficientKind::networks, CoefficientKind::trunk}) {
                    Case c;
                    const auto turn = cases.size();
                    c.domain = domain;
                    c.field = field;
                    c.scheme = scheme;
                    c.coefficients = coefficients;
                    c.method = method;
                    c.heads = turn % 3 == 0 ? HeadKind::paper : HeadKind::calm;
                    c.fields = turn % 4 == 3 ? 2 : 1;
                    c.start_network = turn % 3 != 1;
                    // The norm is of second order only: where steps are chosen by a tolerance, the
                    // place of the cells would matter.
                    c.normalise = !c.start_network && method == MethodKind::rk4;
                    // In one dimension a direction has no gradient: its length is divided out.
                    c.n = field == FieldKind::positive ? 1 + turn % 3 : 2 + turn % 2;
                    cases.push_back(c);
                }
    return cases;
}

TEST(ModelGradient, AgreesWithDifferences) {
    std::uint64_t seed = 1;
    for (const auto& c : gradient_cases(MethodKind::rk4)) {
        SCOPED_TRACE(testing::Message() << c);
        const auto x = samples(4, c, ++seed);
        const auto model = make(c, x, random_matrix(4, 2, seed), seed);
        // One sample of a normalised case lies next to an edge of the box.
        expect_gradients_match(*model, x, seed, 1e-6, c.normalise ? 2e-5 : 1e-4);
    }
}

// Leaky ReLUs have kinks, which small steps avoid.
TEST(ModelGradient, AgreesWithDifferencesWithKinks) {
    std::uint64_t seed = 30;
    for (auto c : gradient_cases(MethodKind::rk4)) {
        if (c.coefficients == CoefficientKind::trunk) continue;
        c.activation = Activation::leaky_relu;
        SCOPED_TRACE(testing::Message() << c);
        const auto x = samples(3, c, ++seed);
        const auto model = make(c, x, random_matrix(3, 2, seed), seed);
        expect_gradients_match(*model, x, seed, 1e-6, 1e-6);
    }
}

// Steps chosen by a tolerance are constants of the gradient. With small steps on many cells neither
// they nor the place of the cells matter.
TEST(ModelGradient, AgreesWithDifferencesAlongAdaptiveSteps) {
    std::uint64_t seed = 60;
    for (const auto& c : gradient_cases(MethodKind::dormand_prince)) {
        // Midpoints are of second order only; on straight lines nothing is chosen by a tolerance.
        const bool coarse = c.scheme == Scheme::midpoint && c.field != FieldKind::straight;
        if (coarse && c.coefficients == CoefficientKind::networks) continue;
        SCOPED_TRACE(testing::Message() << c);
        const auto x = samples(1, c, ++seed);
        const auto model = make(c, x, random_matrix(1, 2, seed), seed);
        auto numerics = model->numerics();
        numerics.trace.tolerance = 1e-11;
        numerics.cells = c.field == FieldKind::straight ? 4 : 100;
        model->set_numerics(numerics);
        expect_gradients_match(*model, x, seed, coarse ? 1e-3 : 1e-6, 3e-4);
    }
}

// As in training: through the loss of labels, with the spectral term and the energy along lines.
TEST(ModelGradient, AgreesWithDifferencesThroughTheTotalLoss) {
    std::uint64_t seed = 90;
    for (const auto loss : {train::Loss::hinge, train::Loss::cross_entropy})
        for (const std::size_t outputs : {1U, 3U})
            for (const auto field :
                 {FieldKind::directional, FieldKind::positive, FieldKind::gradient}) {
                Case c;
                c.field = field;
                c.domain = field == FieldKind::positive ? DomainKind::box : DomainKind::ball;
                c.start_network = outputs != 1;
                c.normalise = outputs == 1;
                SCOPED_TRACE(testing::Message()
                             << c << ", " << name(loss) << ", " << outputs << " outputs");
                const auto x = samples(5, c, ++seed);
                const auto model = make(c, x, random_matrix(5, outputs, seed), seed);
                const std::vector<std::int64_t> labels{0, 1, 0, 0, 0};
                const auto pass = model->make_pass();
                pass->regularise(c.normalise ? 0.3 : 0.03);
                const auto value = [&] {
                    const auto sums =
                        train::loss_sums(loss, pass->forward(x, false), {labels, {}}, 0.1);
                    EXPECT_EQ(sums.kept, 5U);
                    EXPECT_GT(sums.data, 0.0);
                    EXPECT_GT(sums.spectral, 0.0);
                    return sums.data + sums.spectral;
                };
                train::LossSeeds seeds;
                train::loss_sums(loss, pass->forward(x, true), {labels, {}}, 0.1, &seeds);
                pass->backward(seeds.y, seeds.lambda);
                std::vector<double> gradient(model->parameters().size());
                pass->add_gradient(gradient);

                // All numbers at once, each moved as far as any other; and the first of each
                // tensor by itself.
                const auto values = model->parameters().values();
                const auto compare = [&](const std::vector<double>& direction, double size) {
                    const auto at = [&](double by) {
                        auto moved = values;
                        for (std::size_t i = 0; i < moved.size(); ++i)
                            moved[i] += by * direction[i];
                        model->set_values(moved);
                        return value();
                    };
                    const auto central = [&](double h) { return (at(h) - at(-h)) / (2.0 * h); };
                    const double numeric = (4.0 * central(5e-5) - central(1e-4)) / 3.0;
                    double exact = 0.0;
                    for (std::size_t i = 0; i < values.size(); ++i)
                        exact += gradient[i] * direction[i];
                    EXPECT_NEAR(exact, numeric, 1e-6 * size);
                };
                Random random(seed);
                std::vector<double> signs(values.size());
                double square = 0.0;
                for (const auto& p : model->parameters().list()) {
                    if (p.role == network::Role::measured) continue;
                    double largest = 0.0;
                    for (std::size_t i = p.offset; i < p.offset + p.size(); ++i) {
                        signs[i] = below(2, random) == 0 ? -1.0 : 1.0;
                        square += gradient[i] * gradient[i];
                        largest = std::max(largest, std::fabs(gradient[i]));
                    }
                    SCOPED_TRACE(p.name);
                    std::vector<double> one(values.size());
                    one[p.offset] = 1.0;
                    compare(one, largest);
                }
                compare(signs, std::sqrt(square));
                model->set_values(values);
            }
}

/// The same model with networks in float.
std::unique_ptr<Model> narrowed(const Model& wide) {
    auto o = wide.options();
    o.precision = Precision::float32;
    auto narrow = make_model(wide.inputs(), wide.outputs(), o, 1);
    narrow->set_values(wide.parameters().values());
    return narrow;
}

TEST(ModelGradient, Float32IsCloseToFloat64) {
    std::uint64_t seed = 100;
    for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince})
        for (auto c : gradient_cases(method))
            for (const auto activation : {Activation::tanh, Activation::leaky_relu}) {
                // With kinks in the field adaptive steps depend on rounding, and so do the cells.
                if (activation != Activation::tanh && method != MethodKind::rk4) continue;
                c.activation = activation;
                SCOPED_TRACE(testing::Message() << c);
                const auto x = samples(6, c, ++seed);
                const auto wide = make(c, x, random_matrix(6, 2, seed), seed);
                // The error of a step is known up to rounding, so that adaptive steps differ and
                // cells are cut elsewhere: it takes enough of them that this does not matter.
                if (method != MethodKind::rk4) {
                    auto numerics = wide->numerics();
                    numerics.cells = 32;
                    wide->set_numerics(numerics);
                }
                const auto narrow = narrowed(*wide);
                EXPECT_EQ(narrow->parameters().values(), wide->parameters().values());
                const Seeds seeds(*wide, 6, seed);
                const auto a = gradients(*wide, x, seeds), b = gradients(*narrow, x, seeds);
                const auto compare = [](const std::string& name, std::span<const double> exact,
                                        std::span<const double> own) {
                    double size = 1e-4;
                    for (const double g : exact) size = std::max(size, std::fabs(g));
                    for (std::size_t i = 0; i < exact.size(); ++i)
                        EXPECT_NEAR(own[i], exact[i], 1e-3 * size) << name << " " << i;
                };
                for (const auto& p : wide->parameters().list())
                    compare(p.name, {a.parameters.data() + p.offset, p.size()},
                            {b.parameters.data() + p.offset, p.size()});
                compare("x", a.x.values(), b.x.values());
                const auto pa = wide->predict(x), pb = narrow->predict(x);
                compare("y", pa.y.values(), pb.y.values());
                for (std::size_t i = 0; i < pa.lambda.values().size(); ++i)
                    EXPECT_NEAR(pb.lambda.values()[i], pa.lambda.values()[i],
                                1e-4 * std::max(1.0, std::fabs(pa.lambda.values()[i])));
            }
}

bool same_rows(const Matrix<double>& part, const Matrix<double>& whole, std::size_t first) {
    return std::memcmp(part.data(), whole.data() + first * whole.columns(),
                       part.values().size() * sizeof(double)) == 0;
}

void compare_alone(Case c, Precision precision, std::uint64_t seed) {
    c.d = static_cast<std::int64_t>(2 * c.n);
    SCOPED_TRACE(testing::Message() << c << ", " << name(precision));
    constexpr std::size_t count = 45;
    const auto data = samples(count, c, seed);
    const auto outputs = 1 + 4 * c.n;
    const auto wide = make(c, data, random_matrix(count, outputs, seed), seed);
    const auto narrow = narrowed(*wide);
    const auto& model = precision == Precision::float64 ? *wide : *narrow;
    const Seeds seeds(model, count, seed);
    const auto pass = model.make_pass();
    struct Run {
        Prediction prediction;
        Matrix<double> dx;
    };
    const auto run = [&](std::size_t first, std::size_t rows) {
        Run r;
        r.prediction = pass->forward(data.part(first, rows), true);
        pass->backward(seeds.y.part(first, rows), seeds.lambda.part(first, rows), &r.dx);
        EXPECT_EQ(r.prediction.failed(), 0U);
        return r;
    };
    const auto all = run(0, count);
    const auto compare = [&](std::size_t first, std::size_t rows) {
        const auto part = run(first, rows);
        EXPECT_TRUE(same_rows(part.prediction.lambda, all.prediction.lambda, first));
        EXPECT_TRUE(same_rows(part.prediction.y, all.prediction.y, first));
        EXPECT_TRUE(same_rows(part.dx, all.dx, first)) << "gradient by x";
    };
    for (const std::size_t b : {0U, 1U, 5U, 31U, 44U}) compare(b, 1);
    compare(2, 4);
    compare(4, 33);
    // And in chunks.
    const auto chunks = model.predict(data);
    EXPECT_EQ(chunks.y, all.prediction.y);
    EXPECT_EQ(chunks.lambda, all.prediction.lambda);
    EXPECT_EQ(chunks.outcomes.size(), count);
}

TEST(ModelBatch, ASampleAloneHasTheSameBits) {
    std::uint64_t seed = 200;
    for (const auto precision : {Precision::float32, Precision::float64})
        for (const std::size_t n : {1U, 2U, 5U}) {
            for (const auto coefficients : {CoefficientKind::networks, CoefficientKind::trunk}) {
                Case c;
                c.n = n;
                c.coefficients = coefficients;
                compare_alone(c, precision, ++seed);
                c.method = MethodKind::dormand_prince;
                compare_alone(c, precision, ++seed);
                c.field = FieldKind::straight;
                c.scheme = Scheme::midpoint;
                compare_alone(c, precision, ++seed);
                c.field = FieldKind::gradient;
                compare_alone(c, precision, ++seed);
                Case paper;
                paper.preset = Preset::paper;
                paper.n = n;
                paper.domain = DomainKind::box;
                paper.field = FieldKind::positive;
                paper.activation = Activation::leaky_relu;
                paper.heads = HeadKind::paper;
                paper.fields = 2;
                paper.coefficients = coefficients;
                compare_alone(paper, precision, ++seed);
            }
        }
}

// u_i at another point of the same line is the same function: u_i(gamma(t)) from x equals u_i
// from gamma(t).
TEST(ModelLine, AnyPointOfALineSeesTheSameFunctions) {
    for (const auto preset : {Preset::standard, Preset::paper}) {
        Case c;
        c.preset = preset;
        if (preset == Preset::paper) {
            c.domain = DomainKind::box;
            c.field = FieldKind::positive;
        }
        const auto x = samples(3, c, 400);
        const auto model = make(c, x, random_matrix(3, 1, 400), 400);
        model->set_numerics(model->numerics().finer(24));
        const auto from_x = model->inspect(x);
        double largest_lambda = 0.0, largest_u = 0.0;
        for (const double l : from_x.lambda.values())
            largest_lambda = std::max(largest_lambda, std::fabs(l));
        for (const double u : from_x.u_edges) largest_u = std::max(largest_u, std::fabs(u));
        for (const std::size_t edge : {from_x.cells / 5, from_x.cells / 3, 3 * from_x.cells / 4}) {
            // Follow the field from x to that edge, in many small steps.
            Matrix<double> z(x);
            const auto moved = [&](const Matrix<double>& k, double share) {
                auto to = z;
                for (std::size_t b = 0; b < 3; ++b)
                    for (std::size_t i = 0; i < c.n; ++i)
                        to(b, i) += share * from_x.t_edges(b, edge) / 400.0 * k(b, i);
                return to;
            };
            for (int i = 0; i < 400; ++i)
                z = moved(model->field_at(moved(model->field_at(z, 0), 0.5), 0), 1.0);
            const auto from_z = model->inspect(z);
            for (std::size_t b = 0; b < 3; ++b) {
                for (std::size_t i = 0; i < from_x.d; ++i) {
                    EXPECT_NEAR(from_z.lambda(b, i), from_x.lambda(b, i), 2e-5 * largest_lambda);
                    EXPECT_NEAR(from_z.u(b, i), from_x.u_along(b, i)[edge], 2e-5 * largest_u);
                }
                for (std::size_t i = 0; i < c.n; ++i)
                    EXPECT_NEAR(from_z.entry(b, i), from_x.entry(b, i), 2e-5);
            }
        }
    }
}

}  // namespace
}  // namespace deepsl::model::test
