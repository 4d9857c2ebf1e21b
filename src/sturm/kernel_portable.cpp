// The kernels for any x86-64 (or another processor: nothing here is specific to one).
#include <array>
#include <cstddef>
#include <numbers>
#include <vector>

#include "kernel.h"

namespace deepsl::sturm::detail {
namespace portable {
namespace {
constexpr double pi = std::numbers::pi;

#include "kernel.inl"

}  // namespace
}  // namespace portable

const Kernel& kernel_portable() {
    static const Kernel k{"portable",           portable::measure, portable::pass,
                          portable::from_left,  portable::trace,   portable::norm,
                          portable::sensitivity};
    return k;
}

}  // namespace deepsl::sturm::detail
