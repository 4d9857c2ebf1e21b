#include "model/line_check.h"

#include <algorithm>
#include <numbers>
#include <vector>

namespace deepsl::model {
namespace {

constexpr double root3 = std::numbers::sqrt3;

/// Makes u and f alike in size: (scale u)^2 + f^2 is the square of a length.
double scale_of(const Line& line, std::size_t i) {
    const double lambda = line.lambda()[i];
    double sum_P = 0.0, sum_rate = 0.0;
    for (std::size_t c = 0; c < line.cells(); ++c) {
        const double share = line.length(c) / static_cast<double>(line.last(c) + 1 - line.first(c));
        for (auto node = line.first(c); node <= line.last(c); ++node) {
            sum_P += share * line.P(node);
            sum_rate += share * std::fabs(lambda * line.w(node) - line.q(node));
        }
    }
    return std::sqrt(sum_rate / sum_P + 1.0 / (sum_P * sum_P));
}

struct State {
    double u = 0.0, f = 1.0;
};

/// exp(Omega) of Magnus' method of order 4 applied to (u, f), forwards or backwards over a cell; of
/// the solver's own scheme, which splits a cell in two, it knows nothing.
State cross(const Line& line, std::size_t i, std::size_t cell, double direction, double scale,
            State at) {
    const double h = direction * line.length(cell), lambda = line.lambda()[i];
    const auto first = line.first(cell), last = line.last(cell);
    const double P1 = line.P(first), P2 = line.P(last);
    const double g1 = line.q(first) - lambda * line.w(first);
    const double g2 = line.q(last) - lambda * line.w(last);
    const double a = h * (P1 + P2) / 2.0, b = h * (g1 + g2) / 2.0;
    // Backwards the nodes change places, which turns the commutator's sign.
    const double d = direction * root3 / 12.0 * h * h * (P2 * g1 - P1 * g2);
    const double Y = d * d + a * b, root = std::sqrt(std::fabs(Y));
    const double C = Y > 0.0 ? std::cosh(root) : std::cos(root);
    const double S =
        root < 1e-4 ? 1.0 + Y / 6.0 : (Y > 0.0 ? std::sinh(root) : std::sin(root)) / root;
    const double u = C * at.u + S * (d * at.u + a * at.f);
    const double f = C * at.f + S * (b * at.u - d * at.f);
    const double size = std::sqrt(scale * u * scale * u + f * f);
    return {u / size, f / size};
}

/// The edge where (scale u)^2 + f^2 is largest.
std::size_t largest_edge(std::span<const double> u, std::span<const double> f, double scale) {
    std::size_t best = 0;
    double largest = -1.0;
    for (std::size_t e = 0; e < u.size(); ++e) {
        const double square = scale * u[e] * scale * u[e] + f[e] * f[e];
        if (square > largest) largest = square, best = e;
    }
    return best;
}

}  // namespace

double Line::size(std::size_t i) const {
    double largest = 0.0;
    for (const double value : u(i)) largest = worse(largest, std::fabs(value));
    return largest;
}

double Line::between(std::size_t i, std::size_t cell, double s) const {
    const double P1 = P(first(cell)), P2 = P(last(cell));
    // A straight line through the two nodes, which lie at 1/2 -+ sqrt(3)/6.
    const double slope = root3 * (P2 - P1), middle = (P1 + P2) / 2.0, h = length(cell);
    const double u0 = u(i)[cell], u1 = u(i)[cell + 1];
    const double v0 = f(i)[cell] * (middle - slope / 2.0) * h;
    const double v1 = f(i)[cell + 1] * (middle + slope / 2.0) * h;
    const double r = 1.0 - s;
    return (1.0 + 2.0 * s) * r * r * u0 + s * s * (3.0 - 2.0 * s) * u1 + s * r * r * v0 -
           s * s * r * v1;
}

double end_values(const Line& line) {
    double result = 0.0;
    for (std::size_t i = 0; i < line.functions(); ++i) {
        const auto u = line.u(i);
        result = worse(result, worse(std::fabs(u.front()), std::fabs(u.back())) / line.size(i));
    }
    return result;
}

double mismatch(const Line& line) {
    double result = 0.0;
    for (std::size_t i = 0; i < line.functions(); ++i) {
        const double scale = scale_of(line, i);
        const auto edge = largest_edge(line.u(i), line.f(i), scale);
        State left, right;
        for (std::size_t c = 0; c < edge; ++c) left = cross(line, i, c, 1.0, scale, left);
        for (auto c = line.cells(); c-- > edge;) right = cross(line, i, c, -1.0, scale, right);
        result = worse(result, std::fabs(left.u * right.f - left.f * right.u) * scale);
    }
    return result;
}

std::size_t wrong_counts(const Line& line) {
    std::size_t result = 0;
    for (std::size_t i = 0; i < line.functions(); ++i) {
        const auto u = line.u(i);
        std::size_t changes = 0;
        for (std::size_t e = 2; e < line.cells(); ++e)
            if ((u[e] > 0.0) != (u[e - 1] > 0.0)) ++changes;
        if (changes != i) ++result;
    }
    return result;
}

double smallest_gap(const Line& line) {
    const auto lambda = line.lambda();
    double result = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < lambda.size(); ++i)
        result = -worse(-result, -(lambda[i] - lambda[i - 1]));
    return result;
}

double orthogonality(const Line& line) {
    const auto d = line.functions();
    std::vector<double> u(d), gram(d * d, 0.0);
    for (std::size_t c = 0; c < line.cells(); ++c) {
        for (const bool second : {false, true}) {
            const double s = 0.5 + (second ? root3 : -root3) / 6.0;
            const double weight =
                line.w(second ? line.last(c) : line.first(c)) * line.length(c) / 2.0;
            for (std::size_t i = 0; i < d; ++i) u[i] = line.between(i, c, s);
            for (std::size_t i = 0; i < d; ++i)
                for (std::size_t j = 0; j <= i; ++j) gram[i * d + j] += weight * u[i] * u[j];
        }
    }
    double result = 0.0;
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < i; ++j)
            result = worse(result, std::fabs(gram[i * d + j]) /
                                       (std::sqrt(gram[i * d + i]) * std::sqrt(gram[j * d + j])));
    return result;
}

}  // namespace deepsl::model
