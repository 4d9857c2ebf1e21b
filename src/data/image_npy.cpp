#include "image_npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <fmt/ranges.h>

#include "image_checks.h"

namespace deepsl::data {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they stand");

enum class NpyType { i1, u1, i2, u2, i4, u4, i8, u8, f4, f8 };
constexpr std::array<std::string_view, 10> type_names = {"i1", "u1", "i2", "u2", "i4",
                                                         "u4", "i8", "u8", "f4", "f8"};

struct Array {
    NpyType type;
    std::uint64_t bytes_each;
    std::uint64_t header_bytes;  // before the first value
    std::vector<std::uint64_t> shape;
};

std::string shown_sides(const std::vector<std::uint64_t>& shape) {
    return fmt::format("{}", fmt::join(shape, " x "));
}

NpyType type_of(const NpyHeader& header, const std::string& path) {
    const std::string_view text = header.type;
    if (text.size() == 3 && text[0] == '>')
        refuse(path,
               "its values have the most significant byte first ({}); save it as little-endian",
               in_quotes(text));
    if (text.size() == 3 && (text[0] == '<' || text[0] == '|'))
        for (std::size_t i = 0; i < type_names.size(); ++i)
            if (text.substr(1) == type_names[i]) return static_cast<NpyType>(i);
    refuse(path,
           "values of the type {} are not read; save it as uint8, float32, or, for labels, int64",
           in_quotes(text, 60));
}

Array read_header(ByteStream& stream, const std::string& path) {
    constexpr std::string_view magic = "\x93NUMPY";
    constexpr std::size_t longest = std::size_t{1} << 16;
    std::array<char, 8> start{};
    if (stream.read(std::as_writable_bytes(std::span(start))) < start.size() ||
        std::string_view(start.data(), magic.size()) != magic)
        refuse(path, "it does not begin as an NPY file does; is it the right file?");
    const int version = static_cast<unsigned char>(start[6]);
    if (version < 1 || version > 3)
        refuse(path, "it is of version {} of NPY; 1 to 3 are read", version);
    std::array<std::uint8_t, 4> length_bytes{};
    const std::size_t width = version == 1 ? 2 : 4;
    const auto into = std::as_writable_bytes(std::span(length_bytes).first(width));
    std::uint32_t length = 0;
    if (stream.read(into) == width) std::memcpy(&length, length_bytes.data(), sizeof length);
    if (length > longest)
        refuse(path, "its NPY header claims {} bytes, where {} are allowed; is it damaged?", length,
               longest);
    std::string text(length, ' ');
    if (stream.read(std::as_writable_bytes(std::span(text))) < length || length == 0)
        refuse(path, "it ends within its NPY header; bring the whole file");
    const auto header = parse_npy_header(text, path);
    if (header.fortran_order)
        refuse(path, "its values stand in Fortran's order; save numpy.ascontiguousarray of it");
    const auto type = type_of(header, path);
    const auto bytes_each =
        static_cast<std::uint64_t>(type_names[static_cast<std::size_t>(type)][1] - '0');
    return {type, bytes_each, start.size() + width + length, header.shape};
}

/// The shape has to be checked before: its product is taken here. The stream then stands at the
/// first value.
void check_length(ByteStream& stream, const std::string& path, const Array& array,
                  std::uint64_t values) {
    const auto needed = array.header_bytes + values * array.bytes_each;
    const auto length = stream.count(needed);
    if (length < needed)
        refuse(path, "its shape {} needs {} bytes of values and {} are there; bring the whole file",
               shown_sides(array.shape), needed - array.header_bytes, length - array.header_bytes);
    if (length > needed)
        refuse(path,
               "it goes on after the {} bytes of values that its shape {} needs; is it damaged?",
               needed - array.header_bytes, shown_sides(array.shape));
    std::vector<std::byte> skipped(static_cast<std::size_t>(array.header_bytes));
    stream.read(skipped);
}

/// Calls take(value) for each of `count` values.
template <class Value, class Take>
void read_values(ByteStream& stream, const std::string& path, std::size_t count, const Take& take) {
    std::vector<Value> room(std::min<std::size_t>(count, 8192));
    while (count > 0) {
        const auto now = std::span(room).first(std::min(count, room.size()));
        if (stream.read(std::as_writable_bytes(now)) < now.size_bytes())
            refuse(path, "it became shorter while it was read; wait until it is complete");
        for (const auto value : now) take(value);
        count -= now.size();
    }
}

template <class Value>
std::vector<float> read_floats(ByteStream& stream, const std::string& path, std::size_t count) {
    std::vector<float> floats;
    floats.reserve(count);
    read_values<Value>(stream, path, count, [&](Value value) {
        const auto number = static_cast<float>(value);
        if (!std::isfinite(number))
            refuse(path, "value {} is {}, which is no finite float; mend it", floats.size() + 1,
                   static_cast<double>(value));
        floats.push_back(number);
    });
    return floats;
}

template <class Value>
std::vector<std::int64_t> read_whole(ByteStream& stream, const std::string& path,
                                     std::size_t count) {
    std::vector<std::int64_t> labels;
    labels.reserve(count);
    // What does not fit is above every label that is allowed, and is refused as such.
    read_values<Value>(stream, path, count, [&](Value value) {
        labels.push_back(std::in_range<std::int64_t>(value)
                             ? static_cast<std::int64_t>(value)
                             : std::numeric_limits<std::int64_t>::max());
    });
    return labels;
}

ClaimedShape image_shape(const Array& array, const std::string& path) {
    const auto& sides = array.shape;
    if (sides.size() == 3) return {sides[0], sides[1], sides[2], 1};
    if (sides.size() != 4)
        refuse(path,
               "its shape is ({}), where images are N x height x width (x channels); reshape it",
               fmt::join(sides, ", "));
    // PyTorch's order, which would be read as a few rows of many channels.
    if ((sides[1] == 1 || sides[1] == 3) && sides[3] > 4)
        refuse(path,
               "its shape is {}, which seems to have the channels before the height; bring them to "
               "the end with numpy.moveaxis(x, 1, -1)",
               shown_sides(sides));
    return {sides[0], sides[1], sides[2], sides[3]};
}

}  // namespace

Images read_npy_images(ByteStream& stream, const std::string& path) {
    const auto array = read_header(stream, path);
    const bool bytes = array.type == NpyType::u1;
    if (!bytes && array.type != NpyType::f4 && array.type != NpyType::f8)
        refuse(path, "its values are of the type {}; save images as uint8, 0 to 255, or as float32",
               type_names[static_cast<std::size_t>(array.type)]);
    const auto claimed = image_shape(array, path);
    claimed.check(path, array.bytes_each);
    check_length(stream, path, array, claimed.values());
    Images images;
    images.path = path;
    images.shape = claimed.shape();
    if (bytes) {
        images.bytes.resize(claimed.values());
        if (stream.read(std::as_writable_bytes(std::span(images.bytes))) < images.bytes.size())
            refuse(path, "it became shorter while it was read; wait until it is complete");
    } else if (array.type == NpyType::f4) {
        images.floats = read_floats<float>(stream, path, claimed.values());
    } else {
        images.floats = read_floats<double>(stream, path, claimed.values());
    }
    return images;
}

std::vector<std::int64_t> read_npy_labels(ByteStream& stream, const std::string& path,
                                          std::size_t images) {
    const auto array = read_header(stream, path);
    const auto& sides = array.shape;
    if (sides.size() != 1 && (sides.size() != 2 || sides[1] != 1))
        refuse(path, "its shape is ({}), where labels are N whole numbers, one for each image",
               fmt::join(sides, ", "));
    check_label_count(path, sides[0], images);
    check_length(stream, path, array, sides[0]);
    switch (array.type) {
        case NpyType::i1: return read_whole<std::int8_t>(stream, path, images);
        case NpyType::u1: return read_whole<std::uint8_t>(stream, path, images);
        case NpyType::i2: return read_whole<std::int16_t>(stream, path, images);
        case NpyType::u2: return read_whole<std::uint16_t>(stream, path, images);
        case NpyType::i4: return read_whole<std::int32_t>(stream, path, images);
        case NpyType::u4: return read_whole<std::uint32_t>(stream, path, images);
        case NpyType::i8: return read_whole<std::int64_t>(stream, path, images);
        case NpyType::u8: return read_whole<std::uint64_t>(stream, path, images);
        case NpyType::f4:
        case NpyType::f8: break;
    }
    refuse(path, "its labels are of the type {}; save them as whole numbers, such as int64",
           type_names[static_cast<std::size_t>(array.type)]);
}

}  // namespace deepsl::data
