// Small bridges between tensors and loops over their numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace deepsl {

/// Calls f with a value of the C++ type of `type`.
template <class F>
auto with_real(torch::ScalarType type, F f) {
    TORCH_CHECK(type == torch::kFloat32 || type == torch::kFloat64,
                "numbers must be float32 or float64, not ", type);
    return type == torch::kFloat32 ? f(float{}) : f(double{});
}

template <class Real>
std::vector<Real*> pointers(at::ArrayRef<torch::Tensor> tensors) {
    std::vector<Real*> result;
    for (const auto& t : tensors) result.push_back(t.data_ptr<Real>());
    return result;
}

/// Rows worth a thread of their own, when a row is n numbers long.
inline std::int64_t grain(std::int64_t n) { return std::max<std::int64_t>(1, 8192 / n); }

}  // namespace deepsl
