// What the functions of cells.h demand of their arguments: an Error names what does not fit.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "deepsl/sturm/cells.h"

namespace deepsl::sturm::detail {

inline void check_size(const char* what, std::size_t given, std::size_t wanted,
                       bool optional = false) {
    if (given == wanted || (optional && given == 0)) return;
    throw argument_error(std::string(what) + " has " + std::to_string(given) +
                         " values; it needs " + std::to_string(wanted) +
                         (optional ? ", or none" : "") + ".");
}

inline void check_solution(const CellSolution& s, std::size_t size) {
    check_size("lambda of the solution", s.lambda.size(), size);
    check_size("u of the solution", s.u.size(), size);
    check_size("f of the solution", s.f.size(), size);
    check_size("status of the solution", s.status.size(), size);
    check_size("passes of the solution", s.passes.size(), size);
}

// Values at the edges come for all of them or for none, as `wanted` says.
inline void check_edges(const CellSolution& s, std::size_t wanted) {
    check_size("u_edges of the solution", s.u_edges.size(), wanted);
    check_size("f_edges of the solution", s.f_edges.size(), wanted);
}

inline void check_seeds(const CellSeeds& seeds, std::size_t size, std::size_t edges) {
    check_size("the seeds of lambda", seeds.lambda.size(), size, true);
    check_size("the seeds of u", seeds.u.size(), size, true);
    check_size("the seeds of f", seeds.f.size(), size, true);
    check_size("the seeds of u_edges", seeds.u_edges.size(), size * edges, true);
    check_size("the seeds of f_edges", seeds.f_edges.size(), size * edges, true);
}

inline void check_condition(const char* end, const BoundaryCondition& c) {
    if (!std::isfinite(c.alpha1) || !std::isfinite(c.alpha2) ||
        (c.alpha1 == 0.0 && c.alpha2 == 0.0))
        throw argument_error(std::string("the boundary condition at the ") + end +
                             " end needs two finite numbers, not both zero; try 1,0 (Dirichlet).");
}

inline void check(const CellProblems& p, const CellOptions& o) {
    if (p.cells == 0) throw argument_error("cells is 0; a problem needs at least one cell.");
    if (o.first == 0) throw argument_error("first is 0; eigenvalues are counted from 1.");
    if (o.count == 0) throw argument_error("count is 0; ask for at least one eigenvalue.");
    if (o.edge > p.cells)
        throw argument_error("edge is " + std::to_string(o.edge) + "; the cells have edges 0 to " +
                             std::to_string(p.cells) + ".");
    if (o.max_passes < 1) throw argument_error("max_passes must be at least 1.");
    const std::size_t at_nodes = p.problems * p.cells * nodes_per_cell(p.scheme);
    check_size("P", p.P.size(), at_nodes);
    check_size("q", p.q.size(), at_nodes);
    check_size("w", p.w.size(), at_nodes);
    check_size("length", p.length.size(), p.problems * p.cells);
    check_size("v", o.v.size(), p.problems * o.count, true);
    check_size("P_start", o.P_start.size(), p.problems, true);
    check_size("warm_start", o.warm_start.size(), p.problems * o.count, true);
    check_condition("left", p.left);
    check_condition("right", p.right);
}

inline void check_result(const CellGradient& r, const CellProblems& p, const CellOptions& o) {
    check_size("P of the result", r.P.size(), p.P.size());
    check_size("q of the result", r.q.size(), p.q.size());
    check_size("w of the result", r.w.size(), p.w.size());
    check_size("length of the result", r.length.size(), p.length.size());
    check_size("v of the result", r.v.size(), p.problems * o.count);
    check_size("P_start of the result", r.P_start.size(), o.P_start.size());
}

inline void check_range(const char* what, std::size_t begin, std::size_t end,
                        std::size_t problems) {
    if (begin > end || end > problems)
        throw argument_error(std::string(what) + ": the range " + std::to_string(begin) + ".." +
                             std::to_string(end) + " does not lie in the " +
                             std::to_string(problems) + " problems.");
}

}  // namespace deepsl::sturm::detail
