// Many Sturm-Liouville problems at once, given on cells: the hot path of deep learning.
//
//     -(p u')' + q u = lambda w u,   alpha1 u + alpha2 p u' = 0 at each end
//
// Every problem has the same number of cells. On a cell the coefficients P = 1/p, q, w are known
// at its nodes: the midpoint (order 2), or the two Gauss points (order 4). Either way the discrete
// problem is itself a Sturm-Liouville problem with piecewise constant coefficients, solved exactly:
// ordering, zeros and orthogonality hold for any number of cells, not only in the limit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "deepsl/error.h"
#include "deepsl/sturm/boundary.h"
#include "deepsl/sturm/status.h"

namespace deepsl::sturm {

enum class Scheme {
    midpoint,  // one node a cell, at its middle; order 2
    magnus4,   // two nodes a cell, at 1/2 -+ sqrt(3)/6; commutator-free Magnus, order 4
};

constexpr std::size_t nodes_per_cell(Scheme scheme) {
    switch (scheme) {
        case Scheme::midpoint: return 1;
        case Scheme::magnus4: return 2;
    }
    return 0;
}

/// Errors fall with this power of the number of cells.
constexpr int order_of(Scheme scheme) {
    switch (scheme) {
        case Scheme::midpoint: return 2;
        case Scheme::magnus4: return 4;
    }
    return 0;
}

/// The nodes of the unit cell.
std::span<const double> nodes(Scheme scheme);

/// B problems on the same number of cells. Views: the caller keeps the arrays alive.
struct CellProblems {
    std::size_t problems = 0;
    std::size_t cells = 0;
    Scheme scheme = Scheme::magnus4;
    std::span<const double> P;       // 1/p > 0        [problem, cell, node]
    std::span<const double> q;       //                [problem, cell, node]
    std::span<const double> w;       // w > 0          [problem, cell, node]
    std::span<const double> length;  // of the cells   [problem, cell]
    BoundaryCondition left;
    BoundaryCondition right;
};

struct CellOptions {
    std::size_t first = 1;   // index of the first eigenvalue wanted, from 1
    std::size_t count = 10;  // how many
    std::size_t edge = 0;    // the cell edge, 0..cells, at which u and p u' are wanted
    // The start condition, which fixes the scale of u: u'(a) = v with Dirichlet at a,
    // u(a) = v otherwise. Empty means v = 1.                          [problem, index]
    std::span<const double> v;
    // P at a itself, used to turn u'(a) = v into p u'(a) = v / P. Empty: the discrete
    // problem's own value on its first piece, which is first-order accurate. [problem]
    std::span<const double> P_start;
    // Eigenvalues of a nearby problem to start from; NaN where unknown.  [problem, index]
    std::span<const double> warm_start;
    bool all_edges = false;  // also return u and p u' at every cell edge
    int max_passes = 200;    // sweeps over a problem before giving up on an eigenvalue
};

struct CellSolution {
    std::vector<double> lambda;   //              [problem, index]
    std::vector<double> u;        // at the edge  [problem, index]
    std::vector<double> f;        // p u' there   [problem, index]
    std::vector<double> u_edges;  // if asked     [problem, index, edge]
    std::vector<double> f_edges;  // if asked     [problem, index, edge]
    std::vector<Status> status;   //              [problem, index]
    std::vector<int> passes;      // sweeps over the full mesh  [problem, index]
};

/// Solves all problems. Throws Error if a size or option does not fit; whatever is wrong
/// with the numbers of one problem is told in that problem's status, and its values are NaN (but
/// for the eigenvalue, if only u overflows).
CellSolution solve(const CellProblems& problems, const CellOptions& options);

/// Gives a solution the sizes that `solve` fills; memory that it has is used again.
void prepare(const CellProblems& problems, const CellOptions& options, CellSolution& solution);
CellSolution make_solution(const CellProblems& problems, const CellOptions& options);

/// The same for problems begin..end only, into a solution prepared for all of them: disjoint
/// ranges may run on different threads. A problem's result does not depend on the range. After a
/// thread's first call no memory is allocated, unless lines get longer or indices more.
void solve(const CellProblems& problems, const CellOptions& options, std::size_t begin,
           std::size_t end, CellSolution& solution);

/// Derivatives of a loss with respect to the results; an empty span means zero. Those at the edges
/// are added to those at the one edge that the options name.
struct CellSeeds {
    std::span<const double> lambda{};   // [problem, index]
    std::span<const double> u{};        // [problem, index]
    std::span<const double> f{};        // [problem, index]
    std::span<const double> u_edges{};  // [problem, index, edge]
    std::span<const double> f_edges{};  // [problem, index, edge]
};

/// Derivatives of the loss with respect to the inputs, in the inputs' shapes.
struct CellGradient {
    std::vector<double> P, q, w, length, v, P_start;
};

/// Exact derivatives of the discrete problem, by one backward sweep. Where the status is not ok,
/// nothing is contributed, but for the eigenvalue's part where only u overflows. Seeds at the edges
/// presume that u is finite there, as a solution with all_edges tells.
CellGradient gradient(const CellProblems& problems, const CellOptions& options,
                      const CellSolution& solution, const CellSeeds& seeds);

/// As for solutions: sizes for a result, and problems begin..end only, on any threads. The part of
/// the result that belongs to these problems is replaced, whatever it was.
void prepare(const CellProblems& problems, const CellOptions& options, CellGradient& result);
CellGradient make_gradient(const CellProblems& problems, const CellOptions& options);
void gradient(const CellProblems& problems, const CellOptions& options,
              const CellSolution& solution, const CellSeeds& seeds, std::size_t begin,
              std::size_t end, CellGradient& result);

}  // namespace deepsl::sturm
