// A file of its own: where the compiler sees these beside their callers, it warns of a mismatch.
#include "allocations.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace deepsl::test {

std::atomic<std::size_t> allocations = 0, largest_allocation = 0;

}  // namespace deepsl::test

namespace {

using deepsl::test::allocations, deepsl::test::largest_allocation;

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    auto known = largest_allocation.load(std::memory_order_relaxed);
    while (known < bytes && !largest_allocation.compare_exchange_weak(known, bytes)) continue;
    const auto whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    return std::aligned_alloc(alignment, whole);
}

void* counted_or_thrown(std::size_t bytes, std::size_t alignment) {
    if (void* const memory = counted(bytes, alignment)) return memory;
    throw std::bad_alloc();
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

// All forms in use: a sanitizer has its own for those left out, which do not go with these.
void* operator new(std::size_t bytes) { return counted_or_thrown(bytes, usual); }
void* operator new[](std::size_t bytes) { return counted_or_thrown(bytes, usual); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return counted_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
