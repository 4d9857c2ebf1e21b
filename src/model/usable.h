// Which numbers networks can work with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace deepsl::model {

/// Finite, and so far inside the range of float that products with weights are finite, too.
template <class Real>
bool usable(const Real* numbers, std::size_t count) {
    return std::all_of(numbers, numbers + count,
                       [](Real c) { return std::fabs(c) <= static_cast<Real>(1e30); });
}

}  // namespace deepsl::model
