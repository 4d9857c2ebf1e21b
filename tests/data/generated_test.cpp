// The generated sets: the same everywhere, balanced, and as separable as promised.
#include "deepsl/data/generated.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "deepsl/option.h"

namespace deepsl::data {
namespace {

bool same(const Samples& left, const Samples& right) {
    return left.x == right.x && left.y == right.y && left.label == right.label;
}

/// The share of `fresh` whose nearest neighbour in `known` has the same label.
double neighbour_accuracy(const Samples& known, const Samples& fresh) {
    std::size_t right = 0;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        std::size_t best = 0;
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < known.size(); ++j) {
            const double dx = known.x[2 * j] - fresh.x[2 * i];
            const double dy = known.x[2 * j + 1] - fresh.x[2 * i + 1];
            const double distance = dx * dx + dy * dy;
            if (distance < nearest) nearest = distance, best = j;
        }
        if (known.label[best] == fresh.label[i]) ++right;
    }
    return static_cast<double>(right) / static_cast<double>(fresh.size());
}

std::string message_of(GeneratedSet set, const GenerateOptions& options) {
    try {
        generate(set, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

void expect_refused(GeneratedSet set, const GenerateOptions& options, const char* part) {
    const auto message = message_of(set, options);
    EXPECT_NE(message.find(part), std::string::npos) << "found: " << message;
}

constexpr std::array all_sets = {GeneratedSet::moons, GeneratedSet::circles, GeneratedSet::spirals,
                                 GeneratedSet::checkerboard, GeneratedSet::wave};

// Files and reports keep them.
TEST(Generated, SetsHaveNames) {
    const std::array<std::string_view, 5> expected = {"moons", "circles", "spirals", "checkerboard",
                                                      "wave"};
    ASSERT_EQ(names(GeneratedSet{}).size(), all_sets.size());
    for (std::size_t i = 0; i < all_sets.size(); ++i) {
        EXPECT_EQ(name(all_sets[i]), expected[i]);
        EXPECT_EQ(named<GeneratedSet>(expected[i]), all_sets[i]);
    }
}

// Computed once by a program in another language, from the definition of mt19937_64.
TEST(Generated, GivesTheSameNumbersEverywhere) {
    struct Expected {
        GeneratedSet set;
        double first[2], last[2];
    };
    const Expected table[] = {
        {GeneratedSet::moons,
         {0.394356263721751, -0.268981753855195},
         {0.8987337759152401, -0.47723402483772187}},
        {GeneratedSet::circles,
         {-0.12386168452840461, 0.5020201709907355},
         {-0.5812982273218187, 0.017856010124918338}},
        {GeneratedSet::spirals,
         {-0.21113099832128956, 0.5547247782326074},
         {-0.724062199245559, -0.26536091333435674}},
        {GeneratedSet::checkerboard,
         {0.51380786652927, 0.10933004283646541},
         {-0.04016095643675299, -0.8943082482239968}},
        {GeneratedSet::wave,
         {0.508770608305716, -0.6518444230408076},
         {-0.5765170765690761, 0.46698356892862575}},
    };
    for (const auto& [set, first, last] : table) {
        const auto samples = generate(set, {.samples = 1000, .noise = {}, .seed = 7});
        ASSERT_EQ(samples.size(), 1000U);
        const bool regression = samples.classes == 0;
        const auto value = [&](std::size_t sample, std::size_t column) {
            return regression && column == 1 ? samples.y[sample]
                                             : samples.x[sample * samples.features + column];
        };
        for (const std::size_t column : {0U, 1U}) {
            EXPECT_NEAR(value(0, column), first[column], 1e-13) << name(set);
            EXPECT_NEAR(value(999, column), last[column], 1e-13) << name(set);
        }
    }
}

TEST(Generated, DependsOnTheSeedOnly) {
    for (const auto set : all_sets) {
        const auto samples = generate(set, {.samples = 100, .noise = {}, .seed = 1});
        EXPECT_TRUE(same(samples, generate(set, {.samples = 100, .noise = {}, .seed = 1})));
        EXPECT_FALSE(same(samples, generate(set, {.samples = 100, .noise = {}, .seed = 2})));
        EXPECT_TRUE(
            same(samples, generate(set, {.samples = 100, .noise = default_noise(set), .seed = 1})));
    }
}

TEST(Generated, IsBalancedAndShuffled) {
    for (const auto set : all_sets) {
        if (set == GeneratedSet::wave) continue;
        for (const std::size_t count : {1U, 2U, 1000U, 1001U}) {
            const auto samples = generate(set, {.samples = count, .noise = {}, .seed = 3});
            EXPECT_EQ(samples.features, 2U);
            EXPECT_EQ(samples.classes, 2U);
            EXPECT_EQ(samples.size(), count);
            EXPECT_EQ(samples.label.size(), count);
            EXPECT_TRUE(samples.y.empty());
            const auto ones = std::count(samples.label.begin(), samples.label.end(), 1);
            const auto zeros = std::count(samples.label.begin(), samples.label.end(), 0);
            EXPECT_EQ(static_cast<std::size_t>(ones + zeros), count);
            EXPECT_LE(std::abs(ones - zeros), 1);
        }
        // A fair coin changes sides about 500 times, with a standard deviation of 16.
        const auto samples = generate(set, {.samples = 1001, .noise = {}, .seed = 3});
        int changes = 0;
        for (std::size_t i = 1; i < samples.size(); ++i)
            changes += samples.label[i] != samples.label[i - 1] ? 1 : 0;
        EXPECT_NEAR(changes, 500, 80) << name(set);
    }
}

TEST(Generated, IsSeparable) {
    for (const auto set : all_sets) {
        if (set == GeneratedSet::wave) continue;
        const auto known = generate(set, {.samples = 2000, .noise = {}, .seed = 11});
        const auto fresh = generate(set, {.samples = 2000, .noise = {}, .seed = 12});
        EXPECT_GE(neighbour_accuracy(known, fresh),
                  set == GeneratedSet::checkerboard ? 0.95 : 0.985)
            << name(set);
    }
}

TEST(Generated, LiesOnItsCurvesWithoutNoise) {
    const GenerateOptions exact{.samples = 500, .noise = 0.0, .seed = 5};
    for (const auto set : all_sets) {
        const auto samples = generate(set, exact);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const double x = samples.x[i * samples.features];
            if (set == GeneratedSet::wave) {
                EXPECT_LE(std::fabs(x), 1);
                EXPECT_EQ(samples.y[i], wave(x));
                continue;
            }
            const double y = samples.x[2 * i + 1];
            const bool one = samples.label[i] == 1;
            const double radius = std::hypot(x, y);
            if (set == GeneratedSet::moons) {
                EXPECT_NEAR(one ? std::hypot(x - 1, y - 0.5) : radius, 1, 1e-14);
                EXPECT_TRUE(one ? y <= 0.5 : y >= 0);
            } else if (set == GeneratedSet::circles) {
                EXPECT_NEAR(radius, one ? 0.5 : 1, 1e-14);
            } else if (set == GeneratedSet::spirals) {
                const double angle = std::numbers::pi * ((radius - 0.1) / 0.3 + (one ? 1 : 0));
                EXPECT_NEAR(std::hypot(x - radius * std::cos(angle), y - radius * std::sin(angle)),
                            0, 1e-13);
            } else {
                const auto squares = std::floor(2 * (x + 1)) + std::floor(2 * (y + 1));
                EXPECT_LE(std::max(std::fabs(x), std::fabs(y)), 1);
                EXPECT_EQ(std::fmod(squares, 2), one ? 1 : 0);
            }
        }
    }
}

TEST(Generated, NoiseIsNormalWithTheGivenDeviation) {
    const auto samples =
        generate(GeneratedSet::wave, {.samples = 100'000, .noise = 0.5, .seed = 1});
    double sum = 0, squares = 0, fourth = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double z = (samples.y[i] - wave(samples.x[i])) / 0.5;
        sum += z, squares += z * z, fourth += z * z * z * z;
    }
    EXPECT_NEAR(sum / 1e5, 0, 0.015);  // five standard deviations of each
    EXPECT_NEAR(squares / 1e5, 1, 0.025);
    EXPECT_NEAR(fourth / 1e5, 3, 0.16);
}

TEST(Generated, RefusesBadArguments) {
    expect_refused(GeneratedSet::moons, {.samples = 0, .noise = {}, .seed = 0}, "0 samples");
    expect_refused(GeneratedSet::moons, {.samples = 100'000'001, .noise = {}, .seed = 0},
                   "100000001 samples");
    expect_refused(GeneratedSet::moons, {.samples = 10, .noise = -0.1, .seed = 0}, "noise is -0.1");
    expect_refused(GeneratedSet::moons, {.samples = 10, .noise = std::nan(""), .seed = 0},
                   "noise is nan");
    expect_refused(GeneratedSet::wave, {.samples = 10, .noise = HUGE_VAL, .seed = 0},
                   "noise is inf");
}

}  // namespace
}  // namespace deepsl::data
