// FNV-1a of 64 bits, which tells damage and difference, not malice, and the checksum of a tensor
// file. Each byte enters by a step that can be undone, so no change of a single one goes unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "deepsl/io/tensor_file.h"

namespace deepsl::io {

class Hash {
public:
    /// The length counts, too: two texts one after the other are not a longer one.
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    void add(std::uint64_t number);

    /// "fnv1a64:" and 16 hexadecimal digits.
    std::string text() const;

private:
    void step(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }

    std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// Where a file's metadata have its checksum.
inline constexpr const char* checksum_key = "checksum";

/// Over names, types, shapes and bytes of all tensors, whatever their order, and over all metadata
/// but itself.
std::string checksum_of(const TensorFile& file);

}  // namespace deepsl::io
