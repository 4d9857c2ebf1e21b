#include "report/png.h"

#include <algorithm>
#include <string_view>

namespace deepsl::report::detail {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        out += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

void append_little_endian(std::string& out, std::uint16_t value) {
    out += static_cast<char>(static_cast<unsigned char>(value & 0xffU));
    out += static_cast<char>(static_cast<unsigned char>(value >> 8U));
}

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1U) != 0U ? 0xedb88320U ^ (crc >> 1U) : crc >> 1U;
    }
    return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
    std::uint32_t a = 1, b = 0;
    for (const char c : bytes) {
        a = (a + static_cast<unsigned char>(c)) % 65521U;
        b = (b + a) % 65521U;
    }
    return (b << 16U) | a;
}

void append_chunk(std::string& out, std::string_view type, std::string_view content) {
    append_big_endian(out, static_cast<std::uint32_t>(content.size()));
    const auto start = out.size();
    out += type;
    out += content;
    append_big_endian(out, crc32(std::string_view(out).substr(start)));
}

/// A zlib stream of stored blocks.
std::string stored(std::string_view bytes) {
    constexpr std::size_t longest = 65535;
    std::string out = "\x78\x01";
    std::size_t place = 0;
    do {
        const auto block = bytes.substr(place, longest);
        place += block.size();
        out += static_cast<char>(place == bytes.size() ? 1 : 0);
        const auto length = static_cast<std::uint16_t>(block.size());
        append_little_endian(out, length);
        append_little_endian(out, static_cast<std::uint16_t>(~length));
        out += block;
    } while (place < bytes.size());
    append_big_endian(out, adler32(bytes));
    return out;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto group = bytes.substr(i, 3);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = (bits << 8U) | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += k <= group.size() ? digits[(bits >> (18U - 6U * k)) & 63U] : '=';
    }
    return out;
}

/// How pixels are to be read.
enum class Pixels : char { gray = 0, colour = 2, indexed = 3 };

/// Sizes, and eight bits a channel, the only methods there are, not interlaced.
std::string header_of(std::size_t columns, std::size_t rows, Pixels kind) {
    std::string header;
    append_big_endian(header, static_cast<std::uint32_t>(columns));
    append_big_endian(header, static_cast<std::uint32_t>(rows));
    header += '\x08';
    header += static_cast<char>(kind);
    return header + std::string(3, '\0');
}

std::string scanlines_of(const std::vector<std::uint8_t>& pixels, std::size_t rows) {
    const auto length = rows > 0 ? pixels.size() / rows : 0;
    std::string scanlines;
    for (std::size_t r = 0; r < rows; ++r) {
        scanlines += '\0';  // no filter
        for (std::size_t i = 0; i < length; ++i)
            scanlines += static_cast<char>(pixels[r * length + i]);
    }
    return scanlines;
}

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view uri_start = "data:image/png;base64,";

}  // namespace

std::string png(const IndexedImage& image) {
    std::string palette, opacity;
    for (const auto& colour : image.palette) {
        for (std::size_t k = 0; k < 3; ++k) palette += static_cast<char>(colour[k]);
        opacity += static_cast<char>(colour[3]);
    }
    std::string out(signature);
    append_chunk(out, "IHDR", header_of(image.columns, image.rows, Pixels::indexed));
    append_chunk(out, "PLTE", palette);
    append_chunk(out, "tRNS", opacity);
    append_chunk(out, "IDAT", stored(scanlines_of(image.pixels, image.rows)));
    append_chunk(out, "IEND", "");
    return out;
}

std::string png(const PlainImage& image) {
    std::string out(signature);
    append_chunk(
        out, "IHDR",
        header_of(image.columns, image.rows, image.channels == 3 ? Pixels::colour : Pixels::gray));
    append_chunk(out, "IDAT", stored(scanlines_of(image.pixels, image.rows)));
    append_chunk(out, "IEND", "");
    return out;
}

std::string png_data_uri(const IndexedImage& image) {
    return std::string(uri_start) + base64(png(image));
}

std::string png_data_uri(const PlainImage& image) {
    return std::string(uri_start) + base64(png(image));
}

}  // namespace deepsl::report::detail
