// Samples that fail: told, left out, and without a trace in the others.
#include "deepsl/model/outcome.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "field/lines.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool finite(std::span<const double> values) {
    return std::ranges::all_of(values, [](double c) { return std::isfinite(c); });
}

/// The good rows of x with bad rows put among them: told as such, and everything of the good ones
/// as without the bad.
void expect_harmless(const Predictor& model, const Matrix<double>& good, const Matrix<double>& bad,
                     std::string_view status) {
    Matrix<double> mixed(good.rows() + bad.rows(), good.columns());
    std::vector<char> is_bad(mixed.rows(), 0);
    for (std::size_t b = 0; b < bad.rows(); ++b) is_bad[2 * b + 1] = 1;
    for (std::size_t i = 0, g = 0, b = 0; i < mixed.rows(); ++i)
        std::ranges::copy(is_bad[i] != 0 ? bad.row(b++) : good.row(g++), mixed.row(i).begin());

    const auto expected = model.predict(good), found = model.predict(mixed);
    const Seeds seeds(model, mixed.rows(), 3);
    std::vector<std::size_t> good_rows;
    for (std::size_t i = 0; i < mixed.rows(); ++i)
        if (is_bad[i] == 0) good_rows.push_back(i);
    Seeds good_seeds(model, good.rows(), 3);
    good_seeds.y = seeds.y.rows_at(good_rows);
    good_seeds.lambda = seeds.lambda.rows_at(good_rows);
    const auto alone = gradients(model, good, good_seeds), all = gradients(model, mixed, seeds);

    EXPECT_EQ(expected.failed(), 0U);
    EXPECT_EQ(found.failed(), bad.rows());
    EXPECT_TRUE(finite(all.parameters));
    EXPECT_TRUE(finite(all.x.values()));
    for (std::size_t i = 0, g = 0; i < mixed.rows(); ++i) {
        if (is_bad[i] != 0) {
            EXPECT_EQ(found.outcomes[i].name(), status);
            EXPECT_FALSE(found.outcomes[i].sentence().empty());
            for (const auto row : {found.y.row(i), found.lambda.row(i), all.x.row(i)})
                for (const double c : row) EXPECT_EQ(c, 0.0);
            continue;
        }
        EXPECT_TRUE(found.outcomes[i].ok());
        EXPECT_TRUE(std::ranges::equal(found.y.row(i), expected.y.row(g)));
        EXPECT_TRUE(std::ranges::equal(found.lambda.row(i), expected.lambda.row(g)));
        EXPECT_TRUE(std::ranges::equal(all.x.row(i), alone.x.row(g)));
        ++g;
    }
    const double close = model.options().precision == Precision::float64 ? 1e-11 : 1e-4;
    for (const auto& p : model.parameters().list()) {
        double size = 1e-6;
        for (std::size_t i = p.offset; i < p.offset + p.size(); ++i)
            size = std::max(size, std::fabs(alone.parameters[i]));
        for (std::size_t i = p.offset; i < p.offset + p.size(); ++i)
            EXPECT_NEAR(all.parameters[i], alone.parameters[i], close * size) << p.name;
    }
}

void expect_samples_harmless(Precision precision, Activation activation, double bad,
                             std::string_view status) {
    for (const auto field :
         {FieldKind::directional, FieldKind::straight, FieldKind::positive, FieldKind::gradient})
        for (const auto coefficients : {CoefficientKind::networks, CoefficientKind::trunk}) {
            Case c;
            c.field = field;
            c.coefficients = coefficients;
            c.activation = activation;
            c.fields = 2;
            SCOPED_TRACE(testing::Message()
                         << c << ", " << name(precision) << ", a sample of " << bad);
            const auto good = samples(5, c, 300);
            const auto wide = make(c, good, random_matrix(5, 2, 300), 300);
            auto o = wide->options();
            o.precision = precision;
            const auto model = make_model(2, 2, o, 1);
            model->set_values(wide->parameters().values());
            expect_harmless(*model, good, Matrix<double>(1, 2, bad), status);
            expect_harmless(*model, good, Matrix<double>(1, 2, std::vector<double>{0.1, bad}),
                            status);
        }
}

TEST(ModelOutcome, AFailedSampleChangesNoGradient) {
    for (const auto precision : {Precision::float32, Precision::float64})
        for (const auto activation : {Activation::tanh, Activation::leaky_relu}) {
            expect_samples_harmless(precision, activation, nan, "not_finite");
            expect_samples_harmless(precision, activation, infinity, "not_finite");
            expect_samples_harmless(precision, activation, 1.5, "outside");
            expect_samples_harmless(precision, activation, 1e6, "outside");
        }
}

// Far outside, but finite: what the networks make of such a number is infinite or NaN.
TEST(ModelOutcome, AHugeSampleChangesNoGradient) {
    for (const auto activation : {Activation::tanh, Activation::leaky_relu}) {
        expect_samples_harmless(Precision::float32, activation, 3e38, "outside");
        expect_samples_harmless(Precision::float64, activation, 1.7e308, "outside");
    }
}

/// P and w are 1; q is a wall on the left of samples in the upper half. Nothing learns.
class Wall final : public Coefficients<double> {
public:
    explicit Wall(double height) : height_(height) {}
    void enrol(network::Parameters&, const std::string&, Random&) override {}
    void load(std::span<const double>) override {}
    void forward(const double* z, std::size_t rows, CoefficientRows<double> out,
                 network::Tape*) const override {
        for (std::size_t r = 0; r < rows; ++r) {
            out.P[r] = out.w[r] = 1.0;
            out.q[r] = z[2 * r] < 0.2 && z[2 * r + 1] > 0.0 ? height_ : 0.0;
        }
    }
    void pullback(const double*, std::size_t rows, CoefficientRows<const double>, network::Tape&,
                  double* dz, double*) const override {
        if (dz != nullptr) std::fill_n(dz, 2 * rows, 0.0);
    }

private:
    double height_;
};

/// The mild field (1, 0), but `value` in the upper left corner; c scales it and learns.
template <class Formula>
std::unique_ptr<field::VectorField<double>> formula_field(Formula f) {
    return std::make_unique<field::test::FormulaField<double, Formula>>(
        2, std::vector<double>{1.0, 0.2}, f);
}

auto corner(double value) {
    return [value](auto p, auto z, auto a) {
        a[0] = p[0] + 0.1 * z[1];
        a[1] = p[1] * z[0];
        if (z[0] < -0.3 && z[1] > 0.3) a[0] = a[1] = value;
    };
}

/// A model along this field; one of the built-in fields goes beside it, if asked.
std::unique_ptr<Model> model_along(std::unique_ptr<field::VectorField<double>> field,
                                   std::unique_ptr<Coefficients<double>> coefficients,
                                   bool with_another = false) {
    auto o = small_options();
    o.max_steps = 60;
    std::vector<BranchParts<double>> parts;
    if (with_another) parts.push_back(make_parts<double>(2, o));
    parts.push_back(make_parts<double>(2, o));
    parts.back().field = std::move(field);
    if (coefficients) parts.back().coefficients = std::move(coefficients);
    auto model = make_model<double>(2, std::move(parts), o, 5);
    shake(*model, 6);
    auto values = model->parameters().values();
    const auto p = part(*model, values, with_another ? "field2.field.p" : "field1.field.p");
    p[0] = 1.0, p[1] = 0.2;
    model->set_values(values);
    return model;
}

const Matrix<double> low_samples(3, 2, std::vector<double>{0.5, -0.3, 0.3, -0.1, 0.4, -0.5});
const Matrix<double> corner_sample(1, 2, std::vector<double>{-0.6, 0.5});

TEST(ModelOutcome, AFieldThatIsNotFiniteIsToldAndDisturbsNothing) {
    for (const double value : {nan, infinity})
        for (const bool with_another : {false, true})
            expect_harmless(*model_along(formula_field(corner(value)), nullptr, with_another),
                            low_samples, corner_sample, "not_finite");
}

TEST(ModelOutcome, ALineThatStaysIsToldAndDisturbsNothing) {
    for (const bool with_another : {false, true})
        expect_harmless(*model_along(formula_field(corner(0.0)), nullptr, with_another),
                        low_samples, corner_sample, "step_limit");
}

// Behind a wall that is high enough u exceeds what float can hold, or even double.
TEST(ModelOutcome, AnOverflowIsToldAndDisturbsNothing) {
    const auto along = [](auto p, auto z, auto a) {
        a[0] = p[0] + 0.0 * z[0];
        a[1] = 0.0 * p[1];
    };
    const Matrix<double> behind(1, 2, std::vector<double>{0.6, 0.3});
    for (const double height : {4e4, 4e6}) {
        const auto model = model_along(formula_field(along), std::make_unique<Wall>(height));
        const auto found = model->inspect(behind);
        EXPECT_EQ(found.outcomes[0].eigen, sturm::Status::overflow);
        EXPECT_EQ(found.outcomes[0].line, field::LineStatus::ok);
        expect_harmless(*model, low_samples, behind, "overflow");
    }
    // A low wall is no problem.
    EXPECT_EQ(
        model_along(formula_field(along), std::make_unique<Wall>(400.0))->predict(behind).failed(),
        0U);
}

// A field that fails in one branch only: the sample has failed, and the field that did not fail
// passes no gradient on, either.
TEST(ModelOutcome, OneFieldThatFailsIsEnough) {
    const auto model =
        model_along(formula_field([](auto, auto, auto a) { a[0] = a[1] = nan; }), nullptr, true);
    const auto p = model->predict(low_samples);
    EXPECT_EQ(p.failed(), 3U);
    for (const auto& outcome : p.outcomes) EXPECT_EQ(outcome.name(), "not_finite");
    for (const double c : p.y.values()) EXPECT_EQ(c, 0.0);
    for (const double c : p.lambda.values()) EXPECT_EQ(c, 0.0);
    EXPECT_EQ(p.lambda.columns(), 8U);
    const auto g = gradients(*model, low_samples, Seeds(*model, 3, 1));
    for (const double c : g.parameters) EXPECT_EQ(c, 0.0);
    for (const double c : g.x.values()) EXPECT_EQ(c, 0.0);
}

TEST(ModelOutcome, ABatchMayBeEmpty) {
    for (const auto preset : {Preset::standard, Preset::paper}) {
        const auto model = make_model(3, 2, model_preset(preset), 1);
        const auto p = model->predict(Matrix<double>(0, 3));
        EXPECT_EQ(p.size(), 0U);
        EXPECT_EQ(p.y.columns(), 2U);
        EXPECT_EQ(p.lambda.columns(), 10U);
        const auto g = gradients(*model, Matrix<double>(0, 3), Seeds(*model, 0, 1));
        for (const double c : g.parameters) EXPECT_EQ(c, 0.0);
        EXPECT_EQ(model->inspect(Matrix<double>(0, 3)).samples, 0U);
    }
}

TEST(ModelOutcome, CalibrationLeavesFailedSamplesOut) {
    const Case c;
    const auto x = samples(20, c, 304);
    Matrix<double> y(20, 1);
    for (std::size_t b = 0; b < 20; ++b) y(b, 0) = x(b, 0) + x(b, 1);
    const auto a = make_model(2, 1, small_options(c), 1), b = make_model(2, 1, small_options(c), 1);
    a->calibrate(x, y);
    for (const double bad : {nan, infinity, 3.0}) {
        Matrix<double> more(21, 2, bad), targets(21, 1, 1.0);
        std::ranges::copy(x.values(), more.values().begin());
        std::ranges::copy(y.values(), targets.values().begin());
        ASSERT_NO_THROW(b->calibrate(more, targets));
        if (std::isfinite(bad)) continue;  // it counts in the first directions
        for (std::size_t i = 0; i < a->parameters().size(); ++i)
            EXPECT_NEAR(a->parameters().values()[i], b->parameters().values()[i], 1e-9);
    }
}

TEST(ModelOutcome, FinerNumericsNeverRefuse) {
    auto o = model_preset(Preset::standard);
    o.method = MethodKind::dormand_prince;
    const auto model = make_model(2, 1, o, 1);
    const auto own = model->numerics();
    const Matrix<double> x(2, 2, std::vector<double>{0.1, 0.2, -0.3, 0.4});
    for (const int factor : {2, 4, 8, 16, 64}) {
        ASSERT_NO_THROW(model->set_numerics(own.finer(factor))) << factor;
        EXPECT_EQ(model->predict(x).failed(), 0U) << factor;
    }
}

TEST(ModelOutcome, SizesThatDoNotFitAreRefused) {
    const Case c;
    const auto x = samples(4, c);
    const auto model = make(c, x, random_matrix(4, 3, 1));
    const Matrix<double> wrong(4, 5), none(0, 5);
    const auto message = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::argument);
            return error.what();
        }
        return "";
    };
    const auto pass = model->make_pass();
    EXPECT_NE(message([&] { model->predict(wrong); }).find("rows of 5"), std::string::npos);
    EXPECT_NE(message([&] { pass->forward(wrong, true); }).find("rows of 2"), std::string::npos);
    EXPECT_NE(message([&] { model->inspect(wrong); }), "");
    EXPECT_NE(message([&] { model->field_at(wrong, 0); }), "");
    EXPECT_NE(message([&] { model->coefficients_at(wrong, 0); }), "");
    EXPECT_NE(message([&] { model->calibrate(wrong, wrong); }), "");
    EXPECT_NE(message([&] { model->calibrate(x, Matrix<double>(3, 3)); }).find('3'),
              std::string::npos);
    EXPECT_EQ(message([&] { model->predict(none); }), "");
    pass->forward(x, true);
    EXPECT_NE(message([&] { pass->backward(Matrix<double>(4, 2), {}); }).find("4 x 3"),
              std::string::npos);
    EXPECT_NE(message([&] { pass->backward(Matrix<double>(3, 3), {}); }), "");
    EXPECT_NE(message([&] { pass->backward(Matrix<double>(4, 3), Matrix<double>(4, 2)); }), "");
    EXPECT_EQ(message([&] { pass->backward(Matrix<double>(4, 3), {}); }), "");
    EXPECT_NE(message([&] { model->inspect(x, 1); }).find("field 2"), std::string::npos);
    EXPECT_NE(message([&] { model->set_values(std::vector<double>(3)); }), "");
    auto numerics = model->numerics();
    numerics.cells = 0;
    EXPECT_NE(message([&] { model->set_numerics(numerics); }), "");
    EXPECT_THROW(make_model(0, 1, small_options(), 1), Error);
    EXPECT_THROW(make_model(2, 0, small_options(), 1), Error);
}

}  // namespace
}  // namespace deepsl::model::test
