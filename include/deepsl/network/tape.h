// What the forward sweep leaves for the backward one: a stack of numbers. Whoever pushes in the
// forward sweep pops the same amounts in the backward sweep, in reverse order. Memory is kept from
// pass to pass: after the first one nothing is allocated.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace deepsl::network {

class Tape {
public:
    /// Room for `count` numbers, not initialised, aligned to 64 bytes.
    template <class T>
    T* push(std::size_t count) {
        return static_cast<T*>(take(count * sizeof(T)));
    }

    /// What the last push of as many numbers returned. Stays readable until the next push.
    template <class T>
    T* pop(std::size_t count) {
        return static_cast<T*>(give_back(count * sizeof(T)));
    }

    /// Forgets everything, keeps the memory.
    void clear();

    /// Bytes held, used or not.
    std::size_t capacity() const;

private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    struct Block {
        std::unique_ptr<std::byte, Free> memory;
        std::size_t size = 0, used = 0;
    };

    void* take(std::size_t bytes);
    void* give_back(std::size_t bytes);

    std::vector<Block> blocks_;
    std::size_t current_ = 0;
};

}  // namespace deepsl::network
