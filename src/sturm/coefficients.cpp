#include "coefficients.h"

#include <cmath>
#include <sstream>

namespace deepsl::sturm::detail {

namespace {

[[noreturn]] void reject(const char* name, double t, double value, const char* rule) {
    std::ostringstream message;
    message.precision(12);
    message << name << "(t) = " << value << " at t = " << t << "; " << rule;
    throw data_error(message.str());
}

double finite(const char* name, double t, double value) {
    if (!std::isfinite(value))
        reject(name, t, value, "it must be finite on the whole interval, ends included.");
    return value;
}

double positive(const char* name, double t, double value) {
    if (finite(name, t, value) <= 0.0)
        reject(name, t, value, "it must be positive on the whole interval, ends included.");
    return value;
}

}  // namespace

Values Coefficients::at(double t) {
    ++evaluations_;
    const double p = positive("p", t, problem_.p(t));
    const double q = finite("q", t, problem_.q(t));
    const double w = positive("w", t, problem_.w(t));
    return {1.0 / p, q, w};
}

SampledCell Coefficients::cell(double left, double right) {
    const auto node = nodes(Scheme::magnus4);
    const double h = right - left;
    const Values v1 = at(left + node[0] * h);
    const Values v2 = at(left + node[1] * h);
    const double P[] = {v1.P, v2.P}, q[] = {v1.q, v2.q}, w[] = {v1.w, v2.w};
    return {{v1, v2}, magnus4_pieces(h, P, q, w)};
}

PointState advance(const Piece& piece, double lambda, PointState y) {
    const double g = piece.g0 - lambda * piece.g1;
    const double Y = piece.a * g;
    double C, S;
    if (std::fabs(Y) < 0.01) {
        C = 1.0 + Y / 2 * (1.0 + Y / 12 * (1.0 + Y / 30 * (1.0 + Y / 56 * (1.0 + Y / 90))));
        S = 1.0 + Y / 6 * (1.0 + Y / 20 * (1.0 + Y / 42 * (1.0 + Y / 72 * (1.0 + Y / 110))));
    } else {
        const double x = std::sqrt(std::fabs(Y));
        C = Y > 0.0 ? std::cosh(x) : std::cos(x);
        S = (Y > 0.0 ? std::sinh(x) : std::sin(x)) / x;
    }
    return {C * y.u + S * piece.a * y.f, S * g * y.u + C * y.f};
}

PointState advance(const CellPieces& cell, double lambda, PointState y) {
    return advance(cell[1], lambda, advance(cell[0], lambda, y));
}

PointState retreat(const CellPieces& cell, double lambda, PointState y) {
    const PointState z = advance(cell[0], lambda, advance(cell[1], lambda, {y.u, -y.f}));
    return {z.u, -z.f};
}

}  // namespace deepsl::sturm::detail
