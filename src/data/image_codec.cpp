#include "image_codec.h"

#include <algorithm>
#include <array>

#include "image_checks.h"

namespace deepsl::data {

PictureFormat picture_format(FileContent file) {
    constexpr std::array<std::uint8_t, 8> png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    constexpr std::array<std::uint8_t, 3> jpeg = {0xff, 0xd8, 0xff};
    const auto begins = [&](std::span<const std::uint8_t> start) {
        return file.size() >= start.size() && std::equal(start.begin(), start.end(), file.begin());
    };
    if (begins(png)) return PictureFormat::png;
    if (begins(jpeg)) return PictureFormat::jpeg;
    return PictureFormat::none;
}

ImageShape picture_shape(FileContent file, const std::string& path) {
    switch (picture_format(file)) {
        case PictureFormat::png: return png_shape(file, path);
        case PictureFormat::jpeg: return jpeg_shape(file, path);
        case PictureFormat::none: break;
    }
    refuse(path, "it begins neither as PNG nor as JPEG; convert it to one of them");
}

void decode_picture(FileContent file, const std::string& path, const ImageShape& shape,
                    std::span<std::uint8_t> out) {
    switch (picture_format(file)) {
        case PictureFormat::png: return decode_png(file, path, shape, out);
        case PictureFormat::jpeg: return decode_jpeg(file, path, shape, out);
        case PictureFormat::none: break;
    }
    refuse(path, "it begins neither as PNG nor as JPEG; convert it to one of them");
}

}  // namespace deepsl::data
