#include "learner/checksum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace deepsl::learner {
namespace {

class Fnv1a {
public:
    void add(std::span<const std::byte> bytes) {
        // The length first: two texts one after the other are not a longer one.
        add_number(bytes.size());
        for (const auto byte : bytes) step(std::to_integer<std::uint64_t>(byte));
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    void add_number(std::uint64_t value) {
        for (int i = 0; i < 8; ++i) step((value >> (8 * i)) & 0xff);
    }

    std::uint64_t value() const { return value_; }

private:
    void step(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }

    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string checksum_of(const io::TensorFile& file) {
    Fnv1a hash;
    for (const auto& [key, text] : file.metadata) {
        if (key == checksum_key) continue;
        hash.add(key);
        hash.add(text);
    }
    // By name: a file has them in the order of their bytes.
    std::vector<const io::StoredTensor*> tensors;
    for (const auto& tensor : file.tensors) tensors.push_back(&tensor);
    std::sort(tensors.begin(), tensors.end(),
              [](const auto* left, const auto* right) { return left->name < right->name; });
    for (const auto* tensor : tensors) {
        hash.add(tensor->name);
        hash.add(io::name(tensor->dtype));
        for (const auto length : tensor->shape) hash.add_number(static_cast<std::uint64_t>(length));
        hash.add(tensor->bytes);
    }
    return fmt::format("fnv1a64:{:016x}", hash.value());
}

}  // namespace deepsl::learner
