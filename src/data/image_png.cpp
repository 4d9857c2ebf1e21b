#include <vector>

#include <png.h>

#include "image_checks.h"
#include "image_codec.h"

namespace deepsl::data {
namespace {

/// libpng's simple interface: errors come back as a text, and nothing jumps.
class PngFile {
public:
    PngFile(FileContent file, const std::string& path) : path_(path) {
        image_.version = PNG_IMAGE_VERSION;
        if (png_image_begin_read_from_memory(&image_, file.data(), file.size()) == 0) fail();
        // 16 bits a value are as in other files, not linear in light.
        image_.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    }
    ~PngFile() { png_image_free(&image_); }
    PngFile(const PngFile&) = delete;
    PngFile& operator=(const PngFile&) = delete;

    std::uint64_t height() const { return image_.height; }
    std::uint64_t width() const { return image_.width; }
    bool has_colour() const { return (image_.format & PNG_FORMAT_FLAG_COLOR) != 0; }
    bool has_alpha() const { return (image_.format & PNG_FORMAT_FLAG_ALPHA) != 0; }

    void read(bool colour, bool alpha, std::uint8_t* out) {
        image_.format =
            (colour ? PNG_FORMAT_FLAG_COLOR : 0U) | (alpha ? PNG_FORMAT_FLAG_ALPHA : 0U);
        if (png_image_finish_read(&image_, nullptr, out, 0, nullptr) == 0) fail();
    }

private:
    [[noreturn]] void fail() const {
        refuse(path_, "libpng cannot read it ({}); save it anew",
               printable(static_cast<const char*>(image_.message)));
    }

    png_image image_{};
    const std::string& path_;
};

}  // namespace

ImageShape png_shape(FileContent file, const std::string& path) {
    const PngFile png(file, path);
    const ClaimedShape claimed{1, png.height(), png.width(), png.has_colour() ? 3U : 1U};
    claimed.check(path, png.has_alpha() ? 2 : 1);
    // At one bit a pixel and the best compression there is.
    if (png.height() * png.width() / 8 / best_deflate > file.size())
        refuse(path, "it claims {} x {} pixels, more than {} can hold; is it damaged?", png.width(),
               png.height(), counted(file.size(), "byte"));
    return claimed.shape();
}

void decode_png(FileContent file, const std::string& path, const ImageShape& shape,
                std::span<std::uint8_t> out) {
    PngFile png(file, path);
    const bool colour = shape.channels == 3;
    if (!png.has_alpha()) return png.read(colour, false, out.data());
    const auto pixels = shape.height * shape.width;
    std::vector<std::uint8_t> with_alpha(pixels * (shape.channels + 1));
    png.read(colour, true, with_alpha.data());
    const auto* from = with_alpha.data();
    auto* to = out.data();
    for (std::size_t pixel = 0; pixel < pixels; ++pixel, ++from) {
        const unsigned opaque = from[shape.channels];
        for (std::size_t channel = 0; channel < shape.channels; ++channel)
            *to++ =
                static_cast<std::uint8_t>((*from++ * opaque + 255 * (255 - opaque) + 127) / 255);
    }
}

}  // namespace deepsl::data
