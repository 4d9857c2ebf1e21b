#include "spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel.h"
#include "roots.h"

namespace deepsl::sturm::detail {

namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
}  // namespace

LineSpectrum solve_line(const Line& line, const std::vector<std::size_t>& indices,
                        const std::vector<double>& guess, std::size_t stride, Watch& watch) {
    const Kernel& k = kernel();
    const std::size_t count = indices.size();
    LineSpectrum s;
    s.lambda.resize(count);
    s.status.resize(count);
    s.rounding.resize(count);
    s.states.resize(count);
    EdgeStates edges;
    std::vector<Root> roots(count);
    for (std::size_t i = 0; i < count; ++i) {
        roots[i].index = indices[i];
        roots[i].lambda = guess.empty() ? nan : guess[i];
    }
    constexpr double search = 0.5;  // of the time, about; the rest goes into the functions
    const auto share = [&](std::size_t done) {
        return static_cast<double>(done) / static_cast<double>(count);
    };
    find_roots(k, line, line.pieces.size() / 2, 400, roots,
               [&](std::size_t found) { watch.see(search * share(found)); });
    for (std::size_t group = 0; group < count; group += lanes) {
        Lanes lambda;
        for (std::size_t i = 0; i < lanes; ++i)
            lambda[i] = roots[std::min(group + i, count - 1)].lambda;
        Lanes norm;
        k.trace(line, lambda, edges);
        k.norm(line, lambda, edges, norm);
        for (std::size_t i = 0; i < std::min(lanes, count - group); ++i) {
            const std::size_t j = group + i;
            s.lambda[j] = lambda[i];
            s.status[j] = roots[j].status;
            const bool falling = edges.u[0][i] != 0.0 ? edges.u[0][i] < 0.0 : edges.f[0][i] < 0.0;
            const double factor = (falling ? -1.0 : 1.0) / std::sqrt(norm[i]);
            // Rounding of the coefficients and of the sums along the line moves lambda as a
            // relative change of q and w would.
            double magnitude = 0.0;
            for (std::size_t e = 0; e < line.pieces.size(); ++e) {
                const double u = factor * edges.u[e][i];
                magnitude += std::fabs(line.pieces.g0[e]) * u * u;
            }
            s.rounding[j] = 32.0 * epsilon * (std::fabs(lambda[i]) + magnitude);
            s.states[j].reserve(line.pieces.size() / stride + 1);
            for (std::size_t e = 0; e <= line.pieces.size(); e += stride)
                s.states[j].push_back({factor * edges.u[e][i], factor * edges.f[e][i]});
        }
        watch.see(search + (1.0 - search) * share(std::min(group + lanes, count)));
    }
    return s;
}

Extrapolated extrapolate(const std::vector<double>& by_level) {
    // A difference divided by 8 stays honest where the order is not yet reached (15, 63, 255
    // would hold for perfectly smooth coefficients), and so does what the column before says.
    constexpr double caution = 8.0, trust_in_order = 64.0;
    std::vector<double> column = by_level;
    double estimate = std::numeric_limits<double>::infinity();
    double factor = 16.0;
    while (column.size() > 1) {
        const double last = std::isfinite(estimate) ? estimate / trust_in_order : 0.0;
        const double change = std::fabs(column.back() - column[column.size() - 2]) / caution;
        estimate = std::max(change, last);
        for (std::size_t k = 0; k + 1 < column.size(); ++k)
            column[k] = column[k + 1] + (column[k + 1] - column[k]) / (factor - 1.0);
        column.pop_back();
        factor *= 4.0;
    }
    return {column.front(), estimate};
}

void share_estimates(std::vector<Eigenpair>& pairs) {
    const auto share = [&](std::size_t i, std::size_t j) {
        const double larger = std::max(pairs[i].error_estimate, pairs[j].error_estimate);
        if (std::fabs(pairs[i].lambda - pairs[j].lambda) <= larger)
            pairs[i].error_estimate = pairs[j].error_estimate = larger;
    };
    for (std::size_t i = 1; i < pairs.size(); ++i) share(i - 1, i);
    for (std::size_t i = pairs.size(); i-- > 1;) share(i - 1, i);
}

void distrust_clusters(const std::vector<LineSpectrum>& levels, std::vector<Eigenpair>& pairs) {
    const auto moved = [&](std::size_t i) {
        return std::fabs(levels.back().lambda[i] - levels.front().lambda[i]);
    };
    const auto last_move = [&](std::size_t i) {
        return std::fabs(levels.back().lambda[i] - levels[levels.size() - 2].lambda[i]);
    };
    for (std::size_t i = 1; i < pairs.size(); ++i) {
        const double gap = pairs[i].lambda - pairs[i - 1].lambda;
        if (gap > 10.0 * std::max(moved(i), moved(i - 1))) continue;
        for (const std::size_t k : {i - 1, i})
            pairs[k].error_estimate = std::max(pairs[k].error_estimate, last_move(k) / 15.0);
    }
}

}  // namespace deepsl::sturm::detail
