// A multilayer perceptron on a block of rows: all layers at once, while the rows are in cache.
//
//     h_0 = scale (x - shift),   h_l = act(W_l h_{l-1} + b_l),   y = head(W_L h_{L-1} + b_L)
//
// Every number is one chain of multiply-adds in a fixed order, so a row has the same bits alone
// and in any batch.
#pragma once

#include <cstddef>
#include <vector>

#include "network/product.h"
#include "simd.h"

namespace deepsl::network {

/// A network, its weights rearranged for both sweeps.
template <class Real>
struct Packed {
    std::vector<std::size_t> sizes;  // inputs, hidden layers, outputs
    bool tanh = false;               // else leaky ReLU
    Real shift = 0, scale = 1;
    std::vector<Head<Real>> heads;  // one for each output; none: outputs are not bounded

    std::vector<std::size_t> padded;          // row length of h_0 .. h_{L-1}, y in memory
    std::vector<std::vector<Real>> forward;   // panels of the transposed weights, then the bias
    std::vector<std::vector<Real>> backward;  // panels of the weights

    std::size_t depth() const { return sizes.size() - 1; }
    bool narrow() const { return outputs() <= narrow_outputs; }
    std::size_t inputs() const { return sizes.front(); }
    std::size_t outputs() const { return sizes.back(); }
    std::size_t parameters() const {
        std::size_t count = 0;
        for (std::size_t l = 0; l < depth(); ++l) count += (sizes[l] + 1) * sizes[l + 1];
        return count;
    }
    /// What a row keeps for the backward sweep: the hidden layers, and the head's tanh.
    std::size_t saved_per_row() const {
        std::size_t count = 0;
        for (std::size_t l = 1; l < depth(); ++l) count += padded[l];
        return heads.empty() ? count : count + padded.back();
    }
};

template <class Real>
struct Kernel {
    /// Makes room for the weights; sizes and heads are set.
    void (*shape)(Packed<Real>&);
    /// From weights [out, in] by rows and biases of each layer in turn.
    void (*pack)(Packed<Real>&, const double* values);
    /// rows <= block_rows; saved [saved_per_row * rows], or null if no gradient is wanted.
    void (*forward)(const Packed<Real>&, const Real* x, std::size_t rows, Real* y, Real* saved);
    /// dx [rows, inputs] or null. gradient [parameters]: weights then biases of each layer in turn,
    /// added to what is there.
    void (*backward)(const Packed<Real>&, const Real* x, const Real* saved, const Real* dy,
                     std::size_t rows, Real* dx, Real* gradient);
};

/// The fastest kernel this processor can run.
template <class Real>
const Kernel<Real>& kernel();

/// All kernels this processor can run, slowest first, to compare them with each other.
template <class Real>
std::vector<simd::Named<Kernel<Real>>> kernels();

}  // namespace deepsl::network
