// A small picture inside a page: PNG of at most 256 colours, of grays or of red, green and blue, as
// a data URI. Stored, not deflated, since a map of decisions is some ten thousand bytes and a page
// should need no library for it.
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

/// Gray, or red, green and blue.
struct PlainImage {
    std::size_t columns = 0, rows = 0, channels = 1;  // one or three
    std::vector<std::uint8_t> pixels;                 // [row, column, channel], the top row first
};

/// The file's bytes.
std::string png(const IndexedImage& image);
std::string png(const PlainImage& image);

/// "data:image/png;base64,…"
std::string png_data_uri(const IndexedImage& image);
std::string png_data_uri(const PlainImage& image);

}  // namespace deepsl::report::detail
