#include "line.h"

#include <algorithm>
#include <cmath>

namespace deepsl::sturm::detail {

namespace {

Start upward(double u, double f) {
    if (u == 0.0) return {0.0, 1.0};
    const double size = std::copysign(std::hypot(u, f), u);
    return {u / size, f / size};
}

}  // namespace

void Pieces::resize(std::size_t count) {
    a.resize(count);
    g0.resize(count);
    g1.resize(count);
}

void Pieces::assign_zero(std::size_t count) {
    a.assign(count, 0.0);
    g0.assign(count, 0.0);
    g1.assign(count, 0.0);
}

Start start_left(const BoundaryCondition& c) { return upward(c.alpha2, -c.alpha1); }
Start start_right(const BoundaryCondition& c) { return upward(c.alpha2, c.alpha1); }

int free_ends(const Line& line) { return (line.left.u != 0.0) + (line.right.u != 0.0); }

void merge_pieces(const Line& fine, std::size_t group, Line& coarse) {
    coarse.left = fine.left;
    coarse.right = fine.right;
    const std::size_t count = fine.pieces.size();
    coarse.pieces.assign_zero((count + group - 1) / group);
    for (std::size_t j = 0, k = 0; k < count; ++j) {
        const std::size_t stop = std::min(k + group, count);
        for (; k < stop; ++k) {
            coarse.pieces.a[j] += fine.pieces.a[k];
            coarse.pieces.g0[j] += fine.pieces.g0[k];
            coarse.pieces.g1[j] += fine.pieces.g1[k];
        }
    }
}

Status judge(const Line& line) {
    const LineFigures& f = line.figures;
    const double figures[] = {f.max_ag0,          f.max_ag1,      f.sum_a,       f.sum_abs_g0,
                              f.sum_g1,           f.max_q_over_w, f.min_pw,      f.max_pw,
                              f.liouville_length, f.liouville_q,  f.min_q_over_w};
    for (double x : figures) {
        if (!std::isfinite(x)) return f.positive ? Status::out_of_range : Status::not_finite;
    }
    if (!f.positive) return Status::not_positive;
    // Half waves or e-foldings along the line, at most: beyond this a sweep would not end.
    constexpr double longest = 1e7;
    if (std::sqrt(f.sum_a * f.sum_abs_g0) > longest || f.min_pw <= 0.0 || f.liouville_length <= 0.0)
        return Status::out_of_range;
    return Status::ok;
}

std::size_t choose_match(const Line& line, std::size_t wanted, double lowest) {
    const Pieces& c = line.pieces;
    const std::size_t count = c.size();
    if (count == 1) return 1;
    // By Cauchy and Schwarz, the square of the e-foldings that a state spends in barriers is at
    // most the product of the integrals of P and of what q exceeds lambda w by.
    constexpr double mild_barrier = 4.0;
    double excess = 0.0;
    if (line.figures.max_q_over_w > lowest) {
        for (std::size_t k = 0; k < count; ++k) excess += std::max(0.0, c.g0[k] - lowest * c.g1[k]);
    }
    if (line.figures.sum_a * excess > mild_barrier * mild_barrier) {
        std::size_t lowest_piece = 0;
        for (std::size_t k = 1; k < count; ++k) {
            if (c.g0[k] * c.g1[lowest_piece] < c.g0[lowest_piece] * c.g1[k]) lowest_piece = k;
        }
        wanted = lowest_piece + 1;
    }
    return std::clamp<std::size_t>(wanted, 1, count - 1);
}

}  // namespace deepsl::sturm::detail
