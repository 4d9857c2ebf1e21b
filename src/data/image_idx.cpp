#include "image_idx.h"

#include <array>
#include <span>

#include "image_checks.h"

namespace deepsl::data {
namespace {

constexpr unsigned byte_type = 0x08;

using Magic = std::array<std::byte, 4>;

bool is_idx(const Magic& magic) {
    const auto type = std::to_integer<unsigned>(magic[2]);
    const auto dimensions = std::to_integer<unsigned>(magic[3]);
    const bool known = type == 0x08 || type == 0x09 || (type >= 0x0b && type <= 0x0e);
    return magic[0] == std::byte{0} && magic[1] == std::byte{0} && known && dimensions >= 1 &&
           dimensions <= 8;
}

template <std::size_t Dimensions>
std::array<std::uint64_t, Dimensions> read_header(ByteStream& stream, const std::string& path,
                                                  const char* what) {
    Magic magic{};
    if (stream.read(magic) < magic.size() || !is_idx(magic))
        refuse(path, "it does not begin as an IDX file of {} does; is it the right file?", what);
    const auto type = std::to_integer<unsigned>(magic[2]);
    const auto dimensions = std::to_integer<unsigned>(magic[3]);
    if (type != byte_type)
        refuse(path, "its values have the IDX type 0x{:02x}; only bytes, 0x08, are read", type);
    if (dimensions != Dimensions)
        refuse(path, "it is an IDX file of {}, where one of {}, with {}, is needed; is it {}?",
               counted(dimensions, "dimension"), what, Dimensions,
               dimensions == 1 ? "the file of labels" : "the right file");
    std::array<std::byte, 4 * Dimensions> bytes{};
    if (stream.read(bytes) < bytes.size())
        refuse(path, "it ends within its header; bring the whole file");
    std::array<std::uint64_t, Dimensions> sizes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        sizes[i / 4] = sizes[i / 4] << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return sizes;
}

/// What follows the header has to be as long as it says, to the byte.
void check_length(ByteStream& stream, const std::string& path, std::uint64_t header,
                  std::uint64_t promised) {
    const auto length = stream.count(header + promised);
    if (length < header + promised)
        refuse(path,
               "its header promises {} bytes of values and {} are there; bring the whole file",
               promised, length - header);
    if (length > header + promised)
        refuse(path,
               "it goes on after the {} bytes of values that its header promises; is it damaged?",
               promised);
}

void read_values(ByteStream& stream, const std::string& path, std::size_t header,
                 std::span<std::uint8_t> into) {
    std::array<std::byte, 16> skipped{};
    stream.read(std::span(skipped).first(header));
    if (stream.read(std::as_writable_bytes(into)) < into.size())
        refuse(path, "it became shorter while it was read; wait until it is complete");
}

}  // namespace

bool begins_as_idx(const ByteSource& source, const std::string& path) {
    Magic magic{};
    return open_stream(source, path)->read(magic) == magic.size() && is_idx(magic);
}

Images read_idx_images(const ByteSource& source, const std::string& path) {
    const auto stream = open_stream(source, path);
    const auto [count, height, width] = read_header<3>(*stream, path, "images");
    const ClaimedShape claimed{count, height, width, 1};
    claimed.check(path, 1);
    constexpr std::size_t header = 16;
    check_length(*stream, path, header, claimed.values());
    Images images;
    images.path = path;
    images.shape = claimed.shape();
    images.bytes.resize(claimed.values());
    read_values(*stream, path, header, images.bytes);
    return images;
}

std::vector<std::int64_t> read_idx_labels(const ByteSource& source, const std::string& path,
                                          std::size_t images) {
    const auto stream = open_stream(source, path);
    const auto [count] = read_header<1>(*stream, path, "labels");
    check_label_count(path, count, images);
    constexpr std::size_t header = 8;
    check_length(*stream, path, header, count);
    std::vector<std::uint8_t> bytes(images);
    read_values(*stream, path, header, bytes);
    return {bytes.begin(), bytes.end()};
}

}  // namespace deepsl::data
