// From the sample to the loss: gradients by every network and by x against differences, float32
// against float64, and one sample alone against the same in a batch.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/model.h"

namespace deepsl::model {
namespace {

using torch::Tensor;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool same_bits(const Tensor& a, const Tensor& b) {
    const auto x = a.detach().contiguous(), y = b.detach().contiguous();
    return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
           std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

double largest(const Tensor& t) {
    return t.numel() == 0 ? 0.0 : t.detach().abs().max().item<double>();
}
bool finite(const Tensor& t) { return torch::isfinite(t).all().item<bool>(); }

struct Case {
    std::string preset = "default", domain = "ball", field = "directional", scheme = "magnus4";
    std::string activation = "tanh";
    std::int64_t n = 2, fields = 1;
    bool start_network = true;
    std::string method = "rk4";
    std::int64_t d = 4;

    friend std::ostream& operator<<(std::ostream& out, const Case& c) {
        return out << c.preset << ", " << c.domain << " of " << c.n << ", " << c.fields << " x "
                   << c.field << ", " << c.scheme << ", " << c.activation << ", " << c.method;
    }
};

ModelOptions options_of(const Case& c) {
    auto o = model_preset(c.preset);
    o.domain = c.domain;
    o.field = c.field;
    o.scheme = c.scheme;
    o.activation = c.activation;
    o.field_activation = c.activation;
    o.fields = c.fields;
    o.start_network = c.start_network;
    o.method = c.method;
    o.precision = "float64";
    o.eigenfunctions = c.d;
    o.hidden = {6, 5};
    o.field_hidden = {5};
    o.last_gain = 1.5;
    o.steps = 4;
    o.cells = 4;
    return o;
}

/// Representable in float32, and well inside.
Tensor samples(std::int64_t count, const ModelOptions& o, std::int64_t n) {
    auto x = torch::randn({count, n}, torch::kFloat64);
    x = 0.7 * x / (1.0 + x.norm(2, 1, true));
    if (o.domain == "box") x = 0.5 + 0.5 * x;
    return x.to(torch::kFloat32).to(torch::kFloat64);
}

/// Copies weights and buffers from one model to another of any precision.
void copy_state(const Model& from, Model& to) {
    const torch::NoGradGuard no_grad;
    const auto source = from->named_parameters();
    for (auto& p : to->named_parameters()) p.value().copy_(source[p.key()]);
    const auto buffers = from->named_buffers();
    for (auto& b : to->named_buffers()) b.value().copy_(buffers[b.key()]);
}

/// A calibrated model with weights that float32 can hold, as after some training.
Model make(const Case& c, const Tensor& x, const Tensor& y) {
    Model m(c.n, y.size(1), options_of(c));
    m->calibrate(x, y);
    const torch::NoGradGuard no_grad;
    for (auto& p : m->named_parameters()) {
        if (p.value().dim() == 1 && p.key().find("direction") == std::string::npos)
            p.value().normal_(0.0, 0.2);
        if (p.key().find("L.weight") != std::string::npos) p.value().normal_();
        p.value().copy_(p.value().to(torch::kFloat32));
    }
    return m;
}

Tensor loss_of(Model& m, const Tensor& x, const Tensor& y) {
    const auto p = m->forward(x);
    EXPECT_TRUE(p.ok.all().item<bool>());
    return (p.y.to(torch::kFloat64) - y).square().mean() + 1e-2 * p.lambda.abs().mean();
}

struct Named {
    std::string name;
    Tensor value, gradient;
};

std::vector<Named> gradients_of(Model& m, const Tensor& data, const Tensor& y) {
    m->zero_grad();
    const auto x = data.clone().requires_grad_(true);
    loss_of(m, x, y).backward();
    std::vector<Named> result;
    for (const auto& p : m->named_parameters())
        result.push_back({p.key(), p.value(), p.value().grad()});
    result.push_back({"x", x, x.grad()});
    return result;
}

void compare_with_differences(const Case& c) {
    SCOPED_TRACE(testing::Message() << c);
    const auto o = options_of(c);
    const auto data = samples(4, o, c.n);
    const auto y = torch::randn({4, 2}, torch::kFloat64);
    Model m = make(c, data, y);
    for (auto& named : gradients_of(m, data, y)) {
        ASSERT_TRUE(named.gradient.defined()) << named.name;
        const auto gradient = named.gradient.reshape({-1});
        const double size = largest(gradient);
        // Nothing is idle: each tensor has a say in the loss. (In one dimension a direction has no
        // gradient: its length is divided out.)
        const bool idle = c.n == 1 && named.name.find("direction") != std::string::npos;
        if (!idle) {
            EXPECT_GT(size, 1e-9) << named.name;
        }
        const bool is_x = named.name == "x";
        const torch::NoGradGuard no_grad;
        auto x = data.clone();
        double* numbers = is_x ? x.data_ptr<double>() : named.value.data_ptr<double>();
        const auto order = torch::randperm(gradient.numel());
        std::vector<std::int64_t> entries{gradient.abs().argmax().item<std::int64_t>()};
        for (std::int64_t i = 0; i < std::min<std::int64_t>(4, gradient.numel()); ++i)
            entries.push_back(order[i].item<std::int64_t>());
        for (const auto e : entries) {
            const double old = numbers[e];
            const auto at = [&](double h) {
                numbers[e] = old + h;
                const double value = loss_of(m, x, y).item<double>();
                numbers[e] = old;
                return value;
            };
            const auto central = [&](double h) { return (at(h) - at(-h)) / (2.0 * h); };
            // Leaky ReLUs have kinks, which small steps avoid.
            const double numeric = c.activation == "tanh"
                                       ? (4.0 * central(5e-5) - central(1e-4)) / 3.0
                                       : central(1e-6);
            EXPECT_NEAR(gradient[e].item<double>(), numeric, 1e-6 * std::max(size, 1e-6))
                << named.name << " " << e;
        }
    }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::int64_t n : {1, 2, 5}) {
        all.push_back({"default", "ball", "directional", "magnus4", "tanh", n, 1});
        all.push_back({"paper", "box", "positive", "magnus4", "tanh", n, 1});
    }
    all.push_back({"default", "ball", "directional", "midpoint", "tanh", 2, 2});
    all.push_back({"default", "ball", "straight", "magnus4", "tanh", 5, 2});
    all.push_back({"default", "box", "straight", "midpoint", "tanh", 2, 1});
    all.push_back({"default", "box", "directional", "magnus4", "tanh", 2, 1});
    all.push_back({"paper", "ball", "positive", "midpoint", "tanh", 2, 1, false});
    all.push_back({"paper", "box", "positive", "magnus4", "leaky_relu", 2, 2});
    all.push_back({"default", "ball", "directional", "magnus4", "leaky_relu", 5, 1});
    all.push_back({"paper", "box", "positive", "midpoint", "leaky_relu", 5, 1, false});
    return all;
}

TEST(ModelGradient, AgreesWithDifferences) {
    unsigned seed = 1;
    for (const auto& c : cases()) {
        torch::manual_seed(seed++);
        compare_with_differences(c);
    }
}

TEST(ModelGradient, Float32IsCloseToFloat64) {
    unsigned seed = 100;
    for (auto c : cases()) {
        for (const auto* method : {"rk4", "dormand_prince"}) {
            // With kinks in the field adaptive steps depend on rounding, and so do the cells.
            if (c.activation != "tanh" && std::string(method) != "rk4") continue;
            c.method = method;
            SCOPED_TRACE(testing::Message() << c);
            torch::manual_seed(seed++);
            const auto x = samples(6, options_of(c), c.n);
            const auto y = torch::randn({6, 2}, torch::kFloat64);
            Model wide = make(c, x, y);
            auto o = options_of(c);
            o.precision = "float32";
            Model narrow(c.n, 2, o);
            copy_state(wide, narrow);
            EXPECT_EQ(narrow->scalar_type(), torch::kFloat32);
            EXPECT_EQ(wide->scalar_type(), torch::kFloat64);
            const auto a = gradients_of(wide, x, y);
            const auto b = gradients_of(narrow, x.to(torch::kFloat32), y);
            for (std::size_t i = 0; i < a.size(); ++i) {
                EXPECT_EQ(b[i].gradient.scalar_type(), torch::kFloat32);
                const double size = largest(a[i].gradient);
                EXPECT_LE(largest(b[i].gradient.to(torch::kFloat64) - a[i].gradient),
                          1e-3 * std::max(size, 1e-4))
                    << a[i].name;
            }
            const auto pa = wide->predict(x), pb = narrow->predict(x.to(torch::kFloat32));
            EXPECT_LE(largest(pa.y - pb.y), 1e-3 * largest(pa.y));
            EXPECT_LE(largest((pa.lambda - pb.lambda) / pa.lambda.abs().clamp_min(1.0)), 1e-4);
        }
    }
}

// ---- one sample and its neighbours -------------------------------------------------------------

void compare_alone(Case c, const std::string& precision) {
    c.d = 2 * c.n;
    SCOPED_TRACE(testing::Message() << c << ", " << precision);
    auto o = options_of(c);
    o.precision = precision;
    const std::int64_t count = 45;
    const auto data = samples(count, o, c.n);
    const std::int64_t outputs = 1 + 4 * c.n;
    const auto y = torch::randn({count, outputs}, torch::kFloat64);
    Model wide = make(c, data, y);
    Model m(c.n, outputs, o);
    copy_state(wide, m);
    const auto run = [&](std::int64_t first, std::int64_t rows) {
        const auto x = data.narrow(0, first, rows).to(m->scalar_type()).requires_grad_(true);
        auto p = m->forward(x);
        (p.y.sum() + 1e-2 * p.lambda.sum()).backward();
        return std::pair{std::move(p), x.grad()};
    };
    const auto [all, dx] = run(0, count);
    int lambda = 0, values = 0, gradient = 0, tried = 0;
    const double close = precision == "float64" ? 1e-11 : 1e-3;
    const auto compare = [&](std::int64_t first, std::int64_t rows) {
        const auto [part, d] = run(first, rows);
        ++tried;
        lambda += !same_bits(part.lambda, all.lambda.narrow(0, first, rows));
        values += !same_bits(part.y, all.y.narrow(0, first, rows));
        gradient += !same_bits(d, dx.narrow(0, first, rows));
        EXPECT_LE(largest(d - dx.narrow(0, first, rows)), close * largest(dx));
        EXPECT_LE(largest(part.y - all.y.narrow(0, first, rows)), close * largest(all.y));
    };
    for (const std::int64_t b : {0, 1, 5, 31, 44}) compare(b, 1);
    compare(2, 4);
    compare(4, 33);
    EXPECT_EQ(lambda, 0) << "of " << tried << " parts have other eigenvalues alone";
    EXPECT_EQ(values, 0) << "of " << tried << " parts have other predictions alone";
    EXPECT_EQ(gradient, 0) << "of " << tried << " parts have another gradient by x alone";
    // And in blocks.
    const auto whole = m->predict(data), blocks = m->predict(data, 5);
    EXPECT_LE(largest(whole.y - blocks.y), close * largest(whole.y));
    EXPECT_EQ(blocks.outcomes.size(), static_cast<std::size_t>(count));
}

TEST(ModelBatch, ASampleAloneHasTheSameBits) {
    torch::manual_seed(200);
    for (const auto* precision : {"float32", "float64"}) {
        for (const std::int64_t n : {1, 2, 5}) {
            compare_alone({"default", "ball", "directional", "magnus4", "tanh", n, 1}, precision);
            compare_alone({"paper", "box", "positive", "magnus4", "leaky_relu", n, 2}, precision);
            compare_alone({"default", "ball", "straight", "midpoint", "tanh", n, 1}, precision);
        }
    }
}

// ---- samples that fail -------------------------------------------------------------------------

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
    EXPECT_TRUE(finite(p.y));
    EXPECT_TRUE(finite(p.lambda));
    EXPECT_EQ(p.lambda.size(1), 8);
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

// ---- the function on the line ------------------------------------------------------------------

// u_i at another point of the same line is the same function: u_i(gamma(t)) from x equals u_i
// from gamma(t).
TEST(ModelLine, AnyPointOfALineSeesTheSameFunctions) {
    torch::manual_seed(400);
    for (const auto* preset : {"default", "paper"}) {
        Case c;
        c.preset = preset;
        c.domain = std::string(preset) == "paper" ? "box" : "ball";
        c.field = std::string(preset) == "paper" ? "positive" : "directional";
        auto o = options_of(c);
        const auto x = samples(3, o, c.n);
        Model m = make(c, x, torch::randn({3, 1}, torch::kFloat64));
        m->numerics() = m->numerics().finer(24);
        const auto from_x = m->inspect(x);
        auto& field = m->branches()[0]->field();
        const std::int64_t cells = from_x.grid.length.size(1);
        for (const std::int64_t edge : {cells / 5, cells / 3, 3 * cells / 4}) {
            const torch::NoGradGuard no_grad;
            // Follow the field from x to that edge, in many small steps.
            const auto h = (from_x.t_edges.select(1, edge) / 400.0).unsqueeze(1);
            auto z = x.clone();
            for (int i = 0; i < 400; ++i) {
                const auto k1 = field.forward(z), k2 = field.forward(z + 0.5 * h * k1);
                z = z + h * field.forward(z + h * (0.25 * k1 + 0.25 * k2));
            }
            const auto from_z = m->inspect(z);
            EXPECT_LE(largest(from_z.lambda - from_x.lambda) / largest(from_x.lambda), 2e-5);
            EXPECT_LE(largest(from_z.u - from_x.u_edges.select(2, edge)),
                      2e-5 * largest(from_x.u_edges));
            EXPECT_LE(largest(from_z.grid.entry - from_x.grid.entry), 2e-5);
        }
    }
}

}  // namespace
}  // namespace deepsl::model
