// Vectors of one instruction set, for the kernels. The including file defines DEEPSL_ISA, a
// namespace name, and DEEPSL_VECTOR_BYTES, the registers' width; it includes <cstddef>, <cstdint>,
// <cstring> and, if there is one, the header of the instructions first, outside the pragma that
// selects them.
namespace deepsl::simd::DEEPSL_ISA {
namespace {

template <class Real>
struct VectorOf {
    using Type __attribute__((vector_size(DEEPSL_VECTOR_BYTES))) = Real;
};
template <class Real>
using Vec = typename VectorOf<Real>::Type;

template <class Real>
inline constexpr std::size_t lanes = DEEPSL_VECTOR_BYTES / sizeof(Real);

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

// load(from, rest): the first `rest` numbers, or a whole vector if there are more; zeros behind
// them. store(to, v, rest): as many, and nothing behind them is touched. Whole vectors are not
// masked: a load waits for a masked store before it.
#if DEEPSL_VECTOR_BYTES == 64
inline __mmask16 first_of_16(std::size_t rest) { return static_cast<__mmask16>((1U << rest) - 1U); }
inline __mmask8 first_of_8(std::size_t rest) { return static_cast<__mmask8>((1U << rest) - 1U); }
inline Vec<float> load(const float* from, std::size_t rest) {
    if (rest >= lanes<float>) return load(from);
    return reinterpret_cast<Vec<float>>(_mm512_maskz_loadu_ps(first_of_16(rest), from));
}
inline Vec<double> load(const double* from, std::size_t rest) {
    if (rest >= lanes<double>) return load(from);
    return reinterpret_cast<Vec<double>>(_mm512_maskz_loadu_pd(first_of_8(rest), from));
}
inline void store(float* to, Vec<float> v, std::size_t rest) {
    if (rest >= lanes<float>) return store(to, v);
    _mm512_mask_storeu_ps(to, first_of_16(rest), reinterpret_cast<__m512>(v));
}
inline void store(double* to, Vec<double> v, std::size_t rest) {
    if (rest >= lanes<double>) return store(to, v);
    _mm512_mask_storeu_pd(to, first_of_8(rest), reinterpret_cast<__m512d>(v));
}
#elif DEEPSL_VECTOR_BYTES == 32
inline __m256i first_bytes(std::size_t bytes) {
    alignas(32) static constexpr std::int32_t words[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 - bytes / 4));
}
inline Vec<float> load(const float* from, std::size_t rest) {
    if (rest >= lanes<float>) return load(from);
    return reinterpret_cast<Vec<float>>(_mm256_maskload_ps(from, first_bytes(4 * rest)));
}
inline Vec<double> load(const double* from, std::size_t rest) {
    if (rest >= lanes<double>) return load(from);
    return reinterpret_cast<Vec<double>>(_mm256_maskload_pd(from, first_bytes(8 * rest)));
}
inline void store(float* to, Vec<float> v, std::size_t rest) {
    if (rest >= lanes<float>) return store(to, v);
    _mm256_maskstore_ps(to, first_bytes(4 * rest), reinterpret_cast<__m256>(v));
}
inline void store(double* to, Vec<double> v, std::size_t rest) {
    if (rest >= lanes<double>) return store(to, v);
    _mm256_maskstore_pd(to, first_bytes(8 * rest), reinterpret_cast<__m256d>(v));
}
#else
template <class Real>
inline Vec<Real> load(const Real* from, std::size_t rest) {
    if (rest >= lanes<Real>) return load(from);
    Vec<Real> v = {};
    for (std::size_t i = 0; i < rest; ++i) v[i] = from[i];
    return v;
}
template <class Real>
inline void store(Real* to, Vec<Real> v, std::size_t rest) {
    if (rest >= lanes<Real>) return store(to, v);
    for (std::size_t i = 0; i < rest; ++i) to[i] = v[i];
}
#endif

/// The sum of all lanes, always in the same order.
template <class Real>
inline Real total(Vec<Real> v) {
    Real lane[lanes<Real>];
    std::memcpy(lane, &v, sizeof v);
    for (std::size_t half = lanes<Real> / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    return lane[0];
}
#if DEEPSL_VECTOR_BYTES == 64
template <>
inline float total<float>(Vec<float> v) {
    return _mm512_reduce_add_ps(reinterpret_cast<__m512>(v));
}
template <>
inline double total<double>(Vec<double> v) {
    return _mm512_reduce_add_pd(reinterpret_cast<__m512d>(v));
}
#endif

/// Whether a lane is not zero; NaN is not.
#if DEEPSL_VECTOR_BYTES == 64
inline bool any(Vec<float> v) {
    return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(v), _mm512_setzero_ps(), _CMP_NEQ_UQ) != 0;
}
inline bool any(Vec<double> v) {
    return _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(v), _mm512_setzero_pd(), _CMP_NEQ_UQ) != 0;
}
#elif DEEPSL_VECTOR_BYTES == 32
inline bool any(Vec<float> v) {
    const __m256 other =
        _mm256_cmp_ps(reinterpret_cast<__m256>(v), _mm256_setzero_ps(), _CMP_NEQ_UQ);
    return _mm256_movemask_ps(other) != 0;
}
inline bool any(Vec<double> v) {
    const __m256d other =
        _mm256_cmp_pd(reinterpret_cast<__m256d>(v), _mm256_setzero_pd(), _CMP_NEQ_UQ);
    return _mm256_movemask_pd(other) != 0;
}
#else
template <class V>
inline bool any(V v) {
    bool other = false;
    for (std::size_t i = 0; i < sizeof v / sizeof v[0]; ++i) other |= v[i] != 0;
    return other;
}
#endif

}  // namespace
}  // namespace deepsl::simd::DEEPSL_ISA
