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

void split_pieces(const Line& line, std::size_t parts, Line& finer) {
    finer.left = line.left;
    finer.right = line.right;
    finer.pieces.resize(parts * line.pieces.size());
    const auto n = static_cast<double>(parts);
    for (std::size_t k = 0; k < finer.pieces.size(); ++k) {
        const Piece c = line.pieces[k / parts];
        finer.pieces.set(k, {c.a / n, c.g0 / n, c.g1 / n});
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
    // Products of these must stay within the range of double.
    for (double x : {f.sum_a, f.sum_g1, f.min_pw, f.max_pw}) {
        if (!(x > 1e-140 && x < 1e140)) return Status::out_of_range;
    }
    // E-foldings along the line, at most: beyond this rounding is all there is.
    constexpr double longest = 1e7;
    if (std::sqrt(f.sum_a * f.sum_abs_g0) > longest) return Status::out_of_range;
    return Status::ok;
}

// By Cauchy and Schwarz: the square is at most the product of the integrals of P and of what q
// exceeds lambda w by.
double barrier(const Line& line, double lowest) {
    if (line.figures.max_q_over_w <= lowest) return 0.0;
    const Pieces& c = line.pieces;
    double excess = 0.0;
    for (std::size_t k = 0; k < c.size(); ++k) excess += std::max(0.0, c.g0[k] - lowest * c.g1[k]);
    return std::sqrt(line.figures.sum_a * excess);
}

std::size_t choose_match(const Line& line, std::size_t wanted, double barrier) {
    constexpr double mild = 4.0;
    const Pieces& c = line.pieces;
    const std::size_t count = c.size();
    if (count == 1) return 1;
    if (barrier > mild) {
        std::size_t lowest_piece = 0;
        for (std::size_t k = 1; k < count; ++k) {
            if (c.g0[k] * c.g1[lowest_piece] < c.g0[lowest_piece] * c.g1[k]) lowest_piece = k;
        }
        wanted = lowest_piece + 1;
    }
    return std::clamp<std::size_t>(wanted, 1, count - 1);
}

}  // namespace deepsl::sturm::detail
