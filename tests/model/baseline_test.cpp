// The models beside Deep Sturm-Liouville: closed forms, gradients against differences, one sample
// alone against the same in a batch, and the factory that makes them all.
#include "deepsl/model/baseline.h"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/ablation.h"
#include "deepsl/model/kinds.h"
#include "deepsl/model/model.h"
#include "deepsl/model/node.h"
#include "tensors.h"

namespace deepsl::model {
namespace {

using torch::Tensor;

ModelOptions small(const std::string& method = "rk4", const std::string& precision = "float64") {
    ModelOptions o;
    o.eigenfunctions = 4;
    o.hidden = {6, 5};
    o.field_hidden = {7};
    o.last_gain = 1.5;
    o.cells = 4;
    o.steps = 4;
    o.method = method;
    o.precision = precision;
    return o;
}

/// With weights as after some training.
std::shared_ptr<PredictorImpl> made(const std::string& kind, const ModelOptions& o,
                                    std::int64_t inputs, std::int64_t outputs) {
    auto model = make_predictor(kind, inputs, outputs, o);
    const auto x = 0.3 * torch::randn({20, inputs}, torch::kFloat64);
    model->calibrate(x, torch::zeros({20, outputs}, torch::kFloat64));
    const torch::NoGradGuard no_grad;
    for (auto& p : model->parameters())
        if (p.dim() == 1) p.normal_(0.0, 0.2);
    for (auto& p : model->linear_parameters()) p.normal_();
    return model;
}

Tensor loss_of(PredictorImpl& model, const Tensor& x, const Tensor& y) {
    const auto p = model.forward(x);
    EXPECT_TRUE(p.ok.all().item<bool>());
    auto loss = (p.y - y).square().mean();
    if (p.lambda.defined()) loss = loss + 1e-2 * p.lambda.abs().mean();
    return loss;
}

/// All numbers of all parameters, and those of x.
void compare_with_differences(PredictorImpl& model, const Tensor& data, const Tensor& y,
                              double close) {
    const auto x = data.clone().requires_grad_(true);
    loss_of(model, x, y).backward();
    auto all = model.named_parameters();
    all.insert("x", x);
    const torch::NoGradGuard no_grad;
    for (const auto& item : all) {
        const auto& tensor = item.value();
        const auto gradient = tensor.grad().reshape({-1});
        const double size = largest(gradient);
        EXPECT_GT(size, 1e-9) << item.key();
        for (std::int64_t e = 0; e < gradient.numel(); ++e) {
            double& number = tensor.data_ptr<double>()[e];
            const double old = number;
            const auto central = [&](double h) {
                number = old + h;
                const double after = loss_of(model, x, y).item<double>();
                number = old - h;
                const double before = loss_of(model, x, y).item<double>();
                number = old;
                return (after - before) / (2.0 * h);
            };
            const double numeric = (4.0 * central(5e-5) - central(1e-4)) / 3.0;
            EXPECT_NEAR(gradient[e].item<double>(), numeric, close * size)
                << item.key() << " " << e;
        }
    }
}

TEST(BaselineGradient, AgreesWithDifferences) {
    torch::manual_seed(1);
    for (const std::string kind : {"ablation", "node", "mlp"}) {
        for (const char* scheme : {"magnus4", "midpoint"}) {
            SCOPED_TRACE(kind);
            auto o = small();
            o.scheme = scheme;
            const auto model = made(kind, o, 3, 2);
            const auto x = 0.3 * torch::randn({4, 3}, torch::kFloat64);
            compare_with_differences(*model, x, torch::randn({4, 2}, torch::kFloat64), 1e-6);
        }
    }
}

// Its steps count as constants: as close as the tolerance is small.
TEST(BaselineGradient, OfAdaptiveStepsAgreesUpToTheTolerance) {
    torch::manual_seed(2);
    auto o = small("dormand_prince");
    o.tolerance = 1e-11;
    const auto model = made("node", o, 2, 1);
    const auto x = 0.3 * torch::randn({3, 2}, torch::kFloat64);
    compare_with_differences(*model, x, torch::randn({3, 1}, torch::kFloat64), 1e-5);
}

TEST(BaselineBatch, ASampleAloneHasTheSameBits) {
    torch::manual_seed(3);
    for (const std::string kind : {"ablation", "node", "mlp"}) {
        for (const char* precision : {"float32", "float64"}) {
            for (const char* method : {"rk4", "dormand_prince"}) {
                SCOPED_TRACE(kind + " " + precision + " " + method);
                const auto model = made(kind, small(method, precision), 3, 5);
                const auto x =
                    (0.5 * torch::randn({45, 3}, torch::kFloat64)).to(model->scalar_type());
                const auto all = model->forward(x);
                const auto compare = [&](std::int64_t first, std::int64_t rows) {
                    const auto part = model->forward(x.narrow(0, first, rows));
                    EXPECT_TRUE(same_bits(part.y, all.y.narrow(0, first, rows)));
                    if (part.lambda.defined()) {
                        EXPECT_TRUE(same_bits(part.lambda, all.lambda.narrow(0, first, rows)));
                    }
                };
                for (const std::int64_t b : {0, 1, 5, 31, 44}) compare(b, 1);
                compare(2, 4);
                compare(4, 33);
                EXPECT_EQ(all.y.scalar_type(), model->scalar_type());
            }
        }
    }
}

TEST(BaselineBatch, RowsThatAreNotFiniteFailAlone) {
    torch::manual_seed(4);
    for (const std::string kind : {"ablation", "node", "mlp"}) {
        SCOPED_TRACE(kind);
        const auto model = made(kind, small("dormand_prince"), 2, 1);
        auto x = 0.3 * torch::randn({4, 2}, torch::kFloat64);
        const auto before = model->predict(x);
        x[1][0] = std::nan("");
        x[3][1] = std::numeric_limits<double>::infinity();
        const auto after = model->forward(x);
        EXPECT_EQ(after.outcomes[1].name(), "not_finite");
        EXPECT_EQ(after.outcomes[3].name(), "not_finite");
        EXPECT_TRUE(after.outcomes[0].ok() && after.outcomes[2].ok());
        EXPECT_TRUE(same_bits(after.y[0], before.y[0]));
        EXPECT_EQ(after.y[1].item<double>(), 0.0);
        after.y.sum().backward();
        for (const auto& p : model->parameters()) EXPECT_TRUE(finite(p.grad()));
        EXPECT_EQ(model->forward(x.narrow(0, 0, 0)).y.size(0), 0);
    }
}

// Constant coefficients: lambda_i = (q + (i pi)^2 / P) / w, u_i(t) = sin(i pi t) / (i pi).
TEST(Ablation, OfConstantCoefficientsIsKnown) {
    auto o = small();
    o.heads = "paper";
    o.basis_scale = "none";
    o.eigenfunctions = 6;
    Ablation model(2, 1, o);
    const torch::NoGradGuard no_grad;
    for (auto& p : model->parameters()) p.zero_();
    const double pi = std::numbers::pi, P = 1.0 + 9.0 * 0.5, w = 0.1 + 9.9 * 0.5;
    const double q = 10.0 * std::tanh(0.3);
    model->named_parameters()["q.bias3"].fill_(0.3);
    const auto x = torch::randn({3, 2}, torch::kFloat64);
    const auto pairs = model->pairs(x);
    for (std::int64_t i = 1; i <= 6; ++i) {
        const double n = static_cast<double>(i) * pi;
        for (std::int64_t b = 0; b < 3; ++b) {
            EXPECT_NEAR(pairs.lambda[b][i - 1].item<double>(), (q + n * n / P) / w, 1e-10);
            EXPECT_NEAR(pairs.u[b][i - 1].item<double>(), std::sin(n / 2.0) / n, 1e-11);
        }
    }
    for (auto& p : model->linear_parameters()) p.fill_(1.0);
    const double sum = (1.0 - 1.0 / 3.0 + 1.0 / 5.0) / pi;
    EXPECT_NEAR(model->predict(x).y[1][0].item<double>(), 1.0 + sum, 1e-10);
}

TEST(Ablation, DependsOnTimeAndOnTheSample) {
    torch::manual_seed(5);
    const auto model = made("ablation", small(), 2, 1);
    const auto x = 0.3 * torch::randn({2, 2}, torch::kFloat64);
    const auto lambda = model->predict(x).lambda;
    EXPECT_GT(largest(lambda[0] - lambda[1]), 1e-3);
    // Odd functions do not vanish half way unless the coefficients are symmetric in time.
    const auto u = dynamic_cast<AblationImpl&>(*model).pairs(x).u;
    EXPECT_GT(std::fabs(u[0][1].item<double>()), 1e-4);
}

// The equation itself, integrated from t = 0 in many small steps with the eigenvalues found.
TEST(Ablation, SolvesItsEquationFromZeroToOne) {
    torch::manual_seed(8);
    for (const char* domain : {"ball", "box"}) {
        auto o = small();
        o.domain = domain;
        o.cells = 32;
        const auto model = made("ablation", o, 2, 1);
        const torch::NoGradGuard no_grad;
        const auto x = torch::tensor({{0.3, 0.6}}, torch::kFloat64);
        const auto pairs = dynamic_cast<AblationImpl&>(*model).pairs(x);
        const auto networks = model->named_children();
        const auto at = [&](const char* name, double t) {
            const double middle = std::string(domain) == "box" ? 0.5 : 0.0;
            const auto row = torch::cat({x, torch::full({1, 1}, t - 0.5 + middle, x.options())}, 1);
            return networks[name]->as<network::MlpImpl>()->forward(row).item<double>();
        };
        const int steps = 1000;
        const double h = 1.0 / steps;
        auto u = torch::zeros({4}, torch::kFloat64);
        auto f = torch::full({4}, 1.0 / at("P", 0.0), torch::kFloat64);
        Tensor half;
        for (int i = 0; i < steps; ++i) {
            const double t = (i + 0.5) * h, P = at("P", t);
            const auto g = at("q", t) - pairs.lambda[0] * at("w", t);
            const auto u1 = u + 0.5 * h * P * f, f1 = f + 0.5 * h * g * u;
            u = u + h * P * f1, f = f + h * g * u1;
            if (2 * (i + 1) == steps) half = u;
        }
        EXPECT_LE(largest(half - pairs.u[0]), 5e-4 * largest(half));
        EXPECT_LE(largest(u), 5e-4 * largest(half));
    }
}

TEST(Ablation, CalibrationScalesTheBasis) {
    torch::manual_seed(6);
    Ablation model(2, 1, small());
    const auto x = 0.3 * torch::randn({200, 2}, torch::kFloat64);
    model->calibrate(x, torch::zeros({200, 1}, torch::kFloat64));
    const torch::NoGradGuard no_grad;
    const auto mean = model->named_buffers()["u_mean"];
    EXPECT_LE(largest(model->pairs(x).u.mean(0) - mean), 1e-12);
    EXPECT_LT(largest(model->named_buffers()["u_scale"]), 0.5);
}

/// f(z) = A z with A a rotation by `angle` and a growth by `rate` in unit time.
Node linear_ode(const NodeOptions& options, double rate, double angle) {
    Node node(2, 2, options);
    for (auto& p : node->parameters()) p.set_data(p.to(torch::kFloat64));
    const torch::NoGradGuard no_grad;
    node->f()->named_parameters()["weight1"].copy_(
        torch::tensor({rate, -angle, angle, rate}, torch::kFloat64).view({2, 2}));
    node->linear()->named_parameters()["weight1"].copy_(torch::eye(2, torch::kFloat64));
    return node;
}

double error_of(Node& node, double rate, double angle) {
    const auto x = torch::tensor({1.0, 0.0, 0.2, -0.7}, torch::kFloat64).view({2, 2});
    const double c = std::exp(rate) * std::cos(angle), s = std::exp(rate) * std::sin(angle);
    const auto flow = torch::tensor({c, -s, s, c}, torch::kFloat64).view({2, 2});
    return largest(node->predict(x).y - x.mm(flow.t()));
}

TEST(Node, FollowsALinearEquation) {
    NodeOptions o;
    o.f.hidden.clear();
    std::vector<double> errors;
    for (const std::int64_t steps : {8, 16}) {
        o.steps = steps;
        auto node = linear_ode(o, 0.3, 2.0);
        errors.push_back(error_of(node, 0.3, 2.0));
    }
    EXPECT_LT(errors[1], 1e-5);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.2);
    o.method = &field::dormand_prince();
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        o.tolerance = tolerance;
        auto node = linear_ode(o, -0.5, 7.0);
        EXPECT_LT(error_of(node, -0.5, 7.0), 30.0 * tolerance);
    }
}

TEST(Node, GivesUpAfterMaxSteps) {
    NodeOptions o;
    o.f.hidden.clear();
    o.method = &field::dormand_prince();
    o.tolerance = 1e-10;
    o.max_steps = 5;
    auto node = linear_ode(o, 0.0, 50.0);
    const auto p = node->forward(torch::tensor({1.0, 0.0, 0.0, 0.0}, torch::kFloat64).view({2, 2}));
    EXPECT_EQ(p.outcomes[0].name(), "step_limit");
    EXPECT_EQ(largest(p.y[0]), 0.0);
    EXPECT_TRUE(p.outcomes[1].ok());  // rests at 0, where one step is as good as many
}

TEST(Node, AugmentedCoordinatesStartAtZeroAndTakePart) {
    torch::manual_seed(7);
    NodeOptions o;
    o.augment = 3;
    o.f.shift = 0.5;
    o.f.scale = 4.0;
    Node node(2, 1, o);
    EXPECT_EQ(node->f()->options().inputs, 5);
    const torch::NoGradGuard no_grad;
    for (auto& p : node->f()->parameters()) p.zero_();
    for (auto& p : node->linear_parameters()) p.fill_(1.0);
    // Nothing flows: L reads 4 (x - 1/2), zeros, and its constant.
    const auto y = node->predict(torch::tensor({{0.75F, 0.5F}})).y;
    EXPECT_FLOAT_EQ(y.item<float>(), 2.0F);
    node->f()->named_parameters()["bias3"].fill_(0.25);
    EXPECT_FLOAT_EQ(node->predict(torch::tensor({{0.75F, 0.5F}})).y.item<float>(), 2.0F + 1.25F);
}

TEST(Kinds, EachIsMadeByItsName) {
    auto o = small();
    EXPECT_NE(dynamic_cast<ModelImpl*>(make_predictor("dsl", 2, 3, o).get()), nullptr);
    EXPECT_NE(dynamic_cast<AblationImpl*>(make_predictor("ablation", 2, 3, o).get()), nullptr);
    EXPECT_NE(dynamic_cast<MlpModelImpl*>(make_predictor("mlp", 2, 3, o).get()), nullptr);
    EXPECT_NE(dynamic_cast<NodeImpl*>(make_predictor("node", 2, 3, o).get()), nullptr);
    for (const auto& kind : kinds()) {
        const auto model = make_predictor(kind, 2, 3, o);
        EXPECT_EQ(model->inputs(), 2);
        EXPECT_EQ(model->outputs(), 3);
        EXPECT_EQ(model->scalar_type(), torch::kFloat64) << kind;
        EXPECT_EQ(model->predict(torch::zeros({5, 2}, torch::kFloat64)).y.size(1), 3);
    }
}

std::string error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const OptionError& error) {
        return error.what();
    }
    return "none";
}

TEST(Kinds, BadRequestsAreRefused) {
    const auto o = small();
    EXPECT_EQ(error_of([&] { make_predictor("tree", 2, 3, o); }),
              "there is no kind of model 'tree'; use dsl, ablation, mlp or node");
    EXPECT_EQ(error_of([&] { make_predictor("ablatoin", 2, 3, o); }),
              "there is no kind of model 'ablatoin'; did you mean 'ablation'?");
    EXPECT_NE(error_of([&] { make_predictor("mlp", 0, 3, o); }).find("0 and 3"), std::string::npos);
    for (const auto& kind : kinds()) {
        auto bad = o;
        bad.cells = 0;
        EXPECT_NE(error_of([&] { make_predictor(kind, 2, 3, bad); }).find("cells"),
                  std::string::npos)
            << kind;
    }
}

}  // namespace
}  // namespace deepsl::model
