#include "deepsl/learner/image_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/error.h"
#include "deepsl/text.h"

namespace deepsl::learner {
namespace {

std::vector<float>& pixels_of(const data::Images& images, std::size_t row) {
    thread_local std::vector<float> pixels;
    pixels.resize(images.shape.size());
    images.read(row, pixels);
    return pixels;
}

/// Neighbouring seeds to numbers that have nothing to do with each other (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

}  // namespace

ImageRows::ImageRows(std::shared_ptr<const data::Images> images, const Variation& variation)
    : images_(std::move(images)), variation_(variation) {}

void ImageRows::read(std::size_t row, std::span<double> out) const {
    const auto& pixels = pixels_of(*images_, row);
    std::copy(pixels.begin(), pixels.end(), out.begin());
}

void ImageRows::vary(std::size_t row, std::uint64_t draw, std::span<double> out) const {
    if (!variation_.flip && variation_.crop == 0) return read(row, out);
    const auto& [height, width, channels] = images_->shape;
    const auto& pixels = pixels_of(*images_, row);
    // One number decides everything, so that threads and resumed runs see the same.
    auto chance = mixed(mixed(mixed(variation_.seed) + draw) + row);
    const auto choose = [&](std::size_t count) {
        const auto chosen = static_cast<std::size_t>(chance % count);
        chance = mixed(chance);
        return chosen;
    };
    const bool mirrored = variation_.flip && choose(2) == 1;
    const auto moves = 2 * variation_.crop + 1;
    const auto down = choose(moves), right = choose(moves);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) {
            const auto from_y = y + down, from_x = (mirrored ? width - 1 - x : x) + right;
            auto* const to = out.data() + (y * width + x) * channels;
            const bool inside = from_y >= variation_.crop && from_y - variation_.crop < height &&
                                from_x >= variation_.crop && from_x - variation_.crop < width;
            if (!inside) {
                std::fill_n(to, channels, 0.0);
                continue;
            }
            const auto place = (from_y - variation_.crop) * width + from_x - variation_.crop;
            std::copy_n(pixels.data() + place * channels, channels, to);
        }
}

void ImageRows::add_to(io::Hash& hash) const {
    for (const auto size : {images_->shape.height, images_->shape.width, images_->shape.channels,
                            variation_.crop, std::size_t{variation_.flip ? 1U : 0U}})
        hash.add(static_cast<std::uint64_t>(size));
    hash.add(variation_.seed);
    hash.add(std::as_bytes(std::span(images_->bytes)));
    hash.add(std::as_bytes(std::span(images_->floats)));
}

std::shared_ptr<const data::Images> labelled(std::shared_ptr<const data::Images> images,
                                             const std::vector<std::string>& classes) {
    if (images->labels.empty())
        throw data_error(fmt::format("{} has no labels; name a file of them with --labels",
                                     in_quotes(images->path)));
    if (images->classes == classes) return images;
    std::vector<std::int64_t> number;
    for (const auto& name : images->classes) {
        const auto found = std::find(classes.begin(), classes.end(), name);
        number.push_back(found == classes.end() ? -1 : found - classes.begin());
    }
    auto renamed = std::make_shared<data::Images>(*images);
    for (auto& label : renamed->labels) {
        const auto place = static_cast<std::size_t>(label);
        if (number[place] < 0)
            throw data_error(
                fmt::format("{} has images of the class {}, which the model does not "
                            "know; it knows {}",
                            in_quotes(images->path), in_quotes(images->classes[place], 60),
                            printable(fmt::format("{}", fmt::join(classes, ", ")))));
        label = number[place];
    }
    renamed->classes = classes;
    return renamed;
}

train::Dataset dataset_of(std::shared_ptr<const data::Images> images, const Variation& variation) {
    train::Dataset rows;
    rows.labels = images->labels;
    rows.places.resize(images->size());
    std::iota(rows.places.begin(), rows.places.end(), std::size_t{0});
    rows.source = std::make_shared<ImageRows>(std::move(images), variation);
    return rows;
}

}  // namespace deepsl::learner
