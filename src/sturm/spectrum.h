// The spectra of one problem on a mesh and its halvings, and what they tell together.
#pragma once

#include <cstddef>
#include <vector>

#include "coefficients.h"
#include "line.h"
#include "watch.h"

namespace deepsl::sturm::detail {

/// The eigenvalues and eigenfunctions of one line, for a list of indices.
struct LineSpectrum {
    std::vector<double> lambda;
    std::vector<Status> status;
    std::vector<double> rounding;                 // what rounding may have done to lambda
    std::vector<std::vector<PointState>> states;  // [index][edge], integral of w u^2 = 1
};

/// Solves by index; `guess` may be empty. Keeps the states at every `stride`-th piece edge. All of
/// it is the part that `watch` has begun.
LineSpectrum solve_line(const Line& line, const std::vector<std::size_t>& indices,
                        const std::vector<double>& guess, std::size_t stride, Watch& watch);

/// Romberg's table for one number known on meshes of halved cells: errors go with h^4, h^6, ...
struct Extrapolated {
    double value, estimate;
};

Extrapolated extrapolate(const std::vector<double>& by_level);

/// Where refinement has moved eigenvalues by as much as a tenth of the distance between them, they
/// repel each other, and higher columns of the table mean little: what is left is a matter of h^4.
void distrust_clusters(const std::vector<LineSpectrum>& levels, std::vector<Eigenpair>& pairs);

/// Eigenvalues that agree within their estimates have errors in common: the largest counts.
void share_estimates(std::vector<Eigenpair>& pairs);

}  // namespace deepsl::sturm::detail
