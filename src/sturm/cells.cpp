#include "deepsl/sturm/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cell_checks.h"
#include "discretise.h"
#include "kernel.h"
#include "roots.h"

namespace deepsl::sturm {

namespace {

using namespace detail;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The state at a for v = 1.
Start unit_start(const CellProblems& p, const CellOptions& o, std::size_t b) {
    if (!p.left.is_dirichlet()) return {1.0, -p.left.alpha1 / p.left.alpha2};
    if (!o.P_start.empty()) return {0.0, 1.0 / o.P_start[b]};
    const std::size_t base = b * p.cells * nodes_per_cell(p.scheme);
    return {0.0, 1.0 / first_P(p.scheme, &p.P[base], &p.w[base])};
}

Status check_start(const CellProblems& p, const CellOptions& o, std::size_t b) {
    if (!o.P_start.empty() && p.left.is_dirichlet()) {
        if (!std::isfinite(o.P_start[b])) return Status::not_finite;
        if (!(o.P_start[b] > 0.0)) return Status::not_positive;
    }
    return Status::ok;
}

// From a state at a, known up to its size, to the factor that makes it the unit start.
double start_factor(const Start& unit, double u, double f) {
    return unit.u == 0.0 ? unit.f / f : unit.u / u;
}

struct Workspace {
    Line line;
    std::vector<Root> roots;
    EdgeStates states;
    SensitivitySeeds seeds;
    Pieces piece_gradient;
};

Workspace& workspace() {
    thread_local Workspace w;
    return w;
}

Status make_measured_line(const Kernel& kernel, const CellProblems& p, std::size_t b, Line& line) {
    Status status = make_line(p, b, line);
    if (status != Status::ok) return status;
    kernel.measure(line);
    return judge(line);
}

// Indices are solved four at a time; past the end the last one is repeated.
std::size_t lane_index(std::size_t group, std::size_t lane, std::size_t count) {
    return std::min(group + lane, count - 1);
}

double v_of(const CellOptions& o, std::size_t at) { return o.v.empty() ? 1.0 : o.v[at]; }

void fail(Status status, std::size_t at, std::size_t edges, CellSolution& s) {
    s.status[at] = status;
    s.lambda[at] = s.u[at] = s.f[at] = nan;
    if (s.u_edges.empty()) return;
    std::fill_n(s.u_edges.begin() + static_cast<std::ptrdiff_t>(at * edges), edges, nan);
    std::fill_n(s.f_edges.begin() + static_cast<std::ptrdiff_t>(at * edges), edges, nan);
}

// u and f of four indices at the wanted edge (and all edges, if asked), for v = 1.
void evaluate(const Kernel& kernel, const CellProblems& p, const CellOptions& o, std::size_t b,
              std::size_t group, CellSolution& s) {
    Workspace& ws = workspace();
    const Start unit = unit_start(p, o, b);
    const std::size_t per_cell = pieces_per_cell(p.scheme);
    const std::size_t edge = o.edge * per_cell;
    const std::size_t used = std::min(lanes, o.count - group);
    const Root* roots = &ws.roots[group];
    bool accurate = !o.all_edges && edge == roots[0].match;
    Lanes lambda;
    for (std::size_t i = 0; i < lanes; ++i) {
        const Root& root = roots[std::min(i, used - 1)];
        lambda[i] = root.lambda;
        accurate &= root.accurate;
    }
    if (accurate) {
        const double factor = start_factor(unit, ws.line.left.u, ws.line.left.f);
        for (std::size_t i = 0; i < used; ++i) {
            const std::size_t at = b * o.count + group + i;
            s.u[at] = factor * roots[i].u;
            s.f[at] = factor * roots[i].f;
        }
        return;
    }
    kernel.trace(ws.line, lambda, ws.states);
    for (std::size_t i = 0; i < used; ++i) {
        const std::size_t at = b * o.count + group + i;
        const double factor = start_factor(unit, ws.states.u[0][i], ws.states.f[0][i]);
        s.u[at] = factor * ws.states.u[edge][i];
        s.f[at] = factor * ws.states.f[edge][i];
        if (!o.all_edges) continue;
        for (std::size_t k = 0; k <= p.cells; ++k) {
            s.u_edges[at * (p.cells + 1) + k] = factor * ws.states.u[k * per_cell][i];
            s.f_edges[at * (p.cells + 1) + k] = factor * ws.states.f[k * per_cell][i];
        }
    }
}

void scale_by_v(const CellOptions& o, std::size_t at, std::size_t edges, CellSolution& s) {
    const double v = v_of(o, at);
    s.u[at] *= v;
    s.f[at] *= v;
    if (!s.u_edges.empty()) {
        for (std::size_t k = at * edges; k < (at + 1) * edges; ++k) {
            s.u_edges[k] *= v;
            s.f_edges[k] *= v;
        }
    }
    bool finite = std::isfinite(s.u[at]) && std::isfinite(s.f[at]);
    if (!s.u_edges.empty()) {
        for (std::size_t k = at * edges; k < (at + 1) * edges; ++k)
            finite = finite && std::isfinite(s.u_edges[k]) && std::isfinite(s.f_edges[k]);
    }
    if (finite) return;
    // The eigenvalue itself is good, whatever u is scaled by.
    const double lambda = s.lambda[at];
    fail(std::isfinite(v) ? Status::overflow : Status::not_finite, at, edges, s);
    s.lambda[at] = lambda;
}

void solve_one(const Kernel& kernel, const CellProblems& p, const CellOptions& o, std::size_t b,
               CellSolution& s) {
    Workspace& ws = workspace();
    Status status = make_measured_line(kernel, p, b, ws.line);
    if (status == Status::ok) status = check_start(p, o, b);
    if (status != Status::ok) {
        for (std::size_t i = 0; i < o.count; ++i) {
            fail(status, b * o.count + i, p.cells + 1, s);
            s.passes[b * o.count + i] = 0;
        }
        return;
    }
    ws.states.resize(ws.line.pieces.size() + 1);  // needed or not: so that no later line has to
    ws.roots.assign(o.count, Root{});
    for (std::size_t i = 0; i < o.count; ++i) {
        ws.roots[i].index = o.first + i;
        ws.roots[i].lambda = o.warm_start.empty() ? nan : o.warm_start[b * o.count + i];
    }
    find_roots(kernel, ws.line, o.edge * pieces_per_cell(p.scheme), o.max_passes, ws.roots);
    for (std::size_t group = 0; group < o.count; group += lanes)
        evaluate(kernel, p, o, b, group, s);
    for (std::size_t i = 0; i < o.count; ++i) {
        const std::size_t at = b * o.count + i;
        const Root& root = ws.roots[i];
        s.lambda[at] = root.lambda;
        s.status[at] = root.status;
        s.passes[at] = root.passes;
        if (root.status != Status::ok) {
            fail(root.status, at, p.cells + 1, s);
        } else {
            scale_by_v(o, at, p.cells + 1, s);
        }
    }
    // Eigenvalues are simple. Where two are closer than rounding, their order is kept by one ulp.
    const LineFigures& f = ws.line.figures;
    const double rounding = 1e-11 * std::max(std::fabs(f.min_q_over_w), std::fabs(f.max_q_over_w));
    for (std::size_t at = b * o.count + 1; at < (b + 1) * o.count; ++at) {
        if (!(s.lambda[at] <= s.lambda[at - 1])) continue;
        if (s.lambda[at - 1] - s.lambda[at] > rounding + 1e-11 * std::fabs(s.lambda[at])) {
            fail(Status::pass_limit, at, p.cells + 1, s);
        } else {
            s.lambda[at] = std::nextafter(s.lambda[at - 1], std::numeric_limits<double>::max());
        }
    }
}

// Derivatives by a, g0, g1 of the pieces become derivatives by P, q, w, h of the cells.
void chain_to_cells(const CellProblems& p, std::size_t b, const Pieces& pieces, const Pieces& d,
                    CellGradient& r) {
    const std::size_t per_cell = pieces_per_cell(p.scheme);
    for (std::size_t k = 0; k < p.cells; ++k) {
        const std::size_t first = k * per_cell;
        const std::size_t node = (b * p.cells + k) * per_cell;
        const double h = p.length[b * p.cells + k];
        double dh = 0.0;
        for (std::size_t j = first; j < first + per_cell; ++j) {
            dh += d.a[j] * pieces.a[j] + d.g0[j] * pieces.g0[j] + d.g1[j] * pieces.g1[j];
        }
        r.length[b * p.cells + k] = dh / h;
        switch (p.scheme) {
            case Scheme::midpoint:
                r.P[node] = h * d.a[first];
                r.q[node] = h * d.g0[first];
                r.w[node] = h * d.g1[first];
                break;
            case Scheme::magnus4: {
                const PieceWeights weights =
                    piece_weights(p.P[node], p.P[node + 1], p.w[node], p.w[node + 1]);
                const double near = h * weights.near, far = h * weights.far;
                const std::size_t second = first + 1;
                r.P[node] = near * d.a[first] + far * d.a[second];
                r.P[node + 1] = far * d.a[first] + near * d.a[second];
                r.q[node] = near * d.g0[first] + far * d.g0[second];
                r.q[node + 1] = far * d.g0[first] + near * d.g0[second];
                r.w[node] = near * d.g1[first] + far * d.g1[second];
                r.w[node + 1] = far * d.g1[first] + near * d.g1[second];
                break;
            }
        }
    }
}

// With Dirichlet at a, p u'(a) = v / P: a derivative by log P is minus that by log v.
void chain_to_start(const CellProblems& p, const CellOptions& o, std::size_t b, double by_log_v,
                    CellGradient& r) {
    if (!p.left.is_dirichlet()) return;
    if (!o.P_start.empty()) {
        // A bad P_start contributes nothing, and 0 / NaN would.
        if (by_log_v != 0.0) r.P_start[b] -= by_log_v / o.P_start[b];
        return;
    }
    const std::size_t base = b * p.cells * nodes_per_cell(p.scheme);
    const double by_P = -by_log_v / first_P(p.scheme, &p.P[base], &p.w[base]);
    switch (p.scheme) {
        case Scheme::midpoint: r.P[base] += by_P; break;
        case Scheme::magnus4: {
            const PieceWeights weights =
                piece_weights(p.P[base], p.P[base + 1], p.w[base], p.w[base + 1]);
            r.P[base] += 2.0 * weights.near * by_P;
            r.P[base + 1] += 2.0 * weights.far * by_P;
            break;
        }
    }
}

double seed(std::span<const double> seeds, std::size_t at) {
    return seeds.empty() ? 0.0 : seeds[at];
}

// A result may have been used before; what a problem does not contribute to is zero.
void clear(const CellProblems& p, const CellOptions& o, std::size_t b, CellGradient& r) {
    const auto zero = [b](std::vector<double>& x, std::size_t per_problem) {
        std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(b * per_problem), per_problem, 0.0);
    };
    const std::size_t at_nodes = p.cells * nodes_per_cell(p.scheme);
    for (auto* x : {&r.P, &r.q, &r.w}) zero(*x, at_nodes);
    zero(r.length, p.cells);
    zero(r.v, o.count);
    if (!r.P_start.empty()) zero(r.P_start, 1);
}

// The seeds of one index at edge k of the cells, the wanted edge's own included.
struct EdgeSeeds {
    const CellSeeds& seeds;
    std::size_t at, edges, edge;

    double u(std::size_t k) const {
        return seed(seeds.u_edges, at * edges + k) + (k == edge ? seed(seeds.u, at) : 0.0);
    }
    double f(std::size_t k) const {
        return seed(seeds.f_edges, at * edges + k) + (k == edge ? seed(seeds.f, at) : 0.0);
    }
};

void gradient_one(const Kernel& kernel, const CellProblems& p, const CellOptions& o, std::size_t b,
                  const CellSolution& s, const CellSeeds& seeds, CellGradient& r) {
    Workspace& ws = workspace();
    clear(p, o, b, r);
    if (make_measured_line(kernel, p, b, ws.line) != Status::ok) return;
    const Start unit = unit_start(p, o, b);
    ws.piece_gradient.assign_zero(ws.line.pieces.size());
    const std::size_t per_cell = pieces_per_cell(p.scheme), edges = p.cells + 1;
    // The edges that have seeds: all, the wanted one, or none.
    const bool at_all = !seeds.u_edges.empty() || !seeds.f_edges.empty();
    const bool at_one = !seeds.u.empty() || !seeds.f.empty();
    const std::size_t first = at_all ? 0 : o.edge, seeded = at_all ? edges : at_one ? 1 : 0;
    SensitivitySeeds& in = ws.seeds;
    in.first = first * per_cell;
    in.stride = per_cell;
    in.u.resize(seeded);
    in.f.resize(seeded);
    double by_log_v = 0.0;
    for (std::size_t group = 0; group < o.count; group += lanes) {
        Lanes lambda;
        bool any = false;
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::size_t at = b * o.count + lane_index(group, i, o.count);
            const bool use = group + i < o.count &&
                             (s.status[at] == Status::ok || s.status[at] == Status::overflow);
            any |= use;
            lambda[i] = std::isfinite(s.lambda[at]) ? s.lambda[at] : 0.0;
            in.lambda[i] = use ? seed(seeds.lambda, at) : 0.0;
        }
        if (!any) continue;
        kernel.trace(ws.line, lambda, ws.states);
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::size_t at = b * o.count + lane_index(group, i, o.count);
            if (group + i >= o.count || s.status[at] != Status::ok) {
                for (std::size_t j = 0; j < seeded; ++j) in.u[j][i] = in.f[j][i] = 0.0;
                continue;
            }
            // The solution as traced is y / factor: seeds on u and f take the factor instead.
            const double factor = start_factor(unit, ws.states.u[0][i], ws.states.f[0][i]);
            const double v = v_of(o, at);
            const EdgeSeeds of{seeds, at, edges, o.edge};
            double by_v = 0.0;
            for (std::size_t j = 0; j < seeded; ++j) {
                const std::size_t k = first + j;
                const double seed_u = of.u(k), seed_f = of.f(k);
                const double u = factor * ws.states.u[k * per_cell][i];
                const double f = factor * ws.states.f[k * per_cell][i];
                by_v += seed_u * u + seed_f * f;
                in.u[j][i] = seed_u == 0.0 ? 0.0 : seed_u * v * factor;
                in.f[j][i] = seed_f == 0.0 ? 0.0 : seed_f * v * factor;
            }
            r.v[at] = by_v;
            by_log_v += by_v * v;
        }
        kernel.sensitivity(ws.line, lambda, ws.states, in, ws.piece_gradient);
    }
    chain_to_cells(p, b, ws.line.pieces, ws.piece_gradient, r);
    chain_to_start(p, o, b, by_log_v, r);
}

}  // namespace

void prepare(const CellProblems& problems, const CellOptions& options, CellSolution& solution) {
    check(problems, options);
    const std::size_t size = problems.problems * options.count;
    const std::size_t at_edges = options.all_edges ? size * (problems.cells + 1) : 0;
    for (auto* x : {&solution.lambda, &solution.u, &solution.f}) x->resize(size);
    for (auto* x : {&solution.u_edges, &solution.f_edges}) x->resize(at_edges);
    solution.status.resize(size);
    solution.passes.resize(size);
}

CellSolution make_solution(const CellProblems& problems, const CellOptions& options) {
    CellSolution solution;
    prepare(problems, options, solution);
    return solution;
}

void solve(const CellProblems& problems, const CellOptions& options, std::size_t begin,
           std::size_t end, CellSolution& solution) {
    check(problems, options);
    check_range("solve", begin, end, problems.problems);
    const std::size_t size = problems.problems * options.count;
    check_solution(solution, size);
    check_edges(solution, options.all_edges ? size * (problems.cells + 1) : 0);
    for (std::size_t b = begin; b < end; ++b) solve_one(kernel(), problems, options, b, solution);
}

CellSolution solve(const CellProblems& problems, const CellOptions& options) {
    CellSolution solution = make_solution(problems, options);
    solve(problems, options, 0, problems.problems, solution);
    return solution;
}

void prepare(const CellProblems& problems, const CellOptions& options, CellGradient& result) {
    check(problems, options);
    for (auto* x : {&result.P, &result.q, &result.w}) x->resize(problems.P.size());
    result.length.resize(problems.length.size());
    result.v.resize(problems.problems * options.count);
    result.P_start.resize(options.P_start.size());
}

CellGradient make_gradient(const CellProblems& problems, const CellOptions& options) {
    CellGradient result;
    prepare(problems, options, result);
    return result;
}

void gradient(const CellProblems& problems, const CellOptions& options,
              const CellSolution& solution, const CellSeeds& seeds, std::size_t begin,
              std::size_t end, CellGradient& result) {
    check(problems, options);
    check_range("gradient", begin, end, problems.problems);
    const std::size_t size = problems.problems * options.count;
    check_solution(solution, size);
    check_seeds(seeds, size, problems.cells + 1);
    check_result(result, problems, options);
    for (std::size_t b = begin; b < end; ++b)
        gradient_one(kernel(), problems, options, b, solution, seeds, result);
}

CellGradient gradient(const CellProblems& problems, const CellOptions& options,
                      const CellSolution& solution, const CellSeeds& seeds) {
    CellGradient result = make_gradient(problems, options);
    gradient(problems, options, solution, seeds, 0, problems.problems, result);
    return result;
}

}  // namespace deepsl::sturm
