// Sums of rows: avx2.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "field/row_kernel.h"

#define DEEPSL_ISA avx2
#define DEEPSL_VECTOR_BYTES 32
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#include "field/row_kernel.inl"
#pragma GCC pop_options
