// The loops for one instruction set. The including file defines DEEPSL_ISA and DEEPSL_VECTOR_BYTES
// and includes the standard headers first, outside the pragma that selects the instructions.
namespace deepsl::field::DEEPSL_ISA {
namespace {

template <class Real>
struct VectorOf {
    typedef Real Type __attribute__((vector_size(DEEPSL_VECTOR_BYTES)));
};
template <class Real>
using Vec = typename VectorOf<Real>::Type;

template <class Real>
inline constexpr std::size_t lanes = DEEPSL_VECTOR_BYTES / sizeof(Real);

/// The numbers from `from` on, as many as there are; zeros behind them.
template <class Real>
inline Vec<Real> load(const Real* from, std::size_t rest) {
    Vec<Real> v = {};
    if (rest >= lanes<Real>) {
        std::memcpy(&v, from, sizeof v);
    } else {
        Real lane[lanes<Real>] = {};
        for (std::size_t i = 0; i < rest; ++i) lane[i] = from[i];
        std::memcpy(&v, lane, sizeof v);
    }
    return v;
}

template <class Real>
inline void store(Real* to, Vec<Real> v, std::size_t rest) {
    if (rest >= lanes<Real>) {
        std::memcpy(to, &v, sizeof v);
    } else {
        Real lane[lanes<Real>];
        std::memcpy(lane, &v, sizeof v);
        for (std::size_t i = 0; i < rest; ++i) to[i] = lane[i];
    }
}

/// The sum of all lanes, always in the same order.
#if DEEPSL_VECTOR_BYTES == 64
inline float total(Vec<float> v) { return _mm512_reduce_add_ps(reinterpret_cast<__m512>(v)); }
inline double total(Vec<double> v) { return _mm512_reduce_add_pd(reinterpret_cast<__m512d>(v)); }
#else
template <class V>
inline auto total(V v) {
    auto sum = v[0] - v[0];
    for (std::size_t i = 0; i < sizeof v / sizeof sum; ++i) sum += v[i];
    return sum;
}
#endif

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
    return total(lost) == Real(0);
}

template <class Real>
void spread(const Real* seed, const Real* const* k, const Real* factor, std::size_t count,
            std::size_t n, Real* const* dk, Real* product) {
    for (std::size_t j = 0; j < count; ++j) {
        Vec<Real> sum = {};
        for (std::size_t i = 0; i < n; i += lanes<Real>) {
            const Vec<Real> s = load(seed + i, n - i);
            store(dk[j] + i, load(dk[j] + i, n - i) + factor[j] * s, n - i);
            sum += s * load(k[j] + i, n - i);
        }
        product[j] = total(sum);
    }
}

template <class Real>
Real dot(const Real* a, const Real* b, std::size_t n) {
    Vec<Real> sum = {};
    for (std::size_t i = 0; i < n; i += lanes<Real>) sum += load(a + i, n - i) * load(b + i, n - i);
    return total(sum);
}

template <class Real>
void add(const Real* from, std::size_t n, Real* to) {
    for (std::size_t i = 0; i < n; i += lanes<Real>)
        store(to + i, load(to + i, n - i) + load(from + i, n - i), n - i);
}

}  // namespace

template <class Real>
RowKernel<Real> kernel() {
    return {&combine<Real>, &spread<Real>, &dot<Real>, &add<Real>};
}

template RowKernel<float> kernel<float>();
template RowKernel<double> kernel<double>();

}  // namespace deepsl::field::DEEPSL_ISA
