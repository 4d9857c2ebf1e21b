#include "learner/model_report_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "deepsl/learner/contributions.h"
#include "deepsl/learner/describe.h"
#include "deepsl/learner/inspect.h"
#include "deepsl/learner/turning.h"

namespace deepsl::learner::detail {
namespace {

constexpr std::size_t most_functions = 5;

struct Choice {
    std::size_t row;
    std::string title;
};

/// The row that scores highest, of those with a finite score.
template <class Score>
std::optional<std::size_t> best_row(std::size_t rows, Score score) {
    std::optional<std::size_t> best;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows; ++i) {
        const double value = score(i);
        if (!(value > highest)) continue;
        highest = value;
        best = i;
    }
    return best;
}

double upper_quartile(std::vector<double> values) {
    if (values.empty()) return 0.0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(3 * values.size() / 4);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

std::vector<Choice> choose_by_class(const TrainedModel& trained,
                                    const std::vector<std::int64_t>& actual,
                                    const Decisions& decisions) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    const auto& margin = decisions.margin;
    const auto& winner = decisions.winner;
    const auto named = [&](std::int64_t c) {
        return static_cast<std::size_t>(c) < trained.classes.size()
                   ? trained.classes[static_cast<std::size_t>(c)]
                   : std::to_string(c);
    };
    std::vector<Choice> choices;
    const auto add = [&](std::optional<std::size_t> row, const std::string& title) {
        if (row) choices.push_back({*row, title});
    };
    const auto rows = actual.size();
    const auto right = [&](std::size_t i) { return winner[i] == actual[i]; };
    // The usual case, not the extreme one: the extremes lie where there are hardly any data.
    const double typical = upper_quartile(margin);
    const auto well_inside = best_row(
        rows, [&](std::size_t i) { return right(i) ? -std::fabs(margin[i] - typical) : never; });
    add(well_inside, well_inside ? "Well inside " + named(actual[*well_inside]) : "");
    add(best_row(rows, [&](std::size_t i) { return right(i) ? -margin[i] : never; }),
        "Right, but close to the boundary");
    const auto wrong = best_row(
        rows, [&](std::size_t i) { return winner[i] >= 0 && !right(i) ? margin[i] : never; });
    add(wrong, "The worst mistake on test data");
    if (wrong || !well_inside) return choices;
    const auto other = best_row(rows, [&](std::size_t i) {
        return right(i) && actual[i] != actual[*well_inside] ? -std::fabs(margin[i] - typical)
                                                             : never;
    });
    add(other,
        other ? "Well inside " + named(actual[*other]) + "; no test sample is mistaken" : "");
    return choices;
}

std::vector<Choice> choose_by_error(const Matrix<double>& target,
                                    const model::Prediction& prediction) {
    const auto error = [&](std::size_t i) {
        double largest = 0.0;
        for (std::size_t k = 0; k < target.columns(); ++k)
            largest = std::max(largest, std::fabs(prediction.y(i, k) - target(i, k)));
        return prediction.outcomes[i].ok() ? largest : std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<Choice> choices;
    if (const auto row = best_row(target.rows(), [&](std::size_t i) { return -error(i); }))
        choices.push_back({*row, "The best prediction on test data"});
    if (const auto row = best_row(target.rows(), error))
        choices.push_back({*row, "The worst prediction on test data"});
    return choices;
}

std::vector<double> row_of(const Matrix<double>& values, std::size_t b = 0) {
    return {values.row(b).begin(), values.row(b).end()};
}

/// The line of a sample x [1, inputs] through one field; nothing if that failed.
std::optional<report::SampleLine> sample_line(const TrainedModel& trained,
                                              MatrixView<const double> x, int finer,
                                              std::size_t field) {
    const auto z = trained.scaling.forward(x);
    // Curves are drawn finely; the numbers are those that the prediction is made of.
    const auto fine = inspect_finer(trained, z, finer, field);
    const auto own = trained.with_lines()->inspect(z, field);
    if (!fine.outcomes[0].ok() || !own.outcomes[0].ok()) return {};
    report::SampleLine line;
    if (x.columns() == 2) line.line = line_curve(trained.scaling, fine, z, 0);
    line.t_minus = fine.t_minus[0];
    line.t_plus = fine.t_plus[0];
    line.t = row_of(fine.t_nodes);
    line.p = row_of(fine.P);
    for (double& p : line.p) p = 1.0 / p;
    line.q = row_of(fine.q);
    line.w = row_of(fine.w);
    line.u_t = row_of(fine.t_edges);
    for (std::size_t i = 0; i < std::min(most_functions, fine.d); ++i) {
        const auto u = fine.u_along(0, i);
        line.u.emplace_back(u.begin(), u.end());
    }
    line.lambda = row_of(own.lambda);
    line.u_at_x = row_of(own.basis);
    for (std::size_t k = 0; k < own.outputs; ++k) {
        auto& terms = line.contributions.emplace_back();
        for (const double part : own.contribution(0, k))
            terms.push_back(trained.target_scale * part);
    }
    return line;
}

/// What a sample x [1, inputs] owes to its columns; in the plane its lines tell that.
void add_columns(const TrainedModel& trained, MatrixView<const double> x, report::Sample& sample) {
    if (x.columns() < 3) return;
    const auto found = contributions_of(trained, x);
    const auto cells = cells_of(trained, x);
    // Two classes may have a single score, that of the second.
    const bool single = found.parts.rows() == 1;
    const auto output = single ? 0 : static_cast<std::size_t>(std::max(sample.predicted, 0));
    const double sign = single && trained.predicts_classes() && sample.predicted == 0 ? -1.0 : 1.0;
    for (std::size_t c = 0; found.complete && c < cells.size(); ++c)
        sample.columns.push_back(
            {found.columns[c].name, sign * found.parts(output, c), 0.0, cells[c]});
    if (trained.predicts_classes())
        sample.remark =
            turning_description(trained, nearest_turning(trained, inspect_row(trained, x)), x);
}

}  // namespace

report::Curve curve_of(const Matrix<double>& points) {
    report::Curve curve;
    for (std::size_t i = 0; i < points.rows(); ++i) {
        curve.x.push_back(points(i, 0));
        curve.y.push_back(points(i, 1));
    }
    return curve;
}

Decisions decisions_of(const model::Prediction& prediction, const TrainedModel& trained) {
    Decisions decisions;
    if (!trained.predicts_classes()) return decisions;
    // Hinge losses ask for a margin of 1 and no more; else outputs are logarithms of chances.
    const auto loss = trained.record.find("loss");
    const bool hinge = loss != trained.record.end() && loss->second == "hinge";
    for (std::size_t b = 0; b < prediction.size(); ++b) {
        std::vector<double> y(prediction.y.row(b).begin(), prediction.y.row(b).end());
        if (y.size() == 1) y = {-0.5 * y[0], 0.5 * y[0]};
        const auto best = std::max_element(y.begin(), y.end());
        const auto winner = best - y.begin();
        double second = -std::numeric_limits<double>::infinity(), sum = 0.0;
        for (const auto& value : y) {
            sum += std::exp(value - *best);
            if (&value != &*best) second = std::max(second, value);
        }
        const double margin = *best - second;
        decisions.winner.push_back(prediction.outcomes[b].ok() ? static_cast<int>(winner) : -1);
        decisions.margin.push_back(margin);
        decisions.confidence.push_back(hinge ? std::clamp(margin, 0.0, 1.0)
                                             : (1.0 - std::exp(-margin)) / sum);
    }
    return decisions;
}

model::Inspection inspect_finer(const TrainedModel& trained, MatrixView<const double> z, int finer,
                                std::size_t field) {
    const auto& model = *trained.with_lines();
    return model.inspect(z, field, model.numerics().finer(finer));
}

report::Curve line_curve(const field::Scaling& scaling, const model::Inspection& seen,
                         MatrixView<const double> z, std::size_t b) {
    const auto nodes = seen.cells * seen.nodes, half = nodes / 2;
    Matrix<double> points(nodes + 3, 2);
    std::size_t at = 0;
    const auto add = [&](std::span<const double> point) {
        std::copy(point.begin(), point.end(), points.row(at++).begin());
    };
    add(seen.entry.row(b));
    for (std::size_t i = 0; i < half; ++i) add(seen.node(b, i));
    add(z.row(b));
    for (std::size_t i = half; i < nodes; ++i) add(seen.node(b, i));
    add(seen.exit.row(b));
    return curve_of(scaling.inverse(points));
}

std::vector<report::Sample> chosen_samples(const TrainedModel& trained, const train::Dataset& test,
                                           const model::Prediction& prediction,
                                           const Decisions& decisions, int finer) {
    const bool labels = test.has_labels();
    const auto choices = labels ? choose_by_class(trained, test.labels, decisions)
                                : choose_by_error(test.numbers, prediction);
    const auto fields = trained.with_lines()->fields();
    std::vector<report::Sample> samples;
    for (const auto& [row, title] : choices) {
        const auto x = test.x.part(row, 1);
        report::Sample sample;
        sample.title = title;
        sample.x = x(0, 0);
        sample.y = x.columns() > 1 ? x(0, 1) : labels ? 0.0 : test.numbers(row, 0);
        if (labels) {
            sample.predicted = decisions.winner[row];
            sample.actual = static_cast<int>(test.labels[row]);
        }
        // The lines are the first voter's, and so is the sum that they lead to.
        const auto own = trained.ask(x);
        for (const double y : own.y.row(0))
            sample.constant.push_back(trained.target_mean + trained.target_scale * y);
        for (std::size_t m = 0; m < fields; ++m) {
            auto line = sample_line(trained, x, finer, m);
            if (!line) break;
            for (std::size_t k = 0; k < line->contributions.size(); ++k)
                for (const double part : line->contributions[k]) sample.constant[k] -= part;
            sample.lines.push_back(std::move(*line));
        }
        if (sample.lines.size() != fields) continue;
        add_columns(trained, x, sample);
        samples.push_back(std::move(sample));
    }
    return samples;
}

}  // namespace deepsl::learner::detail
