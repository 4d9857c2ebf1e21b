#include "model/networks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/network/chain.h"

namespace deepsl::model {
namespace {

std::vector<std::size_t> layer_sizes(const std::vector<std::int64_t>& option) {
    return {option.begin(), option.end()};
}

ImageShape image_of(std::size_t inputs, const ModelOptions& options) {
    if (options.image.size() != 3)
        throw argument_error(
            "convolutions need images, but these are rows of numbers: the option image tells "
            "height, width and channels");
    const auto sizes = layer_sizes(options.image);
    const ImageShape shape{sizes[0], sizes[1], sizes[2]};
    if (shape.size() != inputs)
        throw argument_error(
            fmt::format("an image of {} x {} pixels and {} channels has {} numbers, but a row has "
                        "{}",
                        shape.height, shape.width, shape.channels, shape.size(), inputs));
    return shape;
}

/// Layers of so many features; the last of equal neighbours halves the image.
std::vector<network::ConvolutionLayer> halving_layers(const std::vector<std::size_t>& features,
                                                      std::int64_t kernel, Halving halving,
                                                      network::Activation activation) {
    std::vector<network::ConvolutionLayer> layers;
    for (std::size_t i = 0; i < features.size(); ++i) {
        network::ConvolutionLayer layer;
        layer.features = features[i];
        layer.kernel = static_cast<std::size_t>(kernel);
        layer.activation = activation;
        if (i + 1 == features.size() || features[i + 1] != features[i]) switch (halving) {
                case Halving::stride: layer.stride = 2; break;
                case Halving::max: layer.pool = 2; break;
            }
        layers.push_back(layer);
    }
    return layers;
}

/// The adjoint of layers without maxima, in reverse: each goes back to the image before.
network::ConvolutionOptions way_back(const network::ConvolutionOptions& down) {
    const auto shapes = network::shapes_of(down);
    network::ConvolutionOptions up;
    up.input = shapes.back();
    up.initialiser = down.initialiser;
    for (std::size_t l = down.layers.size(); l-- > 0;) {
        auto layer = down.layers[l];
        layer.features = shapes[l].channels;
        layer.transposed_to = shapes[l];
        if (l == 0) layer.activation = std::nullopt;
        up.layers.push_back(layer);
    }
    return up;
}

}  // namespace

NetworkPlan NetworkPlan::bounded(std::vector<network::BoundedHead> heads) const {
    auto plan = *this;
    if (plan.up)
        plan.up->head = heads.front();
    else
        plan.mlp.heads = std::move(heads);
    return plan;
}

NetworkPlan NetworkPlan::with_last_gain(double gain) const {
    auto plan = *this;
    (plan.up ? plan.up->last_gain : plan.mlp.last_gain) = gain;
    return plan;
}

NetworkPlan NetworkPlan::unscaled() const {
    auto plan = *this;
    plan.mlp.shift = 0.0, plan.mlp.scale = 1.0;
    if (plan.down) plan.down->shift = 0.0, plan.down->scale = 1.0;
    return plan;
}

ModelOptions without_convolutions(ModelOptions options) {
    options.convolutions.clear();
    return options;
}

ModelOptions behind_encoder(ModelOptions options) {
    options.latent = 0;
    options.image.clear(), options.encoder.clear(), options.encoder_hidden.clear();
    return options;
}

NetworkPlan coefficient_plan(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
                             double centre) {
    NetworkPlan plan;
    auto& mlp = plan.mlp;
    mlp.inputs = inputs;
    mlp.outputs = outputs;
    mlp.hidden = layer_sizes(options.hidden);
    mlp.activation = options.activation;
    mlp.initialiser = options.initialiser;
    mlp.last_gain = options.last_gain;
    mlp.shift = centre;
    mlp.scale = options.input_scale;
    if (options.convolutions.empty()) return plan;
    plan.down = network::ConvolutionOptions{
        .input = image_of(inputs, options),
        .layers = halving_layers(layer_sizes(options.convolutions), options.kernel, options.halving,
                                 options.activation),
        .initialiser = options.initialiser,
        .shift = centre,
        .scale = options.input_scale};
    mlp.inputs = network::shapes_of(*plan.down).back().size();
    mlp.shift = 0.0, mlp.scale = 1.0;
    return plan;
}

NetworkPlan field_plan(std::size_t inputs, const ModelOptions& options, double centre) {
    auto own = options;
    own.hidden = options.field_hidden;
    own.activation = options.field_activation;
    own.convolutions = options.field_convolutions;
    own.halving = Halving::stride;  // a maximum has no way back
    auto plan = coefficient_plan(inputs, inputs, own, centre);
    if (!plan.down) return plan;
    plan.up = way_back(*plan.down);
    plan.up->last_gain = std::exchange(plan.mlp.last_gain, 1.0);
    plan.mlp.outputs = plan.mlp.inputs;
    switch (options.field_activation) {
        case network::Activation::leaky_relu: break;
        case network::Activation::tanh: plan.mlp.heads = {network::BoundedHead{}}; break;
    }
    return plan;
}

NetworkPlan encoder_plan(std::size_t inputs, const ModelOptions& options) {
    auto own = options;
    own.hidden = options.encoder_hidden;
    own.convolutions = options.encoder;
    own.activation = options.encoder_activation;
    own.initialiser = options.encoder_initialiser;
    own.last_gain = 1.0;
    auto plan =
        coefficient_plan(inputs, static_cast<std::size_t>(options.latent), own, 0.0).unscaled();
    plan.mlp.initialiser = network::Initialiser::orthogonal;
    return plan;
}

template <class Real>
std::unique_ptr<network::Network<Real>> make_network(const NetworkPlan& plan) {
    auto mlp = std::make_unique<network::Mlp<Real>>(plan.mlp);
    if (!plan.down) return mlp;
    std::vector<typename network::Chain<Real>::Link> links;
    links.push_back({"convolutions", std::make_unique<network::Convolutions<Real>>(*plan.down)});
    links.push_back({"layers", std::move(mlp)});
    if (plan.up) links.push_back({"back", std::make_unique<network::Convolutions<Real>>(*plan.up)});
    return std::make_unique<network::Chain<Real>>(std::move(links));
}

double parameter_count(const NetworkPlan& plan) {
    double count = network::parameter_count(plan.mlp);
    if (plan.down) count += network::parameter_count(*plan.down);
    if (plan.up) count += network::parameter_count(*plan.up);
    return count;
}

double taped_per_row(const NetworkPlan& plan) {
    const auto padded = [](std::size_t units) {
        return 16.0 * std::ceil(static_cast<double>(units) / 16.0);
    };
    double count = padded(plan.mlp.outputs);
    for (const auto units : plan.mlp.hidden) count += padded(units);
    // Between the networks of a chain each input is kept, too.
    if (plan.down)
        count += network::taped_per_row(*plan.down) + static_cast<double>(plan.mlp.inputs);
    if (plan.up)
        count += network::taped_per_row(*plan.up) + static_cast<double>(plan.up->input.size());
    return count;
}

template std::unique_ptr<network::Network<float>> make_network(const NetworkPlan&);
template std::unique_ptr<network::Network<double>> make_network(const NetworkPlan&);

}  // namespace deepsl::model
