// Products of rows with matrices, and what becomes of them, for the kernels of networks on one
// instruction set. The including file defines DEEPSL_ISA, a namespace name, and DEEPSL_VECTOR_BYTES
// and DEEPSL_TILE_ROWS, the registers' width and the rows of a tile: the tile's sums,
// DEEPSL_TILE_ROWS x 2 vectors, must fit into the registers beside their factors. It also includes
// the standard headers first, outside the pragma that selects the instructions.
#include "simd.inl"

namespace deepsl::network::DEEPSL_ISA {
namespace {

using namespace simd::DEEPSL_ISA;

inline constexpr std::size_t tile_rows = DEEPSL_TILE_ROWS;
inline constexpr std::size_t tile_vectors = 2;

template <class Real>
std::size_t round_up(std::size_t n) {
    return (n + lanes<Real> - 1) / lanes<Real> * lanes<Real>;
}

/// 1 / x within an ulp or two: an estimate and a step of Newton's method, since division is slow.
inline Vec<float> reciprocal(Vec<float> x) {
#if DEEPSL_VECTOR_BYTES == 64
    const auto r = reinterpret_cast<Vec<float>>(_mm512_rcp14_ps(reinterpret_cast<__m512>(x)));
    return r + r * (1.0f - x * r);
#elif DEEPSL_VECTOR_BYTES == 32
    const auto r = reinterpret_cast<Vec<float>>(_mm256_rcp_ps(reinterpret_cast<__m256>(x)));
    return r + r * (1.0f - x * r);
#else
    return 1.0f / x;
#endif
}

/// x between -limit and limit; NaN stays NaN, which is why the limits come first.
inline Vec<float> limited(Vec<float> x, float limit) {
#if DEEPSL_VECTOR_BYTES == 64
    const __m512 high = _mm512_set1_ps(limit), low = _mm512_set1_ps(-limit);
    const __m512 v = _mm512_min_ps(high, reinterpret_cast<__m512>(x));
    return reinterpret_cast<Vec<float>>(_mm512_max_ps(low, v));
#elif DEEPSL_VECTOR_BYTES == 32
    const __m256 high = _mm256_set1_ps(limit), low = _mm256_set1_ps(-limit);
    const __m256 v = _mm256_min_ps(high, reinterpret_cast<__m256>(x));
    return reinterpret_cast<Vec<float>>(_mm256_max_ps(low, v));
#else
    const Vec<float> high = Vec<float>{} + limit;  // not x - x, which is NaN at infinity
    return x > high ? high : (x < -high ? -high : x);
#endif
}

/// A rational function fitted to tanh(x)/x in x^2 on |x| < 9.02, where a float tanh becomes 1:
/// within 5e-7 relative, about 4 units in the last place.
inline Vec<float> tanh_of(Vec<float> x) {
    x = limited(x, 9.0f);
    const Vec<float> y = x * x;
    const Vec<float> top =
        ((((1.33214675e-08f * y + 2.05857329e-05f) * y + 0.00349419706f) * y + 0.133798646f) * y +
         0.99999998f) *
        x;
    const Vec<float> bottom =
        (((7.76314975e-07f * y + 0.000328333985f) * y + 0.025871721f) * y + 0.467131805f) * y +
        1.0f;
    return limited(top * reciprocal(bottom), 1.0f);
}

inline Vec<double> tanh_of(Vec<double> x) {
    for (std::size_t i = 0; i < lanes<double>; ++i) x[i] = std::tanh(x[i]);
    return x;
}

enum class Act { none, leaky_relu, tanh };

template <class Real>
inline Vec<Real> activate(Act act, Vec<Real> x) {
    if (act == Act::tanh) return tanh_of(x);
    if (act == Act::leaky_relu) return x > 0 ? x : x * static_cast<Real>(leaky_slope);
    return x;
}

/// d act / d x, told from y = act(x).
template <class Real>
inline Vec<Real> slope(Act act, Vec<Real> y) {
    const Vec<Real> one = Vec<Real>{} + Real(1);
    if (act == Act::tanh) return one - y * y;
    if (act == Act::leaky_relu) return y > 0 ? one : one * static_cast<Real>(leaky_slope);
    return one;
}

// sums[r][v] = start[v] + sum over k of x[r, k] * panel[k, v]
template <class Real, std::size_t rows, std::size_t vectors>
inline void multiply(const Real* x, std::size_t x_stride, const Real* panel, std::size_t depth,
                     const Vec<Real>* start, Vec<Real> (&sums)[rows][vectors]) {
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = start[v];
    for (std::size_t k = 0; k < depth; ++k) {
        Vec<Real> w[vectors];
        for (std::size_t v = 0; v < vectors; ++v)
            w[v] = load(panel + (k * vectors + v) * lanes<Real>);
        for (std::size_t r = 0; r < rows; ++r) {
            const Real factor = x[r * x_stride + k];
            for (std::size_t v = 0; v < vectors; ++v) sums[r][v] += factor * w[v];
        }
    }
}

/// One product of the sweeps, X [rows, depth] times a matrix in panels, and what becomes of it.
template <class Real>
struct Product {
    const Real* x;
    std::size_t x_stride, rows, depth, width;  // width is padded
    const Real* panels;
    const Real* bias = nullptr;      // padded, or null for zero
    Act act = Act::none;             // applied to the result
    const Real* slope_of = nullptr;  // [rows, out_stride]: multiplied by the slope there
    Act slope_act = Act::none;
    Real* out = nullptr;
    std::size_t out_stride = 0, columns = 0;  // of the width, so many are stored
};

template <std::size_t rows, std::size_t vectors, class Real>
inline void tile(const Product<Real>& p, std::size_t row, std::size_t column, const Real* panel) {
    Vec<Real> start[vectors] = {};
    if (p.bias != nullptr)
        for (std::size_t v = 0; v < vectors; ++v)
            start[v] = load(p.bias + column + v * lanes<Real>);
    Vec<Real> sums[rows][vectors];
    multiply<Real, rows, vectors>(p.x + row * p.x_stride, p.x_stride, panel, p.depth, start, sums);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::size_t at = (row + r) * p.out_stride + column + v * lanes<Real>;
            Vec<Real> value = activate<Real>(p.act, sums[r][v]);
            if (p.slope_of != nullptr) value *= slope<Real>(p.slope_act, load(p.slope_of + at));
            const std::size_t begin = column + v * lanes<Real>;
            if (begin + lanes<Real> <= p.columns)
                store(p.out + at, value);
            else
                store(p.out + at, value, p.columns - begin);
        }
    }
}

template <std::size_t vectors, class Real>
void panel_product(const Product<Real>& p, std::size_t column, const Real* panel) {
    std::size_t row = 0;
    for (; row + tile_rows <= p.rows; row += tile_rows)
        tile<tile_rows, vectors>(p, row, column, panel);
    for (; row + 4 <= p.rows; row += 4) tile<4, vectors>(p, row, column, panel);
    for (; row < p.rows; ++row) tile<1, vectors>(p, row, column, panel);
}

template <class Real>
void product(const Product<Real>& p) {
    constexpr std::size_t wide = tile_vectors * lanes<Real>;
    const Real* panel = p.panels;
    std::size_t column = 0;
    for (; column + wide <= p.width; column += wide, panel += wide * p.depth)
        panel_product<tile_vectors>(p, column, panel);
    for (; column < p.width; column += lanes<Real>, panel += lanes<Real> * p.depth)
        panel_product<1>(p, column, panel);
}

/// Panels for product(): `at(k, j)` is the matrix, `width` is padded.
template <class Real, class At>
void panels(std::size_t depth, std::size_t columns, std::size_t width, At at, Real* out) {
    std::size_t column = 0;
    while (column < width) {
        const std::size_t rest = width - column;
        const std::size_t size =
            rest >= tile_vectors * lanes<Real> ? tile_vectors * lanes<Real> : lanes<Real>;
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t j = 0; j < size; ++j, ++out)
                if (column + j < columns) *out = static_cast<Real>(at(k, column + j));
        column += size;
    }
}

/// centre + radius tanh(slope (r - shift)) of many numbers; keeps the tanh for the backward sweep.
template <class Real>
void bound(const Head<Real>& head, Real* r, std::size_t count, std::size_t step, Real* saved) {
    // A number has the same bits wherever it stands: the last ones go through a whole vector, too.
    Real lane[lanes<Real>] = {};
    for (std::size_t i = 0; i < count; i += lanes<Real>) {
        const std::size_t rest = std::min(lanes<Real>, count - i);
        for (std::size_t j = 0; j < rest; ++j) lane[j] = r[(i + j) * step];
        const Vec<Real> t = tanh_of((load(lane) - head.shift) * head.slope);
        const Vec<Real> y = head.centre + head.radius * t;
        for (std::size_t j = 0; j < rest; ++j) r[(i + j) * step] = y[j];
        for (std::size_t j = 0; saved != nullptr && j < rest; ++j) saved[(i + j) * step] = t[j];
    }
}

// gradient[o, i] += scale times the sum over rows of delta[r, o] * h[r, i], for `outs` rows of it.
// `whole`: all vectors lie within the columns.
template <std::size_t outs, std::size_t vectors, bool whole, class Real>
inline void weight_tile(const Real* delta, std::size_t delta_stride, const Real* h,
                        std::size_t h_stride, std::size_t rows, Real scale, Real* gradient,
                        std::size_t in, std::size_t columns) {
    const auto get = [&](const Real* row, std::size_t c) {
        const std::size_t begin = c * lanes<Real>;
        return whole ? load(row + begin) : load(row + begin, columns - begin);
    };
    Vec<Real> sums[outs][vectors] = {};
    for (std::size_t r = 0; r < rows; ++r) {
        Vec<Real> v[vectors];
        for (std::size_t c = 0; c < vectors; ++c) v[c] = get(h + r * h_stride, c);
        for (std::size_t o = 0; o < outs; ++o) {
            const Real factor = delta[r * delta_stride + o];
            for (std::size_t c = 0; c < vectors; ++c) sums[o][c] += factor * v[c];
        }
    }
#pragma GCC unroll 16
    for (std::size_t o = 0; o < outs; ++o) {
        Real* const row = gradient + o * in;
        for (std::size_t c = 0; c < vectors; ++c) {
            const std::size_t begin = c * lanes<Real>;
            const Vec<Real> sum = get(row, c) + scale * sums[o][c];
            if (whole)
                store(row + begin, sum);
            else
                store(row + begin, sum, columns - begin);
        }
    }
}

template <std::size_t vectors, bool whole, class Real>
void weight_columns(const Real* delta, std::size_t delta_stride, std::size_t outs, const Real* h,
                    std::size_t h_stride, std::size_t rows, Real scale, Real* gradient,
                    std::size_t in, std::size_t columns) {
    std::size_t o = 0;
    for (; o + tile_rows <= outs; o += tile_rows)
        weight_tile<tile_rows, vectors, whole>(delta + o, delta_stride, h, h_stride, rows, scale,
                                               gradient + o * in, in, columns);
    for (; o + 4 <= outs; o += 4)
        weight_tile<4, vectors, whole>(delta + o, delta_stride, h, h_stride, rows, scale,
                                       gradient + o * in, in, columns);
    for (; o < outs; ++o)
        weight_tile<1, vectors, whole>(delta + o, delta_stride, h, h_stride, rows, scale,
                                       gradient + o * in, in, columns);
}

/// Sums that do not wait for each other.
inline constexpr std::size_t chains = 4;

template <class Real>
void add_bias_gradient(const Real* delta, std::size_t stride, std::size_t outs, std::size_t rows,
                       Real* bias) {
    for (std::size_t o = 0; o < outs; o += lanes<Real>) {
        const std::size_t rest = outs - o;
        Vec<Real> sums[chains] = {};
        std::size_t r = 0;
        for (; r + chains <= rows; r += chains)
            for (std::size_t c = 0; c < chains; ++c)
                sums[c] += load(delta + (r + c) * stride + o, rest);
        for (; r < rows; ++r) sums[0] += load(delta + r * stride + o, rest);
        const Vec<Real> sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        store(bias + o, load(bias + o, rest) + sum, rest);
    }
}

/// The weights of one output: one sum a vector of inputs, in several chains.
template <class Real>
void narrow_weights(const Real* delta, std::size_t delta_stride, const Real* h,
                    std::size_t h_stride, std::size_t rows, Real scale, Real* gradient,
                    std::size_t in) {
    for (std::size_t i = 0; i < in; i += lanes<Real>) {
        const std::size_t rest = in - i;
        Vec<Real> sums[chains] = {};
        std::size_t r = 0;
        for (; r + chains <= rows; r += chains)
            for (std::size_t c = 0; c < chains; ++c)
                sums[c] += delta[(r + c) * delta_stride] * load(h + (r + c) * h_stride + i, rest);
        for (; r < rows; ++r) sums[0] += delta[r * delta_stride] * load(h + r * h_stride + i, rest);
        const Vec<Real> sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        store(gradient + i, load(gradient + i, rest) + scale * sum, rest);
    }
}

/// gradient [outs, in]
template <class Real>
void add_weights(const Real* delta, std::size_t delta_stride, std::size_t outs, const Real* h,
                 std::size_t h_stride, std::size_t rows, Real scale, Real* gradient,
                 std::size_t in) {
    constexpr std::size_t wide = tile_vectors * lanes<Real>;
    std::size_t i = 0;
    if (outs <= narrow_outputs) {
        for (std::size_t o = 0; o < outs; ++o)
            narrow_weights(delta + o, delta_stride, h, h_stride, rows, scale, gradient + o * in,
                           in);
        i = in;
    }
    for (; i + wide <= in; i += wide)
        weight_columns<tile_vectors, true>(delta, delta_stride, outs, h + i, h_stride, rows, scale,
                                           gradient + i, in, wide);
    if (i + lanes<Real> < in)
        weight_columns<tile_vectors, false>(delta, delta_stride, outs, h + i, h_stride, rows, scale,
                                            gradient + i, in, in - i);
    else if (i < in)
        weight_columns<1, false>(delta, delta_stride, outs, h + i, h_stride, rows, scale,
                                 gradient + i, in, in - i);
}

template <class Real>
std::vector<Real>& scratch(std::size_t which, std::size_t size) {
    thread_local std::vector<Real> buffers[3];
    if (buffers[which].size() < size) buffers[which].resize(size);
    return buffers[which];
}

}  // namespace
}  // namespace deepsl::network::DEEPSL_ISA
