// What benchmarks of models share: the best of several times, sgemm's rate, useful work and memory.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include <cblas.h>
#include <sys/resource.h>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"
#include "deepsl/parallel.h"
#include "deepsl/random.h"

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

/// Operations a second of C [m, n] = A [m, k] B [k, n].
inline double sgemm_rate(int m, int k, int n) {
    Random random(1);
    const auto matrix = [&](int rows, int columns) {
        std::vector<float> values(static_cast<std::size_t>(rows) *
                                  static_cast<std::size_t>(columns));
        for (auto& value : values) value = static_cast<float>(normal(random));
        return values;
    };
    const auto a = matrix(m, k), b = matrix(k, n);
    auto c = matrix(m, n);
    const double seconds = best_of(60, [&] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0F, a.data(), k, b.data(),
                    n, 0.0F, c.data(), n);
    });
    return 2.0 * m * k * n / seconds;
}

/// Of a large product and of one like a layer, the faster.
inline double sgemm_rate() {
    return std::max(sgemm_rate(2048, 2048, 2048), sgemm_rate(8192, 128, 64));
}

inline void use_threads(int threads) {
    set_threads(threads);
    openblas_set_num_threads(threads);
}

/// What a field's networks do for samples x [B, inputs].
struct Work {
    double operations = 0.0;   // forward
    double evaluations = 0.0;  // of the field
};

/// The networks' operations to predict x, at the cells' nodes and at the stages of the lines.
inline Work useful_work(const model::Model& model, MatrixView<const double> x) {
    const auto options = model.options();
    const auto parts = model::make_parts<float>(model.inputs(), options);
    const auto& method = *model.numerics().trace.method;
    const auto nodes = 2 * model.numerics().cells * sturm::nodes_per_cell(model.numerics().scheme);
    Work work;
    for (std::size_t field = 0; field < model.fields(); ++field)
        for (const int steps : model.inspect(x, field).steps) {
            const double stages =
                parts.field->constant() ? 0.0 : static_cast<double>(method.stages() - 1);
            work.evaluations += 1.0 + stages * steps;
            work.operations += static_cast<double>(nodes * parts.coefficients->flops_per_row());
        }
    work.operations += work.evaluations * static_cast<double>(parts.field->flops_per_row());
    return work;
}

/// The most memory that this process has had, in megabytes.
inline double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace deepsl::bench
