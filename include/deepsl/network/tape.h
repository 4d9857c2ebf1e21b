// What the forward sweep leaves for the backward one: a stack of numbers. Whoever pushes in the
// forward sweep pops the same amounts in the backward sweep, in reverse order. Memory is kept from
// pass to pass: after the first one nothing is allocated. Beside it a stack of objects, for
// networks that remember something else.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
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

    /// Any object, kept until it is popped.
    void push_object(std::shared_ptr<void> object) { objects_.push_back(std::move(object)); }

    /// The object that was pushed last, of the type that was pushed.
    template <class T>
    std::shared_ptr<T> pop_object() {
        auto object = std::static_pointer_cast<T>(std::move(objects_.back()));
        objects_.pop_back();
        return object;
    }

    /// Forgets everything, keeps the memory; objects are released.
    void clear();

    /// Bytes held for numbers, used or not.
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
    std::vector<std::shared_ptr<void>> objects_;
};

}  // namespace deepsl::network
