#include "network/mlp_kernel.h"

namespace deepsl::network {

namespace portable {
template <class Real>
Kernel<Real> kernel();
}
namespace avx2 {
template <class Real>
Kernel<Real> kernel();
}
namespace avx512 {
template <class Real>
Kernel<Real> kernel();
}

template <class Real>
std::vector<NamedKernel<Real>> kernels() {
    std::vector<NamedKernel<Real>> result{{"portable", portable::kernel<Real>()}};
#ifdef DEEPSL_NETWORK_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        result.push_back({"avx2", avx2::kernel<Real>()});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        result.push_back({"avx512", avx512::kernel<Real>()});
#endif
    return result;
}

template <class Real>
const Kernel<Real>& kernel() {
    static const Kernel<Real> chosen = kernels<Real>().back().kernel;
    return chosen;
}

template std::vector<NamedKernel<float>> kernels();
template std::vector<NamedKernel<double>> kernels();
template const Kernel<float>& kernel();
template const Kernel<double>& kernel();

}  // namespace deepsl::network
