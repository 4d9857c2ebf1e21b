#include "deepsl/model/eigenpairs.h"

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

}  // namespace

void solve(Eigenpairs& pairs, bool all_edges) {
    check_shapes(pairs);
    const auto problems = problems_of(pairs);
    const auto options = options_of(pairs, all_edges);
    sturm::prepare(problems, options, pairs.solution);
    sturm::solve(problems, options, 0, pairs.problems, pairs.solution);
}

void pull_back(Eigenpairs& pairs, std::span<const double> dlambda, std::span<const double> du) {
    check_seeds("dlambda", dlambda, pairs);
    check_seeds("du", du, pairs);
    const auto problems = problems_of(pairs);
    const auto options = options_of(pairs, false);
    sturm::prepare(problems, options, pairs.gradient);
    sturm::CellSeeds seeds;
    seeds.lambda = dlambda;
    seeds.u = du;
    sturm::gradient(problems, options, pairs.solution, seeds, 0, pairs.problems, pairs.gradient);
}

}  // namespace deepsl::model
