// FNV-1a, 64 bits, of whatever bytes: tells damage and difference, not malice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace deepsl::train {

class Hash {
public:
    void add(std::span<const std::byte> bytes) {
        for (const auto byte : bytes)
            value_ = (value_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
    }
    void add(std::string_view text) {
        add(std::as_bytes(std::span(text)));
        add(std::array{std::byte{0}});  // a text's end counts
    }
    void add(std::span<const std::int64_t> shape) {
        for (const auto size : shape) add(std::to_string(size));
    }
    std::string text() const { return fmt::format("{:016x}", value_); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace deepsl::train
