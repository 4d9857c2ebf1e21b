#include "field/row_kernel.h"

namespace deepsl::field {

namespace portable {
template <class Real>
RowKernel<Real> kernel();
}
#ifdef DEEPSL_NETWORK_X86
namespace avx2 {
template <class Real>
RowKernel<Real> kernel();
}
namespace avx512 {
template <class Real>
RowKernel<Real> kernel();
}
#else
namespace avx2 = portable;
namespace avx512 = portable;
#endif

template <class Real>
std::vector<simd::Named<RowKernel<Real>>> row_kernels() {
    return simd::runnable(&portable::kernel<Real>, &avx2::kernel<Real>, &avx512::kernel<Real>);
}

template <class Real>
const RowKernel<Real>& row_kernel() {
    static const RowKernel<Real> chosen = row_kernels<Real>().back().kernel;
    return chosen;
}

template std::vector<simd::Named<RowKernel<float>>> row_kernels();
template std::vector<simd::Named<RowKernel<double>>> row_kernels();
template const RowKernel<float>& row_kernel();
template const RowKernel<double>& row_kernel();

}  // namespace deepsl::field
