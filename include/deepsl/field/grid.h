// The cells of a Sturm-Liouville problem on each field line: m on [t-, 0] and m on [0, t+], of
// equal pace through the domain.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/field/trace.h"
#include "deepsl/sturm/cells.h"

namespace deepsl::field {

template <class Real>
struct Grid {
    std::size_t samples = 0, n = 0, cells = 0, nodes = 0;  // cells of the whole line: 2m
    std::vector<Real> z;         // nodes, from t- to t+ [B, cells, node, n], then entries [B, n]
    std::vector<Real> exit;      // z(t+)  [B, n]
    std::vector<double> length;  // of the cells in t  [B, cells]
    std::vector<double> t_minus, t_plus;  // [B]
    std::vector<double> residual;         // larger |g| at both ends  [B]

    std::size_t rows() const { return samples * (cells * nodes + 1); }
    const Real* entry() const { return z.data() + samples * cells * nodes * n; }
};

/// Lines that failed get harmless values: all nodes at the centre. Throws Error without cells.
template <class Real>
void grid(const Lines<Real>& lines, std::size_t cells_per_side, sturm::Scheme scheme,
          Grid<Real>& g);

/// From derivatives by z (nodes, then entries), the lengths, and the ends of the line (null: zero)
/// to the derivatives by rounds.
template <class Real>
struct GridSeeds {
    const Real* z = nullptr;         // as Grid::z
    const double* length = nullptr;  // as Grid::length
    const Real* exit = nullptr;      // as Grid::exit
    const double* t_minus = nullptr;
    const double* t_plus = nullptr;
};
template <class Real>
void grid_pullback(Lines<Real>& lines, const Grid<Real>& g, sturm::Scheme scheme,
                   const GridSeeds<Real>& seeds);

}  // namespace deepsl::field
