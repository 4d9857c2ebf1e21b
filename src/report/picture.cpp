#include "report/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/png.h"

namespace deepsl::report::detail {
namespace {

/// Means over blocks of values [height, width, channels].
template <class T>
std::vector<double> block_means(const std::vector<T>& values, std::size_t height, std::size_t width,
                                std::size_t channels, std::size_t factor) {
    std::vector<double> means;
    for (std::size_t top = 0; top < height; top += factor)
        for (std::size_t left = 0; left < width; left += factor)
            for (std::size_t c = 0; c < channels; ++c) {
                const auto bottom = std::min(top + factor, height);
                const auto right = std::min(left + factor, width);
                double sum = 0.0;
                for (std::size_t y = top; y < bottom; ++y)
                    for (std::size_t x = left; x < right; ++x)
                        sum += static_cast<double>(values[(y * width + x) * channels + c]);
                means.push_back(sum / static_cast<double>((bottom - top) * (right - left)));
            }
    return means;
}

std::size_t blocks(std::size_t pixels, std::size_t factor) {
    return (pixels + factor - 1) / factor;
}

}  // namespace

Picture shrunk(const Picture& picture, std::size_t factor) {
    if (factor < 2 || picture.empty()) return picture;
    Picture small{
        blocks(picture.height, factor), blocks(picture.width, factor), picture.channels, {}};
    for (const double mean :
         block_means(picture.pixels, picture.height, picture.width, picture.channels, factor))
        small.pixels.push_back(static_cast<std::uint8_t>(std::lround(mean)));
    return small;
}

std::vector<float> shrunk(const std::vector<float>& values, std::size_t height, std::size_t width,
                          std::size_t factor) {
    const auto means = block_means(values, height, width, 1, std::max<std::size_t>(factor, 1));
    return {means.begin(), means.end()};
}

std::string picture_uri(const Picture& picture) {
    return png_data_uri(
        PlainImage{picture.width, picture.height, picture.channels, picture.pixels});
}

std::string change_uri(const std::vector<float>& values, std::size_t height, std::size_t width,
                       double largest) {
    // A palette of few colours is far smaller than three bytes a pixel.
    constexpr int half = 24;
    constexpr std::array<double, 3> less = {36.0, 103.0, 176.0}, more = {217.0, 106.0, 22.0};
    IndexedImage image{width, height, {}, {}};
    for (int level = -half; level <= half; ++level) {
        const double share = std::fabs(static_cast<double>(level)) / half;
        Colour colour{0, 0, 0, 255};
        for (std::size_t k = 0; k < 3; ++k)
            colour[k] = static_cast<std::uint8_t>(
                std::lround(255.0 - share * (255.0 - (level < 0 ? less : more)[k])));
        image.palette.push_back(colour);
    }
    for (const float value : values) {
        const double share = largest > 0.0 ? static_cast<double>(value) / largest : 0.0;
        const double level = std::isfinite(share) ? std::clamp(share, -1.0, 1.0) * half : 0.0;
        image.pixels.push_back(static_cast<std::uint8_t>(std::lround(level) + half));
    }
    return png_data_uri(image);
}

std::size_t uri_bytes(std::size_t height, std::size_t width, std::size_t channels) {
    return (height * (width * channels + 1) + 100) * 4 / 3;
}

}  // namespace deepsl::report::detail
