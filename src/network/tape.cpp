#include "deepsl/network/tape.h"

#include <algorithm>
#include <new>

namespace deepsl::network {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t least_block = std::size_t{1} << 18;

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

void Tape::Free::operator()(std::byte* memory) const {
    ::operator delete[](memory, std::align_val_t(alignment));
}

void* Tape::take(std::size_t bytes) {
    bytes = padded(bytes);
    // A block that is too small for this piece stays unused until the tape is empty again.
    while (current_ < blocks_.size() && blocks_[current_].size - blocks_[current_].used < bytes)
        ++current_;
    if (current_ == blocks_.size()) {
        // By a quarter of what there is: few blocks, and little of the last one unused.
        Block block;
        block.size = std::max({least_block, padded(capacity() / 4), bytes});
        block.memory.reset(
            static_cast<std::byte*>(::operator new[](block.size, std::align_val_t(alignment))));
        blocks_.push_back(std::move(block));
    }
    auto& block = blocks_[current_];
    void* const result = block.memory.get() + block.used;
    block.used += bytes;
    return result;
}

void* Tape::give_back(std::size_t bytes) {
    bytes = padded(bytes);
    while (current_ > 0 && (current_ == blocks_.size() || blocks_[current_].used == 0)) --current_;
    auto& block = blocks_[current_];
    block.used -= bytes;
    return block.memory.get() + block.used;
}

void Tape::clear() {
    for (auto& block : blocks_) block.used = 0;
    current_ = 0;
    objects_.clear();
}

std::size_t Tape::capacity() const {
    std::size_t bytes = 0;
    for (const auto& block : blocks_) bytes += block.size;
    return bytes;
}

}  // namespace deepsl::network
