// Small files of images, made byte by byte, for tests of their readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/directory.h"
#include "data/byte_stream.h"
#include "data/tables.h"

namespace deepsl::test {

using Bytes = std::vector<std::uint8_t>;

/// Bytes as a text, as files are written from.
std::string text_of(const Bytes& bytes);
std::span<const std::uint8_t> content(const std::string& file);

/// The lowest bytes of a number, the least or the most significant first.
std::string little(std::uint64_t number, int width);
std::string big(std::uint64_t number, int width);

/// 0, step, 2 step, .. modulo 256.
Bytes ramp(std::size_t count, unsigned step = 1);

std::string gzip(const std::string& content);
std::string deflated(const std::string& content);

std::string idx(const std::vector<std::uint32_t>& sizes, const Bytes& values, int type = 0x08);

/// A record of CIFAR-10; value c * 64 + place % 64 in channel c.
std::string cifar_record(std::uint8_t label);

/// As NumPy writes it. `shape` as in "(2, 3)".
std::string npy(const std::string& type, const std::string& shape, const std::string& values,
                const std::string& order = "False", int version = 1);
/// Values of a type as bytes.
template <class Value>
std::string raw(const std::vector<Value>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What an archive says of an entry; by default the truth.
struct ZipItem {
    std::string name, content;
    bool deflate = false;
    unsigned flags = 0;
    std::string local_name{};        // another one in its local header
    std::uint32_t more_bytes = 0;    // claimed beyond its size
    std::uint32_t checksum_xor = 0;  // a wrong checksum
    int method = -1;                 // a method that does not exist
};
std::string zip(const std::vector<ZipItem>& items, const std::string& comment = "");

/// `type`: 0 gray, 2 colour, 3 palette, 4 gray with alpha, 6 colour with alpha. `rows` are the
/// bytes of all rows. `chunks` stand before the pixels.
std::string png(std::uint32_t height, std::uint32_t width, int depth, int type, const Bytes& rows,
                const std::string& chunks = "");
std::string png_chunk(const std::string& name, const std::string& content);
inline std::string gray_png(std::uint32_t height, std::uint32_t width, const Bytes& pixels) {
    return png(height, width, 8, 0, pixels);
}

/// `channels`: 1, 3, or 4 for CMYK.
std::string jpeg(unsigned height, unsigned width, int channels, const Bytes& pixels,
                 bool progressive = false, int quality = 95);
/// Gray, progressive, each coefficient of the transform in a scan of its own: 64, and if `refined`
/// in two, 127.
std::string jpeg_of_many_scans(unsigned height, unsigned width, const Bytes& pixels, bool refined);

/// A folder of its own for each test; files may stand in folders within.
class InImageFolder : public InDirectory {
protected:
    std::string put(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        return write(name, content);
    }
    std::string folder() const { return path(""); }
    /// The sentence without the folder.
    template <class Call>
    std::string refused(const Call& call) const {
        auto text = refusal(call);
        for (auto place = text.find(folder()); place != std::string::npos;
             place = text.find(folder()))
            text.erase(place, folder().size());
        return text;
    }
};

/// A source over a text that outlives it.
class TextBytes final : public data::ByteSource {
public:
    explicit TextBytes(std::string text) : text_(std::move(text)) {}
    std::uint64_t size() const override { return text_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> into) const override {
        data::MemoryBytes(std::as_bytes(std::span(text_))).read(offset, into);
    }

private:
    std::string text_;
};

}  // namespace deepsl::test
