// The largest allocation asked of operator new, in the executable that links allocations.cpp.
#pragma once

#include <cstddef>

namespace deepsl::test {

extern std::size_t largest_allocation;

}  // namespace deepsl::test
