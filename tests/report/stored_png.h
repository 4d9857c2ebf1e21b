// Reads the first PNG image of a page: eight bits a channel, colours by index, gray or red, green
// and blue, stored and not deflated. Every length and checksum on the way is verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl::report::testing {

struct StoredImage {
    std::size_t colours = 0;             // of the palette, if there is one
    std::size_t channels = 1;            // three: red, green and blue side by side
    std::vector<std::vector<int>> rows;  // the top one first
};

inline std::string from_base64(std::string_view text) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0, held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        bits = (bits << 6U) | static_cast<std::uint32_t>(digits.find(c));
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>((bits >> held) & 0xffU);
    }
    return bytes;
}

/// The unsigned number of `size` bytes, the highest first.
inline std::uint32_t big_endian(std::string_view bytes, std::size_t place, std::size_t size = 4) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(place, size))
        value = (value << 8U) | static_cast<unsigned char>(c);
    return value;
}

/// As the PNG specification has it, one bit at a time.
inline std::uint32_t slow_crc(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes)
        for (unsigned bit = 0; bit < 8; ++bit) {
            const auto in = (static_cast<unsigned char>(c) >> bit) & 1U;
            crc = ((crc & 1U) ^ in) != 0U ? (crc >> 1U) ^ 0xedb88320U : crc >> 1U;
        }
    return crc ^ 0xffffffffU;
}

inline std::string inflated(std::string_view stream) {
    std::string out;
    EXPECT_EQ(big_endian(stream, 0, 2) % 31U, 0U);
    std::size_t place = 2;
    for (bool is_last = false; !is_last && place + 9 <= stream.size();) {
        is_last = stream[place] == 1;
        const auto byte = [&](std::size_t k) { return big_endian(stream, place + k, 1); };
        const auto length = byte(1) | (byte(2) << 8U);
        EXPECT_EQ(length ^ (byte(3) | (byte(4) << 8U)), 0xffffU);
        out += stream.substr(place + 5, length);
        place += 5 + length;
    }
    EXPECT_EQ(place + 4, stream.size());
    std::uint64_t a = 1, b = 0;
    for (const char c : out) b += a += static_cast<unsigned char>(c);
    EXPECT_EQ(big_endian(stream, place), (b % 65521U << 16U) + a % 65521U);
    return out;
}

inline StoredImage first_image(const std::string& html) {
    StoredImage image;
    const auto start = html.find("base64,");
    if (start == std::string::npos) {
        ADD_FAILURE() << "no image";
        return image;
    }
    const auto bytes =
        from_base64(std::string_view(html).substr(start + 7, html.find('"', start) - start - 7));
    EXPECT_TRUE(bytes.starts_with("\x89PNG\r\n\x1a\n"));
    std::string_view rest = bytes;
    rest.remove_prefix(8);
    std::size_t columns = 0, rows = 0;
    std::string scanlines, last;
    while (rest.size() >= 12) {
        const std::size_t length = big_endian(rest, 0);
        last = rest.substr(4, 4);
        const auto content = rest.substr(8, length);
        EXPECT_EQ(big_endian(rest, 8 + length), slow_crc(rest.substr(4, 4 + length))) << last;
        if (last == "IHDR") {
            columns = big_endian(content, 0);
            rows = big_endian(content, 4);
            const char kind = content[9];
            EXPECT_TRUE(kind == 0 || kind == 2 || kind == 3);
            image.channels = kind == 2 ? 3 : 1;
            EXPECT_EQ(content[8], 8);
            EXPECT_EQ(content.substr(10), std::string_view("\0\0\0", 3));
        }
        if (last == "PLTE") image.colours = length / 3;
        EXPECT_TRUE(last != "tRNS" || length == image.colours);
        if (last == "IDAT") scanlines = inflated(content);
        rest.remove_prefix(12 + length);
    }
    EXPECT_EQ(last, "IEND");
    columns *= image.channels;
    EXPECT_EQ(scanlines.size(), rows * (columns + 1));
    for (std::size_t r = 0; (r + 1) * (columns + 1) <= scanlines.size(); ++r) {
        EXPECT_EQ(scanlines[r * (columns + 1)], 0);
        image.rows.emplace_back();
        for (std::size_t c = 1; c <= columns; ++c)
            image.rows.back().push_back(
                static_cast<unsigned char>(scanlines[r * (columns + 1) + c]));
    }
    return image;
}

}  // namespace deepsl::report::testing
