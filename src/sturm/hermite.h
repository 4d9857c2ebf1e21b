// The cubic through two points with two slopes.
#pragma once

namespace deepsl::sturm::detail {

/// Its value at x, as a correction to that at xb, the nearer point: split by order, to tell how
/// fast it converges.
struct Correction {
    double linear, rest;
};

inline Correction hermite(double x, double xa, double ya, double sa, double xb, double yb,
                          double sb) {
    const double per_h = 1.0 / (xa - xb);
    const double chord = (ya - yb) * per_h;
    const double second = (chord - sb) * per_h;
    const double third = (sa - 2.0 * chord + sb) * (per_h * per_h);
    const double d = x - xb;
    return {sb * d, d * d * (second + third * (x - xa))};
}

}  // namespace deepsl::sturm::detail
