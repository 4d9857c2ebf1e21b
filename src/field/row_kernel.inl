// The loops for one instruction set. The including file defines DEEPSL_ISA and DEEPSL_VECTOR_BYTES
// and includes the standard headers first, outside the pragma that selects the instructions.
#include "simd.inl"

namespace deepsl::field::DEEPSL_ISA {
namespace {

using namespace simd::DEEPSL_ISA;

template <class Real>
bool combine(const Real* start, const Real* const* k, const Real* factor, std::size_t count,
             std::size_t n, Real* out) {
    Vec<Real> lost = {};  // 0 times infinity or NaN is NaN
    for (std::size_t i = 0; i < n; i += lanes<Real>) {
        Vec<Real> sum = load(start + i, n - i);
        for (std::size_t j = 0; j < count; ++j) sum += factor[j] * load(k[j] + i, n - i);
        lost += sum * Real(0);
        store(out + i, sum, n - i);
    }
    return !any(lost);
}

template <class Real>
RowSums<Real> spread(const Real* seed, const Real* const* k, const Spread<Real>& weights,
                     std::size_t count, std::size_t n, Real* const* dk) {
    Vec<Real> first = {}, second = {};
    for (std::size_t i = 0; i < n; i += lanes<Real>) {
        const std::size_t rest = n - i;
        const Vec<Real> s = load(seed + i, rest);
        Vec<Real> by_first = {}, by_second = {};
        for (std::size_t j = 0; j < count; ++j) {
            store(dk[j] + i, load(dk[j] + i, rest) + weights.factor[j] * s, rest);
            const Vec<Real> slope = load(k[j] + i, rest);
            by_first += weights.first[j] * slope;
            by_second += weights.second[j] * slope;
        }
        first += s * by_first;
        second += s * by_second;
    }
    return {total<Real>(first), total<Real>(second)};
}

template <class Real>
Real dot(const Real* a, const Real* b, std::size_t n) {
    Vec<Real> sum = {};
    for (std::size_t i = 0; i < n; i += lanes<Real>) sum += load(a + i, n - i) * load(b + i, n - i);
    return total<Real>(sum);
}

template <class Real>
void add(const Real* from, std::size_t n, Real* to) {
    for (std::size_t i = 0; i < n; i += lanes<Real>)
        store(to + i, load(to + i, n - i) + load(from + i, n - i), n - i);
}

inline double squares(const double* a, std::size_t n) { return dot(a, a, n); }

inline double squares(const float* a, std::size_t n) {
    using Half __attribute__((vector_size(DEEPSL_VECTOR_BYTES / 2))) = float;
    Vec<double> sums[2] = {};
    for (std::size_t i = 0; i < n; i += lanes<float>) {
        const Vec<float> v = load(a + i, n - i);
        Half half[2];
        std::memcpy(half, &v, sizeof v);
        for (std::size_t j = 0; j < 2; ++j) {
            const Vec<double> wide = __builtin_convertvector(half[j], Vec<double>);
            sums[j] += wide * wide;
        }
    }
    return total<double>(sums[0] + sums[1]);
}

template <class Real>
void blend(Real a, const Real* x, Real b, const Real* y, std::size_t n, Real* out) {
    for (std::size_t i = 0; i < n; i += lanes<Real>)
        store(out + i, a * load(x + i, n - i) + b * load(y + i, n - i), n - i);
}

template <class Real>
bool all_zero(const Real* a, std::size_t n) {
    for (std::size_t i = 0; i < n; i += lanes<Real>)
        if (any(load(a + i, n - i))) return false;
    return true;
}

template <class Real>
void step(const Real* z, const double* h, const Real* k, std::size_t stride,
          const StepWeights& weights, std::size_t rows, std::size_t n, Real* out) {
    const Real* from[Method::max_stages];
    Real factor[Method::max_stages];
    for (std::size_t r = 0; r < rows; ++r, z += n, k += n, out += n) {
        for (std::size_t j = 0; j < weights.count; ++j) {
            from[j] = k + weights.stage[j] * stride;
            factor[j] = static_cast<Real>(h[r] * weights.weight[j]);
        }
        // A line that is lost must not lead the field, and its gradient, to NaN.
        if (!combine(z, from, factor, weights.count, n, out)) std::memcpy(out, z, n * sizeof(Real));
    }
}

template <class Real>
void step_pullback(const Real* seed, const double* h, const Real* k, std::size_t stride,
                   const StepWeights& weights, std::size_t rows, std::size_t n, Real* dz, Real* dk,
                   double* dh) {
    const Real* from[Method::max_stages];
    Real* to[Method::max_stages];
    Spread<Real> spreading;
    for (std::size_t j = 0; j < weights.count; ++j)
        spreading.first[j] = static_cast<Real>(weights.weight[j]);
    for (std::size_t r = 0; r < rows; ++r, seed += n, k += n, dz += n, dk += n) {
        // Nothing is wanted of this row; its slopes may be infinite.
        if (all_zero(seed, n)) continue;
        add(seed, n, dz);
        for (std::size_t j = 0; j < weights.count; ++j) {
            from[j] = k + weights.stage[j] * stride;
            to[j] = dk + weights.stage[j] * stride;
            spreading.factor[j] = static_cast<Real>(h[r] * weights.weight[j]);
        }
        const auto sums = spread(seed, from, spreading, weights.count, n, to);
        if (dh != nullptr) dh[r] += static_cast<double>(sums.first);
    }
}

// The next two: a = unit + bending b / sqrt(1 + |b|^2), which is never longer than its parts.
template <class Real>
void bend(const Real* unit, Real bending, std::size_t rows, std::size_t n, Real* a) {
    for (std::size_t r = 0; r < rows; ++r, a += n)
        blend(Real(1), unit, bending / std::sqrt(1 + dot(a, a, n)), a, n, a);
}

template <class Real>
void bend_pullback(const Real* da, Real bending, std::size_t rows, std::size_t n, Real* b,
                   Real* sum) {
    for (std::size_t r = 0; r < rows; ++r, da += n, b += n) {
        const Real square = 1 / (1 + dot(b, b, n));
        const Real factor = bending * std::sqrt(square);
        add(da, n, sum);
        blend(factor, da, -factor * square * dot(b, da, n), b, n, b);
    }
}

}  // namespace

template <class Real>
RowKernel<Real> kernel() {
    return {&combine<Real>, &spread<Real>, &dot<Real>,           &squares,    &add<Real>,
            &blend<Real>,   &step<Real>,   &step_pullback<Real>, &bend<Real>, &bend_pullback<Real>};
}

template RowKernel<float> kernel<float>();
template RowKernel<double> kernel<double>();

}  // namespace deepsl::field::DEEPSL_ISA
