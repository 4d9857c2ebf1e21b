// What tests ask of tensors.
#pragma once

#include <cstring>

#include <torch/torch.h>

namespace deepsl {

inline bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
    const auto x = a.detach().contiguous(), y = b.detach().contiguous();
    return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
           std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

inline double largest(const torch::Tensor& t) {
    return t.numel() == 0 ? 0.0 : t.detach().abs().max().item<double>();
}

inline bool finite(const torch::Tensor& t) { return torch::isfinite(t).all().item<bool>(); }

}  // namespace deepsl
