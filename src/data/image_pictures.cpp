#include <algorithm>
#include <optional>
#include <span>

#include "deepsl/io/file.h"
#include "image_checks.h"
#include "image_codec.h"
#include "image_folder.h"

namespace deepsl::data {
namespace {

constexpr std::uint64_t longest_file = 1'000'000'000;

FileContent content(const std::string& bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

bool same_sides(const ImageShape& left, const ImageShape& right) {
    return left.height == right.height && left.width == right.width;
}

std::string sides(const ImageShape& shape) {
    return fmt::format("{} x {}", shape.height, shape.width);
}

}  // namespace

void read_pictures(const std::vector<std::string>& files, const std::optional<ImageShape>& expected,
                   Images& images) {
    // Headers first: then all sizes are known, and nothing is read in vain.
    ImageShape common = expected.value_or(ImageShape{});
    for (const auto& file : files) {
        const auto shape = picture_shape(content(io::read_file(file, longest_file)), file);
        if (common.height == 0) common = shape;
        if (!same_sides(shape, common))
            refuse(file,
                   "it has {} pixels (height x width), where {}; bring all images to one size",
                   sides(shape),
                   expected ? sides(common) + " are needed"
                            : in_quotes(files[0]) + " has " + sides(common));
        if (expected && common.channels < shape.channels)
            refuse(file, "it is in colour, where {} is needed; convert it to gray",
                   shown_shape(common));
        common.channels = std::max(common.channels, shape.channels);
    }
    const ClaimedShape claimed{files.size(), common.height, common.width, common.channels};
    claimed.check(images.path, 1);
    images.shape = common;
    images.bytes.resize(claimed.values());
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto bytes = io::read_file(files[i], longest_file);
        if (!same_sides(picture_shape(content(bytes), files[i]), common))
            refuse(files[i], "it changed while it was read; wait until it is complete");
        decode_picture(content(bytes), files[i], common,
                       std::span(images.bytes).subspan(i * common.size(), common.size()));
    }
}

}  // namespace deepsl::data
