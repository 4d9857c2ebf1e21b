// Modules of LibTorch to test with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <torch/torch.h>

#include "deepsl/matrix.h"
#include "deepsl/network/mlp.h"
#include "deepsl/torch/torch_network.h"

namespace deepsl::libtorch::test {

/// A perceptron as network::Mlp is one, of torch's layers: its tensors come in the same order.
template <class Real>
std::unique_ptr<TorchNetwork<Real>> perceptron(const network::MlpOptions& o) {
    torch::nn::Sequential layers;
    auto from = static_cast<std::int64_t>(o.inputs);
    for (const auto size : o.hidden) {
        const auto to = static_cast<std::int64_t>(size);
        layers->push_back(torch::nn::Linear(from, to));
        switch (o.activation) {
            case network::Activation::tanh: layers->push_back(torch::nn::Tanh()); break;
            case network::Activation::leaky_relu:
                layers->push_back(
                    torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.01)));
                break;
        }
        from = to;
    }
    layers->push_back(torch::nn::Linear(from, static_cast<std::int64_t>(o.outputs)));
    const auto rows = [o, layers = layers.get()](const torch::Tensor& x) {
        auto y = layers->forward((x - o.shift) * o.scale);
        if (o.heads.empty()) return y;
        const auto& head = o.heads.front();
        return head.centre + head.radius * torch::tanh(head.slope * (y - head.shift));
    };
    return std::make_unique<TorchNetwork<Real>>(layers.ptr(), rows, o.inputs);
}

inline network::MlpOptions tanh_layers(std::size_t inputs, std::vector<std::size_t> hidden,
                                       std::size_t outputs) {
    network::MlpOptions o;
    o.inputs = inputs;
    o.hidden = std::move(hidden);
    o.outputs = outputs;
    o.activation = network::Activation::tanh;
    return o;
}

/// From images [1, 6, 6] in rows to `latent` numbers, by a convolution.
inline torch::nn::Sequential small_encoder(std::int64_t latent) {
    return torch::nn::Sequential(
        torch::nn::Unflatten(torch::nn::UnflattenOptions(1, {1, 6, 6})),
        torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 3, 3).stride(2).padding(1)),
        torch::nn::Tanh(), torch::nn::Flatten(), torch::nn::Linear(27, latent));
}

inline torch::Tensor tensor_of(const Matrix<double>& matrix) {
    return torch::from_blob(const_cast<double*>(matrix.data()),
                            {static_cast<std::int64_t>(matrix.rows()),
                             static_cast<std::int64_t>(matrix.columns())},
                            torch::kFloat64)
        .clone();
}

inline double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

}  // namespace deepsl::libtorch::test
