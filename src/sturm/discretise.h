// From coefficients at the nodes of cells to a line of pieces, and derivatives back.
//
// Midpoint: a cell is one piece. Order 4: a cell becomes two pieces, with the averages
//     h (alpha A1 + beta A2)  and  h (beta A1 + alpha A2),   alpha, beta = 1/4 +- sqrt(3)/6,
// of the values A1, A2 at its Gauss points: the commutator-free Magnus integrator. beta is
// negative, so a piece's P and w stay positive only while the two values are within a factor of
// 13.9; cells with a contrast above 8 take A1 and A2 on their halves instead (order 2).
#pragma once

#include <array>
#include <cstddef>

#include "deepsl/sturm/cells.h"
#include "line.h"

namespace deepsl::sturm::detail {

constexpr std::size_t pieces_per_cell(Scheme scheme) { return nodes_per_cell(scheme); }

struct PieceWeights {
    double near, far;
};

/// The weights of a cell with these values at its two nodes.
PieceWeights piece_weights(double P1, double P2, double w1, double w2);

/// The two pieces of a cell of order 4.
using CellPieces = std::array<Piece, 2>;
CellPieces magnus4_pieces(double h, const double* P, const double* q, const double* w);

/// Sets the pieces from number k on to those of one cell of length h, given P, q, w at its nodes.
void set_cell(Scheme scheme, double h, const double* P, const double* q, const double* w,
              std::size_t k, Pieces& pieces);

/// P on the first piece of a cell.
double first_P(Scheme scheme, const double* P, const double* w);

/// Makes the line of problem `b`, not yet measured, and looks at its numbers: ok, not_finite or
/// not_positive.
Status make_line(const CellProblems& problems, std::size_t b, Line& line);

}  // namespace deepsl::sturm::detail
