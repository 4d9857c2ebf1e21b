#include "deepsl/data/generated.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace deepsl::data {

namespace {

using std::numbers::pi;

struct Point {
    double x, y;
};

/// The engine's numbers are fixed by the standard; those of the standard's distributions and of
/// std::shuffle are not, hence our own.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)

    /// Uniform below `bound`: numbers from an incomplete last round would favour the small ones.
    std::uint64_t below(std::uint64_t bound) {
        const auto skipped = (0 - bound) % bound;  // 2^64 mod bound
        auto number = engine_();
        while (number < skipped) number = engine_();
        return number % bound;
    }

    /// Two independent standard normal numbers, by Box and Muller.
    Point normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        const double angle = 2 * pi * uniform();
        return {radius * std::cos(angle), radius * std::sin(angle)};
    }

    template <class Item>
    void shuffle(std::vector<Item>& items) {
        for (std::size_t left = items.size(); left > 1; --left)
            std::swap(items[left - 1], items[below(left)]);
    }

private:
    std::mt19937_64 engine_;
};

Point moon(std::int64_t label, Random& random) {
    const double t = pi * random.uniform();
    return label == 0 ? Point{std::cos(t), std::sin(t)} : Point{1 - std::cos(t), 0.5 - std::sin(t)};
}

Point circle(std::int64_t label, Random& random) {
    const double radius = label == 0 ? 1 : 0.5;
    const double t = 2 * pi * random.uniform();
    return {radius * std::cos(t), radius * std::sin(t)};
}

Point spiral(std::int64_t label, Random& random) {
    // The arm's length grows nearly as t^2: the root spreads the points evenly along it.
    const double t = std::sqrt(random.uniform());
    const double radius = (label == 0 ? 1 : -1) * (0.1 + 0.9 * t);
    const double angle = 3 * pi * t;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

Point square(std::int64_t label, Random& random) {
    const auto cell = random.below(8);  // among the eight of this colour
    const auto row = cell / 2;
    const auto column = 2 * (cell % 2) + (row + static_cast<std::uint64_t>(label)) % 2;
    return {-1 + 0.5 * (static_cast<double>(column) + random.uniform()),
            -1 + 0.5 * (static_cast<double>(row) + random.uniform())};
}

struct Set {
    double noise;
    Point (*point)(std::int64_t label, Random& random);  // nullptr: a regression
};

Set set_of(GeneratedSet set) {
    switch (set) {
        case GeneratedSet::moons: return {0.1, moon};
        case GeneratedSet::circles: return {0.08, circle};
        case GeneratedSet::spirals: return {0.04, spiral};
        case GeneratedSet::checkerboard: return {0, square};
        case GeneratedSet::wave: return {0.05, nullptr};
    }
    throw argument_error("there is no such generated set");
}

void check(const GenerateOptions& options) {
    constexpr std::size_t max_samples = 100'000'000;
    constexpr double max_noise = 1e6;
    if (options.samples < 1 || options.samples > max_samples)
        throw data_error(
            fmt::format("{} samples are asked for; choose 1 to {}", options.samples, max_samples));
    const double noise = options.noise.value_or(0);
    if (!(noise >= 0 && noise <= max_noise))
        throw data_error(fmt::format("the noise is {}; choose a standard deviation from 0 to {}",
                                     noise, max_noise));
}

}  // namespace

double default_noise(GeneratedSet set) { return set_of(set).noise; }

double wave(double x) { return std::sin(3 * pi * x) + x / 2; }

Samples generate(GeneratedSet set, const GenerateOptions& options) {
    const auto chosen = set_of(set);
    check(options);
    const double noise = options.noise.value_or(chosen.noise);
    Random random(options.seed);
    Samples samples;
    // Noise is drawn even where it is 0: the same seed gives the same points under any noise.
    if (chosen.point == nullptr) {
        samples.features = 1;
        samples.x.resize(options.samples);
        samples.y.resize(options.samples);
        for (std::size_t i = 0; i < options.samples; ++i) {
            samples.x[i] = -1 + 2 * random.uniform();
            samples.y[i] = wave(samples.x[i]) + noise * random.normal().x;
        }
        return samples;
    }
    samples.features = 2;
    samples.classes = 2;
    samples.label.resize(options.samples);
    for (std::size_t i = 0; i < options.samples; ++i)
        samples.label[i] = static_cast<std::int64_t>(i % 2);
    random.shuffle(samples.label);
    samples.x.reserve(2 * options.samples);
    for (const auto label : samples.label) {
        const auto point = chosen.point(label, random);
        const auto error = random.normal();
        samples.x.push_back(point.x + noise * error.x);
        samples.x.push_back(point.y + noise * error.y);
    }
    return samples;
}

}  // namespace deepsl::data
