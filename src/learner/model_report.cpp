#include "deepsl/learner/model_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deepsl/data/target.h"
#include "deepsl/error.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/importance.h"
#include "learner/model_report_plane.h"
#include "learner/model_report_samples.h"

namespace deepsl::learner {
namespace {

constexpr std::size_t curve_points = 400;

const model::Model& lines_of(const TrainedModel& trained) {
    const auto* model = trained.with_lines();
    if (model == nullptr)
        throw argument_error(
            "report draws lines and eigenfunctions, which only models of the kind dsl have");
    return *model;
}

void add_points(report::Report& report, const train::Dataset& data,
                const detail::Decisions* decisions, std::size_t most) {
    for (std::size_t i = 0; i < std::min(most, data.size()); ++i) {
        report::DataPoint point;
        point.x = data.x(i, 0);
        point.y = data.x.columns() > 1 ? data.x(i, 1) : data.numbers(i, 0);
        if (data.has_labels()) point.label = static_cast<int>(data.labels[i]);
        point.is_test = decisions != nullptr;
        point.misclassified =
            data.has_labels() && decisions != nullptr && decisions->winner[i] != point.label;
        report.points.push_back(point);
    }
}

/// Linear between the numbers in order.
double quantile(const std::vector<double>& sorted, double part) {
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Quantiles of the eigenvalues of every field, by class.
void add_spectra(report::Report& report, const TrainedModel& trained,
                 const model::Prediction& prediction, const train::Dataset& test) {
    // In one dimension all samples share one line.
    if (report.one_dimensional) return;
    const auto fields = lines_of(trained).fields();
    const auto each = prediction.lambda.columns() / fields;
    report.spectra.resize(fields);
    const auto bands = test.has_labels() ? std::max<std::size_t>(trained.classes.size(), 1) : 1;
    for (std::size_t k = 0; k < std::min<std::size_t>(bands, 6); ++k) {
        std::vector<std::size_t> rows;
        for (std::size_t b = 0; b < prediction.size(); ++b)
            if (prediction.outcomes[b].ok() &&
                (!test.has_labels() || test.labels[b] == static_cast<std::int64_t>(k)))
                rows.push_back(b);
        if (rows.empty()) continue;
        for (std::size_t m = 0; m < fields; ++m) {
            report::SpectrumBand band;
            band.name = test.has_labels() && k < trained.classes.size() ? trained.classes[k]
                                                                        : "all samples";
            for (std::size_t i = 0; i < each; ++i) {
                std::vector<double> values;
                values.reserve(rows.size());
                for (const auto b : rows) values.push_back(prediction.lambda(b, m * each + i));
                std::sort(values.begin(), values.end());
                band.low.push_back(quantile(values, 0.1));
                band.middle.push_back(quantile(values, 0.5));
                band.high.push_back(quantile(values, 0.9));
            }
            report.spectra[m].push_back(std::move(band));
        }
    }
}

/// Predictions of one number from one input, where the data lie.
report::Curve fitted_curve(const TrainedModel& trained, std::vector<double> x) {
    const auto predictions = predict(trained, MatrixView<const double>(x.data(), x.size(), 1));
    report::Curve curve;
    curve.y = predictions.prediction.y.values();
    curve.x = std::move(x);
    return curve;
}

std::vector<double> curve_places(const Matrix<double>& x) {
    const auto [low, high] = std::minmax_element(x.values().begin(), x.values().end());
    std::vector<double> places;
    for (std::size_t i = 0; i < curve_points; ++i)
        places.push_back(std::lerp(*low, *high, static_cast<double>(i) / (curve_points - 1)));
    return places;
}

}  // namespace

report::Report model_report(const TrainedModel& trained, const train::Dataset& training,
                            const train::Dataset& test, const ReportOptions& options) {
    const auto inputs = lines_of(trained).inputs();
    const bool labels = test.has_labels();
    if (test.empty()) throw argument_error("report needs rows to draw; the table has none");
    report::Report report;
    report.classes = trained.classes;
    report.one_dimensional = inputs == 1 && !labels;
    if (!trained.features.empty()) report.x_name = trained.features[0];
    if (trained.features.size() > 1) report.y_name = trained.features[1];
    report.metric = labels ? "accuracy" : "R²";
    report.metric_is_share = labels;

    const auto prediction = trained.predict(test.x);
    const auto decisions = detail::decisions_of(prediction, trained);
    if (inputs == 2 || report.one_dimensional) {
        add_points(report, training, nullptr, training.size());
        add_points(report, test, &decisions, options.test_points);
    }
    if (inputs == 2) {
        report.outline = detail::outline_of(trained.scaling);
        report.lines = detail::field_lines(trained, options.lines, options.finer);
        if (labels) {
            report.map = detail::empty_map(trained.scaling, options.map_cells);
            detail::fill(report.map, trained);
        }
    }
    if (report.one_dimensional) report.predicted = fitted_curve(trained, curve_places(test.x));
    report.samples = detail::chosen_samples(trained, test, prediction, decisions, options.finer);
    add_spectra(report, trained, prediction, test);
    if (options.importance) {
        const auto found = importance(trained, test);
        report.importance_name = labels ? "log loss" : "squared error";
        for (const auto& column : found.columns)
            report.importance.push_back({column.column, column.loss, column.loss_deviation, ""});
    }
    return report;
}

train::Dataset report_data(const TrainedModel& trained, const data::Table& table, bool strict) {
    train::Dataset rows;
    rows.x = inputs_of(trained, table, strict);
    const auto column = trained.encoding->target_in(table);
    if (table.find(column) != nullptr) {
        auto target = data::read_measured_target(table, column, trained.classes);
        rows.labels = std::move(target.labels);
        if (!trained.predicts_classes())
            rows.numbers = Matrix<double>(rows.size(), 1, std::move(target.numbers));
    } else {
        auto predictions = predict(trained, rows.x);
        rows.labels = std::move(predictions.label);
        if (!trained.predicts_classes()) rows.numbers = std::move(predictions.prediction.y);
    }
    return rows;
}

report::Baseline baseline_report(const std::string& name, const TrainedModel& other,
                                 const train::TrainingRecord& record,
                                 const report::Report& report) {
    report::Baseline baseline;
    baseline.name = name;
    baseline.history = report_history(record);
    if (report.map.columns > 0) {
        baseline.map = report.map;
        detail::fill(baseline.map, other);
    }
    if (report.one_dimensional) baseline.predicted = fitted_curve(other, report.predicted.x);
    return baseline;
}

std::vector<report::Epoch> report_history(const train::TrainingRecord& record) {
    std::vector<report::Epoch> history;
    for (const auto& report : record.epochs) {
        report::Epoch epoch;
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

}  // namespace deepsl::learner
