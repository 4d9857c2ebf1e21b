// Models of all kinds to test with, their losses and gradients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/model.h"
#include "tensors.h"

namespace deepsl::model {

using torch::Tensor;

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

inline ModelOptions options_of(const Case& c) {
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
inline Tensor samples(std::int64_t count, const ModelOptions& o, std::int64_t n) {
    auto x = torch::randn({count, n}, torch::kFloat64);
    x = 0.7 * x / (1.0 + x.norm(2, 1, true));
    if (o.domain == "box") x = 0.5 + 0.5 * x;
    return x.to(torch::kFloat32).to(torch::kFloat64);
}

/// Copies weights and buffers from one model to another of any precision.
inline void copy_state(const Model& from, Model& to) {
    const torch::NoGradGuard no_grad;
    const auto source = from->named_parameters();
    for (auto& p : to->named_parameters()) p.value().copy_(source[p.key()]);
    const auto buffers = from->named_buffers();
    for (auto& b : to->named_buffers()) b.value().copy_(buffers[b.key()]);
}

/// A calibrated model with weights that float32 can hold, as after some training.
inline Model make(const Case& c, const Tensor& x, const Tensor& y) {
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

inline Tensor loss_of(Model& m, const Tensor& x, const Tensor& y) {
    const auto p = m->forward(x);
    EXPECT_TRUE(p.ok.all().item<bool>());
    return (p.y.to(torch::kFloat64) - y).square().mean() + 1e-2 * p.lambda.abs().mean();
}

struct Named {
    std::string name;
    Tensor value, gradient;
};

/// The gradients of loss(m, x) by all parameters, and at last by x.
template <class Loss>
std::vector<Named> gradients_by(Model& m, const Tensor& data, Loss loss) {
    m->zero_grad();
    const auto x = data.clone().requires_grad_(true);
    loss(m, x).backward();
    std::vector<Named> result;
    for (const auto& p : m->named_parameters())
        result.push_back({p.key(), p.value(), p.value().grad()});
    result.push_back({"x", x, x.grad()});
    return result;
}

inline std::vector<Named> gradients_of(Model& m, const Tensor& data, const Tensor& y) {
    return gradients_by(m, data,
                        [&](Model& model, const Tensor& x) { return loss_of(model, x, y); });
}

}  // namespace deepsl::model
