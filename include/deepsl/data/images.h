// Images of one size with their classes, from the files that people have: IDX (MNIST), CIFAR-10's
// binary files, folders of PNG and JPEG, NumPy's NPY and NPZ.
//
//     pixels   [N, height, width, channels], a row after the other from the top, channels of a
//     pixel
//              side by side: 1 (gray), 3 (red, green, blue), or as many as an NPY file has
//     labels   0..K-1, the places of their names in `classes`
//
// Sizes, types and counts are compared with what the file really holds before memory is asked for,
// inside gzip and zip, too. docs/images.md has the formats and what is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/error.h"
#include "deepsl/image_shape.h"

namespace deepsl::data {

/// "28 x 28 gray", "32 x 32 colour", "8 x 8 of 5 channels".
std::string shown_shape(const ImageShape& shape);

enum class ImagePart { train, test };
constexpr std::array<std::string_view, 2> names(ImagePart) { return {"train", "test"}; }

/// Images of one size: either bytes or floats, the other is empty.
struct Images {
    ImageShape shape;
    std::vector<std::uint8_t> bytes;   // 0..255                    [N, height, width, channels]
    std::vector<float> floats;         // as given, all finite      [N, height, width, channels]
    std::vector<std::int64_t> labels;  // [N], or none
    std::vector<std::string> classes;  // names by label; none without labels
    std::vector<std::string> names;    // of each image's file within `path`, where each has its own
    std::string path;
    std::optional<ImagePart> part{};  // of the data at `path`; none where they are whole

    std::size_t size() const;

    /// The values of one image, bytes as value / 255   [shape.size()]
    void read(std::size_t image, std::span<float> out) const;
};

struct ImageOptions {
    /// Of data that have two: folders in MNIST's and CIFAR-10's layout or with train/ and test/ in
    /// them, NPZ files with x_train and x_test. Other data are taken whole for either part, but for
    /// a folder per class, which is the part train.
    ImagePart part = ImagePart::train;
    /// A file of labels, taken instead of those that the data bring: IDX, NPY of whole numbers, or
    /// text with a label in each line, or a file's name and a label.
    std::string labels{};
    /// What the images have to be, such as a model's: others are refused, and gray PNG and JPEG
    /// become colour where it has three channels.
    std::optional<ImageShape> shape{};
    /// Takes a folder per class whole for the part test, too.
    bool or_whole = false;
};

/// Whether read_images is the reader for it: a folder; a file whose name ends in .npy, .npz, .png,
/// .jpg, .jpeg or .bin, or that is IDX by its first bytes, gzip or not. Throws nothing.
bool is_image_data(const std::string& path);

/// Throws Error that names the file and what is wrong with it.
Images read_images(const std::string& path, const ImageOptions& options = {});

}  // namespace deepsl::data
