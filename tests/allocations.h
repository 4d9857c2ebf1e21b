// What is asked of operator new, in the executable that links allocations.cpp.
#pragma once

#include <atomic>
#include <cstddef>

namespace deepsl::test {

extern std::atomic<std::size_t> allocations;         // so many, on all threads
extern std::atomic<std::size_t> largest_allocation;  // bytes

}  // namespace deepsl::test
