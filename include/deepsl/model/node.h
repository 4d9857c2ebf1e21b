// A neural ODE as a model: the state flows along a learned field for a unit of time, then a linear
// map reads it.
//
//     z(0) = (scale (x - shift), 0, .., 0),   dz/dt = f(z),  0 <= t <= 1,   F(x) = L z(1) + c
//
// Gradients are those of the discrete steps; steps chosen by a tolerance count as constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "deepsl/model/predictor.h"
#include "deepsl/network/network.h"

namespace deepsl::model {

/// As the options say: `steps` equal steps, or those that `tolerance` asks for, per step and
/// coordinate of the state, of which the first is tried with such a length. A sample that needs
/// more than max_steps, rejected ones included, fails. Throws Error.
std::unique_ptr<Predictor> make_node(std::size_t inputs, std::size_t outputs,
                                     const ModelOptions& options, std::uint64_t seed);

/// With an f of your own. Where it has more inputs than the model, the state has as many more
/// coordinates, which start at 0.
template <class Real>
std::unique_ptr<Predictor> make_node(std::size_t inputs, std::size_t outputs,
                                     std::unique_ptr<network::Network<Real>> f,
                                     const ModelOptions& options, std::uint64_t seed);

}  // namespace deepsl::model
