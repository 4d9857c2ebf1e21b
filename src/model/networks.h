// The networks of models, as the options ask for them.
#pragma once

#include <cstdint>
#include <string>

#include <torch/torch.h>

#include "deepsl/field/domain.h"
#include "deepsl/field/method.h"
#include "deepsl/model/options.h"
#include "deepsl/network/mlp.h"
#include "deepsl/sturm/cells.h"

namespace deepsl::model {

inline field::DomainPointer domain_of(std::int64_t inputs, const ModelOptions& options) {
    return options.domain == "box" ? field::box(inputs) : field::ball(inputs);
}

inline const field::Method& method_of(const ModelOptions& options) {
    return options.method == "rk4" ? field::rk4() : field::dormand_prince();
}

inline sturm::Scheme scheme_of(const ModelOptions& options) {
    return options.scheme == "midpoint" ? sturm::Scheme::midpoint : sturm::Scheme::magnus4;
}

inline network::Activation activation_of(const std::string& name) {
    return name == "tanh" ? network::Activation::tanh : network::Activation::leaky_relu;
}

inline network::MlpOptions network_options(std::int64_t inputs, std::int64_t outputs,
                                           const ModelOptions& options, double centre) {
    network::MlpOptions mlp;
    mlp.inputs = inputs;
    mlp.outputs = outputs;
    mlp.hidden = options.hidden;
    mlp.activation = activation_of(options.activation);
    mlp.initialiser = options.initialiser == "orthogonal" ? network::Initialiser::orthogonal
                                                          : network::Initialiser::glorot_uniform;
    mlp.last_gain = options.last_gain;
    mlp.shift = centre;
    mlp.scale = options.input_scale;
    return mlp;
}

/// The bounded heads of the coefficients, so that no problem can be singular.
struct Heads {
    network::BoundedHead P, q, w;

    explicit Heads(const ModelOptions& options) {
        using network::BoundedHead;
        const bool calm = options.heads == "calm";
        P = BoundedHead::sigmoid(1.0, 10.0, calm ? 2.0 : 0.0);
        q = BoundedHead{0.0, 10.0, 0.0, calm ? 0.1 : 1.0};
        w = BoundedHead::sigmoid(0.1, 10.0, calm ? 1.5 : 0.0);
    }
};

/// Buffers stay in double, whatever the networks do.
inline void set_precision(torch::nn::Module& model, const ModelOptions& options) {
    if (options.precision == "float64")
        for (auto& p : model.parameters()) p.set_data(p.to(torch::kFloat64));
}

}  // namespace deepsl::model
