#include "deepsl/model/eigenpairs.h"

namespace deepsl::model {
namespace {

sturm::CellProblems problems_of(const Eigenpairs& pairs) {
    const auto count = pairs.node_count();
    const auto nodes = [&](const std::vector<double>& values) {
        return std::span<const double>(values).first(count);
    };
    return {pairs.problems, pairs.cells,    pairs.scheme,
            nodes(pairs.P), nodes(pairs.q), nodes(pairs.w),
            pairs.length,   {},             {}};
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

}  // namespace

void solve(Eigenpairs& pairs, bool all_edges) {
    const auto problems = problems_of(pairs);
    const auto options = options_of(pairs, all_edges);
    sturm::prepare(problems, options, pairs.solution);
    sturm::solve(problems, options, 0, pairs.problems, pairs.solution);
}

void pull_back(Eigenpairs& pairs, std::span<const double> dlambda, std::span<const double> du) {
    const auto problems = problems_of(pairs);
    const auto options = options_of(pairs, false);
    sturm::prepare(problems, options, pairs.gradient);
    sturm::CellSeeds seeds;
    seeds.lambda = dlambda;
    seeds.u = du;
    sturm::gradient(problems, options, pairs.solution, seeds, 0, pairs.problems, pairs.gradient);
}

}  // namespace deepsl::model
