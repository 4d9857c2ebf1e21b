// The networks of models, as the options ask for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "deepsl/model/options.h"
#include "deepsl/network/mlp.h"

namespace deepsl::model {

inline std::vector<std::size_t> layer_sizes(const std::vector<std::int64_t>& option) {
    return {option.begin(), option.end()};
}

/// For 1/p, q, w and v, and as a model by itself.
inline network::MlpOptions coefficient_network(std::size_t inputs, std::size_t outputs,
                                               const ModelOptions& options, double centre) {
    network::MlpOptions mlp;
    mlp.inputs = inputs;
    mlp.outputs = outputs;
    mlp.hidden = layer_sizes(options.hidden);
    mlp.activation = options.activation;
    mlp.initialiser = options.initialiser;
    mlp.last_gain = options.last_gain;
    mlp.shift = centre;
    mlp.scale = options.input_scale;
    return mlp;
}

/// For a field, or the right-hand side of a neural ODE.
inline network::MlpOptions field_network(std::size_t inputs, const ModelOptions& options,
                                         double centre) {
    auto mlp = coefficient_network(inputs, inputs, options, centre);
    mlp.hidden = layer_sizes(options.field_hidden);
    mlp.activation = options.field_activation;
    return mlp;
}

}  // namespace deepsl::model
