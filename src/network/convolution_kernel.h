// One layer of convolutions on a group of images, as products of rows with a matrix: the row of an
// output pixel is its window of the input.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/image_shape.h"
#include "network/product.h"
#include "simd.h"

namespace deepsl::network {

/// Windows of a large image, one for each pixel of a small one.
struct Windows {
    ImageShape large;  // its channels count
    ImageShape small;  // height and width
    std::size_t kernel = 3, stride = 1, margin = 1;

    std::size_t width() const { return kernel * kernel * large.channels; }
};

enum class LayerAct { none, leaky_relu, tanh };

template <class Real>
struct PackedConvolution {
    Windows windows;          // small.channels: those of the small image
    bool transposed = false;  // from the small image to the large one
    LayerAct act = LayerAct::none;
    Real shift = 0, scale = 1;  // of the inputs; not of transposed layers

    std::vector<Real> forward, backward;  // panels of the weights for both sweeps
    std::vector<Real> bias;               // padded

    const ImageShape& input() const { return transposed ? windows.small : windows.large; }
    const ImageShape& output() const { return transposed ? windows.large : windows.small; }
    std::size_t weights() const { return windows.small.channels * windows.width(); }
    std::size_t parameters() const { return weights() + output().channels; }
};

/// The maximum over squares of side `side`; those at the end may be cut.
struct Pooling {
    ImageShape large, small;
    std::size_t side = 2;
};

template <class Real>
struct ConvolutionKernel {
    /// From weights [small channels, window] and biases.
    void (*pack)(PackedConvolution<Real>&, const double* values);
    void (*forward)(const PackedConvolution<Real>&, const Real* x, std::size_t images, Real* y);
    /// y is what forward gave; dy is overwritten. dx [images, input] or null; gradient
    /// [parameters]: added to what is there.
    void (*backward)(const PackedConvolution<Real>&, const Real* x, const Real* y,
                     std::size_t images, Real* dy, Real* dx, Real* gradient);
    /// Bounds `count` numbers by a head; keeps the tanh, if saved is not null.
    void (*bound)(const Head<Real>&, Real* r, std::size_t count, Real* saved);
    void (*pool)(const Pooling&, const Real* x, std::size_t images, Real* y);
    /// A maximum that several pixels have belongs to the first of them.
    void (*pool_backward)(const Pooling&, const Real* x, const Real* dy, std::size_t images,
                          Real* dx);
};

/// The fastest kernel this processor can run.
template <class Real>
const ConvolutionKernel<Real>& convolution_kernel();

/// All kernels this processor can run, slowest first, to compare them with each other.
template <class Real>
std::vector<simd::Named<ConvolutionKernel<Real>>> convolution_kernels();

}  // namespace deepsl::network
