// A small picture inside a page: PNG of at most 256 colours, as a data URI. Stored, not deflated,
// since a map of decisions is some ten thousand bytes and a page should need no library for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deepsl::report::detail {

using Colour = std::array<std::uint8_t, 4>;  // red, green, blue, opacity

struct IndexedImage {
    std::size_t columns = 0, rows = 0;
    std::vector<std::uint8_t> pixels;  // [row, column], the top row first; places in the palette
    std::vector<Colour> palette;       // 1 to 256
};

/// The file's bytes.
std::string png(const IndexedImage& image);

/// "data:image/png;base64,…"
std::string png_data_uri(const IndexedImage& image);

}  // namespace deepsl::report::detail
