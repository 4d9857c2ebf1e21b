// Random numbers that are the same with every standard library: the engine's are fixed by the
// standard, what is made of them here is ours.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace deepsl {

using Random = std::mt19937_64;

/// In [0, 1[.
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

inline double uniform(Random& random, double low, double high) {
    return low + (high - low) * uniform(random);
}

/// Of mean 0 and deviation 1, by Box and Muller.
inline double normal(Random& random) {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform(random)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform(random));
}

/// 0..bound-1, all equally likely.
inline std::uint64_t below(std::uint64_t bound, Random& random) {
    const auto whole = std::numeric_limits<std::uint64_t>::max() / bound * bound;
    auto value = random();
    while (value >= whole) value = random();
    return value % bound;
}

/// 0..n-1 in random order.
inline std::vector<std::size_t> permutation(std::size_t n, Random& random) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i, random)]);
    return order;
}

}  // namespace deepsl
