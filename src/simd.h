// A kernel is compiled once for each set of instructions, and the best that this processor can run
// is taken.
#pragma once

#include <vector>

namespace deepsl::simd {

template <class Kernel>
struct Named {
    const char* name;
    Kernel kernel;
};

/// Those that can run here, slowest first; the last two are asked for only where they exist.
template <class Kernel>
std::vector<Named<Kernel>> runnable(Kernel (*portable)(), Kernel (*avx2)(), Kernel (*avx512)()) {
    std::vector<Named<Kernel>> result{{"portable", portable()}};
#ifdef DEEPSL_NETWORK_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        result.push_back({"avx2", avx2()});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        result.push_back({"avx512", avx512()});
#endif
    return result;
}

}  // namespace deepsl::simd
