// What must hold for images read from any bytes whatever: for the fuzzer and for the tests. The
// first byte, a digit, chooses the reader that gets the rest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../src/data/image_cifar.h"
#include "../src/data/image_codec.h"
#include "../src/data/image_idx.h"
#include "../src/data/image_labels.h"
#include "../src/data/image_npy.h"
#include "../src/data/image_npz.h"
#include "check.h"
#include "deepsl/data/images.h"
#include "deepsl/error.h"

namespace deepsl::fuzz {

inline const std::string image_file = "images";

enum class ImageReader { idx, npy, npz, picture, cifar, classes, labels, file_labels };
constexpr std::size_t image_readers = 8;

/// The fuzzer's bytes are few; what they can grow to by compression is bounded, too.
constexpr std::size_t most_values = std::size_t{1} << 30;

inline void check_classes(const std::vector<std::string>& classes) {
    const std::set<std::string_view> distinct(classes.begin(), classes.end());
    demand(distinct.size() == classes.size(), "two classes of one name");
}

inline void check_labels(const data::Images& images) {
    demand(images.labels.size() == images.size(), "another number of labels than of images");
    for (const auto label : images.labels)
        demand(label >= 0 && static_cast<std::size_t>(label) < images.classes.size(),
               "a label without a class");
    check_classes(images.classes);
}

inline void check_pixels(const data::Images& images) {
    const auto values = images.size() * images.shape.size();
    demand(values > 0 && values <= most_values, "no images, or too many");
    demand(images.bytes.empty() != images.floats.empty(), "images of two types, or of none");
    demand(images.bytes.size() + images.floats.size() == values, "a part of an image");
    demand(std::all_of(images.floats.begin(), images.floats.end(),
                       [](float value) { return std::isfinite(value); }),
           "a value that is not finite");
    std::vector<float> last(images.shape.size());
    images.read(images.size() - 1, last);
    if (!images.labels.empty()) check_labels(images);
}

inline void check_picture(std::string_view file) {
    const data::FileContent content(reinterpret_cast<const std::uint8_t*>(file.data()),
                                    file.size());
    auto shape = data::picture_shape(content, image_file);
    demand(shape.channels == 1 || shape.channels == 3, "a picture of other channels");
    demand(shape.size() <= most_values, "more pixels than there can be");
    std::vector<std::uint8_t> pixels(shape.size());
    data::decode_picture(content, image_file, shape, pixels);
    if (shape.channels == 3) return;
    shape.channels = 3;
    std::vector<std::uint8_t> colour(shape.size());
    data::decode_picture(content, image_file, shape, colour);
    for (std::size_t i = 0; i < colour.size(); ++i)
        demand(colour[i] == pixels[i / 3], "gray is another gray in colour");
}

/// Three images, with or without names of their own.
inline data::Images three_images(bool named) {
    data::Images images;
    images.shape = {1, 1, 1};
    images.bytes = {1, 2, 3};
    if (named) images.names = {"a.png", "train/b.png", "c.d.jpg"};
    return images;
}

inline void check_reader(ImageReader reader, std::string_view file) {
    const data::MemoryBytes source(std::as_bytes(std::span(file)));
    switch (reader) {
        case ImageReader::idx: return check_pixels(data::read_idx_images(source, image_file));
        case ImageReader::npy:
            return check_pixels(
                data::read_npy_images(*data::open_stream(source, image_file), image_file));
        case ImageReader::npz:
            return check_pixels(data::read_npz(source, image_file, data::ImagePart::train));
        case ImageReader::picture: return check_picture(file);
        case ImageReader::cifar:
            return check_pixels(data::read_cifar({{image_file, &source}}, {"cat", "dog", "frog"}));
        case ImageReader::classes:
            return check_classes(data::parse_cifar_classes(file, image_file));
        case ImageReader::labels:
        case ImageReader::file_labels: break;
    }
    auto images = three_images(reader == ImageReader::file_labels);
    data::read_labels(source, image_file, images);
    check_labels(images);
}

/// Throws std::logic_error if a reader breaks a promise.
inline void check_images(std::string_view bytes) try {
    if (bytes.empty()) return;
    const auto reader = static_cast<unsigned char>(bytes[0] - '0') % image_readers;
    check_reader(static_cast<ImageReader>(reader), bytes.substr(1));
} catch (const Error& error) {
    check_message(error.what(), image_file);
}

}  // namespace deepsl::fuzz
