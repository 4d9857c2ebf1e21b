#include "deepsl/sturm/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "eigenfunction.h"
#include "mesh.h"
#include "roots.h"
#include "spectrum.h"

namespace deepsl::sturm {

namespace {

using namespace detail;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t max_levels = 5;  // cells split into 1, 2, 4, 8, 16

// Of the time that is left when a level begins, if all are needed: each takes twice as long as the
// one before. Whoever settles sooner is done sooner than was told.
constexpr double share_of_level[max_levels] = {0.05, 0.07, 0.15, 0.35, 0.95};

void check(const Problem& p, const SolveOptions& o) {
    std::ostringstream message;
    if (!p.p || !p.q || !p.w) message << "p, q and w must all be given.";
    if (!std::isfinite(p.a) || !std::isfinite(p.b)) {
        message << "the interval [" << p.a << ", " << p.b
                << "] is not finite; cut it off where the solutions have died out.";
    } else if (!(p.a < p.b)) {
        message << "the interval [" << p.a << ", " << p.b
                << "] is empty or reversed; its left end must be less than its right end.";
    } else if (!std::isfinite(p.b - p.a)) {
        message << "the interval [" << p.a << ", " << p.b << "] is too long; rescale t.";
    } else if (p.b - p.a < 1e-11 * std::max(std::fabs(p.a), std::fabs(p.b))) {
        message << "the interval from " << p.a << " is only " << p.b - p.a
                << " long, too short beside its ends for double precision; shift t.";
    }
    for (const auto& [end, c] : {std::pair{"left", p.left}, std::pair{"right", p.right}}) {
        if (!std::isfinite(c.alpha1) || !std::isfinite(c.alpha2) ||
            (c.alpha1 == 0.0 && c.alpha2 == 0.0))
            message << "the boundary condition at the " << end << " end is " << c.alpha1 << ","
                    << c.alpha2 << "; it needs two finite numbers, not both zero.";
    }
    for (double t : p.breaks) {
        if (!std::isfinite(t)) message << "a break point is not finite.";
    }
    if (!(o.tolerance >= 1e-13 && o.tolerance <= 0.1))
        message << "the tolerance " << o.tolerance
                << " is out of range; in double precision it can be 1e-13 to 0.1.";
    if (o.max_cells < 32) message << "max_cells is " << o.max_cells << "; at least 32 are needed.";
    if (!message.str().empty()) throw data_error(message.str());
}

double scaled_tolerance(double tolerance, double lambda) {
    return tolerance * std::max(1.0, std::fabs(lambda));
}

class Solver {
public:
    Solver(const Problem& problem, const SolveOptions& options)
        : problem_(std::make_shared<const Problem>(problem)),
          options_(options),
          watch_(options.progress),
          coefficients_(*problem_),
          mesh_(first_mesh(*problem_, coefficients_)) {}

    Solution by_index(const Indices& wanted) {
        std::vector<std::size_t> indices(wanted.count);
        for (std::size_t i = 0; i < wanted.count; ++i) indices[i] = wanted.first + i;
        watch_.look_for(wanted.count);
        // Cells fine enough that extrapolation can be expected to do the rest; if it does not,
        // finer ones. 0.05 / sqrt(tolerance) tolerances are 5e-7 at 1e-10.
        double share = 0.05 / std::sqrt(options_.tolerance);
        Solution solution;
        for (int attempt = 0; attempt < 4; ++attempt, share /= 100.0) {
            const bool finer = adapt(indices, share);
            if (attempt > 0 && !finer) break;
            solution = climb(indices);
            bool all_ok = true;
            for (const Eigenpair& p : solution.pairs) all_ok &= p.status == Status::ok;
            if (all_ok || mesh_.cells() >= options_.max_cells / 2) break;
        }
        return solution;
    }

    /// The last word to who watches.
    void end() { watch_.end(); }

    /// How many eigenvalues of the present mesh lie below lambda; if more than `most`, about.
    std::size_t count(double lambda, std::size_t most) {
        Line line;
        if (prepare(1, line) != Status::ok) return 0;
        const double about = line.figures.liouville_length / std::numbers::pi *
                             std::sqrt(std::max(0.0, lambda - line.figures.min_q_over_w));
        if (about > 100.0 * static_cast<double>(most))
            return static_cast<std::size_t>(std::min(about, 1e18));
        return count_below(kernel(), line, lambda);
    }

private:
    Status prepare(std::size_t parts, Line& line) {
        make_line(*problem_, mesh_, parts, coefficients_, line);
        kernel().measure(line);
        return judge(line);
    }

    // What the mesh is made for. Much below rounding, no splitting of cells would be seen to help.
    double mesh_tolerance(double lambda, double rounding) const {
        return std::max(scaled_tolerance(options_.tolerance, lambda), 30.0 * rounding);
    }

    // Refines the mesh for some of the indices, in rounds: the first guides are rough.
    bool adapt(const std::vector<std::size_t>& indices, double share) {
        constexpr std::size_t most_guides = 12;
        std::vector<std::size_t> chosen;
        const std::size_t step = (indices.size() + most_guides - 1) / most_guides;
        for (std::size_t i = 0; i < indices.size(); i += step) chosen.push_back(indices[i]);
        if (chosen.back() != indices.back()) chosen.push_back(indices.back());
        bool changed = false;
        Line line;
        for (int round = 0; round < 60; ++round) {
            if (prepare(1, line) != Status::ok) return changed;
            watch_.begin(0.0);
            LineSpectrum s = solve_line(line, chosen, {}, 2, watch_);
            std::vector<Guide> guides(chosen.size());
            for (std::size_t i = 0; i < chosen.size(); ++i) {
                guides[i] = {s.lambda[i], mesh_tolerance(s.lambda[i], s.rounding[i]),
                             std::move(s.states[i])};
            }
            const Refinement r = refine(mesh_, guides, share, options_.max_cells, coefficients_);
            unresolved_ = r.unresolved;
            if (r.splits == 0) break;
            changed = true;
        }
        return changed;
    }

    // Halves all cells, again and again, until the extrapolated eigenvalues have settled.
    Solution climb(const std::vector<std::size_t>& indices) {
        Solution solution;
        solution.pairs.resize(indices.size());
        std::vector<LineSpectrum> levels;
        std::vector<double> gaps;
        Line line;
        for (std::size_t level = 0; level < max_levels; ++level) {
            const std::size_t parts = std::size_t{1} << level;
            const Status status = prepare(parts, line);
            solution.cells = parts * mesh_.cells();
            if (status != Status::ok) {
                for (std::size_t i = 0; i < indices.size(); ++i)
                    solution.pairs[i] = {indices[i], nan, nan, status, {}};
                return solution;
            }
            watch_.begin(share_of_level[level]);
            levels.push_back(solve_line(
                line, indices, levels.empty() ? std::vector<double>{} : levels.back().lambda,
                2 * parts, watch_));
            if (level == 0) gaps = find_gaps(line, indices, levels[0].lambda);
            if (level >= 2 && settled(levels, indices, solution)) break;
        }
        for (std::size_t i = 1; i < indices.size(); ++i) {
            const double gap = levels.back().lambda[i] - levels.back().lambda[i - 1];
            gaps[i - 1] = std::min(gaps[i - 1], gap);
            gaps[i] = std::min(gaps[i], gap);
        }
        for (std::size_t i = 0; i < indices.size(); ++i)
            solution.pairs[i].function = make_function(levels, i, solution.pairs[i], gaps[i]);
        solution.evaluations = coefficients_.evaluations();
        return solution;
    }

    // From each eigenvalue to its nearest neighbour.
    std::vector<double> find_gaps(const Line& line, const std::vector<std::size_t>& indices,
                                  const std::vector<double>& lambda) {
        std::vector<std::size_t> outer{indices.back() + 1};
        if (indices.front() > 1) outer.push_back(indices.front() - 1);
        watch_.begin(0.0);
        const LineSpectrum s = solve_line(line, outer, {}, line.pieces.size(), watch_);
        std::vector<double> all = lambda;
        all.push_back(s.lambda[0]);
        all.insert(all.begin(),
                   indices.front() > 1 ? s.lambda[1] : -std::numeric_limits<double>::infinity());
        std::vector<double> gaps(indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i)
            gaps[i] = std::min(all[i + 1] - all[i], all[i + 2] - all[i + 1]);
        return gaps;
    }

    bool settled(const std::vector<LineSpectrum>& levels, const std::vector<std::size_t>& indices,
                 Solution& solution) const {
        std::vector<double> by_level(levels.size());
        for (std::size_t i = 0; i < indices.size(); ++i) {
            for (std::size_t l = 0; l < levels.size(); ++l) by_level[l] = levels[l].lambda[i];
            const Extrapolated x = extrapolate(by_level);
            Eigenpair& pair = solution.pairs[i];
            pair.index = indices[i];
            pair.lambda = x.value;
            const double rounding = levels.back().rounding[i];
            pair.error_estimate =
                x.estimate + unresolved_ * mesh_tolerance(x.value, rounding) + rounding;
            // Eigenvalues are simple; their order is kept where they agree to rounding.
            if (i > 0 && pair.lambda <= solution.pairs[i - 1].lambda)
                pair.lambda = std::nextafter(solution.pairs[i - 1].lambda,
                                             std::numeric_limits<double>::max());
        }
        distrust_clusters(levels, solution.pairs);
        share_estimates(solution.pairs);
        bool all = true;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            Eigenpair& pair = solution.pairs[i];
            const double allowed = std::max(scaled_tolerance(options_.tolerance, pair.lambda),
                                            2.0 * levels.back().rounding[i]);
            const Status found = levels.back().status[i];
            pair.status = found != Status::ok              ? found
                          : pair.error_estimate <= allowed ? Status::ok
                                                           : Status::tolerance_not_met;
            all &= pair.status == Status::ok;
        }
        return all;
    }

    Eigenfunction make_function(const std::vector<LineSpectrum>& levels, std::size_t i,
                                const Eigenpair& pair, double gap) const {
        auto data = std::make_shared<Eigenfunction::Data>();
        data->problem = problem_;
        data->index = pair.index;
        data->lambda = pair.lambda;
        data->edges = mesh_.edges;
        const auto& finest = levels.back().states[i];
        const auto& before = levels[levels.size() - 2].states[i];
        double largest = 0.0, change = 0.0;
        for (std::size_t k = 0; k < finest.size(); ++k) {
            largest = std::max(largest, std::fabs(finest[k].u));
            change = std::max(change, std::fabs(finest[k].u - before[k].u));
        }
        data->states = finest;
        data->error_estimate = change / largest;
        // Where the levels agree on the function, extrapolate it too.
        constexpr double agreement = 1e-2;
        if (change <= agreement * largest) {
            double left_over = 0.0;
            std::vector<double> u(levels.size()), f(levels.size());
            for (std::size_t k = 0; k < finest.size(); ++k) {
                for (std::size_t l = 0; l < levels.size(); ++l) {
                    u[l] = levels[l].states[i][k].u;
                    f[l] = levels[l].states[i][k].f;
                }
                const Extrapolated x = extrapolate(u);
                data->states[k] = {x.value, extrapolate(f).value};
                left_over = std::max(left_over, x.estimate);
            }
            data->error_estimate = left_over / largest;
        }
        // A function is known no better than its eigenvalue is told apart from its neighbours.
        const double confusion = gap > 0.0 ? levels.back().rounding[i] / gap : 1.0;
        data->error_estimate = std::min(1.0, data->error_estimate + confusion);
        if (problem_->left.is_dirichlet()) data->states.front().u = 0.0;
        if (problem_->right.is_dirichlet()) data->states.back().u = 0.0;
        return Eigenfunction(std::move(data));
    }

    std::shared_ptr<const Problem> problem_;
    SolveOptions options_;
    Watch watch_;
    Coefficients coefficients_;
    Mesh mesh_;
    double unresolved_ = 0.0;  // error, in tolerances, of cells that extrapolation does not help
};

}  // namespace

Solution solve(const Problem& problem, const Indices& indices, const SolveOptions& options) {
    check(problem, options);
    if (indices.first < 1) throw data_error("the first index is 0; eigenvalues count from 1.");
    if (indices.count < 1) throw data_error("count is 0; ask for at least one eigenvalue.");
    Solver solver(problem, options);
    auto solution = solver.by_index(indices);
    solver.end();
    return solution;
}

Solution solve(const Problem& problem, const Range& range, const SolveOptions& options) {
    check(problem, options);
    if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) {
        std::ostringstream message;
        message << "the range " << range.low << "," << range.high
                << " is empty or not finite; its first number must not exceed its second.";
        throw data_error(message.str());
    }
    constexpr std::size_t most = 10000;
    Solver solver(problem, options);
    // The first mesh may miscount; look one index further on both sides, and on until the found
    // eigenvalues reach beyond the range.
    std::size_t first = std::max<std::size_t>(solver.count(range.low, most), 1);
    std::size_t last = solver.count(range.high, most) + 1;
    for (;;) {
        if (last - first > most) {
            std::ostringstream message;
            message << "the range " << range.low << "," << range.high << " holds about "
                    << last - first << " eigenvalues; ask for at most " << most << " at a time.";
            throw data_error(message.str());
        }
        Solution solution = solver.by_index({first, last - first + 1});
        auto& pairs = solution.pairs;
        const bool low_enough = first == 1 || !(pairs.front().lambda >= range.low);
        const bool high_enough = !(pairs.back().lambda <= range.high);
        if (low_enough && high_enough) {
            std::erase_if(pairs, [&](const Eigenpair& p) {
                return p.lambda + p.error_estimate < range.low ||
                       p.lambda - p.error_estimate > range.high;
            });
            solver.end();
            return solution;
        }
        const std::size_t more = 1 + (last - first) / 4;
        if (!low_enough) first = first > more ? first - more : 1;
        if (!high_enough) last += more;
    }
}

}  // namespace deepsl::sturm
