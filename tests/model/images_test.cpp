// Models of images: convolutions in every network, or an encoder in front.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/model/encoded.h"
#include "deepsl/model/model.h"
#include "deepsl/model/predictor.h"
#include "deepsl/model/size.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

const auto all_kinds = {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node, Kind::linear};

/// Images of 4 x 3 pixels in grey.
ModelOptions image_options(FieldKind field = FieldKind::directional) {
    Case c;
    c.field = field;
    c.domain = field == FieldKind::positive ? DomainKind::box : DomainKind::ball;
    auto o = small_options(c);
    o.image = {4, 3, 1};
    o.hidden = {3};
    o.field_hidden = {2};
    o.steps = 2;
    o.cells = 2;
    return o;
}

ModelOptions with_convolutions(ModelOptions o) {
    o.convolutions = {2, 2, 3};
    o.field_convolutions = {2, 3};
    return o;
}

ModelOptions with_encoder(ModelOptions o) {
    o.encoder = {3, 2};
    o.halving = Halving::max;
    o.encoder_activation = Activation::tanh;
    o.encoder_hidden = {4};
    o.latent = 2;
    return o;
}

/// Rows inside the domain; behind an encoder they may lie anywhere.
Matrix<double> images(std::size_t rows, const ModelOptions& o, std::uint64_t seed) {
    Random random(seed);
    Matrix<double> x(rows, 12);
    const double centre = o.domain == DomainKind::box ? 0.5 : 0.0;
    for (auto& number : x.values()) number = centre + 0.2 * uniform(random, -1.0, 1.0);
    return x;
}

std::unique_ptr<Predictor> made(Kind kind, const ModelOptions& o, const Matrix<double>& x,
                                std::uint64_t seed) {
    auto model = make_predictor(kind, 12, 2, o, seed);
    model->calibrate(x, random_matrix(x.rows(), 2, seed));
    // A linear map that starts at zero would let nothing through.
    auto values = model->parameters().values();
    Random random(seed);
    for (const auto& p : model->parameters().list())
        if (p.role == network::Role::linear)
            for (std::size_t i = 0; i < p.size(); ++i) values[p.offset + i] = normal(random);
    model->set_values(values);
    return model;
}

TEST(ImageModel, GradientsThroughConvolutionsAgreeWithDifferences) {
    std::uint64_t seed = 1;
    for (const auto field : {FieldKind::directional, FieldKind::positive, FieldKind::straight})
        for (const auto kind : {Kind::dsl, Kind::mlp, Kind::node}) {
            if (kind != Kind::dsl && field != FieldKind::directional) continue;
            SCOPED_TRACE(testing::Message() << name(kind) << ", " << name(field));
            const auto o = with_convolutions(image_options(field));
            const auto x = images(2, o, ++seed);
            const auto model = made(kind, o, x, seed);
            EXPECT_EQ(static_cast<double>(model->parameters().size()),
                      parameter_count(kind, 12, 2, o));
            expect_gradients_match(*model, x, seed);
        }
}

TEST(ImageModel, GradientsThroughAnEncoderAgreeWithDifferences) {
    std::uint64_t seed = 20;
    for (const auto field : {FieldKind::directional, FieldKind::positive})
        for (const auto kind : all_kinds) {
            SCOPED_TRACE(testing::Message() << name(kind) << ", " << name(field));
            const auto o = with_encoder(image_options(field));
            const auto x = images(3, o, ++seed);
            const auto model = made(kind, o, x, seed);
            EXPECT_EQ(model->kind(), kind);
            EXPECT_EQ(static_cast<double>(model->parameters().size()),
                      parameter_count(kind, 12, 2, o));
            expect_gradients_match(*model, x, seed, 1e-6, 1e-5);
        }
}

TEST(ImageModel, ARowHasTheSameBitsAloneAndInABatch) {
    for (auto o : {with_convolutions(image_options()), with_encoder(image_options())}) {
        o.precision = Precision::float32;
        const auto x = images(37, o, 3);
        for (const auto kind : all_kinds) {
            const auto model = made(kind, o, x, 3);
            const auto all = model->predict(x);
            for (const std::size_t row : {0U, 17U, 36U}) {
                const auto one = model->predict(x.part(row, 1));
                EXPECT_EQ(std::memcmp(one.y.data(), all.y.row(row).data(), 2 * sizeof(double)), 0)
                    << name(kind) << ", row " << row;
            }
        }
    }
}

TEST(ImageModel, RowsThatAreNotFiniteAreLeftOutOfTheGradient) {
    const auto o = with_encoder(image_options());
    auto x = images(4, o, 5);
    for (const auto kind : all_kinds) {
        const auto model = made(kind, o, x, 5);
        auto spoilt = x;
        spoilt(1, 7) = std::numeric_limits<double>::quiet_NaN();
        const Matrix<double> dy(4, 2, 1.0);
        const auto gradient_of = [&](const Matrix<double>& rows) {
            const auto pass = model->make_pass();
            const auto& prediction = pass->forward(rows, true);
            EXPECT_EQ(prediction.failed(), std::isnan(rows(1, 7)) ? 1U : 0U);
            pass->backward(MatrixView<const double>(dy), {});
            std::vector<double> gradient(model->parameters().size());
            pass->add_gradient(gradient);
            return gradient;
        };
        for (const double g : gradient_of(spoilt)) EXPECT_TRUE(std::isfinite(g)) << name(kind);
        EXPECT_NE(gradient_of(spoilt), gradient_of(x));
    }
}

TEST(ImageModel, TheEncoderLeadsIntoTheDomain) {
    for (const auto domain : {DomainKind::ball, DomainKind::box}) {
        auto o = with_encoder(image_options());
        o.domain = domain;
        const auto model = make_encoded(Kind::dsl, 12, 2, o, 1);
        auto x = images(50, o, 1);
        for (auto& number : x.values()) number *= 1e4;
        const auto z = model->encode(x);
        ASSERT_EQ(z.columns(), 2U);
        const auto inside = field::make_domain(domain, 2);
        for (std::size_t row = 0; row < z.rows(); ++row)
            EXPECT_LT(inside->level(z.row(row)), 0.0) << name(domain);
        // The model behind it is the same function of z.
        const auto whole = model->predict(x), part = model->behind().predict(z);
        EXPECT_EQ(whole.y.values(), part.y.values());
    }
}

TEST(ImageModel, OptionsThatContradictEachOtherAreRefused) {
    auto o = image_options();
    o.convolutions = {4};
    EXPECT_NO_THROW(make_predictor(Kind::mlp, 12, 2, o, 1));
    EXPECT_THROW(make_predictor(Kind::mlp, 13, 2, o, 1), Error);  // not the image's size
    o.image = {};
    EXPECT_THROW(make_predictor(Kind::mlp, 12, 2, o, 1), Error);  // no image
    o.image = {4, 3};
    EXPECT_THROW(check_model(o), Error);
    o = image_options();
    o.kernel = 2;
    EXPECT_THROW(check_model(o), Error);
    o = image_options();
    o.encoder = {4};
    EXPECT_THROW(check_model(o), Error);  // gives nothing
    o = with_encoder(with_convolutions(image_options()));
    EXPECT_THROW(check_model(o), Error);
}

}  // namespace
}  // namespace deepsl::model::test
