// What all readers of images check, and how they refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deepsl/data/images.h"
#include "deepsl/error.h"
#include "deepsl/text.h"

namespace deepsl::data {

/// "mnist/train-images-idx3-ubyte: what is wrong; what to try"
template <class... Parts>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Parts...> format,
                         Parts&&... parts) {
    throw data_error(
        fmt::format("{}: {}", printable(path), fmt::format(format, std::forward<Parts>(parts)...)));
}

constexpr std::uint64_t longest_side = 65535;
constexpr std::uint64_t largest_label = 65535;
constexpr std::uint64_t most_image_bytes = std::uint64_t{1} << 34;  // 16 GiB
/// Deflate cannot do better: 258 bytes by two bits.
constexpr std::uint64_t best_deflate = 1032;

/// Sides and count as a file claims them.
struct ClaimedShape {
    std::uint64_t count = 0, height = 0, width = 0, channels = 0;

    /// Throws Error unless there is an image, sides are from 1 to longest_side, and what they make
    /// of `bytes_each` a value fits into most_image_bytes and into the memory of this machine.
    void check(const std::string& path, std::uint64_t bytes_each) const;

    // These are for shapes that were checked.
    ImageShape shape() const;
    std::size_t values() const;
};

/// Throws Error unless there is one for each image.
void check_label_count(const std::string& path, std::uint64_t labels, std::uint64_t images);

/// "0", "1", .. up to the largest label, at least `least` of them. Throws Error for a label below 0
/// or above largest_label.
std::vector<std::string> names_of_numbers(const std::string& path,
                                          std::span<const std::int64_t> labels, std::size_t least);

}  // namespace deepsl::data
