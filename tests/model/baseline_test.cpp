// What holds for all models beside Deep Sturm-Liouville: gradients against differences, a sample
// alone against the same in a batch, samples that fail, and the factory that makes them.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/mlp_model.h"
#include "deepsl/model/predictor.h"
#include "deepsl/network/mlp.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

constexpr Kind baselines[] = {Kind::ablation, Kind::node, Kind::mlp};

/// Of random weights, as after some training.
std::unique_ptr<Predictor> made(Kind kind, const ModelOptions& options, std::size_t inputs,
                                std::size_t outputs, std::uint64_t seed = 1) {
    auto model = make_predictor(kind, inputs, outputs, options, seed);
    model->calibrate(samples(20, options.domain, inputs, seed), Matrix<double>(20, outputs));
    shake(*model, seed + 1);
    return model;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

TEST(BaselineGradient, AgreesWithDifferences) {
    std::uint64_t seed = 0;
    for (const auto kind : baselines)
        for (const auto domain : {DomainKind::ball, DomainKind::box})
            for (const auto scheme : {Scheme::magnus4, Scheme::midpoint})
                for (const auto coefficients :
                     {CoefficientKind::networks, CoefficientKind::trunk}) {
                    if (kind != Kind::ablation && scheme == Scheme::midpoint) continue;
                    if (kind != Kind::ablation && coefficients == CoefficientKind::trunk) continue;
                    Case c;
                    c.domain = domain;
                    c.scheme = scheme;
                    c.coefficients = coefficients;
                    SCOPED_TRACE(testing::Message() << name(kind) << ", " << c);
                    const auto model = made(kind, small_options(c), 3, 2, ++seed);
                    expect_gradients_match(*model, samples(4, domain, 3, seed), seed);
                }
}

TEST(BaselineGradient, AgreesWithDifferencesForLeakyReLU) {
    Case c;
    c.activation = Activation::leaky_relu;
    for (const auto kind : baselines) {
        SCOPED_TRACE(name(kind));
        const auto model = made(kind, small_options(c), 3, 2, 3);
        expect_gradients_match(*model, samples(2, c.domain, 3, 3), 3, 1e-6, 1e-6);
    }
}

TEST(BaselineGradient, AgreesBetweenPrecisions) {
    for (const auto kind : baselines)
        for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince}) {
            SCOPED_TRACE(name(kind));
            Case c;
            c.method = method;
            auto options = small_options(c);
            const auto wide = made(kind, options, 3, 2);
            options.precision = Precision::float32;
            const auto narrow = make_predictor(kind, 3, 2, options, 1);
            narrow->set_values(wide->parameters().values());
            const auto x = samples(5, c.domain, 3);
            const Seeds seeds(*wide, x.rows(), 7);
            const auto expected = gradients(*wide, x, seeds), got = gradients(*narrow, x, seeds);
            const auto compare = [](std::span<const double> a, std::span<const double> b) {
                double size = 0.0, error = 0.0;
                for (std::size_t i = 0; i < a.size(); ++i) {
                    size = std::max(size, std::fabs(a[i]));
                    error = std::max(error, std::fabs(a[i] - b[i]));
                }
                EXPECT_LT(error, 2e-4 * size);
                EXPECT_GT(error, 0.0);
            };
            compare(expected.parameters, got.parameters);
            compare(expected.x.values(), got.x.values());
        }
}

TEST(BaselineGradient, OfSeveralChunksAddsUpUntilItIsTaken) {
    for (const auto kind : baselines) {
        SCOPED_TRACE(name(kind));
        const auto model = made(kind, small_options(), 3, 2);
        const auto pass = model->make_pass();
        std::vector<double> sum(model->parameters().size()), both(sum.size(), 0.5),
            none(sum.size());
        for (const std::uint64_t chunk : {1U, 2U}) {
            const auto x = samples(2 + chunk, DomainKind::ball, 3, chunk);
            const Seeds seeds(*model, x.rows(), chunk);
            const auto alone = gradients(*model, x, seeds).parameters;
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += alone[i];
            pass->forward(x, true);
            pass->backward(seeds.y, seeds.lambda);
        }
        pass->add_gradient(both);
        pass->add_gradient(none);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            EXPECT_NEAR(both[i], 0.5 + sum[i], 1e-11 * (1.0 + std::fabs(sum[i])));
            EXPECT_EQ(none[i], 0.0);
        }
    }
}

TEST(BaselineGradient, TakesNoSeedsForEigenvaluesAsZeros) {
    const auto model = made(Kind::ablation, small_options(), 3, 2);
    const auto x = samples(3, DomainKind::ball, 3);
    Seeds seeds(*model, x.rows(), 1);
    std::ranges::fill(seeds.lambda.values(), 0.0);
    const auto with = gradients(*model, x, seeds);
    seeds.lambda = {};
    const auto without = gradients(*model, x, seeds);
    EXPECT_TRUE(same_bits(with.parameters, without.parameters));
    EXPECT_EQ(with.x, without.x);
}

TEST(BaselineBatch, ASampleAloneHasTheSameBits) {
    for (const auto kind : baselines)
        for (const auto precision : {Precision::float32, Precision::float64})
            for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince}) {
                SCOPED_TRACE(testing::Message()
                             << name(kind) << " " << name(precision) << " " << name(method));
                Case c;
                c.method = method;
                auto options = small_options(c);
                options.precision = precision;
                const auto model = made(kind, options, 3, 5);
                const auto x = samples(45, c.domain, 3, 4, 1.5);
                const Seeds seeds(*model, x.rows(), 1);
                const auto pass = model->make_pass();
                const auto all = pass->forward(x, true);
                ASSERT_EQ(all.failed(), 0U);
                Matrix<double> dx, part_dx;
                pass->backward(seeds.y, seeds.lambda, &dx);
                const auto compare = [&](std::size_t first, std::size_t rows, bool keep) {
                    const auto& part = pass->forward(x.part(first, rows), keep);
                    EXPECT_TRUE(same_bits(part.y.values(), all.y.part(first, rows).values()));
                    EXPECT_TRUE(
                        same_bits(part.lambda.values(), all.lambda.part(first, rows).values()));
                    if (!keep) return;
                    pass->backward(seeds.y.part(first, rows), seeds.lambda.part(first, rows),
                                   &part_dx);
                    EXPECT_TRUE(same_bits(part_dx.values(), dx.part(first, rows).values()));
                };
                for (const bool keep : {false, true}) {
                    for (const std::size_t b : {0U, 1U, 5U, 31U, 44U}) compare(b, 1, keep);
                    compare(2, 4, keep);
                    compare(4, 33, keep);
                }
                EXPECT_TRUE(same_bits(model->predict(x).y.values(), all.y.values()));
            }
}

TEST(BaselineBatch, RowsThatAreNotFiniteFailAlone) {
    for (const auto kind : baselines)
        for (const auto precision : {Precision::float32, Precision::float64})
            for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince}) {
                SCOPED_TRACE(testing::Message()
                             << name(kind) << " " << name(precision) << " " << name(method));
                Case c;
                c.method = method;
                c.activation = Activation::leaky_relu;  // hides no infinite number
                auto options = small_options(c);
                options.precision = precision;
                const auto model = made(kind, options, 2, 1);
                auto x = samples(5, c.domain, 2);
                const Seeds seeds(*model, x.rows(), 1);
                const std::vector<std::size_t> good{0, 2};
                const auto clean = x.rows_at(good);
                Seeds of_clean(*model, 2, 1);
                of_clean.y = seeds.y.rows_at(good), of_clean.lambda = seeds.lambda.rows_at(good);
                const auto expected = gradients(*model, clean, of_clean);
                const auto before = model->predict(clean);

                x(1, 0) = std::nan("");
                x(3, 1) = std::numeric_limits<double>::infinity();
                x(4, 0) = 1e38;  // finite, but not what networks make of it
                const auto after = model->predict(x);
                for (const std::size_t b : {1U, 3U, 4U}) {
                    EXPECT_EQ(after.outcomes[b].name(), "not_finite");
                    EXPECT_EQ(after.y(b, 0), 0.0);
                    for (const double lambda : after.lambda.row(b)) EXPECT_EQ(lambda, 0.0);
                }
                EXPECT_EQ(after.failed(), 3U);
                EXPECT_EQ(after.y(0, 0), before.y(0, 0));
                EXPECT_EQ(after.y(2, 0), before.y(1, 0));
                const auto got = gradients(*model, x, seeds);
                EXPECT_TRUE(same_bits(got.parameters, expected.parameters));
                EXPECT_TRUE(same_bits(got.x.row(2), expected.x.row(1)));
                for (const std::size_t b : {1U, 3U, 4U})
                    for (const double d : got.x.row(b)) EXPECT_EQ(d, 0.0);
            }
}

TEST(BaselineBatch, MayBeEmptyOrFailWhole) {
    for (const auto kind : baselines) {
        SCOPED_TRACE(name(kind));
        const auto model = made(kind, small_options(), 2, 3);
        EXPECT_EQ(model->predict(Matrix<double>(0, 2)).size(), 0U);
        for (const std::size_t rows : {0U, 2U}) {
            const Matrix<double> x(rows, 2, std::nan(""));
            const auto got = gradients(*model, x, Seeds(*model, rows, 1));
            for (const double c : got.parameters) EXPECT_EQ(c, 0.0);
            for (const double c : got.x.values()) EXPECT_EQ(c, 0.0);
        }
    }
}

// Weights grow without bound where training diverges.
TEST(BaselineBatch, OutputsThatAreNotFiniteFail) {
    for (const auto kind : {Kind::mlp, Kind::node})
        for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince}) {
            SCOPED_TRACE(name(kind));
            Case c;
            c.method = method;
            c.activation = Activation::leaky_relu;
            const auto model = made(kind, small_options(c), 2, 2);
            auto values = model->parameters().values();
            for (auto& value : values) value *= 1e200;
            model->set_values(values);
            auto x = samples(3, c.domain, 2);
            const auto prediction = model->predict(x);
            EXPECT_EQ(prediction.failed(), 3U);
            EXPECT_EQ(prediction.outcomes[0].name(), "not_finite");
            for (const double y : prediction.y.values()) EXPECT_EQ(y, 0.0);
            for (const double g : gradients(*model, x, Seeds(*model, 3, 1)).parameters)
                EXPECT_EQ(g, 0.0);
        }
}

TEST(MlpModel, IsItsNetwork) {
    for (const auto domain : {DomainKind::ball, DomainKind::box}) {
        Case c;
        c.domain = domain;
        const auto model = made(Kind::mlp, small_options(c), 2, 3);
        network::MlpOptions o;
        o.inputs = 2, o.outputs = 3, o.hidden = {6, 5}, o.activation = c.activation;
        o.shift = domain == DomainKind::box ? 0.5 : 0.0, o.scale = 4.0;
        network::Mlp<double> network(o);
        network::Parameters parameters;
        Random random(1);
        network.enrol(parameters, "network", random);
        ASSERT_EQ(parameters.list().size(), model->parameters().list().size());
        for (std::size_t i = 0; i < parameters.list().size(); ++i) {
            EXPECT_EQ(model->parameters().list()[i].name, parameters.list()[i].name);
            EXPECT_NE(model->parameters().list()[i].role, network::Role::linear);
        }
        network.load(model->parameters().values());
        const auto x = samples(4, domain, 2);
        std::vector<double> y(12);
        network.forward(x.data(), 4, y.data(), nullptr);
        EXPECT_TRUE(same_bits(model->predict(x).y.values(), y));
    }
}

TEST(MlpModel, MayHaveAnyNetwork) {
    network::MlpOptions o;
    o.inputs = 2, o.outputs = 3;
    const auto model =
        make_mlp_model<float>(std::make_unique<network::Mlp<float>>(o), small_options(), 1);
    EXPECT_FALSE(model->built_in());
    EXPECT_EQ(model->options().precision, Precision::float32);
    EXPECT_EQ(model->inputs(), 2U);
    EXPECT_EQ(model->predict(Matrix<double>(5, 2)).y.columns(), 3U);
    EXPECT_THROW(make_mlp_model<float>(nullptr, small_options(), 1), Error);
}

TEST(MakePredictor, MakesEachKind) {
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node})
        for (const auto precision : {Precision::float32, Precision::float64}) {
            SCOPED_TRACE(name(kind));
            auto o = small_options();
            o.precision = precision;
            const auto model = make_predictor(kind, 2, 3, o, 5);
            EXPECT_EQ(model->kind(), kind);
            EXPECT_EQ(model->inputs(), 2U);
            EXPECT_EQ(model->outputs(), 3U);
            EXPECT_EQ(model->options().precision, precision);
            EXPECT_TRUE(model->built_in());
            EXPECT_EQ(static_cast<double>(model->parameters().size()),
                      parameter_count(kind, 2, 3, o));
            EXPECT_GT(model->flops_per_sample(), 0.0);
            EXPECT_EQ(model->predict(Matrix<double>(5, 2)).y.columns(), 3U);
            const auto again = make_predictor(kind, 2, 3, o, 5),
                       other = make_predictor(kind, 2, 3, o, 6);
            EXPECT_EQ(model->parameters().values(), again->parameters().values());
            EXPECT_NE(model->parameters().values(), other->parameters().values());
        }
}

std::string error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::argument);
        return error.what();
    }
    return "none";
}

TEST(MakePredictor, RefusesBadRequests) {
    const auto o = small_options();
    EXPECT_NE(error_of([&] { make_predictor(Kind::mlp, 0, 3, o, 1); }).find("0 and 3"),
              std::string::npos);
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node}) {
        SCOPED_TRACE(name(kind));
        EXPECT_NE(error_of([&] { make_predictor(kind, 0, 3, o, 1); }), "none");
        EXPECT_NE(error_of([&] { make_predictor(kind, 2, 0, o, 1); }), "none");
        auto bad = o;
        bad.cells = 0;
        EXPECT_NE(error_of([&] { make_predictor(kind, 2, 3, bad, 1); }).find("cells"),
                  std::string::npos);
        auto large = o;
        large.hidden = large.field_hidden = std::vector<std::int64_t>(20, 65536);
        EXPECT_NE(error_of([&] { make_predictor(kind, 2, 3, large, 1); }).find("memory"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace deepsl::model::test
