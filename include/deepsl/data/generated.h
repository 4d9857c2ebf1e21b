// Small data sets made by formula, to try a method on: the same seed gives the same samples with
// every compiler and standard library, up to the rounding of sin, cos and log.
//
//     moons         two half circles of radius 1, each reaching into the other: (cos t, sin t)
//                   and (1 - cos t, 1/2 - sin t), 0 <= t <= pi
//     circles       a circle of radius 1 around one of radius 1/2
//     spirals       two arms of 3/2 turns: radius 1/10 + 9 t/10, angle 3 pi t, and opposite
//     checkerboard  4 x 4 squares on [-1, 1]^2 in two colours
//     wave          a regression: y = sin(3 pi x) + x/2 on [-1, 1]
//
// Points are independent and uniform along the curves or over the squares. Normal noise is added
// to both coordinates, or to y of the wave. Without noise of their own choice, callers get as
// much as leaves the two classes separable to better than 99 %.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "deepsl/error.h"

namespace deepsl::data {

enum class GeneratedSet { moons, circles, spirals, checkerboard, wave };
constexpr std::array<std::string_view, 5> names(GeneratedSet) {
    return {"moons", "circles", "spirals", "checkerboard", "wave"};
}

struct Samples {
    std::size_t features = 0;
    std::size_t classes = 0;          // 0 for a regression
    std::vector<double> x;            //                              [sample, feature]
    std::vector<double> y;            // of a regression, else empty  [sample]
    std::vector<std::int64_t> label;  // 0..classes-1, else empty     [sample]

    std::size_t size() const { return features == 0 ? 0 : x.size() / features; }
};

struct GenerateOptions {
    std::size_t samples = 1000;   // 1 to 10^8
    std::optional<double> noise;  // standard deviation, 0 to 10^6; default_noise of the set
    std::uint64_t seed = 0;
};

double default_noise(GeneratedSet set);

/// Classes are balanced to within one sample, in random order. Throws Error for
/// samples or noise out of range.
Samples generate(GeneratedSet set, const GenerateOptions& options = {});

/// The function behind the set `wave`, without noise.
double wave(double x);

}  // namespace deepsl::data
