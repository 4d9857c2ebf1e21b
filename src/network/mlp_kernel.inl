// The kernel for one instruction set. The including file defines DEEPSL_ISA, a namespace name,
// and DEEPSL_VECTOR_BYTES and DEEPSL_TILE_ROWS, the registers' width and the rows of a tile: the
// tile's sums, DEEPSL_TILE_ROWS x 2 vectors, must fit into the registers beside their factors.
// It also includes the standard headers first, outside the pragma that selects the instructions.
namespace deepsl::network::DEEPSL_ISA {
namespace {

template <class Real>
struct VectorOf {
    typedef Real Type __attribute__((vector_size(DEEPSL_VECTOR_BYTES)));
};
template <class Real>
using Vec = typename VectorOf<Real>::Type;

template <class Real>
inline constexpr std::size_t lanes = DEEPSL_VECTOR_BYTES / sizeof(Real);

inline constexpr std::size_t tile_rows = DEEPSL_TILE_ROWS;
inline constexpr std::size_t tile_vectors = 2;

template <class Real>
std::size_t round_up(std::size_t n) {
    return (n + lanes<Real> - 1) / lanes<Real> * lanes<Real>;
}

template <class Real>
inline Vec<Real> load(const Real* from) {
    Vec<Real> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <class Real>
inline void store(Real* to, Vec<Real> v) {
    std::memcpy(to, &v, sizeof v);
}

/// A rational function fitted to tanh(x)/x in x^2 on |x| < 9.02, where a float tanh becomes 1:
/// within 3.5e-7 relative, about 3 units in the last place.
inline Vec<float> tanh_of(Vec<float> x) {
    const Vec<float> one = Vec<float>{} + 1.0f;  // not x - x, which is NaN at infinity
    const Vec<float> limit = one * 9.0f;
    x = x > limit ? limit : (x < -limit ? -limit : x);
    const Vec<float> y = x * x;
    const Vec<float> top =
        ((((1.33214675e-08f * y + 2.05857329e-05f) * y + 0.00349419706f) * y + 0.133798646f) * y +
         0.99999998f) *
        x;
    const Vec<float> bottom =
        (((7.76314975e-07f * y + 0.000328333985f) * y + 0.025871721f) * y + 0.467131805f) * y +
        1.0f;
    const Vec<float> t = top / bottom;
    return t > one ? one : (t < -one ? -one : t);
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
    std::size_t x_stride, rows, depth, width;
    const Real* panels;
    const Real* bias = nullptr;      // padded, or null for zero
    Act act = Act::none;             // applied to the result
    const Real* slope_of = nullptr;  // [rows, out_stride]: multiplied by the slope there
    Act slope_act = Act::none;
    Real* out = nullptr;
    std::size_t out_stride = 0;
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
            store(p.out + at, value);
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
std::vector<Real> panels(std::size_t depth, std::size_t columns, std::size_t width, At at) {
    std::vector<Real> result(depth * width, Real(0));
    Real* out = result.data();
    std::size_t column = 0;
    while (column < width) {
        const std::size_t rest = width - column;
        const std::size_t size =
            rest >= tile_vectors * lanes<Real> ? tile_vectors * lanes<Real> : lanes<Real>;
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t j = 0; j < size; ++j, ++out)
                if (column + j < columns) *out = at(k, column + j);
        column += size;
    }
    return result;
}

template <class Real>
Packed<Real> pack(const Layers<Real>& layers) {
    Packed<Real> packed{layers, {}, {}, {}};
    for (const std::size_t size : layers.sizes) packed.padded.push_back(round_up<Real>(size));
    for (std::size_t l = 0; l < layers.depth(); ++l) {
        const std::size_t in = layers.sizes[l], out = layers.sizes[l + 1];
        const Real* weight = layers.weight[l];
        auto forward =
            panels<Real>(in, out, packed.padded[l + 1],
                         [&](std::size_t k, std::size_t j) { return weight[j * in + k]; });
        // The bias, padded, rides behind the panels.
        forward.insert(forward.end(), layers.bias[l], layers.bias[l] + out);
        forward.resize(forward.size() + packed.padded[l + 1] - out, Real(0));
        packed.forward.push_back(std::move(forward));
        packed.backward.push_back(
            panels<Real>(out, in, packed.padded[l],
                         [&](std::size_t k, std::size_t j) { return weight[k * in + j]; }));
    }
    return packed;
}

/// The inputs as the first layer sees them, padded with zeros.
template <class Real>
void centre(const Packed<Real>& packed, const Real* x, std::size_t rows, Real* out) {
    const std::size_t in = packed.layers.inputs(), stride = packed.padded[0];
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < in; ++i)
            out[r * stride + i] = packed.layers.scale * (x[r * in + i] - packed.layers.shift);
        std::fill(out + r * stride + in, out + (r + 1) * stride, Real(0));
    }
}

template <class Real>
std::vector<Real>& scratch(std::size_t which, std::size_t size) {
    thread_local std::vector<Real> buffers[3];
    if (buffers[which].size() < size) buffers[which].resize(size);
    return buffers[which];
}

/// From the last layer's r to y; keeps the tanh for the backward sweep.
template <class Real>
void apply_head(const Packed<Real>& packed, Real* r, std::size_t rows, Real* y, Real* saved) {
    const auto& head = packed.layers.head;
    const std::size_t out = packed.layers.outputs(), stride = packed.padded.back();
    for (std::size_t row = 0; row < rows; ++row, r += stride, y += out) {
        for (std::size_t j = 0; head.bounded && j < stride; j += lanes<Real>) {
            const Vec<Real> t = tanh_of((load(r + j) - head.shift) * head.slope);
            if (saved != nullptr) store(saved + row * stride + j, t);
            store(r + j, head.centre + head.radius * t);
        }
        std::copy_n(r, out, y);
    }
}

template <class Real>
void forward(const Packed<Real>& packed, const Real* x, std::size_t rows, Real* y, Real* saved) {
    const auto& sizes = packed.layers.sizes;
    const auto& padded = packed.padded;
    const std::size_t depth = packed.layers.depth();
    const std::size_t widest = *std::max_element(padded.begin(), padded.end());
    Real* const rooms[2] = {scratch<Real>(0, rows * widest).data(),
                            scratch<Real>(1, rows * widest).data()};
    const Act hidden = packed.layers.tanh ? Act::tanh : Act::leaky_relu;
    centre(packed, x, rows, rooms[0]);
    const Real* from = rooms[0];
    for (std::size_t l = 0; l < depth; ++l) {
        const bool last = l + 1 == depth;
        Product<Real> p{from, padded[l], rows, sizes[l], padded[l + 1], packed.forward[l].data()};
        p.bias = packed.forward[l].data() + sizes[l] * padded[l + 1];
        p.act = last ? Act::none : hidden;
        p.out = saved != nullptr && !last ? saved : rooms[(l + 1) % 2];
        p.out_stride = padded[l + 1];
        product(p);
        from = p.out;
        if (saved != nullptr && !last) saved += rows * padded[l + 1];
    }
    apply_head(packed, rooms[depth % 2], rows, y, saved);
}

// gradient[o, i] += sum over rows of delta[r, o] * h[r, i], for `outs` rows of it.
template <std::size_t outs, std::size_t vectors, class Real>
inline void weight_tile(const Real* delta, std::size_t delta_stride, const Real* h,
                        std::size_t h_stride, std::size_t rows, Real* gradient, std::size_t in,
                        std::size_t columns) {
    Vec<Real> sums[outs][vectors] = {};
    for (std::size_t r = 0; r < rows; ++r) {
        Vec<Real> v[vectors];
        for (std::size_t c = 0; c < vectors; ++c) v[c] = load(h + r * h_stride + c * lanes<Real>);
        for (std::size_t o = 0; o < outs; ++o) {
            const Real factor = delta[r * delta_stride + o];
            for (std::size_t c = 0; c < vectors; ++c) sums[o][c] += factor * v[c];
        }
    }
    for (std::size_t o = 0; o < outs; ++o) {
        Real* const row = gradient + o * in;
        for (std::size_t c = 0; c < vectors; ++c) {
            const std::size_t begin = c * lanes<Real>;
            if (begin + lanes<Real> <= columns) {
                store(row + begin, load(row + begin) + sums[o][c]);
            } else {
                for (std::size_t i = begin; i < columns; ++i) row[i] += sums[o][c][i - begin];
            }
        }
    }
}

template <std::size_t vectors, class Real>
void weight_columns(const Real* delta, std::size_t delta_stride, std::size_t outs, const Real* h,
                    std::size_t h_stride, std::size_t rows, Real* gradient, std::size_t in,
                    std::size_t columns) {
    std::size_t o = 0;
    for (; o + tile_rows <= outs; o += tile_rows)
        weight_tile<tile_rows, vectors>(delta + o, delta_stride, h, h_stride, rows,
                                        gradient + o * in, in, columns);
    for (; o + 4 <= outs; o += 4)
        weight_tile<4, vectors>(delta + o, delta_stride, h, h_stride, rows, gradient + o * in, in,
                                columns);
    for (; o < outs; ++o)
        weight_tile<1, vectors>(delta + o, delta_stride, h, h_stride, rows, gradient + o * in, in,
                                columns);
}

template <class Real>
void add_weight_gradient(const Real* delta, std::size_t delta_stride, std::size_t outs,
                         const Real* h, std::size_t h_stride, std::size_t rows, Real* gradient,
                         std::size_t in) {
    constexpr std::size_t wide = tile_vectors * lanes<Real>;
    std::size_t i = 0;
    for (; i + wide <= round_up<Real>(in); i += wide)
        weight_columns<tile_vectors>(delta, delta_stride, outs, h + i, h_stride, rows, gradient + i,
                                     in, std::min(wide, in - i));
    for (; i < in; i += lanes<Real>)
        weight_columns<1>(delta, delta_stride, outs, h + i, h_stride, rows, gradient + i, in,
                          std::min(lanes<Real>, in - i));
    Real* const bias = gradient + outs * in;
    for (std::size_t o = 0; o < outs; o += lanes<Real>) {
        Vec<Real> sum = {};
        for (std::size_t r = 0; r < rows; ++r) sum += load(delta + r * delta_stride + o);
        for (std::size_t j = 0; j < std::min(lanes<Real>, outs - o); ++j) bias[o + j] += sum[j];
    }
}

template <class Real>
void backward(const Packed<Real>& packed, const Real* x, const Real* saved, const Real* dy,
              std::size_t rows, Real* dx, Real* gradient) {
    const auto& sizes = packed.layers.sizes;
    const auto& padded = packed.padded;
    const std::size_t depth = packed.layers.depth();
    const std::size_t widest = *std::max_element(padded.begin(), padded.end());
    Real* const rooms[2] = {scratch<Real>(0, rows * widest).data(),
                            scratch<Real>(1, rows * widest).data()};
    Real* const inputs = scratch<Real>(2, rows * padded[0]).data();
    const Act hidden = packed.layers.tanh ? Act::tanh : Act::leaky_relu;
    if (gradient != nullptr) {
        centre(packed, x, rows, inputs);
        gradient += packed.layers.parameters();
    }
    saved += rows * packed.saved_per_row();

    Real* delta = rooms[0];
    const auto& head = packed.layers.head;
    if (head.bounded) saved -= rows * padded[depth];
    for (std::size_t r = 0; r < rows; ++r) {
        Real* const row = delta + r * padded[depth];
        std::copy_n(dy + r * sizes[depth], sizes[depth], row);
        for (std::size_t j = 0; head.bounded && j < sizes[depth]; ++j) {
            const Real t = saved[r * padded[depth] + j];
            row[j] *= head.radius * head.slope * (1 - t * t);
        }
    }
    for (std::size_t l = depth; l-- > 0;) {
        if (l > 0) saved -= rows * padded[l];
        const Real* const h = l > 0 ? saved : inputs;
        if (gradient != nullptr) {
            gradient -= (sizes[l] + 1) * sizes[l + 1];
            add_weight_gradient(delta, padded[l + 1], sizes[l + 1], h, padded[l], rows, gradient,
                                sizes[l]);
        }
        if (l == 0 && dx == nullptr) return;
        Product<Real> p{delta,        padded[l + 1], rows,
                        sizes[l + 1], padded[l],     packed.backward[l].data()};
        p.slope_of = l > 0 ? h : nullptr;
        p.slope_act = hidden;
        p.out = rooms[(depth - l) % 2];
        p.out_stride = padded[l];
        product(p);
        delta = p.out;
    }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < sizes[0]; ++i)
            dx[r * sizes[0] + i] = packed.layers.scale * delta[r * padded[0] + i];
}

}  // namespace

template <class Real>
Kernel<Real> kernel() {
    return {&pack<Real>, &forward<Real>, &backward<Real>};
}

template Kernel<float> kernel<float>();
template Kernel<double> kernel<double>();

}  // namespace deepsl::network::DEEPSL_ISA
