// The kernel of convolutions for one instruction set; product.inl says what it needs.
#include "network/product.inl"

namespace deepsl::network::DEEPSL_ISA {
namespace {

inline Act act_of(LayerAct act) {
    switch (act) {
        case LayerAct::none: return Act::none;
        case LayerAct::leaky_relu: return Act::leaky_relu;
        case LayerAct::tanh: return Act::tanh;
    }
    return Act::none;
}

/// The part of a window's row that lies in the image: numbers from `begin` to `end` of the row's
/// kernel * channels, which stand at `at` in the image.
struct Run {
    std::size_t begin = 0, end = 0, at = 0;
};

/// Calls visit(row of the block, row of the window, run) for all windows of the pixels first ..
/// first + rows of all small images, one after the other.
template <class Visit>
inline void each_run(const Windows& w, std::size_t first, std::size_t rows, const Visit& visit) {
    const std::size_t channels = w.large.channels;
    std::size_t image = first / w.small.pixels();
    std::size_t y = first % w.small.pixels() / w.small.width, x = first % w.small.width;
    for (std::size_t r = 0; r < rows; ++r) {
        // Left edge and number of columns that lie in the image.
        const std::size_t left = x * w.stride;
        const std::size_t skip = left < w.margin ? w.margin - left : 0;
        const std::size_t stop = std::min(w.kernel, w.large.width + w.margin - left);
        const std::size_t column = left + skip - w.margin;
        for (std::size_t k = 0; k < w.kernel; ++k) {
            const std::size_t top = y * w.stride + k;
            Run run;
            if (top >= w.margin && top - w.margin < w.large.height) {
                run.begin = skip * channels;
                run.end = stop * channels;
                run.at =
                    image * w.large.size() + ((top - w.margin) * w.large.width + column) * channels;
            }
            visit(r, k, run);
        }
        if (++x == w.small.width) {
            x = 0;
            if (++y == w.small.height) y = 0, ++image;
        }
    }
}

/// Rows of windows from the large images, less the centre; what lies outside is zero.
template <class Real>
void gather(const Windows& w, const Real* images, Real centre, std::size_t first, std::size_t rows,
            Real* out) {
    const std::size_t length = w.kernel * w.large.channels;
    each_run(w, first, rows, [&](std::size_t r, std::size_t k, const Run& run) {
        Real* const to = out + r * w.width() + k * length;
        for (std::size_t i = 0; i < run.begin; ++i) to[i] = Real(0);
        for (std::size_t i = run.end; i < length; ++i) to[i] = Real(0);
        const Real* const from = images + run.at;
        const std::size_t count = run.end - run.begin;
        for (std::size_t i = 0; i < count; i += lanes<Real>)
            store(to + run.begin + i, load(from + i, count - i) - centre, count - i);
    });
}

/// Its adjoint: adds rows of windows to the large images.
template <class Real>
void scatter(const Windows& w, const Real* rows_of_windows, std::size_t first, std::size_t rows,
             Real* images) {
    const std::size_t length = w.kernel * w.large.channels;
    each_run(w, first, rows, [&](std::size_t r, std::size_t k, const Run& run) {
        const Real* const from = rows_of_windows + r * w.width() + k * length + run.begin;
        Real* const to = images + run.at;
        const std::size_t count = run.end - run.begin;
        for (std::size_t i = 0; i < count; i += lanes<Real>)
            store(to + i, load(to + i, count - i) + load(from + i, count - i), count - i);
    });
}

/// Calls work(first, rows) for blocks of the pixels of all small images.
template <class Work>
void each_block(const Windows& w, std::size_t images, const Work& work) {
    const std::size_t all = images * w.small.pixels();
    for (std::size_t first = 0; first < all; first += block_rows)
        work(first, std::min(block_rows, all - first));
}

template <class Real>
void pack(PackedConvolution<Real>& c, const double* values) {
    const std::size_t window = c.windows.width(), channels = c.windows.small.channels;
    const double scale = static_cast<double>(c.scale);
    const auto to_window = [&](std::size_t k, std::size_t j) {
        return scale * values[k * window + j];
    };
    const auto to_channels = [&](std::size_t k, std::size_t j) {
        return scale * values[j * window + k];
    };
    auto& expand = c.transposed ? c.forward : c.backward;
    auto& contract = c.transposed ? c.backward : c.forward;
    expand.assign(channels * round_up<Real>(window), Real(0));
    contract.assign(window * round_up<Real>(channels), Real(0));
    panels(channels, window, round_up<Real>(window), to_window, expand.data());
    panels(window, channels, round_up<Real>(channels), to_channels, contract.data());
    c.bias.assign(round_up<Real>(c.output().channels), Real(0));
    for (std::size_t f = 0; f < c.output().channels; ++f)
        c.bias[f] = static_cast<Real>(values[c.weights() + f]);
}

/// From windows to the small image's channels, or the other way.
template <class Real>
void contract(const PackedConvolution<Real>& c, const std::vector<Real>& panels,
              const Real* windows, std::size_t rows, Act act, const Real* bias, Real* out) {
    const std::size_t channels = c.windows.small.channels;
    Product<Real> p{windows,           c.windows.width(),        rows,
                    c.windows.width(), round_up<Real>(channels), panels.data()};
    p.bias = bias;
    p.act = act;
    p.out = out;
    p.out_stride = p.columns = channels;
    product(p);
}

template <class Real>
void expand(const PackedConvolution<Real>& c, const std::vector<Real>& panels, const Real* small,
            std::size_t rows, Real* windows) {
    const std::size_t channels = c.windows.small.channels, window = c.windows.width();
    Product<Real> p{small, channels, rows, channels, round_up<Real>(window), panels.data()};
    p.out = windows;
    p.out_stride = p.columns = window;
    product(p);
}

/// act(r + bias) of all pixels of a transposed layer.
template <class Real>
void finish(const PackedConvolution<Real>& c, std::size_t pixels, Real* y) {
    const std::size_t channels = c.output().channels;
    const Act act = act_of(c.act);
    for (std::size_t p = 0; p < pixels; ++p)
        for (std::size_t f = 0; f < channels; f += lanes<Real>) {
            Real* const at = y + p * channels + f;
            const Vec<Real> r = load(at, channels - f) + load(c.bias.data() + f);
            store(at, activate<Real>(act, r), channels - f);
        }
}

template <class Real>
void forward(const PackedConvolution<Real>& c, const Real* x, std::size_t images, Real* y) {
    const auto& w = c.windows;
    Real* const windows = scratch<Real>(0, block_rows * w.width()).data();
    if (c.transposed) std::fill_n(y, images * c.output().size(), Real(0));
    each_block(w, images, [&](std::size_t first, std::size_t rows) {
        if (c.transposed) {
            expand(c, c.forward, x + first * w.small.channels, rows, windows);
            scatter(w, windows, first, rows, y);
        } else {
            gather(w, x, c.shift, first, rows, windows);
            contract(c, c.forward, windows, rows, act_of(c.act), c.bias.data(),
                     y + first * w.small.channels);
        }
    });
    if (c.transposed) finish(c, images * c.output().pixels(), y);
}

/// dy times the slope of the activation at y, in place.
template <class Real>
void times_slope(Act act, const Real* y, std::size_t count, Real* dy) {
    if (act == Act::none) return;
    for (std::size_t i = 0; i < count; i += lanes<Real>)
        store(dy + i, load(dy + i, count - i) * slope<Real>(act, load(y + i, count - i)),
              count - i);
}

template <class Real>
void backward(const PackedConvolution<Real>& c, const Real* x, const Real* y, std::size_t images,
              Real* dy, Real* dx, Real* gradient) {
    const auto& w = c.windows;
    const std::size_t channels = w.small.channels, window = w.width();
    Real* const windows = scratch<Real>(0, block_rows * window).data();
    times_slope(act_of(c.act), y, images * c.output().size(), dy);
    Real* const bias = gradient + c.weights();
    if (c.transposed) {
        add_bias_gradient(dy, w.large.channels, w.large.channels, images * w.large.pixels(), bias);
    } else {
        add_bias_gradient(dy, channels, channels, images * w.small.pixels(), bias);
        if (dx != nullptr) std::fill_n(dx, images * w.large.size(), Real(0));
    }
    each_block(w, images, [&](std::size_t first, std::size_t rows) {
        gather(w, c.transposed ? dy : x, c.transposed ? Real(0) : c.shift, first, rows, windows);
        const Real* const small = (c.transposed ? x : dy) + first * channels;
        add_weights(small, channels, channels, windows, window, rows, c.scale, gradient, window);
        if (dx == nullptr) return;
        if (c.transposed) {
            contract<Real>(c, c.backward, windows, rows, Act::none, nullptr, dx + first * channels);
        } else {
            expand(c, c.backward, small, rows, windows);
            scatter(w, windows, first, rows, dx);
        }
    });
}

/// Calls visit(place of the square's number in y, places of its pixels' numbers in x ..) square by
/// square; a place is that of the first channel.
template <class Visit>
void each_square(const Pooling& p, std::size_t images, const Visit& visit) {
    for (std::size_t image = 0; image < images; ++image)
        for (std::size_t y = 0; y < p.small.height; ++y)
            for (std::size_t x = 0; x < p.small.width; ++x) {
                const std::size_t to =
                    image * p.small.size() + (y * p.small.width + x) * p.small.channels;
                const std::size_t from =
                    image * p.large.size() + (y * p.large.width + x) * p.side * p.large.channels;
                visit(to, from, std::min(p.side, p.large.height - y * p.side),
                      std::min(p.side, p.large.width - x * p.side));
            }
}

template <class Real>
void pool(const Pooling& p, const Real* x, std::size_t images, Real* y) {
    const std::size_t channels = p.large.channels, line = p.large.width * channels;
    each_square(
        p, images, [&](std::size_t to, std::size_t from, std::size_t height, std::size_t width) {
            for (std::size_t f = 0; f < channels; f += lanes<Real>) {
                const std::size_t rest = channels - f;
                Vec<Real> best = load(x + from + f, rest);
                for (std::size_t i = 0; i < height; ++i)
                    for (std::size_t j = 0; j < width; ++j) {
                        const Vec<Real> v = load(x + from + i * line + j * channels + f, rest);
                        best = v > best ? v : best;
                    }
                store(y + to + f, best, rest);
            }
        });
}

template <class Real>
void pool_backward(const Pooling& p, const Real* x, const Real* dy, std::size_t images, Real* dx) {
    const std::size_t channels = p.large.channels, line = p.large.width * channels;
    each_square(
        p, images, [&](std::size_t to, std::size_t from, std::size_t height, std::size_t width) {
            for (std::size_t f = 0; f < channels; f += lanes<Real>) {
                const std::size_t rest = channels - f;
                Vec<Real> best = load(x + from + f, rest);
                for (std::size_t i = 0; i < height; ++i)
                    for (std::size_t j = 0; j < width; ++j) {
                        const Vec<Real> v = load(x + from + i * line + j * channels + f, rest);
                        best = v > best ? v : best;
                    }
                Vec<Real> left = load(dy + to + f, rest);  // zero once it is given
                const Vec<Real> zero = {};
                for (std::size_t i = 0; i < height; ++i)
                    for (std::size_t j = 0; j < width; ++j) {
                        const std::size_t at = from + i * line + j * channels + f;
                        const auto here = load(x + at, rest) == best;
                        store(dx + at, here ? left : zero, rest);
                        left = here ? zero : left;
                    }
            }
        });
}

}  // namespace

template <class Real>
ConvolutionKernel<Real> convolution_kernel() {
    return {&pack<Real>,
            &forward<Real>,
            &backward<Real>,
            [](const Head<Real>& head, Real* r, std::size_t count, Real* saved) {
                bound(head, r, count, 1, saved);
            },
            &pool<Real>,
            &pool_backward<Real>};
}

template ConvolutionKernel<float> convolution_kernel<float>();
template ConvolutionKernel<double> convolution_kernel<double>();

}  // namespace deepsl::network::DEEPSL_ISA
