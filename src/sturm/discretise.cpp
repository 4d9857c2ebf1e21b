#include "discretise.h"

#include <cmath>

namespace deepsl::sturm {

namespace {
constexpr double sqrt3_6 = 0.28867513459481288225;  // sqrt(3) / 6
constexpr double midpoint_node[] = {0.5};
constexpr double gauss_nodes[] = {0.5 - sqrt3_6, 0.5 + sqrt3_6};
}  // namespace

std::span<const double> nodes(Scheme scheme) {
    switch (scheme) {
        case Scheme::midpoint: return midpoint_node;
        case Scheme::magnus4: return gauss_nodes;
    }
    return {};
}

namespace detail {

PieceWeights piece_weights(double P1, double P2, double w1, double w2) {
    constexpr double contrast = 8.0;
    const bool mild =
        P1 < contrast * P2 && P2 < contrast * P1 && w1 < contrast * w2 && w2 < contrast * w1;
    if (mild) return {0.25 + sqrt3_6, 0.25 - sqrt3_6};
    return {0.5, 0.0};
}

CellPieces magnus4_pieces(double h, const double* P, const double* q, const double* w) {
    const PieceWeights weights = piece_weights(P[0], P[1], w[0], w[1]);
    const double near = h * weights.near, far = h * weights.far;
    return {Piece{near * P[0] + far * P[1], near * q[0] + far * q[1], near * w[0] + far * w[1]},
            Piece{far * P[0] + near * P[1], far * q[0] + near * q[1], far * w[0] + near * w[1]}};
}

void set_cell(Scheme scheme, double h, const double* P, const double* q, const double* w,
              std::size_t k, Pieces& pieces) {
    switch (scheme) {
        case Scheme::midpoint: pieces.set(k, {h * P[0], h * q[0], h * w[0]}); break;
        case Scheme::magnus4: {
            const CellPieces two = magnus4_pieces(h, P, q, w);
            pieces.set(k, two[0]);
            pieces.set(k + 1, two[1]);
            break;
        }
    }
}

double first_P(Scheme scheme, const double* P, const double* w) {
    switch (scheme) {
        case Scheme::midpoint: return P[0];
        case Scheme::magnus4: {
            const PieceWeights weights = piece_weights(P[0], P[1], w[0], w[1]);
            return 2.0 * (weights.near * P[0] + weights.far * P[1]);
        }
    }
    return 0.0;
}

Status make_line(const CellProblems& problems, std::size_t b, Line& line) {
    const std::size_t per_cell = nodes_per_cell(problems.scheme);
    const std::size_t base = b * problems.cells * per_cell;
    line.pieces.resize(problems.cells * per_cell);
    line.left = start_left(problems.left);
    line.right = start_right(problems.right);
    bool finite = true, positive = true;
    for (std::size_t k = 0; k < problems.cells; ++k) {
        const double h = problems.length[b * problems.cells + k];
        const double* P = &problems.P[base + k * per_cell];
        const double* q = &problems.q[base + k * per_cell];
        const double* w = &problems.w[base + k * per_cell];
        // x - x is 0 for finite x only, so the sum is 0 unless something is not finite.
        double odd = h - h;
        positive &= h > 0.0;
        for (std::size_t j = 0; j < per_cell; ++j) {
            odd += (P[j] - P[j]) + (q[j] - q[j]) + (w[j] - w[j]);
            positive &= (P[j] > 0.0) & (w[j] > 0.0);
        }
        finite &= odd == 0.0;
        set_cell(problems.scheme, h, P, q, w, k * per_cell, line.pieces);
    }
    if (!finite) return Status::not_finite;
    if (!positive) return Status::not_positive;
    return Status::ok;
}

}  // namespace detail
}  // namespace deepsl::sturm
