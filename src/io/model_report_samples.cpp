#include "io/model_report_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace deepsl::io::detail {
namespace {

using torch::Tensor;

constexpr std::int64_t most_functions = 5;

struct Choice {
    std::int64_t row;
    std::string title;
};

/// The row that scores highest, of those with a finite score.
template <class Score>
std::optional<std::int64_t> best_row(std::int64_t rows, Score score) {
    std::optional<std::int64_t> best;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < rows; ++i) {
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

std::vector<Choice> choose_by_class(const TrainedModel& trained, const Tensor& target,
                                    const Verdict& verdict) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    const auto label = target.contiguous();
    const auto* actual = label.data_ptr<std::int64_t>();
    const auto margin = [&](std::int64_t i) { return verdict.margin[static_cast<std::size_t>(i)]; };
    const auto winner = [&](std::int64_t i) { return verdict.winner[static_cast<std::size_t>(i)]; };
    const auto named = [&](std::int64_t c) {
        return static_cast<std::size_t>(c) < trained.classes.size()
                   ? trained.classes[static_cast<std::size_t>(c)]
                   : std::to_string(c);
    };
    std::vector<Choice> choices;
    const auto add = [&](std::optional<std::int64_t> row, const std::string& title) {
        if (row) choices.push_back({*row, title});
    };
    const auto rows = label.size(0);
    // The usual case, not the extreme one: the extremes lie where there are hardly any data.
    const double typical = upper_quartile(verdict.margin);
    const auto well_inside = best_row(rows, [&](std::int64_t i) {
        return winner(i) == actual[i] ? -std::fabs(margin(i) - typical) : never;
    });
    add(well_inside, well_inside ? "Well inside " + named(actual[*well_inside]) : "");
    add(best_row(rows, [&](std::int64_t i) { return winner(i) == actual[i] ? -margin(i) : never; }),
        "Right, but close to the boundary");
    const auto wrong = best_row(rows, [&](std::int64_t i) {
        return winner(i) >= 0 && winner(i) != actual[i] ? margin(i) : never;
    });
    add(wrong, "The worst mistake on test data");
    if (wrong || !well_inside) return choices;
    const auto other = best_row(rows, [&](std::int64_t i) {
        return winner(i) == actual[i] && actual[i] != actual[*well_inside]
                   ? -std::fabs(margin(i) - typical)
                   : never;
    });
    add(other,
        other ? "Well inside " + named(actual[*other]) + "; no test sample is mistaken" : "");
    return choices;
}

std::vector<Choice> choose_by_error(const Tensor& target, const model::Prediction& prediction) {
    const auto error =
        (prediction.y.to(torch::kFloat64) - target.to(torch::kFloat64)).abs().amax(1);
    const auto usable = torch::where(prediction.ok, error, torch::full_like(error, NAN));
    const auto value = numbers(usable);
    const auto at = [&](std::int64_t i) { return value[static_cast<std::size_t>(i)]; };
    std::vector<Choice> choices;
    const auto rows = target.size(0);
    if (const auto row = best_row(rows, [&](std::int64_t i) { return -at(i); }))
        choices.push_back({*row, "The best prediction on test data"});
    if (const auto row = best_row(rows, at))
        choices.push_back({*row, "The worst prediction on test data"});
    return choices;
}

std::vector<std::vector<double>> table(const Tensor& values) {
    std::vector<std::vector<double>> rows;
    for (std::int64_t i = 0; i < values.size(0); ++i) rows.push_back(numbers(values[i]));
    return rows;
}

}  // namespace

std::vector<double> numbers(const Tensor& values) {
    const auto wide = values.detach().to(torch::kFloat64).contiguous();
    return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}

Curve curve_of(const Tensor& points) {
    return {numbers(points.select(1, 0)), numbers(points.select(1, 1))};
}

Verdict verdict_of(const model::Prediction& prediction, const TrainedModel& trained) {
    if (trained.classes.empty()) return {};
    auto y = prediction.y.to(torch::kFloat64);
    if (y.size(1) == 1) y = torch::cat({-0.5 * y, 0.5 * y}, 1);
    const auto [best, index] = y.topk(2, 1);
    const auto margin = best.select(1, 0) - best.select(1, 1);
    // Hinge losses ask for a margin of 1 and no more; else outputs are logarithms of chances.
    const auto loss = trained.record.find("loss");
    const bool hinge = loss != trained.record.end() && loss->second == "hinge";
    const auto chance = y.softmax(1).gather(1, index);
    const auto confidence =
        hinge ? margin.clamp(0.0, 1.0) : chance.select(1, 0) - chance.select(1, 1);
    Verdict verdict;
    const auto winner =
        torch::where(prediction.ok, index.select(1, 0), torch::full({}, -1, torch::kInt64));
    for (const double w : numbers(winner)) verdict.winner.push_back(static_cast<int>(w));
    verdict.margin = numbers(margin);
    verdict.confidence = numbers(confidence);
    return verdict;
}

model::Inspection inspect_finer(TrainedModel& trained, const Tensor& z, int finer,
                                std::int64_t field) {
    auto& model = *trained.model;
    return model.branches()[static_cast<std::size_t>(field)]->inspect(
        z.to(model.scalar_type()), model.numerics().finer(finer));
}

Curve line_curve(const data::Scaling& scaling, const model::Inspection& seen, const Tensor& z,
                 std::int64_t b) {
    const auto nodes = seen.grid.z[b].flatten(0, 1).to(torch::kFloat64);
    const auto half = nodes.size(0) / 2;
    const auto end = [&](const Tensor& t) { return t[b].to(torch::kFloat64).unsqueeze(0); };
    return curve_of(scaling.inverse(
        torch::cat({end(seen.grid.entry), nodes.narrow(0, 0, half), end(z),
                    nodes.narrow(0, half, nodes.size(0) - half), end(seen.grid.exit)})));
}

namespace {

struct LineAndTerms {
    SampleLine line;
    Tensor terms;  // its contributions  [output, d]
};

/// The line of a sample x [1, inputs] through one field; nothing if that failed.
std::optional<LineAndTerms> sample_line(TrainedModel& trained, const Tensor& x, int finer,
                                        std::int64_t field) {
    const auto z = trained.scaling.forward(x);
    // Curves are drawn finely; the numbers are those that the prediction is made of.
    const auto fine = inspect_finer(trained, z, finer, field);
    const auto own = trained.model->inspect(z, field);
    if (!fine.outcomes[0].ok() || !own.outcomes[0].ok()) return {};
    SampleLine line;
    if (x.size(1) == 2) line.line = line_curve(trained.scaling, fine, z, 0);
    line.t_minus = fine.grid.t_minus[0].item<double>();
    line.t_plus = fine.grid.t_plus[0].item<double>();
    line.t = numbers(fine.t_nodes[0].flatten());
    line.p = numbers(1.0 / fine.P[0].flatten());
    line.q = numbers(fine.q[0].flatten());
    line.w = numbers(fine.w[0].flatten());
    line.u_t = numbers(fine.t_edges[0]);
    const auto functions = std::min(most_functions, fine.u_edges.size(1));
    line.u = table(fine.u_edges[0].narrow(0, 0, functions));
    line.lambda = numbers(own.lambda[0]);
    line.u_at_x = numbers(own.basis[0]);
    const auto terms = trained.target_scale * own.contributions[0].to(torch::kFloat64);
    line.contributions = table(terms);
    return LineAndTerms{std::move(line), terms};
}

}  // namespace

std::vector<Sample> chosen_samples(TrainedModel& trained, const ReportData& test,
                                   const model::Prediction& prediction, const Verdict& verdict,
                                   int finer) {
    const bool labels = !test.target.is_floating_point();
    const auto choices = labels ? choose_by_class(trained, test.target, verdict)
                                : choose_by_error(test.target, prediction);
    std::vector<Sample> samples;
    for (const auto& [row, title] : choices) {
        const auto x = test.x.narrow(0, row, 1).to(torch::kFloat64);
        Sample sample;
        sample.title = title;
        sample.x = x[0][0].item<double>();
        sample.y = x.size(1) > 1 ? x[0][1].item<double>() : test.target[row].item<double>();
        if (labels) {
            sample.predicted = verdict.winner[static_cast<std::size_t>(row)];
            sample.actual = static_cast<int>(test.target[row].item<std::int64_t>());
        }
        auto constant = prediction.y[row].to(torch::kFloat64);
        const auto fields = trained.model->options().fields;
        for (std::int64_t m = 0; m < fields; ++m) {
            auto line = sample_line(trained, x, finer, m);
            if (!line) break;
            constant = constant - line->terms.sum(1);
            sample.lines.push_back(std::move(line->line));
        }
        if (static_cast<std::int64_t>(sample.lines.size()) < fields) continue;
        sample.constant = numbers(constant);
        samples.push_back(std::move(sample));
    }
    return samples;
}

}  // namespace deepsl::io::detail
