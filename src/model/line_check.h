// What the theory promises about one line, measured where it was looked at: on the edges and nodes
// of an Inspection.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "deepsl/model/model.h"

namespace deepsl::model {

/// The larger one; unlike std::max it keeps a NaN, which must not pass for a small number.
inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// The change against the larger of the new value and 1.
inline double relative_change(double from, double to) {
    return std::fabs(to - from) / worse(std::fabs(to), 1.0);
}

/// The line of sample b, which must be ok. The inspection is kept by the caller.
class Line {
public:
    Line(const Inspection& seen, std::size_t b) : seen_(seen), b_(b) {}

    std::size_t cells() const { return seen_.cells; }
    std::size_t functions() const { return seen_.d; }
    std::span<const double> lambda() const { return seen_.lambda.row(b_); }
    std::span<const double> u(std::size_t i) const { return seen_.u_along(b_, i); }
    std::span<const double> f(std::size_t i) const { return seen_.f_along(b_, i); }
    double length(std::size_t cell) const { return seen_.length(b_, cell); }
    std::size_t first(std::size_t cell) const { return cell * seen_.nodes; }
    std::size_t last(std::size_t cell) const { return (cell + 1) * seen_.nodes - 1; }
    double P(std::size_t node) const { return seen_.P(b_, node); }
    double q(std::size_t node) const { return seen_.q(b_, node); }
    double w(std::size_t node) const { return seen_.w(b_, node); }

    /// The largest |u_i| on the edges.
    double size(std::size_t i) const;

    /// u_i at the share s of a cell, by the cubic that has u and u' = P f at both edges.
    double between(std::size_t i, std::size_t cell, double s) const;

private:
    const Inspection& seen_;
    std::size_t b_;
};

/// |u_i| at both ends against the largest on the line, over all i.
double end_values(const Line& line);

/// The size of the paper's mapping H: solutions shot from either end with the eigenvalue found
/// must be one function. The sine of the angle between them where the function is largest:
/// elsewhere, inside a barrier, shooting amplifies rounding.
double mismatch(const Line& line);

/// How many u_i do not have their i - 1 zeros, told by changes of sign from edge to edge.
std::size_t wrong_counts(const Line& line);

/// The smallest lambda_(i+1) - lambda_i; infinity if there is one function only.
double smallest_gap(const Line& line);

/// max |integral w u_i u_j| / (|u_i| |u_j|) over i != j, by two Gauss points a cell.
double orthogonality(const Line& line);

}  // namespace deepsl::model
