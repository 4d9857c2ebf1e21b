// The kernels for AVX2 with FMA.
#include <array>
#include <cstddef>
#include <numbers>
#include <vector>

#include "kernel.h"

namespace deepsl::sturm::detail {
namespace avx2 {
namespace {
constexpr double pi = std::numbers::pi;
#pragma GCC push_options
#pragma GCC target("avx2,fma")

#include "kernel.inl"

#pragma GCC pop_options

}  // namespace
}  // namespace avx2

const Kernel& kernel_avx2() {
    static const Kernel k{"avx2",      avx2::measure, avx2::pass,       avx2::from_left,
                          avx2::trace, avx2::norm,    avx2::sensitivity};
    return k;
}

}  // namespace deepsl::sturm::detail
