#include "learner/model_report_plane.h"

#include <algorithm>
#include <limits>
#include <span>

#include "learner/model_report_samples.h"

namespace deepsl::learner::detail {
namespace {

Matrix<double> with_rows(const std::vector<double>& points) {
    return {points.size() / 2, 2, points};
}

/// Points all over the domain, from which lines may start.
Matrix<double> starts_in(const field::Domain& domain) {
    constexpr std::size_t each_way = 22;
    constexpr double margin = 0.01;
    const auto [low, high] = domain.bounds();
    // Nodes of a lattice turned by 45 degrees: lines along an axis then start from many heights.
    std::vector<double> points;
    for (std::size_t i = 0; i < each_way; ++i)
        for (std::size_t j = 0; j < each_way; ++j) {
            const double shift = i % 2 == 0 ? 0.25 : 0.75;
            const double point[] = {
                low + (high - low) * (static_cast<double>(j) + shift) / each_way,
                low + (high - low) * (static_cast<double>(i) + 0.5) / each_way};
            if (domain.level(point) < -margin) points.insert(points.end(), point, point + 2);
        }
    return with_rows(points);
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
    const double x = a[0] - b[0], y = a[1] - b[1];
    return x * x + y * y;
}

/// Lines evenly spaced: each is the one whose start is farthest from all those before it.
std::vector<std::size_t> spread_lines(const Matrix<double>& starts, const model::Inspection& seen,
                                      const field::Domain& domain, std::size_t wanted) {
    std::vector<std::size_t> rows;
    std::vector<double> distance(starts.rows());
    const double centre[] = {domain.centre(), domain.centre()};
    for (std::size_t i = 0; i < starts.rows(); ++i)
        distance[i] = -squared_distance(starts.row(i), centre);
    while (rows.size() < std::min(wanted, starts.rows())) {
        const auto next = static_cast<std::size_t>(
            std::max_element(distance.begin(), distance.end()) - distance.begin());
        for (std::size_t i = 0; i < starts.rows(); ++i) {
            double nearest = std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < seen.cells * seen.nodes; ++k)
                nearest = std::min(nearest, squared_distance(starts.row(i), seen.node(next, k)));
            distance[i] = rows.empty() ? nearest : std::min(distance[i], nearest);
        }
        rows.push_back(next);
    }
    return rows;
}

}  // namespace

report::Curve outline_of(const field::Scaling& scaling) {
    return curve_of(scaling.inverse(scaling.domain->outline()));
}

report::DecisionMap empty_map(const field::Scaling& scaling, std::size_t cells) {
    const auto [low, high] = scaling.domain->bounds();
    const auto corners = scaling.inverse(with_rows({low, low, high, high}));
    report::DecisionMap map;
    map.x_min = corners(0, 0), map.x_max = corners(1, 0);
    map.y_min = corners(0, 1), map.y_max = corners(1, 1);
    map.columns = map.rows = cells;
    return map;
}

void fill(report::DecisionMap& map, const TrainedModel& trained) {
    std::vector<double> points;
    std::vector<std::size_t> cells;
    const auto middle = [](double low, double high, std::size_t at, std::size_t count) {
        return low + (static_cast<double>(at) + 0.5) * ((high - low) / static_cast<double>(count));
    };
    for (std::size_t r = 0; r < map.rows; ++r)
        for (std::size_t c = 0; c < map.columns; ++c) {
            const auto x = with_rows({middle(map.x_min, map.x_max, c, map.columns),
                                      middle(map.y_min, map.y_max, r, map.rows)});
            if (trained.scaling.domain->level(trained.scaling.unlimited(x).row(0)) >= 0.0) continue;
            points.insert(points.end(), x.values().begin(), x.values().end());
            cells.push_back(r * map.columns + c);
        }
    const auto decisions = decisions_of(trained.predict(with_rows(points)), trained);
    map.winner.assign(map.columns * map.rows, -1);
    map.confidence.assign(map.columns * map.rows, 0.0F);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        map.winner[cells[i]] = decisions.winner[i];
        map.confidence[cells[i]] = static_cast<float>(decisions.confidence[i]);
    }
}

std::vector<std::vector<report::Curve>> field_lines(const TrainedModel& trained, std::size_t most,
                                                    int finer) {
    const auto& scaling = trained.scaling;
    const auto starts = starts_in(*scaling.domain);
    const auto fields = trained.with_lines()->fields();
    // Below this number of lines a field's course cannot be seen.
    const auto each = std::max(most / fields, std::min<std::size_t>(most, 12));
    std::vector<std::vector<report::Curve>> result;
    for (std::size_t m = 0; m < fields; ++m) {
        const auto seen = inspect_finer(trained, starts, finer, m);
        auto& lines = result.emplace_back();
        for (const auto b : spread_lines(starts, seen, *scaling.domain, each))
            if (seen.outcomes[b].ok()) lines.push_back(line_curve(scaling, seen, starts, b));
    }
    return result;
}

}  // namespace deepsl::learner::detail
