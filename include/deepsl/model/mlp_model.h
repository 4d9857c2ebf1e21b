// A multilayer perceptron, or any other network, as a model by itself: the baseline to compare
// with.
//
//     F(x) = network(scale (x - shift))
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "deepsl/model/predictor.h"
#include "deepsl/network/network.h"

namespace deepsl::model {

/// As the options say. Throws Error.
std::unique_ptr<Predictor> make_mlp_model(std::size_t inputs, std::size_t outputs,
                                          const ModelOptions& options, std::uint64_t seed);

/// No layers but one, which is linear: with classes, logistic regression by gradients.
std::unique_ptr<Predictor> make_linear_model(std::size_t inputs, std::size_t outputs,
                                             const ModelOptions& options, std::uint64_t seed);

/// With a network of your own.
template <class Real>
std::unique_ptr<Predictor> make_mlp_model(std::unique_ptr<network::Network<Real>> network,
                                          const ModelOptions& options, std::uint64_t seed);

}  // namespace deepsl::model
