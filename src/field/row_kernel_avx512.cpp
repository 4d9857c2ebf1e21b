// Sums of rows: avx512.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "field/row_kernel.h"

#define DEEPSL_ISA avx512
#define DEEPSL_VECTOR_BYTES 64
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")
#include "field/row_kernel.inl"
#pragma GCC pop_options
