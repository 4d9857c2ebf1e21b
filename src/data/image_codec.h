// PNG and JPEG, told by their first bytes: the shape by the header alone, then the pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "deepsl/data/images.h"

namespace deepsl::data {

enum class PictureFormat { none, png, jpeg };

using FileContent = std::span<const std::uint8_t>;

PictureFormat picture_format(FileContent file);

/// Gray pictures have 1 channel, others 3; transparency is no channel. Throws Error that names
/// `path`: what is no picture, sides out of range, more pixels than a file of its size can have.
ImageShape picture_shape(FileContent file, const std::string& path);

/// The pixels of a picture whose shape was found by picture_shape, with that many channels, or with
/// 3 of a gray one   [height, width, channels]
void decode_picture(FileContent file, const std::string& path, const ImageShape& shape,
                    std::span<std::uint8_t> out);

// The parts, for the two formats.
ImageShape png_shape(FileContent file, const std::string& path);
ImageShape jpeg_shape(FileContent file, const std::string& path);
void decode_png(FileContent file, const std::string& path, const ImageShape& shape,
                std::span<std::uint8_t> out);
void decode_jpeg(FileContent file, const std::string& path, const ImageShape& shape,
                 std::span<std::uint8_t> out);

}  // namespace deepsl::data
