#include "report/map.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "report/plot.h"

namespace deepsl::report::detail {
namespace {

constexpr std::size_t most_pixels = 256;
constexpr double palest = 0.04, strongest = 0.4;

Colour mixed_with_white(const char* hex, double share) {
    Colour colour{0, 0, 0, 255};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto full = std::stoi(std::string(hex).substr(1 + 2 * k, 2), nullptr, 16);
        colour[k] = static_cast<std::uint8_t>(std::lround(255.0 - share * (255.0 - full)));
    }
    return colour;
}

/// By the number of edges that a ray to the right crosses.
bool contains(const Curve& outline, double x, double y) {
    bool inside = false;
    const auto size = outline.x.size();
    for (std::size_t i = 0, j = size - 1; i < size; j = i++) {
        if ((outline.y[i] > y) == (outline.y[j] > y)) continue;
        const double share = (y - outline.y[i]) / (outline.y[j] - outline.y[i]);
        if (x < outline.x[i] + share * (outline.x[j] - outline.x[i])) inside = !inside;
    }
    return inside;
}

/// One step: transparent pixels outside the outline take a neighbour's colour.
void grow(IndexedImage& image, const std::vector<bool>& outside) {
    const auto before = image.pixels;
    const auto columns = static_cast<std::ptrdiff_t>(image.columns);
    const auto rows = static_cast<std::ptrdiff_t>(image.rows);
    for (std::ptrdiff_t r = 0; r < rows; ++r)
        for (std::ptrdiff_t c = 0; c < columns; ++c) {
            const auto here = static_cast<std::size_t>(r * columns + c);
            if (before[here] != 0 || !outside[here]) continue;
            for (std::ptrdiff_t k = 0; k < 9 && image.pixels[here] == 0; ++k) {
                const auto row = r + k / 3 - 1, column = c + k % 3 - 1;
                if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
                image.pixels[here] = before[static_cast<std::size_t>(row * columns + column)];
            }
        }
}

}  // namespace

IndexedImage map_image(const DecisionMap& map, const Curve& outline) {
    IndexedImage image;
    const auto stride =
        std::max<std::size_t>(1, (std::max(map.columns, map.rows) + most_pixels - 1) / most_pixels);
    image.columns = (map.columns + stride - 1) / stride;
    image.rows = (map.rows + stride - 1) / stride;

    int last = 0;
    for (const int winner : map.winner) last = std::max(last, winner);
    const auto classes = std::min(static_cast<std::size_t>(last) + 1, class_colours);
    const auto levels = 255 / classes;
    image.palette.push_back({255, 255, 255, 0});
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t level = 0; level < levels; ++level)
            image.palette.push_back(mixed_with_white(
                class_colour(static_cast<int>(k)),
                palest + (strongest - palest) * static_cast<double>(level) /
                             static_cast<double>(std::max<std::size_t>(levels - 1, 1))));

    std::vector<bool> outside;
    for (std::size_t r = 0; r < image.rows; ++r) {
        const auto row = std::min((image.rows - 1 - r) * stride + stride / 2, map.rows - 1);
        for (std::size_t c = 0; c < image.columns; ++c) {
            const auto column = std::min(c * stride + stride / 2, map.columns - 1);
            const auto winner = map.winner[row * map.columns + column];
            const auto confidence = static_cast<double>(map.confidence[row * map.columns + column]);
            // Not a number compares false, and counts as undecided.
            const double share = confidence > 0.0 ? std::min(confidence, 1.0) : 0.0;
            const auto level =
                static_cast<std::size_t>(std::lround(share * static_cast<double>(levels - 1)));
            image.pixels.push_back(static_cast<std::uint8_t>(
                winner < 0 ? 0 : 1 + static_cast<std::size_t>(winner) % classes * levels + level));
            const double x = map.x_min + (static_cast<double>(column) + 0.5) *
                                             (map.x_max - map.x_min) /
                                             static_cast<double>(map.columns);
            const double y = map.y_min + (static_cast<double>(row) + 0.5) *
                                             (map.y_max - map.y_min) /
                                             static_cast<double>(map.rows);
            outside.push_back(winner < 0 && !outline.x.empty() && !contains(outline, x, y));
        }
    }
    for (int step = 0; step < 2 && !outline.x.empty(); ++step) grow(image, outside);
    return image;
}

}  // namespace deepsl::report::detail
