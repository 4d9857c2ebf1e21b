#include "kernel.h"

namespace deepsl::sturm::detail {

#ifdef DEEPSL_STURM_AVX2
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
bool has_avx2() { return false; }
const Kernel& kernel_avx2() { return kernel_portable(); }
#endif

const Kernel& kernel() {
    static const Kernel& chosen = has_avx2() ? kernel_avx2() : kernel_portable();
    return chosen;
}

}  // namespace deepsl::sturm::detail
