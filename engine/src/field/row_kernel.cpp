#include "field/row_kernel.h"

namespace deepsl::field {

namespace portable {
template <class Real>
RowKernel<Real> kernel();
}
namespace avx2 {
template <class Real>
RowKernel<Real> kernel();
}
namespace avx512 {
template <class Real>
RowKernel<Real> kernel();
}

template <class Real>
const RowKernel<Real>& row_kernel() {
    static const RowKernel<Real> chosen = [] {
#ifdef DEEPSL_NETWORK_X86
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
            return avx512::kernel<Real>();
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            return avx2::kernel<Real>();
#endif
        return portable::kernel<Real>();
    }();
    return chosen;
}

template const RowKernel<float>& row_kernel();
template const RowKernel<double>& row_kernel();

}  // namespace deepsl::field
