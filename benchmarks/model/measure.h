// What benchmarks of models share: the best of several times, sgemm's rate, and useful work.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/torch.h>

#include "deepsl/model/model.h"

// OpenBLAS takes all cores by itself, whatever torch was told.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace deepsl::bench {

inline double best_of(int times, const std::function<void()>& work) {
    double best = 1e9;
    for (int i = 0; i < times; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
    }
    return best;
}

/// Operations a second.
inline double sgemm_rate(std::int64_t m, std::int64_t k, std::int64_t n) {
    const auto a = torch::randn({m, k}), b = torch::randn({k, n});
    auto c = torch::empty({m, n});
    const double seconds = best_of(60, [&] { at::mm_out(c, a, b); });
    return 2.0 * static_cast<double>(m * k * n) / seconds;
}

inline void use_threads(int threads) {
    at::set_num_threads(threads);
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
    // Freed memory is kept for the next step instead of being given back page by page.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, -1);
}

/// The networks' operations to predict x, at the cells' nodes and at the stages of the lines.
inline double useful_operations(model::Model& model, const torch::Tensor& x) {
    const torch::NoGradGuard no_grad;
    const auto& numerics = model->numerics();
    double operations = 0.0;
    for (auto& branch : model->branches()) {
        const auto lines = field::trace(branch->field(), model->domain(), x, numerics.trace);
        const auto nodes = x.size(0) * 2 * numerics.cells *
                           static_cast<std::int64_t>(sturm::nodes_per_cell(numerics.scheme));
        operations += static_cast<double>(lines.evaluations * branch->field().flops_per_row()) +
                      static_cast<double>(nodes * branch->coefficient_flops_per_node());
    }
    return operations;
}

}  // namespace deepsl::bench
