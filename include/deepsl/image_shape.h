// The size of an image. Its numbers lie in rows of pixels: [height, width, channels].
#pragma once

#include <cstddef>

namespace deepsl {

struct ImageShape {
    std::size_t height = 0, width = 0, channels = 0;

    std::size_t pixels() const { return height * width; }
    std::size_t size() const { return height * width * channels; }
    bool operator==(const ImageShape&) const = default;
};

}  // namespace deepsl
