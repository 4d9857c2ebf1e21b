// FNV-1a over words of 64 bits: tells damage and difference, not malice. A change of a single word
// always changes the result.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace deepsl::train {

class Hash {
public:
    void add(std::uint64_t word) {
        // The rotation carries differences in high bits down, where the product spreads them.
        value_ = std::rotl((value_ ^ word) * 0x100000001b3U, 29);
    }
    /// The length counts, too.
    void add(std::span<const std::byte> bytes) {
        add(static_cast<std::uint64_t>(bytes.size()));
        for (; bytes.size() >= sizeof(std::uint64_t);
             bytes = bytes.subspan(sizeof(std::uint64_t))) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), sizeof word);
            add(word);
        }
        for (const auto byte : bytes) add(std::to_integer<std::uint64_t>(byte));
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    std::string text() const { return fmt::format("{:016x}", value_); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace deepsl::train
