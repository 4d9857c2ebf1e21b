// A multilayer perceptron on a block of rows: all layers at once, while the rows are in cache.
//
//     h_0 = scale (x - shift),   h_l = act(W_l h_{l-1} + b_l),   y = head(W_L h_{L-1} + b_L)
//
// Every number is one chain of multiply-adds in a fixed order, so a row has the same bits alone
// and in any batch, and a gradient does not depend on the number of threads. No torch here.
#pragma once

#include <cstddef>
#include <vector>

namespace deepsl::network {

/// Rows that are swept together. Blocks are independent: any thread may take any block.
inline constexpr std::size_t block_rows = 128;

inline constexpr double leaky_slope = 0.01;

/// What becomes of the last layer's r: itself, or a bounded centre + radius tanh(slope (r -
/// shift)).
template <class Real>
struct Head {
    bool bounded = false;
    Real centre = 0, radius = 1, shift = 0, slope = 1;
};

/// A network as torch keeps it: weight[l] is [out, in] by rows.
template <class Real>
struct Layers {
    std::vector<std::size_t> sizes;  // inputs, hidden layers, outputs
    std::vector<const Real*> weight;
    std::vector<const Real*> bias;
    bool tanh = false;  // else leaky ReLU
    Real shift = 0;
    Real scale = 1;
    Head<Real> head;

    std::size_t depth() const { return sizes.size() - 1; }
    std::size_t inputs() const { return sizes.front(); }
    std::size_t outputs() const { return sizes.back(); }
    std::size_t parameters() const;
};

/// The weights rearranged for both sweeps; made once for many blocks.
template <class Real>
struct Packed {
    Layers<Real> layers;
    std::vector<std::size_t> padded;          // row length of h_0 .. h_{L-1}, y in memory
    std::vector<std::vector<Real>> forward;   // panels of the transposed weights
    std::vector<std::vector<Real>> backward;  // panels of the weights

    /// What a row keeps for the backward sweep: the hidden layers, and the head's tanh.
    std::size_t saved_per_row() const;
};

template <class Real>
struct Kernel {
    Packed<Real> (*pack)(const Layers<Real>&);
    /// rows <= block_rows; saved [saved_per_row * rows], or null if no gradient is wanted.
    void (*forward)(const Packed<Real>&, const Real* x, std::size_t rows, Real* y, Real* saved);
    /// dx [rows, inputs] or null. gradient [parameters] or null: weights then biases of each
    /// layer in turn, added to what is there.
    void (*backward)(const Packed<Real>&, const Real* x, const Real* saved, const Real* dy,
                     std::size_t rows, Real* dx, Real* gradient);
};

/// The fastest kernel this processor can run.
template <class Real>
const Kernel<Real>& kernel();

template <class Real>
struct NamedKernel {
    const char* name;
    Kernel<Real> kernel;
};

/// All kernels this processor can run, slowest first, to compare them with each other.
template <class Real>
std::vector<NamedKernel<Real>> kernels();

template <class Real>
std::size_t Layers<Real>::parameters() const {
    std::size_t count = 0;
    for (std::size_t l = 0; l < depth(); ++l) count += (sizes[l] + 1) * sizes[l + 1];
    return count;
}

template <class Real>
std::size_t Packed<Real>::saved_per_row() const {
    std::size_t count = 0;
    for (std::size_t l = 1; l < layers.depth(); ++l) count += padded[l];
    return layers.head.bounded ? count + padded.back() : count;
}

}  // namespace deepsl::network
