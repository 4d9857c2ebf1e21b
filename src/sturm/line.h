// The discrete problem that everything is reduced to: a line of pieces with constant coefficients.
//
// With s in [0, 1] along a piece, u_s = a f and f_s = g u, where f = p u' and g = g0 - lambda g1;
// so a, g0, g1 are the integrals of P, q, w over the piece. With Y = a g the propagator is
//     [ C  S a ]      C = cosh(sqrt Y),
//     [ S g  C ]      S = sinh(sqrt Y) / sqrt Y,
// entire functions of Y: no branch on its sign.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/sturm/boundary.h"
#include "deepsl/sturm/status.h"

namespace deepsl::sturm::detail {

struct Piece {
    double a, g0, g1;
};

/// The pieces, one array for each number; in derivatives, the derivatives by these.
struct Pieces {
    std::vector<double> a, g0, g1;

    std::size_t size() const { return a.size(); }
    Piece operator[](std::size_t k) const { return {a[k], g0[k], g1[k]}; }
    void set(std::size_t k, const Piece& piece) {
        a[k] = piece.a;
        g0[k] = piece.g0;
        g1[k] = piece.g1;
    }
    void resize(std::size_t count);
    void assign_zero(std::size_t count);
};

/// The direction (u, f) that a boundary condition prescribes, with u >= 0, and f > 0 if u = 0.
struct Start {
    double u, f;
};

Start start_left(const BoundaryCondition& condition);
/// Seen from the right end, where time runs backwards and f changes its sign.
Start start_right(const BoundaryCondition& condition);

/// Figures of a whole line, which bound its eigenvalues and steer the search for them.
struct LineFigures {
    double max_ag0 = 0, max_ag1 = 0;               // |Y| <= max_ag0 + |lambda| max_ag1
    double sum_a = 0, sum_abs_g0 = 0, sum_g1 = 0;  // integrals of P, |q|, w
    double min_q_over_w = 0, max_q_over_w = 0;
    double min_pw = 0, max_pw = 0;
    double liouville_length = 0;  // integral of sqrt(w/p)
    double liouville_q = 0;       // mean of q/w in that clock
    bool positive = false;        // all a and g1 are
};

struct Line {
    Pieces pieces;
    Start left{}, right{};
    LineFigures figures;
};

/// How many ends are not Dirichlet ends.
int free_ends(const Line& line);

/// The line with every `group` neighbouring pieces merged into one: a cheap problem whose
/// eigenvalues are close to those of the fine one. Its figures are left to the caller.
void merge_pieces(const Line& fine, std::size_t group, Line& coarse);

/// The line with every piece cut into `parts` equal ones: the same problem. Its figures are left to
/// the caller.
void split_pieces(const Line& line, std::size_t parts, Line& finer);

/// Whether the figures are finite and the sweeps of a line can end.
Status judge(const Line& line);

/// At most how many e-foldings a solution can spend in barriers, for eigenvalues from about
/// `lowest` up.
double barrier(const Line& line, double lowest);

/// The edge at which to match solutions from both ends: `wanted`, unless barriers make that a bad
/// place; then the edge after the piece of lowest q/w. Inside the line, but for a line of one
/// piece, which is matched at its right end.
std::size_t choose_match(const Line& line, std::size_t wanted, double barrier);

}  // namespace deepsl::sturm::detail
