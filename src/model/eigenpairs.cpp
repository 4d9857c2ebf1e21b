#include "deepsl/model/eigenpairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "deepsl/error.h"

namespace deepsl::model {
namespace {

sturm::CellProblems problems_of(const Eigenpairs& pairs) {
    const auto count = pairs.node_count();
    const auto nodes = [&](const std::vector<double>& values) {
        return std::span<const double>(values).first(count);
    };
    return {pairs.problems,
            pairs.cells,
            pairs.scheme,
            nodes(pairs.P),
            nodes(pairs.q),
            nodes(pairs.w),
            pairs.length,
            {},
            {}};
}

sturm::CellOptions options_of(const Eigenpairs& pairs, bool all_edges) {
    sturm::CellOptions options;
    options.count = pairs.d;
    options.edge = pairs.cells / 2;
    options.P_start = std::span<const double>(pairs.P).subspan(pairs.node_count(), pairs.problems);
    if (pairs.learns_v) options.v = pairs.v;
    options.all_edges = all_edges;
    return options;
}

void check_size(const char* name, std::size_t size, std::size_t expected) {
    if (size != expected)
        throw argument_error(std::string(name) + " must have " + std::to_string(expected) +
                             " numbers, but has " + std::to_string(size));
}

void check_shapes(const Eigenpairs& pairs) {
    if (pairs.cells == 0 || pairs.cells % 2 != 0)
        throw argument_error(
            "the number of cells must be even, since the sample lies in the middle "
            "of them, but is " +
            std::to_string(pairs.cells));
    if (pairs.d == 0) throw argument_error("at least one eigenfunction is wanted, but d is 0");
    check_size("P", pairs.P.size(), pairs.node_count() + pairs.problems);
    check_size("q", pairs.q.size(), pairs.node_count());
    check_size("w", pairs.w.size(), pairs.node_count());
    check_size("length", pairs.length.size(), pairs.problems * pairs.cells);
    if (pairs.learns_v) check_size("v", pairs.v.size(), pairs.problems * pairs.d);
}

void check_seeds(const char* name, std::span<const double> seeds, const Eigenpairs& pairs) {
    if (!seeds.empty()) check_size(name, seeds.size(), pairs.problems * pairs.d);
}

/// The w dt of the cells of one line, and their sum.
class Masses {
public:
    Masses(const Eigenpairs& pairs, std::size_t b)
        : nodes_(nodes_per_cell(pairs.scheme)),
          w_(pairs.w.data() + b * pairs.cells * nodes_),
          length_(pairs.length.data() + b * pairs.cells) {
        for (std::size_t c = 0; c < pairs.cells; ++c) sum_ += (*this)[c];
    }
    double operator[](std::size_t cell) const { return length_[cell] * density(cell); }
    double density(std::size_t cell) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < nodes_; ++i) sum += w_[cell * nodes_ + i];
        return sum / static_cast<double>(nodes_);
    }
    double sum() const { return sum_; }

private:
    std::size_t nodes_;
    const double *w_, *length_;
    double sum_ = 0.0;
};

/// The mean of u^2 on a cell, by the trapezoidal rule: exact for sines on equal cells.
double mean_square(const double* u) { return 0.5 * (u[0] * u[0] + u[1] * u[1]); }

/// Calls visit(b, function's place in [B, d], its values at the edges, masses) for all that are ok.
template <class Visit>
void each_function(Eigenpairs& pairs, const Visit& visit) {
    const auto edges = pairs.cells + 1;
    for (std::size_t b = 0; b < pairs.problems; ++b) {
        const Masses masses(pairs, b);
        for (std::size_t at = b * pairs.d; at < (b + 1) * pairs.d; ++at)
            if (pairs.solution.status[at] == sturm::Status::ok)
                visit(b, at, pairs.solution.u_edges.data() + at * edges, masses);
    }
}

void normalise(Eigenpairs& pairs) {
    auto& solution = pairs.solution;
    const auto edges = pairs.cells + 1;
    pairs.norm.assign(pairs.problems * pairs.d, 1.0);
    each_function(pairs, [&](std::size_t, std::size_t at, double* u, const Masses& masses) {
        double* const f = solution.f_edges.data() + at * edges;
        // Squares of u itself may be too large.
        double largest = 0.0, square = 0.0;
        for (std::size_t e = 0; e < edges; ++e) largest = std::max(largest, std::fabs(u[e]));
        for (std::size_t c = 0; c < pairs.cells; ++c) {
            const double ends[] = {u[c] / largest, u[c + 1] / largest};
            square += masses[c] * mean_square(ends);
        }
        const double rest = std::sqrt(square / masses.sum()), norm = largest * rest;
        if (!std::isfinite(norm) || !(rest > 0.0)) {
            solution.status[at] = sturm::Status::overflow;
            solution.u[at] = solution.f[at] = std::numeric_limits<double>::quiet_NaN();
            std::fill_n(u, edges, solution.u[at]);
            std::fill_n(f, edges, solution.u[at]);
            return;
        }
        pairs.norm[at] = norm;
        solution.u[at] /= norm;
        solution.f[at] /= norm;
        for (std::size_t e = 0; e < edges; ++e) u[e] /= norm, f[e] /= norm;
    });
}

/// From derivatives by u / N, at the sample and at the edges, to those by u at all edges, since N
/// depends on them.
void to_raw_seeds(Eigenpairs& pairs, std::span<const double> du, std::span<const double> du_edges) {
    const auto edges = pairs.cells + 1, functions = pairs.problems * pairs.d;
    pairs.du_edges.assign(functions * edges, 0.0);
    pairs.along.assign(functions, 0.0);
    each_function(pairs, [&](std::size_t, std::size_t at, const double* u, const Masses& masses) {
        const double norm = pairs.norm[at];
        double* const by_edges = pairs.du_edges.data() + at * edges;
        if (!du_edges.empty()) std::copy_n(du_edges.data() + at * edges, edges, by_edges);
        if (!du.empty()) by_edges[pairs.cells / 2] += du[at];
        double along = 0.0;
        for (std::size_t e = 0; e < edges; ++e) {
            along += by_edges[e] * u[e];
            by_edges[e] /= norm;
        }
        pairs.along[at] = along;
        const double factor = -along / (2.0 * norm * masses.sum());
        for (std::size_t c = 0; c < pairs.cells; ++c) {
            by_edges[c] += factor * masses[c] * u[c];
            by_edges[c + 1] += factor * masses[c] * u[c + 1];
        }
    });
}

/// What w and the lengths get through the mean itself.
void add_by_weights(Eigenpairs& pairs) {
    const auto nodes = nodes_per_cell(pairs.scheme);
    each_function(pairs, [&](std::size_t b, std::size_t at, const double* u, const Masses& masses) {
        const double factor = pairs.along[at] / (2.0 * masses.sum());
        for (std::size_t c = 0; c < pairs.cells; ++c) {
            const auto cell = b * pairs.cells + c;
            const double by_mass = factor * (1.0 - mean_square(u + c));
            pairs.gradient.length[cell] += by_mass * masses.density(c);
            for (std::size_t i = 0; i < nodes; ++i)
                pairs.gradient.w[cell * nodes + i] +=
                    by_mass * pairs.length[cell] / static_cast<double>(nodes);
        }
    });
}

}  // namespace

void solve(Eigenpairs& pairs, bool all_edges) {
    check_shapes(pairs);
    const auto problems = problems_of(pairs);
    const auto options = options_of(pairs, all_edges || pairs.normalised);
    sturm::prepare(problems, options, pairs.solution);
    sturm::solve(problems, options, 0, pairs.problems, pairs.solution);
    if (pairs.normalised) normalise(pairs);
}

void pull_back(Eigenpairs& pairs, std::span<const double> dlambda, std::span<const double> du,
               std::span<const double> du_edges) {
    check_seeds("dlambda", dlambda, pairs);
    check_seeds("du", du, pairs);
    if (!du_edges.empty())
        check_size("du_edges", du_edges.size(), pairs.problems * pairs.d * (pairs.cells + 1));
    const auto problems = problems_of(pairs);
    const auto options = options_of(pairs, false);
    sturm::prepare(problems, options, pairs.gradient);
    sturm::CellSeeds seeds;
    seeds.lambda = dlambda;
    const bool through_norm = pairs.normalised && (!du.empty() || !du_edges.empty());
    if (through_norm) {
        to_raw_seeds(pairs, du, du_edges);
        seeds.u_edges = pairs.du_edges;
    } else {
        seeds.u = du;
        seeds.u_edges = du_edges;
    }
    sturm::gradient(problems, options, pairs.solution, seeds, 0, pairs.problems, pairs.gradient);
    if (through_norm) add_by_weights(pairs);
}

}  // namespace deepsl::model
