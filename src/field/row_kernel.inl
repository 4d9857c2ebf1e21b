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
    return total<Real>(lost) == Real(0);
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
    typedef float Half __attribute__((vector_size(DEEPSL_VECTOR_BYTES / 2)));
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
    for (std::size_t i = 0; i < n; i += lanes<Real>) {
        const auto other = load(a + i, n - i) != Vec<Real>{};
        auto any = other[0];
        for (std::size_t j = 1; j < lanes<Real>; ++j) any |= other[j];
        if (any != 0) return false;
    }
    return true;
}

}  // namespace

template <class Real>
RowKernel<Real> kernel() {
    return {&combine<Real>, &spread<Real>, &dot<Real>,     &squares,
            &add<Real>,     &blend<Real>,  &all_zero<Real>};
}

template RowKernel<float> kernel<float>();
template RowKernel<double> kernel<double>();

}  // namespace deepsl::field::DEEPSL_ISA
