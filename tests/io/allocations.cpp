// A file of its own: where the compiler sees these beside their callers, it warns of a mismatch.
#include "allocations.h"

#include <algorithm>
#include <cstdlib>
#include <new>

std::size_t deepsl::test::largest_allocation = 0;

// All forms in use: a sanitizer has its own for those left out, which do not go with these.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    deepsl::test::largest_allocation = std::max(deepsl::test::largest_allocation, size);
    return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
    if (void* memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
