// All that a model has learned, as a list of tensors: parameters, then buffers.
#pragma once

#include <vector>

#include <torch/torch.h>

namespace deepsl::train {

inline std::vector<torch::Tensor> tensors_of(const torch::nn::Module& model) {
    auto all = model.parameters();
    for (const auto& buffer : model.buffers()) all.push_back(buffer);
    return all;
}

inline std::vector<torch::Tensor> snapshot(const torch::nn::Module& model) {
    std::vector<torch::Tensor> copies;
    for (const auto& tensor : tensors_of(model)) copies.push_back(tensor.detach().clone());
    return copies;
}

inline void restore(const std::vector<torch::Tensor>& values, torch::nn::Module& model) {
    const torch::NoGradGuard no_grad;
    auto own = tensors_of(model);
    for (std::size_t i = 0; i < values.size(); ++i) own[i].copy_(values[i]);
}

}  // namespace deepsl::train
