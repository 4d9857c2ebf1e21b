// Neural ODEs: linear ones against the matrix exponential, steps by a tolerance, and what becomes
// of samples that cannot be followed.
#include "deepsl/model/node.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/network/mlp.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

ModelOptions node_options(MethodKind method = MethodKind::rk4) {
    Case c;
    c.method = method;
    auto o = small_options(c);
    o.input_scale = 1.0;
    return o;
}

/// f(z) = A z with A a rotation by `angle` and a growth by `rate` in unit time; F(x) = z(1).
std::unique_ptr<Predictor> linear_ode(ModelOptions options, double rate, double angle) {
    options.field_hidden.clear();
    auto node = make_node(2, 2, options, 1);
    auto values = node->parameters().values();
    std::ranges::fill(values, 0.0);
    std::ranges::copy(std::vector{rate, -angle, angle, rate},
                      part(*node, values, "f.weight1").begin());
    std::ranges::copy(std::vector{1.0, 0.0, 0.0, 1.0}, part(*node, values, "L.weight1").begin());
    node->set_values(values);
    return node;
}

/// Against F(x) = scale exp(A) x; exp(A) = e^rate times a rotation.
double error_of(const Predictor& node, double rate, double angle) {
    const Matrix<double> x(2, 2, {1.0, 0.0, 0.2, -0.7});
    const double growth = node.options().input_scale * std::exp(rate);
    const double c = growth * std::cos(angle), s = growth * std::sin(angle);
    const auto prediction = node.predict(x);
    EXPECT_EQ(prediction.failed(), 0U);
    double worst = 0.0;
    for (std::size_t b = 0; b < 2; ++b) {
        worst = std::max(worst, std::fabs(prediction.y(b, 0) - (c * x(b, 0) - s * x(b, 1))));
        worst = std::max(worst, std::fabs(prediction.y(b, 1) - (s * x(b, 0) + c * x(b, 1))));
    }
    return worst;
}

TEST(Node, FollowsALinearEquationWithOrderFour) {
    auto o = node_options();
    o.input_scale = 4.0;  // acts on x, and not on the state
    std::vector<double> errors;
    for (const std::int64_t steps : {8, 16}) {
        o.steps = steps;
        errors.push_back(error_of(*linear_ode(o, 0.3, 2.0), 0.3, 2.0));
    }
    EXPECT_LT(errors[1], 4e-5);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.2);
}

TEST(Node, FollowsALinearEquationWithinTheTolerance) {
    auto o = node_options(MethodKind::dormand_prince);
    std::vector<double> errors;
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        o.tolerance = tolerance;
        errors.push_back(error_of(*linear_ode(o, -0.5, 7.0), -0.5, 7.0));
        EXPECT_LT(errors.back(), 30.0 * tolerance);
    }
    EXPECT_GT(errors[0], 1e-8);  // the tolerance is used, not just met
}

// z_1 is time, and z_2' a pulse in it: tanh(k (z_1 - a)) - tanh(k (z_1 - b)). The first step, over
// all of it, is rejected, and must be tried again from where it began.
TEST(Node, FindsAPulseThatTheFirstStepHasPassed) {
    auto o = node_options(MethodKind::dormand_prince);
    o.field_hidden = {2};
    o.steps = 1;
    o.tolerance = 1e-9;
    const auto node = make_node(2, 1, o, 1);
    auto values = node->parameters().values();
    const double k = 20.0, a = 0.25, b = 0.45;
    std::ranges::copy(std::vector{k, 0.0, k, 0.0}, part(*node, values, "f.weight1").begin());
    std::ranges::copy(std::vector{-k * a, -k * b}, part(*node, values, "f.bias1").begin());
    std::ranges::copy(std::vector{0.0, 0.0, 1.0, -1.0}, part(*node, values, "f.weight2").begin());
    part(*node, values, "f.bias2")[0] = 1.0;
    part(*node, values, "L.weight1")[1] = 1.0;
    node->set_values(values);
    const auto integral = [&](double centre) {
        return std::log(std::cosh(k * (1.0 - centre)) / std::cosh(k * centre)) / k;
    };
    const auto prediction = node->predict(Matrix<double>(1, 2));
    EXPECT_NEAR(prediction.y(0, 0), integral(a) - integral(b), 1e-7);
}

// Its steps count as constants: as close as the tolerance is small.
TEST(Node, GradientOfAdaptiveStepsAgreesUpToTheTolerance) {
    auto o = node_options(MethodKind::dormand_prince);
    o.input_scale = 4.0;
    o.tolerance = 1e-11;
    const auto model = make_node(2, 1, o, 2);
    shake(*model, 3);
    expect_gradients_match(*model, samples(3, DomainKind::ball, 2, 2), 2, 1e-6);
}

// Rows that take steps of different numbers, so that some arrive while others go on.
TEST(Node, GradientOfManyAdaptiveStepsAgrees) {
    auto o = node_options(MethodKind::dormand_prince);
    o.input_scale = 4.0;
    o.last_gain = 4.0;
    o.tolerance = 1e-12;
    const auto model = make_node(2, 2, o, 5);
    shake(*model, 6);
    auto x = samples(4, DomainKind::ball, 2, 2);
    x(1, 0) *= 20.0, x(2, 1) *= 1e-3, x(2, 0) = 0.0;
    expect_gradients_match(*model, x, 2, 1e-6);
}

TEST(Node, GivesUpAfterMaxSteps) {
    auto o = node_options(MethodKind::dormand_prince);
    o.tolerance = 1e-10;
    o.max_steps = 5;
    const auto node = linear_ode(o, 0.0, 50.0);
    const Matrix<double> x(2, 2, {1.0, 0.0, 0.0, 0.0});
    const auto prediction = node->predict(x);
    EXPECT_EQ(prediction.outcomes[0].name(), "step_limit");
    EXPECT_EQ(prediction.y(0, 0), 0.0);
    EXPECT_EQ(prediction.y(0, 1), 0.0);
    EXPECT_TRUE(prediction.outcomes[1].ok());  // rests at 0, where one step is as good as many
    // And passes nothing on: what is left is the derivative by the constant of L.
    const Seeds seeds(*node, 2, 1);
    auto got = gradients(*node, x, seeds);
    EXPECT_EQ(got.x(0, 0), 0.0);
    for (std::size_t o1 = 0; o1 < 2; ++o1)
        EXPECT_EQ(part(*node, got.parameters, "L.bias1")[o1], seeds.y(1, o1));
    for (const double c : part(*node, got.parameters, "f.weight1")) EXPECT_EQ(c, 0.0);
}

// z_1' = 300 leaky_relu(z_1 - 10): beyond 10 it leaves every float behind in unit time, below it is
// harmless. A tolerance asks for too many steps before that.
TEST(Node, StatesThatGrowBeyondAllNumbersFailAlone) {
    for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince}) {
        SCOPED_TRACE(name(method));
        auto o = node_options(method);
        o.field_activation = Activation::leaky_relu;
        o.field_hidden = {1};
        o.precision = Precision::float32;
        o.steps = 1000;
        const auto node = make_node(2, 1, o, 1);
        auto values = node->parameters().values();
        std::ranges::copy(std::vector{1.0, 0.0}, part(*node, values, "f.weight1").begin());
        part(*node, values, "f.bias1")[0] = -10.0;
        std::ranges::copy(std::vector{300.0, 0.0}, part(*node, values, "f.weight2").begin());
        std::ranges::fill(part(*node, values, "L.weight1"), 1.0);
        node->set_values(values);
        const Matrix<double> x(2, 2, {20.0, 0.5, 1.0, 0.0});
        const auto prediction = node->predict(x);
        EXPECT_EQ(prediction.outcomes[0].name(),
                  method == MethodKind::rk4 ? "not_finite" : "step_limit");
        EXPECT_EQ(prediction.y(0, 0), 0.0);
        EXPECT_NEAR(prediction.y(1, 0), 10.0 - 9.0 * std::exp(3.0), 1e-2);
        Seeds seeds(*node, 2, 1);
        const auto both = gradients(*node, x, seeds);
        seeds.y = Matrix<double>(1, 1, seeds.y(1, 0));
        const auto alone = gradients(*node, Matrix<double>(1, 2, {1.0, 0.0}), seeds);
        EXPECT_EQ(both.parameters, alone.parameters);
        EXPECT_NEAR(both.x(1, 0), seeds.y(0, 0) * std::exp(3.0), 1e-2);
    }
}

TEST(Node, LearnsItsLastMapAtARateOfItsOwn) {
    const auto model = make_node(3, 2, node_options(), 1);
    std::vector<std::string> linear, others;
    for (const auto& p : model->parameters().list())
        (p.role == network::Role::linear ? linear : others).push_back(p.name);
    EXPECT_EQ(linear, (std::vector<std::string>{"L.weight1", "L.bias1"}));
    EXPECT_EQ(others, (std::vector<std::string>{"f.weight1", "f.bias1", "f.weight2", "f.bias2"}));
    // It starts at 0, and so does F.
    const auto prediction = model->predict(samples(3, DomainKind::ball, 3));
    for (const double y : prediction.y.values()) EXPECT_EQ(y, 0.0);
}

TEST(Node, AugmentedCoordinatesStartAtZeroAndTakePart) {
    network::MlpOptions f;
    f.inputs = f.outputs = 5;
    auto o = node_options();
    o.domain = DomainKind::box;  // centre 1/2
    o.input_scale = 4.0;
    const auto node = make_node<float>(2, 1, std::make_unique<network::Mlp<float>>(f), o, 7);
    EXPECT_FALSE(node->built_in());
    auto values = node->parameters().values();
    std::ranges::fill(values, 0.0);
    std::ranges::fill(part(*node, values, "L.weight1"), 1.0);
    std::ranges::fill(part(*node, values, "L.bias1"), 1.0);
    node->set_values(values);
    // Nothing flows: L reads 4 (x - 1/2), zeros, and its constant.
    const Matrix<double> x(1, 2, {0.75, 0.5});
    EXPECT_FLOAT_EQ(static_cast<float>(node->predict(x).y(0, 0)), 2.0F);
    std::ranges::fill(part(*node, values, "f.bias3"), 0.25);
    node->set_values(values);
    EXPECT_FLOAT_EQ(static_cast<float>(node->predict(x).y(0, 0)), 2.0F + 1.25F);
}

TEST(Node, GradientWithAugmentedCoordinatesAgreesWithDifferences) {
    network::MlpOptions f;
    f.inputs = f.outputs = 4;
    f.hidden = {5};
    f.activation = Activation::tanh;
    const auto node =
        make_node<double>(2, 3, std::make_unique<network::Mlp<double>>(f), node_options(), 7);
    shake(*node, 8);
    expect_gradients_match(*node, samples(3, DomainKind::ball, 2), 4);
}

TEST(Node, RefusesAnFThatDoesNotFit) {
    const auto refused = [](std::size_t in, std::size_t out) {
        network::MlpOptions f;
        f.inputs = in, f.outputs = out;
        EXPECT_THROW(
            make_node<double>(2, 1, std::make_unique<network::Mlp<double>>(f), node_options(), 1),
            Error);
    };
    refused(1, 1);
    refused(3, 2);
    EXPECT_THROW(make_node<double>(2, 1, nullptr, node_options(), 1), Error);
}

}  // namespace
}  // namespace deepsl::model::test
