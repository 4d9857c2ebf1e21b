// A mesh for a problem given by functions, fine where the wanted eigenvalues need it.
//
// Splitting one cell changes lambda by u df - f du, to first order, where (du, df) is how the
// state behind the cell changes and u has the integral of w u^2 equal to 1: so each cell's share of
// the error is known from the eigenfunction, and cells are split where that share is large.
#pragma once

#include <cstddef>
#include <vector>

#include "coefficients.h"
#include "kernel.h"

namespace deepsl::sturm::detail {

struct Mesh {
    std::vector<double> edges;  // increasing, from a to b
    std::vector<char> smooth;   // per cell: it was seen that errors fall as they should

    std::size_t cells() const { return edges.size() - 1; }
};

/// One eigenfunction that the mesh shall serve, with its states at the mesh's edges.
struct Guide {
    double lambda = 0.0;
    double tolerance = 0.0;          // wanted for lambda, absolute
    std::vector<PointState> states;  // the integral of w u^2 is 1
};

/// The first mesh: the break points, even steps between them, and edges around whatever sticks out
/// when the coefficients are probed at a thousand points.
Mesh first_mesh(const Problem& problem, Coefficients& coefficients);

/// The line of the mesh with every cell split into `parts`.
void make_line(const Problem& problem, const Mesh& mesh, std::size_t parts,
               Coefficients& coefficients, Line& line);

struct Refinement {
    std::size_t splits = 0;   // 0: the mesh already serves all guides
    double unresolved = 0.0;  // the error, in tolerances, that rough or too large cells still make
};

/// Splits cells until each contributes at most `share` times the tolerance to the error of every
/// guide's eigenvalue. Rough cells (a jump, a kink, a wave shorter than the cell), at most a small
/// fraction of the tolerance, since extrapolation will not improve on them.
/// Stops at max_cells.
Refinement refine(Mesh& mesh, const std::vector<Guide>& guides, double share, std::size_t max_cells,
                  Coefficients& coefficients);

}  // namespace deepsl::sturm::detail
