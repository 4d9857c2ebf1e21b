// A slow and simple reference: the number of eigenvalues below lambda by one-sided shooting, in
// long double, on the same pieces; and eigenvalues by bisection of that.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include "line.h"

namespace deepsl::sturm::testing {

inline std::size_t slow_count_below(const detail::Line& line, long double lambda) {
    constexpr long double pi = std::numbers::pi_v<long double>;
    long double u = line.left.u, f = line.left.f;
    long double zeros = 0;
    for (std::size_t k = 0; k < line.pieces.size(); ++k) {
        const detail::Piece c = line.pieces[k];
        const long double whole = c.g0 - lambda * c.g1;
        // Parts in which u has at most one zero, and grows at most by a factor of e^2.
        const auto parts =
            static_cast<std::size_t>(1.0L + std::sqrt(std::fabs(c.a * whole)) / 2.0L);
        const auto n = static_cast<long double>(parts);
        const long double a = c.a / n, g = whole / n, Y = a * g, x = std::sqrt(std::fabs(Y));
        const long double C = Y > 0 ? std::cosh(x) : std::cos(x);
        const long double S =
            x < 1e-6L ? 1.0L + Y / 6.0L : (Y > 0 ? std::sinh(x) : std::sin(x)) / x;
        for (std::size_t j = 0; j < parts; ++j) {
            const long double next = C * u + S * a * f;
            f = S * g * u + C * f;
            if (u != 0 && std::signbit(next) != std::signbit(u)) ++zeros;
            u = next;
            const long double size = std::hypot(u, f);
            u /= size;
            f /= size;
        }
    }
    const long double left = std::signbit(u) ? std::atan2(-u, -f) : std::atan2(u, f);
    const long double right =
        std::atan2(static_cast<long double>(line.right.u), static_cast<long double>(line.right.f));
    const long double turns = zeros + (left + right) / pi;
    return turns <= 1 ? 0 : static_cast<std::size_t>(std::ceil(turns)) - 1;
}

/// The n-th eigenvalue, if it lies in [low, high].
inline long double slow_eigenvalue(const detail::Line& line, std::size_t n, long double low,
                                   long double high) {
    for (int k = 0; k < 120; ++k) {
        const long double middle = low + 0.5L * (high - low);
        (slow_count_below(line, middle) >= n ? high : low) = middle;
    }
    return low;
}

}  // namespace deepsl::sturm::testing
