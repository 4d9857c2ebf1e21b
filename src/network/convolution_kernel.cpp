#include "network/convolution_kernel.h"

namespace deepsl::network {

namespace portable {
template <class Real>
ConvolutionKernel<Real> convolution_kernel();
}
#ifdef DEEPSL_NETWORK_X86
namespace avx2 {
template <class Real>
ConvolutionKernel<Real> convolution_kernel();
}
namespace avx512 {
template <class Real>
ConvolutionKernel<Real> convolution_kernel();
}
#else
namespace avx2 = portable;
namespace avx512 = portable;
#endif

template <class Real>
std::vector<simd::Named<ConvolutionKernel<Real>>> convolution_kernels() {
    return simd::runnable(&portable::convolution_kernel<Real>, &avx2::convolution_kernel<Real>,
                          &avx512::convolution_kernel<Real>);
}

template <class Real>
const ConvolutionKernel<Real>& convolution_kernel() {
    static const ConvolutionKernel<Real> chosen = convolution_kernels<Real>().back().kernel;
    return chosen;
}

template std::vector<simd::Named<ConvolutionKernel<float>>> convolution_kernels();
template std::vector<simd::Named<ConvolutionKernel<double>>> convolution_kernels();
template const ConvolutionKernel<float>& convolution_kernel();
template const ConvolutionKernel<double>& convolution_kernel();

}  // namespace deepsl::network
