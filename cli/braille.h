// A field of dots for drawings in text: braille characters, two dots wide and four high.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace deepsl::cli {

class Braille {
public:
    Braille(std::size_t columns, std::size_t rows)
        : columns_(columns), rows_(rows), cells_(columns * rows, 0) {}

    std::size_t width() const { return 2 * columns_; }
    std::size_t height() const { return 4 * rows_; }

    void set(std::size_t x, std::size_t y) {
        constexpr unsigned char dot[4][2] = {
            {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        cells_[y / 4 * columns_ + x / 2] |= dot[y % 4][x % 2];
    }

    std::string row(std::size_t r) const {
        std::string out;
        for (std::size_t c = 0; c < columns_; ++c) {
            const unsigned bits = cells_[r * columns_ + c];
            // U+2800 + bits in UTF-8.
            out += static_cast<char>(0xe2);
            out += static_cast<char>(0xa0 + (bits >> 6));
            out += static_cast<char>(0x80 + (bits & 0x3f));
        }
        return out;
    }

private:
    std::size_t columns_, rows_;
    std::vector<unsigned char> cells_;
};

}  // namespace deepsl::cli
