// Eigenvalues by index: Newton's method on the matched Pruefer angle, kept inside a bracket.
#pragma once

#include <cstddef>

#include "deepsl/sturm/status.h"
#include "kernel.h"

namespace deepsl::sturm::detail {

struct Roots {
    std::size_t index[lanes];  // from 1; a repeated index only costs its lane
    Lanes lambda;              // in: guesses (NaN: none); out: eigenvalues
    Status status[lanes];
    int passes[lanes];
    std::size_t match;  // in: the edge to match at, if that is a good place; out: that used
    // Whether the solution from the left is accurate up to the match edge, or so sensitive there
    // that it has to be traced from both ends.
    bool accurate[lanes];
};

/// Finds the eigenvalues of roots.index to rounding. Guesses that are missing are made from
/// asymptotics and a coarser line.
void find_roots(const Kernel& kernel, const Line& line, int max_passes, Roots& roots);

/// How many eigenvalues lie below lambda.
std::size_t count_below(const Kernel& kernel, const Line& line, double lambda);

}  // namespace deepsl::sturm::detail
