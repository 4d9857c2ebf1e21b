// What the kernels of networks share.
#pragma once

#include <cstddef>

namespace deepsl::network {

/// Rows that are swept together: they stay in the first cache, and fill the tiles of all kernels.
inline constexpr std::size_t block_rows = 132;

/// Up to so many outputs the last layer is computed output by output.
inline constexpr std::size_t narrow_outputs = 4;

inline constexpr double leaky_slope = 0.01;

/// What becomes of the last layer's r: a bounded centre + radius tanh(slope (r - shift)).
template <class Real>
struct Head {
    Real centre = 0, radius = 1, shift = 0, slope = 1;
};

}  // namespace deepsl::network
