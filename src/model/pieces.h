// A batch cut into pieces that pass through a model side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// As many pieces as it takes to give each thread one, if `terms` passes are made with each, but
/// none larger than `largest`, nor so small that the fixed cost of a pass outweighs its samples.
inline std::vector<torch::Tensor> cut(const torch::Tensor& x, std::int64_t largest,
                                      std::int64_t terms) {
    constexpr std::int64_t smallest = 64;
    const auto threads = (at::get_num_threads() + terms - 1) / terms;
    const auto rows = x.size(0);
    const auto needed = (rows + largest - 1) / largest;
    // A multiple of the threads, so that none is idle while the last pieces are at work.
    const auto even = (needed + threads - 1) / threads * threads;
    const auto count = std::clamp<std::int64_t>(rows / smallest, 1, std::max(even, threads));
    return x.tensor_split(count);
}

/// Calls f(i) for i < count, on all threads, with or without gradients as here.
template <class F>
void side_by_side(std::size_t count, F f) {
    const bool gradients = torch::GradMode::is_enabled();
    at::parallel_for(0, static_cast<std::int64_t>(count), 1,
                     [&](std::int64_t begin, std::int64_t end) {
                         const torch::AutoGradMode mode(gradients);
                         for (auto i = begin; i < end; ++i) f(static_cast<std::size_t>(i));
                     });
}

Prediction join(const std::vector<Prediction>& pieces);

}  // namespace deepsl::model
