// Samples that fail: told, left out, and without a trace in the others.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/pass.h"
#include "model/cases.h"

namespace deepsl::model {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Gradients by all parameters of the loss over the samples that did not fail, or over all.
std::vector<Tensor> gradients(Model& m, const Tensor& data, bool masked, Tensor* dx = nullptr) {
    m->zero_grad();
    const auto x = data.clone().requires_grad_(true);
    const auto p = m->forward(x);
    EXPECT_TRUE(finite(p.y));
    EXPECT_TRUE(finite(p.lambda));
    if (masked) {
        const auto keep = p.ok.unsqueeze(1);
        const auto zero = torch::zeros({});
        (torch::where(keep, p.y.to(torch::kFloat64), zero.to(torch::kFloat64)).sum() +
         1e-2 * torch::where(keep, p.lambda.abs(), zero.to(torch::kFloat64)).sum())
            .backward();
    } else {
        (p.y.sum() + 1e-2 * p.lambda.abs().sum()).backward();
    }
    std::vector<Tensor> result;
    for (const auto& q : m->parameters()) result.push_back(q.grad().clone());
    if (dx != nullptr) *dx = x.grad();
    return result;
}

void expect_harmless(const std::string& precision, const std::string& activation, double bad,
                     bool masked) {
    SCOPED_TRACE(testing::Message() << precision << ", " << activation << ", a sample of " << bad);
    for (const auto* field : {"directional", "positive"}) {
        Case c{"default", "ball", field, "magnus4", activation, 2, 2};
        auto o = options_of(c);
        const auto good = samples(5, o, 2);
        const auto y = torch::randn({5, 2}, torch::kFloat64);
        Model wide = make(c, good, y);
        o.precision = precision;
        Model m(2, 2, o);
        copy_state(wide, m);
        const auto x = good.to(m->scalar_type());
        auto mixed = torch::cat({x, x.narrow(0, 0, 1)});
        mixed[5].fill_(bad);
        const auto p = m->predict(mixed);
        EXPECT_FALSE(p.ok[5].item<bool>());
        EXPECT_FALSE(p.outcomes[5].ok());
        EXPECT_NE(p.outcomes[5].line, field::LineStatus::ok);
        EXPECT_EQ(p.ok.sum().item<int>(), 5);
        const auto expected = gradients(m, x, masked);
        Tensor dx;
        const auto own = gradients(m, mixed, masked, &dx);
        EXPECT_TRUE(finite(dx)) << dx;
        EXPECT_EQ(largest(dx[5]), 0.0);
        const auto names = m->named_parameters();
        const double close = precision == "float64" ? 1e-11 : 1e-3;
        std::string not_finite, changed;
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (!finite(own[i])) {
                not_finite += " " + names[i].key();
            } else if (largest(own[i] - expected[i]) >
                       close * std::max(1e-6, largest(expected[i]))) {
                changed += " " + names[i].key();
            }
        }
        EXPECT_EQ(not_finite, "") << "gradients of these are NaN or infinite";
        EXPECT_EQ(changed, "") << "gradients of these are changed by a sample that failed";
    }
}

TEST(ModelOutcome, AFailedSampleChangesNoGradient) {
    torch::manual_seed(300);
    for (const auto* precision : {"float32", "float64"})
        for (const auto* activation : {"tanh", "leaky_relu"})
            for (const double bad : {nan, std::numeric_limits<double>::infinity(), 1.5, 1e6})
                expect_harmless(precision, activation, bad, true);
}

// Far outside, but finite: what the networks make of such a number is infinite or NaN.
TEST(ModelOutcome, AHugeSampleChangesNoGradient) {
    torch::manual_seed(301);
    for (const auto* activation : {"tanh", "leaky_relu"}) {
        expect_harmless("float32", activation, 3e38, true);
        expect_harmless("float64", activation, 1.7e308, true);
    }
}

// As the header of Prediction says: where ok is false, nothing passes a gradient on.
TEST(ModelOutcome, AFailedSamplePassesNoGradientOnWithoutAMask) {
    torch::manual_seed(302);
    expect_harmless("float64", "tanh", 1.5, false);
}

// A field that fails in one branch only: the sample has failed.
TEST(ModelOutcome, OneFieldThatFailsIsEnough) {
    torch::manual_seed(303);
    const Case c{"default", "ball", "straight", "magnus4", "tanh", 2, 2};
    const auto x = samples(5, options_of(c), 2);
    Model m = make(c, x, torch::randn({5, 1}, torch::kFloat64));
    m->branches()[1]->set_field(std::make_shared<field::FunctionFieldImpl>([](const Tensor& z) {
        return torch::where(z.select(1, 0).unsqueeze(1) > 5.0, z, torch::full_like(z, nan));
    }));
    const auto p = m->predict(x);
    EXPECT_EQ(p.ok.sum().item<int>(), 0);
    for (const auto& outcome : p.outcomes) EXPECT_EQ(outcome.name(), "not_finite");
    EXPECT_EQ(largest(p.y), 0.0);
    EXPECT_EQ(largest(p.lambda), 0.0);
    EXPECT_EQ(p.lambda.size(1), 8);
    // Nor does the field that did not fail pass a gradient on.
    const auto all = m->forward(x);
    (all.y.sum() + all.lambda.sum()).backward();
    Pass pass(*m, x);
    (pass.prediction().y.sum() + pass.prediction().lambda.sum()).backward();
    pass.backward();
    for (const auto& q : m->parameters())
        if (q.grad().defined()) {
            EXPECT_EQ(largest(q.grad()), 0.0);
        }
}

TEST(ModelOptions, WhatIsUnknownOrOutOfRangeIsNamed) {
    const auto refused = [](const std::string& word, auto change) {
        auto o = model_preset("default");
        change(o);
        try {
            Model m(2, 1, o);
            ADD_FAILURE() << word;
        } catch (const OptionError& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused("activation", [](ModelOptions& o) { o.activation = "relu"; });
    refused("domain", [](ModelOptions& o) { o.domain = "bal"; });
    refused("method", [](ModelOptions& o) { o.method = "dopri"; });
    refused("field", [](ModelOptions& o) { o.field = "postive"; });
    refused("eigenfunctions", [](ModelOptions& o) { o.eigenfunctions = 0; });
    refused("cells", [](ModelOptions& o) { o.cells = -1; });
    refused("tolerance", [](ModelOptions& o) {
        o.method = "dormand_prince";
        o.tolerance = 1e-9;
    });
}

TEST(ModelOutcome, ABatchMayBeEmpty) {
    for (const auto* preset : {"default", "paper"}) {
        Model m(3, 2, model_preset(preset));
        const auto p = m->forward(torch::zeros({0, 3}));
        EXPECT_EQ(p.y.sizes(), (std::vector<std::int64_t>{0, 2}));
        EXPECT_EQ(p.lambda.sizes(), (std::vector<std::int64_t>{0, 10}));
        EXPECT_EQ(p.ok.numel(), 0);
    }
}

TEST(ModelOutcome, CalibrationLeavesFailedSamplesOut) {
    torch::manual_seed(304);
    const Case c{"default", "ball", "directional", "magnus4", "tanh", 2, 1};
    const auto x = samples(20, options_of(c), 2);
    const auto y = x.sum(1, true);
    Model a(2, 1, options_of(c)), b(2, 1, options_of(c));
    copy_state(a, b);
    a->calibrate(x, y);
    const auto bad_x = torch::cat({x, torch::full({1, 2}, nan, torch::kFloat64)});
    const auto bad_y = torch::cat({y, torch::ones({1, 1}, torch::kFloat64)});
    ASSERT_NO_THROW(b->calibrate(bad_x, bad_y));
    for (const auto& buffer : a->named_buffers())
        EXPECT_LE(largest(buffer.value() - b->named_buffers()[buffer.key()]),
                  1e-9 * largest(buffer.value()))
            << buffer.key();
}

TEST(ModelOutcome, FinerNumericsNeverRefuse) {
    auto o = model_preset("default");
    o.method = "dormand_prince";
    Model m(2, 1, o);
    const auto x = torch::tensor({{0.1, 0.2}, {-0.3, 0.4}});
    for (const int factor : {2, 4, 8, 16, 64}) {
        m->numerics() = Model(2, 1, o)->numerics().finer(factor);
        EXPECT_NO_THROW(m->predict(x)) << factor;
    }
}

}  // namespace
}  // namespace deepsl::model
