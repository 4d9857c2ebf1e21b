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
std::vector<NamedRowKernel<Real>> row_kernels() {
    std::vector<NamedRowKernel<Real>> result{{"portable", portable::kernel<Real>()}};
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
const RowKernel<Real>& row_kernel() {
    static const RowKernel<Real> chosen = row_kernels<Real>().back().kernel;
    return chosen;
}

template std::vector<NamedRowKernel<float>> row_kernels();
template std::vector<NamedRowKernel<double>> row_kernels();
template const RowKernel<float>& row_kernel();
template const RowKernel<double>& row_kernel();

}  // namespace deepsl::field
