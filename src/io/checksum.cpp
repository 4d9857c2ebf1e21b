#include "deepsl/io/checksum.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace deepsl::io {

void Hash::add(std::span<const std::byte> bytes) {
    add(std::uint64_t{bytes.size()});
    for (const auto byte : bytes) step(std::to_integer<std::uint64_t>(byte));
}

void Hash::add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) step((number >> (8 * i)) & 0xff);
}

std::string Hash::text() const { return fmt::format("fnv1a64:{:016x}", value_); }

std::string checksum_of(const TensorFile& file) {
    Hash hash;
    for (const auto& [key, text] : file.metadata) {
        if (key == checksum_key) continue;
        hash.add(key);
        hash.add(text);
    }
    // By name: a file has them in the order of their bytes.
    std::vector<const StoredTensor*> tensors;
    for (const auto& tensor : file.tensors) tensors.push_back(&tensor);
    std::sort(tensors.begin(), tensors.end(),
              [](const auto* left, const auto* right) { return left->name < right->name; });
    for (const auto* tensor : tensors) {
        hash.add(tensor->name);
        hash.add(name(tensor->dtype));
        for (const auto length : tensor->shape) hash.add(static_cast<std::uint64_t>(length));
        hash.add(tensor->bytes);
    }
    return hash.text();
}

}  // namespace deepsl::io
