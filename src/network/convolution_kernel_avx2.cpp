// The kernel of convolutions for AVX2 with FMA.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <immintrin.h>

#include "network/convolution_kernel.h"

#define DEEPSL_ISA avx2
#define DEEPSL_VECTOR_BYTES 32
#define DEEPSL_TILE_ROWS 6
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#include "network/convolution_kernel.inl"
#pragma GCC pop_options
