// The kernel of convolutions for AVX-512.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <immintrin.h>

#include "network/convolution_kernel.h"

#define DEEPSL_ISA avx512
#define DEEPSL_VECTOR_BYTES 64
#define DEEPSL_TILE_ROWS 12
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")
#include "network/convolution_kernel.inl"
#pragma GCC pop_options
