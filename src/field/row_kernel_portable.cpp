// Sums of rows: portable.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "field/row_kernel.h"

#define DEEPSL_ISA portable
#define DEEPSL_VECTOR_BYTES 16
#include "field/row_kernel.inl"
