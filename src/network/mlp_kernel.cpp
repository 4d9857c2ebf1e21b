#include "network/mlp_kernel.h"

namespace deepsl::network {

namespace portable {
template <class Real>
Kernel<Real> kernel();
}
#ifdef DEEPSL_NETWORK_X86
namespace avx2 {
template <class Real>
Kernel<Real> kernel();
}
namespace avx512 {
template <class Real>
Kernel<Real> kernel();
}
#else
namespace avx2 = portable;
namespace avx512 = portable;
#endif

template <class Real>
std::vector<simd::Named<Kernel<Real>>> kernels() {
    return simd::runnable(&portable::kernel<Real>, &avx2::kernel<Real>, &avx512::kernel<Real>);
}

template <class Real>
const Kernel<Real>& kernel() {
    static const Kernel<Real> chosen = kernels<Real>().back().kernel;
    return chosen;
}

template std::vector<simd::Named<Kernel<float>>> kernels();
template std::vector<simd::Named<Kernel<double>>> kernels();
template const Kernel<float>& kernel();
template const Kernel<double>& kernel();

}  // namespace deepsl::network
