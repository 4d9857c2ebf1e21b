// A multilayer perceptron as one would write it down, in double: what the kernels are compared
// with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "deepsl/network/mlp.h"
#include "deepsl/random.h"

namespace deepsl::network::test {

inline std::vector<std::size_t> sizes_of(const MlpOptions& o) {
    std::vector<std::size_t> sizes{o.inputs};
    sizes.insert(sizes.end(), o.hidden.begin(), o.hidden.end());
    sizes.push_back(o.outputs);
    return sizes;
}

inline MlpOptions shape(std::size_t in, std::vector<std::size_t> hidden, std::size_t out,
                        Activation activation) {
    MlpOptions o;
    o.inputs = in;
    o.hidden = std::move(hidden);
    o.outputs = out;
    o.activation = activation;
    return o;
}

/// A head for each output, all different.
inline std::vector<BoundedHead> different_heads(std::size_t outputs) {
    std::vector<BoundedHead> heads;
    for (std::size_t j = 0; j < outputs; ++j) {
        const auto number = static_cast<double>(j);
        heads.push_back({0.5 + number, 3.0 - 0.1 * number, 0.2 * number, 0.5 + 0.1 * number});
    }
    return heads;
}

struct SlowRun {
    std::vector<double> y, dx, gradient;
    /// The smallest |W h + b| of hidden units: where it is within rounding of 0, a leaky ReLU may
    /// have either slope.
    double margin = std::numeric_limits<double>::infinity();
};

/// Forward, and back from dy. Values: weights [out, in] by rows and biases of each layer in turn.
template <class Real>
SlowRun slow_mlp(const MlpOptions& o, const std::vector<double>& values, const std::vector<Real>& x,
                 const std::vector<Real>& dy) {
    const auto sizes = sizes_of(o);
    const auto depth = sizes.size() - 1, rows = x.size() / o.inputs;
    SlowRun run{std::vector<double>(rows * o.outputs), std::vector<double>(rows * o.inputs),
                std::vector<double>(values.size())};
    std::vector<std::size_t> offset{0};
    for (std::size_t l = 0; l < depth; ++l)
        offset.push_back(offset.back() + (sizes[l] + 1) * sizes[l + 1]);
    const auto head_of = [&](std::size_t j) { return o.heads[o.heads.size() > 1 ? j : 0]; };
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<std::vector<double>> h(depth + 1), before(depth + 1);
        for (std::size_t i = 0; i < o.inputs; ++i)
            h[0].push_back(o.scale * (static_cast<double>(x[r * o.inputs + i]) - o.shift));
        for (std::size_t l = 0; l < depth; ++l)
            for (std::size_t j = 0; j < sizes[l + 1]; ++j) {
                const double* const w = values.data() + offset[l] + j * sizes[l];
                double sum = values[offset[l] + sizes[l] * sizes[l + 1] + j];
                for (std::size_t k = 0; k < sizes[l]; ++k) sum += w[k] * h[l][k];
                before[l + 1].push_back(sum);
                if (l + 1 < depth) {
                    run.margin = std::min(run.margin, std::fabs(sum));
                    sum = o.activation == Activation::tanh ? std::tanh(sum)
                                                           : (sum > 0.0 ? sum : 0.01 * sum);
                } else if (!o.heads.empty()) {
                    const auto head = head_of(j);
                    sum = head.centre + head.radius * std::tanh(head.slope * (sum - head.shift));
                }
                h[l + 1].push_back(sum);
            }
        std::copy(h[depth].begin(), h[depth].end(),
                  run.y.begin() + static_cast<std::ptrdiff_t>(r * o.outputs));
        std::vector<double> delta;
        for (std::size_t j = 0; j < o.outputs; ++j) {
            delta.push_back(static_cast<double>(dy[r * o.outputs + j]));
            if (o.heads.empty()) continue;
            const auto head = head_of(j);
            const double t = std::tanh(head.slope * (before[depth][j] - head.shift));
            delta.back() *= head.radius * head.slope * (1.0 - t * t);
        }
        for (std::size_t l = depth; l-- > 0;) {
            std::vector<double> next(sizes[l]);
            for (std::size_t j = 0; j < sizes[l + 1]; ++j) {
                const auto row = offset[l] + j * sizes[l];
                for (std::size_t k = 0; k < sizes[l]; ++k) {
                    run.gradient[row + k] += delta[j] * h[l][k];
                    next[k] += delta[j] * values[row + k];
                }
                run.gradient[offset[l] + sizes[l] * sizes[l + 1] + j] += delta[j];
            }
            for (std::size_t k = 0; l > 0 && k < sizes[l]; ++k)
                next[k] *= o.activation == Activation::tanh ? 1.0 - h[l][k] * h[l][k]
                                                            : (before[l][k] > 0.0 ? 1.0 : 0.01);
            delta = std::move(next);
        }
        for (std::size_t i = 0; i < o.inputs; ++i) run.dx[r * o.inputs + i] = o.scale * delta[i];
    }
    return run;
}

/// Normal numbers that Real holds.
template <class Real>
std::vector<Real> random_reals(std::size_t count, double scale, Random& random) {
    std::vector<Real> result(count);
    for (auto& c : result) c = static_cast<Real>(scale * normal(random));
    return result;
}

/// Weights of a size that keeps units within their range, and biases; numbers that Real holds.
template <class Real>
std::vector<double> random_values(const MlpOptions& o, Random& random) {
    std::vector<double> values;
    const auto sizes = sizes_of(o);
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
        const double scale = 1.0 / std::sqrt(static_cast<double>(sizes[l]));
        for (const auto c : random_reals<Real>(sizes[l] * sizes[l + 1], scale, random))
            values.push_back(static_cast<double>(c));
        for (const auto c : random_reals<Real>(sizes[l + 1], 0.3, random))
            values.push_back(static_cast<double>(c));
    }
    return values;
}

/// A network, a batch and what must come out; where the slope of a leaky ReLU is not in doubt.
template <class Real>
struct SlowCase {
    MlpOptions options;
    std::size_t rows;
    std::vector<double> values;
    std::vector<Real> x, dy;
    SlowRun expected;

    SlowCase(MlpOptions o, std::size_t row_count, Random& random)
        : options(std::move(o)), rows(row_count) {
        for (int attempt = 0; attempt < 100; ++attempt) {
            values = random_values<Real>(options, random);
            x = random_reals<Real>(rows * options.inputs, 1.0, random);
            dy = random_reals<Real>(rows * options.outputs, 1.0, random);
            expected = slow_mlp(options, values, x, dy);
            if (options.activation == Activation::tanh || expected.margin > 4e-6) break;
        }
    }
};

/// The largest difference, relative to the largest entry of b, or to `least` where that is more:
/// of a tanh that is close to 1 little more than its place is known, and its slope is small.
template <class A, class B>
double difference(const std::vector<A>& a, const std::vector<B>& b, double least = 1e-300) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double error = 0.0, largest = least;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double off = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(off <= error)) error = off;
        largest = std::max(largest, std::fabs(static_cast<double>(b[i])));
    }
    return error / largest;
}

}  // namespace deepsl::network::test
