// The eigenproblem on the lines of a chunk: d pairs each, and back.
//
//     -(p u')' + q u = lambda w u,   u = 0 at both ends,   u' = v at the left end
//
// Gradients go to P = 1/p, q, w, the cells' lengths, P at the left end, and v; they are exact for
// the discrete problem, and no search is differentiated. Always in double.
//
// Functions may be normalised: divided by their root mean square along the line, weighted by w,
//
//     N^2 = int w u^2 dt / int w dt,
//
// by the trapezoidal rule on the cells. Then |u| stays of the order of 1 behind barriers, and v, P
// at the left end and constant factors of w do not matter.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/outcome.h"
#include "deepsl/sturm/cells.h"

namespace deepsl::model {

/// Problems, their solutions and their derivatives; memory that is reused.
struct Eigenpairs {
    std::size_t problems = 0, cells = 0, d = 0;
    sturm::Scheme scheme = sturm::Scheme::magnus4;
    bool learns_v = false, normalised = false;
    std::vector<double> P, q, w;  // at the nodes [B, cell, node]; behind them P has its values at
                                  // the left ends [B]
    std::span<const double> length;  // of the cells  [B, cell]; the caller keeps it
    std::vector<double> v;           // [B, d], if it learns
    sturm::CellSolution solution;    // u at the edge in the middle of the cells
    sturm::CellGradient gradient;    // in the shapes of the above
    // Of functions that are normalised: N [B, d], derivatives by what they were before, at the
    // edges [B, d, edge], and the sum of u du over the edges [B, d].
    std::vector<double> norm, du_edges, along;

    std::size_t node_count() const { return problems * cells * nodes_per_cell(scheme); }
};

/// Solves for lambda and u at the middle edge; with `all_edges` for u and p u' everywhere, too.
/// Throws Error if sizes do not fit, or the cells have no middle.
void solve(Eigenpairs& pairs, bool all_edges = false);

/// From derivatives by lambda and u, each [B, d] (empty: zero), to pairs.gradient. With those by u
/// at all edges [B, d, edge] (empty: zero), which add to it, the solution has them, too.
void pull_back(Eigenpairs& pairs, std::span<const double> dlambda, std::span<const double> du,
               std::span<const double> du_edges = {});

}  // namespace deepsl::model
