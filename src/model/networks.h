// The networks of models, as the options ask for them: convolutions, a perceptron, and for fields
// of images the way back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "deepsl/model/options.h"
#include "deepsl/network/convolutions.h"
#include "deepsl/network/mlp.h"
#include "deepsl/network/network.h"

namespace deepsl::model {

struct NetworkPlan {
    std::optional<network::ConvolutionOptions> down;
    network::MlpOptions mlp;
    std::optional<network::ConvolutionOptions> up;

    /// With outputs between bounds: one head, or one for each output of a perceptron.
    NetworkPlan bounded(std::vector<network::BoundedHead> heads) const;
    /// With another factor on the initial weights of the last layer.
    NetworkPlan with_last_gain(double gain) const;
    /// That sees its inputs as they are.
    NetworkPlan unscaled() const;
};

/// The options as a perceptron on rows reads them.
ModelOptions without_convolutions(ModelOptions options);

/// The options of the model behind the encoder.
ModelOptions behind_encoder(ModelOptions options);

/// For 1/p, q, w and v, and as a model by itself. `centre` is that of the inputs.
NetworkPlan coefficient_plan(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
                             double centre);

/// For a field, or the right-hand side of a neural ODE: a perceptron, or an auto-encoder.
NetworkPlan field_plan(std::size_t inputs, const ModelOptions& options, double centre);

/// In front of a model: from inputs about 0 to the latent numbers.
NetworkPlan encoder_plan(std::size_t inputs, const ModelOptions& options);

template <class Real>
std::unique_ptr<network::Network<Real>> make_network(const NetworkPlan& plan);

double parameter_count(const NetworkPlan& plan);

/// Numbers that a row leaves on the tape, about: layers are padded to whole vectors.
double taped_per_row(const NetworkPlan& plan);

}  // namespace deepsl::model
