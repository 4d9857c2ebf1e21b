#include "deepsl/io/model_report.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "io/model_report_samples.h"

namespace deepsl::io {
namespace {

using torch::Tensor;

constexpr std::int64_t curve_points = 400;

/// In the domain's coordinates, without pulling anything in.
Tensor unlimited(const data::Scaling& scaling, const Tensor& x) {
    return (x - scaling.shift) * scaling.factor;
}

Tensor inside(const data::Scaling& scaling, const Tensor& x) {
    const auto z = unlimited(scaling, x);
    return scaling.ball ? z.norm(2, 1) < 1.0 : ((z > 0.0) & (z < 1.0)).all(1);
}

Curve outline_of(const data::Scaling& scaling) {
    Tensor corners;
    if (scaling.ball) {
        const auto angle = torch::arange(180, torch::kFloat64) * (2.0 * std::numbers::pi / 180.0);
        corners = torch::stack({angle.cos(), angle.sin()}, 1);
    } else {
        corners = torch::tensor({{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}, torch::kFloat64);
    }
    return detail::curve_of(scaling.inverse(corners));
}

/// An empty map over the whole domain.
DecisionMap frame_of(const data::Scaling& scaling, std::int64_t cells) {
    const double low = scaling.ball ? -1.0 : 0.0;
    const auto corners = scaling.inverse(torch::tensor({{low, low}, {1.0, 1.0}}, torch::kFloat64));
    DecisionMap map;
    map.x_min = corners[0][0].item<double>(), map.x_max = corners[1][0].item<double>();
    map.y_min = corners[0][1].item<double>(), map.y_max = corners[1][1].item<double>();
    map.columns = map.rows = static_cast<std::size_t>(cells);
    return map;
}

void fill(DecisionMap& map, model::PredictorImpl& predictor, const TrainedModel& trained) {
    const auto middles = [](double low, double high, std::size_t count) {
        const auto n = static_cast<std::int64_t>(count);
        return low +
               (torch::arange(n, torch::kFloat64) + 0.5) * ((high - low) / static_cast<double>(n));
    };
    const auto grid = torch::meshgrid(
        {middles(map.y_min, map.y_max, map.rows), middles(map.x_min, map.x_max, map.columns)},
        "ij");
    const auto x = torch::stack({grid[1].flatten(), grid[0].flatten()}, 1);
    const auto within = inside(trained.scaling, x).nonzero().squeeze(1);
    const auto z = trained.scaling.forward(x.index_select(0, within));
    const auto prediction = predictor.predict(z.to(predictor.scalar_type()));
    const auto verdict = detail::verdict_of(prediction, trained);
    map.winner.assign(map.columns * map.rows, -1);
    map.confidence.assign(map.columns * map.rows, 0.0F);
    const auto* cell = within.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < within.size(0); ++i) {
        const auto at = static_cast<std::size_t>(cell[i]), from = static_cast<std::size_t>(i);
        map.winner[at] = verdict.winner[from];
        map.confidence[at] = static_cast<float>(verdict.confidence[from]);
    }
}

/// Points all over the domain, from which lines may start.
Tensor seeds_of(const data::Scaling& scaling) {
    constexpr std::int64_t each_way = 22;
    // Nodes of a lattice turned by 45 degrees: lines along an axis then start from many heights.
    std::vector<double> points;
    for (std::int64_t i = 0; i < each_way; ++i)
        for (std::int64_t j = 0; j < each_way; ++j) {
            const double shift = i % 2 == 0 ? 0.25 : 0.75;
            points.push_back((static_cast<double>(j) + shift) / each_way);
            points.push_back((static_cast<double>(i) + 0.5) / each_way);
        }
    const auto unit = torch::tensor(points, torch::kFloat64).reshape({-1, 2});
    if (!scaling.ball) return unit;
    const auto square = 2.0 * unit - 1.0;
    return square.index({square.norm(2, 1) < 0.97});
}

/// Lines evenly spaced: each is the one whose start is farthest from all those before it.
std::vector<std::int64_t> spread_lines(const Tensor& starts, const model::Inspection& seen,
                                       std::int64_t wanted) {
    std::vector<std::int64_t> rows;
    auto distance = -starts.square().sum(1);
    for (std::int64_t i = 0; i < std::min(wanted, starts.size(0)); ++i) {
        const auto next = distance.argmax().item<std::int64_t>();
        const auto nodes = seen.grid.z[next].flatten(0, 1).to(torch::kFloat64);
        const auto from_next = std::get<0>(torch::cdist(starts, nodes).min(1));
        distance = rows.empty() ? from_next : torch::minimum(distance, from_next);
        rows.push_back(next);
    }
    return rows;
}

void add_points(Report& report, const ReportData& data, const detail::Verdict* verdict,
                std::int64_t most) {
    if (!data.x.defined()) return;
    const auto x = data.x.to(torch::kFloat64).contiguous();
    const auto inputs = x.size(1);
    const bool labels = !data.target.is_floating_point();
    for (std::int64_t i = 0; i < std::min(most, x.size(0)); ++i) {
        DataPoint point;
        point.x = x[i][0].item<double>();
        point.y = inputs > 1 ? x[i][1].item<double>() : data.target[i].item<double>();
        if (labels) point.label = static_cast<int>(data.target[i].item<std::int64_t>());
        point.is_test = verdict != nullptr;
        point.misclassified = labels && verdict != nullptr &&
                              verdict->winner[static_cast<std::size_t>(i)] != point.label;
        report.points.push_back(point);
    }
}

void add_lines(Report& report, TrainedModel& trained, const ReportOptions& options) {
    const auto starts = seeds_of(trained.scaling);
    const auto fields = trained.model->options().fields;
    // Below this number of lines a field's course cannot be seen.
    const auto each =
        std::max<std::int64_t>(options.lines / fields, std::min<std::int64_t>(options.lines, 12));
    for (std::int64_t m = 0; m < fields; ++m) {
        const auto seen = detail::inspect_finer(trained, starts, options.finer, m);
        auto& lines = report.lines.emplace_back();
        for (const auto b : spread_lines(starts, seen, each))
            if (seen.outcomes[static_cast<std::size_t>(b)].ok())
                lines.push_back(detail::line_curve(trained.scaling, seen, starts, b));
    }
}

/// Quantiles of the eigenvalues of every field, by class.
void add_spectra(Report& report, const TrainedModel& trained, const model::Prediction& prediction,
                 const Tensor& target) {
    // In one dimension all samples share one line.
    if (report.one_dimensional) return;
    const auto& options = trained.model->options();
    report.spectra.resize(static_cast<std::size_t>(options.fields));
    const bool labels = !target.is_floating_point();
    const auto bands = labels ? std::max<std::size_t>(trained.classes.size(), 1) : 1;
    for (std::size_t k = 0; k < std::min<std::size_t>(bands, 6); ++k) {
        auto rows = prediction.ok;
        if (labels) rows = rows.logical_and(target.eq(static_cast<std::int64_t>(k)));
        const auto own = prediction.lambda.index({rows});
        if (own.size(0) == 0) continue;
        const auto at = torch::tensor({0.1, 0.5, 0.9}, torch::kFloat64);
        const auto quantiles = torch::quantile(own, at, 0);
        for (std::int64_t m = 0; m < options.fields; ++m) {
            const auto of_field =
                quantiles.narrow(1, m * options.eigenfunctions, options.eigenfunctions);
            SpectrumBand band;
            band.name = labels && k < trained.classes.size() ? trained.classes[k] : "all samples";
            band.low = detail::numbers(of_field[0]);
            band.middle = detail::numbers(of_field[1]);
            band.high = detail::numbers(of_field[2]);
            report.spectra[static_cast<std::size_t>(m)].push_back(std::move(band));
        }
    }
}

Tensor curve_places(const Tensor& x) {
    const auto low = x.min().item<double>(), high = x.max().item<double>();
    return torch::linspace(low, high, curve_points, torch::kFloat64).unsqueeze(1);
}

Curve fitted(const Tensor& x, const Tensor& y) {
    return {detail::numbers(x.squeeze(1)), detail::numbers(y.select(1, 0))};
}

}  // namespace

Report model_report(TrainedModel& trained, const ReportData& training, const ReportData& test,
                    const ReportOptions& options) {
    const auto inputs = trained.model->inputs();
    const bool labels = !test.target.is_floating_point();
    Report report;
    report.classes = trained.classes;
    report.one_dimensional = inputs == 1 && !labels;
    if (!trained.features.empty()) report.x_name = trained.features[0];
    if (trained.features.size() > 1) report.y_name = trained.features[1];
    report.metric = labels ? "accuracy" : "R²";
    report.metric_is_share = labels;

    const auto prediction = trained.predict(test.x);
    const auto verdict = detail::verdict_of(prediction, trained);
    if (inputs == 2 || report.one_dimensional) {
        add_points(report, training, nullptr, training.x.defined() ? training.x.size(0) : 0);
        add_points(report, test, &verdict, options.test_points);
    }
    if (inputs == 2) {
        report.outline = outline_of(trained.scaling);
        add_lines(report, trained, options);
        if (labels) {
            report.map = frame_of(trained.scaling, options.map_cells);
            fill(report.map, *trained.model, trained);
        }
    }
    if (report.one_dimensional) {
        const auto x = curve_places(test.x);
        report.predicted = fitted(x, trained.predict(x).y);
    }
    report.samples = detail::chosen_samples(trained, test, prediction, verdict, options.finer);
    add_spectra(report, trained, prediction, test.target);
    return report;
}

Baseline baseline_report(const std::string& name, model::PredictorImpl& other,
                         const TrainedModel& trained, const train::TrainingRecord& record,
                         const Report& report) {
    Baseline baseline;
    baseline.name = name;
    baseline.history = history_of(record);
    if (report.map.columns > 0) {
        baseline.map = report.map;
        fill(baseline.map, other, trained);
    }
    if (report.one_dimensional) {
        const auto x = torch::tensor(report.predicted.x, torch::kFloat64).unsqueeze(1);
        const auto z = trained.scaling.forward(x).to(other.scalar_type());
        const auto y = other.predict(z).y.to(torch::kFloat64);
        baseline.predicted = fitted(x, trained.target_mean + trained.target_scale * y);
    }
    return baseline;
}

std::vector<Epoch> history_of(const train::TrainingRecord& record) {
    std::vector<Epoch> history;
    for (const auto& report : record.epochs) {
        Epoch epoch;
        epoch.epoch = static_cast<int>(report.epoch);
        epoch.loss = report.loss + (report.spectral > 0.0 ? report.spectral : 0.0);
        if (report.spectral > 0.0) epoch.spectral = report.spectral;
        epoch.train_metric = report.train_metric;
        epoch.validation_metric = report.validation_metric;
        epoch.mean_lambda_first = report.lambda_first;
        epoch.mean_lambda_last = report.lambda_last;
        epoch.seconds = report.seconds;
        history.push_back(epoch);
    }
    return history;
}

}  // namespace deepsl::io
