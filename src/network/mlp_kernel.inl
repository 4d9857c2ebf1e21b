// The kernel of perceptrons for one instruction set; product.inl says what it needs.
#include "network/product.inl"

namespace deepsl::network::DEEPSL_ISA {
namespace {

template <class Real>
void shape(Packed<Real>& packed) {
    packed.padded.clear();
    for (const std::size_t size : packed.sizes) packed.padded.push_back(round_up<Real>(size));
    if (packed.narrow()) packed.padded.back() = packed.outputs();
    packed.forward.resize(packed.depth());
    packed.backward.resize(packed.depth());
    for (std::size_t l = 0; l < packed.depth(); ++l) {
        const std::size_t in = packed.sizes[l], out = packed.sizes[l + 1];
        const bool rows = packed.narrow() && l + 1 == packed.depth();
        packed.forward[l].assign(
            rows ? out * (packed.padded[l] + 1) : (in + 1) * packed.padded[l + 1], Real(0));
        packed.backward[l].assign(out * packed.padded[l], Real(0));
    }
}

template <class Real>
void pack(Packed<Real>& packed, const double* values) {
    for (std::size_t l = 0; l < packed.depth(); ++l) {
        const std::size_t in = packed.sizes[l], out = packed.sizes[l + 1];
        const double* const weight = values;
        const double scale = l == 0 ? static_cast<double>(packed.scale) : 1.0;
        Real* const to = packed.forward[l].data();
        const bool rows = packed.narrow() && l + 1 == packed.depth();
        for (std::size_t j = 0; rows && j < out; ++j)
            for (std::size_t k = 0; k < in; ++k)
                to[j * packed.padded[l] + k] = static_cast<Real>(scale * weight[j * in + k]);
        if (!rows)
            panels(
                in, out, packed.padded[l + 1],
                [&](std::size_t k, std::size_t j) { return scale * weight[j * in + k]; }, to);
        values += in * out;
        Real* const bias = to + (rows ? out * packed.padded[l] : in * packed.padded[l + 1]);
        for (std::size_t j = 0; j < out; ++j) bias[j] = static_cast<Real>(values[j]);
        values += out;
        panels(
            out, in, packed.padded[l],
            [&](std::size_t k, std::size_t j) { return scale * weight[k * in + j]; },
            packed.backward[l].data());
    }
}

/// The inputs as the first layer sees them; their scale is in its weights.
template <class Real>
const Real* centred(const Packed<Real>& packed, const Real* x, std::size_t rows) {
    if (packed.shift == Real(0)) return x;
    const std::size_t count = rows * packed.inputs();
    Real* const out = scratch<Real>(2, count).data();
    for (std::size_t i = 0; i < count; ++i) out[i] = x[i] - packed.shift;
    return out;
}

/// The last layer where it has few outputs: a sum of products for each, instead of a vector of
/// outputs that is mostly padding.  r [output, rows]
template <class Real>
void narrow_product(const Packed<Real>& packed, const Real* h, std::size_t h_stride,
                    std::size_t rows, Real* r) {
    const std::size_t in = packed.sizes[packed.depth() - 1], out = packed.outputs();
    const std::size_t stride = packed.padded[packed.depth() - 1];
    const Real* const weight = packed.forward.back().data();
    for (std::size_t j = 0; j < out; ++j) {
        const Real* const w = weight + j * stride;
        const Real bias = weight[out * stride + j];
        for (std::size_t row = 0; row < rows; ++row) {
            Vec<Real> sum = {};
            // What stands in the padding may be NaN: an infinite input times a weight of zero.
            for (std::size_t k = 0; k < in; k += lanes<Real>)
                sum += load(h + row * h_stride + k, in - k) * load(w + k);
            r[j * rows + row] = bias + total<Real>(sum);
        }
    }
}

/// From the last layer's r to y [rows, outputs].
template <class Real>
void apply_heads(const Packed<Real>& packed, Real* r, std::size_t rows, Real* y, Real* saved) {
    const std::size_t out = packed.outputs(), stride = packed.padded.back();
    const bool planes = packed.narrow();
    for (std::size_t j = 0; j < packed.heads.size(); ++j) {
        if (planes)
            bound(packed.heads[j], r + j * rows, rows, 1,
                  saved != nullptr ? saved + j * rows : nullptr);
        else
            bound(packed.heads[j], r + j, rows, stride, saved != nullptr ? saved + j : nullptr);
    }
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t j = 0; j < out; ++j)
            y[row * out + j] = planes ? r[j * rows + row] : r[row * stride + j];
}

template <class Real>
void forward(const Packed<Real>& packed, const Real* x, std::size_t rows, Real* y, Real* saved) {
    const auto& sizes = packed.sizes;
    const auto& padded = packed.padded;
    const std::size_t depth = packed.depth();
    const std::size_t widest = *std::max_element(padded.begin(), padded.end());
    Real* const buffers[2] = {scratch<Real>(0, rows * widest).data(),
                              scratch<Real>(1, rows * widest).data()};
    const Act hidden = packed.tanh ? Act::tanh : Act::leaky_relu;
    const Real* from = centred(packed, x, rows);
    std::size_t from_stride = sizes[0];
    for (std::size_t l = 0; l < depth; ++l) {
        const bool last = l + 1 == depth;
        if (last && packed.narrow()) {
            narrow_product(packed, from, from_stride, rows, buffers[depth % 2]);
            break;
        }
        Product<Real> p{from, from_stride, rows, sizes[l], padded[l + 1], packed.forward[l].data()};
        p.bias = packed.forward[l].data() + sizes[l] * padded[l + 1];
        p.act = last ? Act::none : hidden;
        p.out = saved != nullptr && !last ? saved : buffers[(l + 1) % 2];
        p.out_stride = p.columns = padded[l + 1];
        if (last && packed.heads.empty()) {
            p.out = y;
            p.out_stride = p.columns = sizes[l + 1];
            return product(p);
        }
        product(p);
        from = p.out;
        from_stride = p.out_stride;
        if (saved != nullptr && !last) saved += rows * padded[l + 1];
    }
    apply_heads(packed, buffers[depth % 2], rows, y, saved);
}

/// From dy to the derivatives by the last layer's r  [rows, outputs]
template <class Real>
const Real* start_delta(const Packed<Real>& packed, const Real* dy, const Real* saved,
                        std::size_t rows, Real* delta) {
    if (packed.heads.empty()) return dy;
    const std::size_t out = packed.outputs(), step = packed.narrow() ? 1 : packed.padded.back();
    for (std::size_t j = 0; j < out; ++j) {
        const Real slope = packed.heads[j].radius * packed.heads[j].slope;
        const Real* const t = packed.narrow() ? saved + j * rows : saved + j;
        if (out == 1)
            for (std::size_t r = 0; r < rows; ++r) delta[r] = dy[r] * slope * (1 - t[r] * t[r]);
        else
            for (std::size_t r = 0; r < rows; ++r)
                delta[r * out + j] = dy[r * out + j] * slope * (1 - t[r * step] * t[r * step]);
    }
    return delta;
}

template <class Real>
void backward(const Packed<Real>& packed, const Real* x, const Real* saved, const Real* dy,
              std::size_t rows, Real* dx, Real* gradient) {
    const auto& sizes = packed.sizes;
    const auto& padded = packed.padded;
    const std::size_t depth = packed.depth();
    const std::size_t widest = *std::max_element(padded.begin(), padded.end());
    Real* const buffers[2] = {scratch<Real>(0, rows * widest).data(),
                              scratch<Real>(1, rows * widest).data()};
    const Act hidden = packed.tanh ? Act::tanh : Act::leaky_relu;
    if (gradient != nullptr) gradient += packed.parameters();
    saved += rows * packed.saved_per_row();
    if (!packed.heads.empty()) saved -= rows * padded[depth];

    const Real* delta = start_delta(packed, dy, saved, rows, buffers[0]);
    std::size_t delta_stride = sizes[depth];
    for (std::size_t l = depth; l-- > 0;) {
        if (l > 0) saved -= rows * padded[l];
        if (gradient != nullptr) {
            gradient -= (sizes[l] + 1) * sizes[l + 1];
            const Real* const h = l > 0 ? saved : centred(packed, x, rows);
            add_weights(delta, delta_stride, sizes[l + 1], h, l > 0 ? padded[l] : sizes[0], rows,
                        l > 0 ? Real(1) : packed.scale, gradient, sizes[l]);
            add_bias_gradient(delta, delta_stride, sizes[l + 1], rows,
                              gradient + sizes[l] * sizes[l + 1]);
        }
        if (l == 0 && dx == nullptr) return;
        Product<Real> p{delta,        delta_stride, rows,
                        sizes[l + 1], padded[l],    packed.backward[l].data()};
        p.slope_of = l > 0 ? saved : nullptr;
        p.slope_act = hidden;
        p.out = l > 0 ? buffers[(depth - l) % 2] : dx;
        p.out_stride = p.columns = l > 0 ? padded[l] : sizes[0];
        product(p);
        delta = p.out;
        delta_stride = p.out_stride;
    }
}

}  // namespace

template <class Real>
Kernel<Real> kernel() {
    return {&shape<Real>, &pack<Real>, &forward<Real>, &backward<Real>};
}

template Kernel<float> kernel<float>();
template Kernel<double> kernel<double>();

}  // namespace deepsl::network::DEEPSL_ISA
