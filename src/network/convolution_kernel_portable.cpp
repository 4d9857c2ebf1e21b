// The kernel of convolutions for any processor.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "network/convolution_kernel.h"

#define DEEPSL_ISA portable
#define DEEPSL_VECTOR_BYTES 16
#define DEEPSL_TILE_ROWS 4
#include "network/convolution_kernel.inl"
