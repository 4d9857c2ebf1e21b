// Curves over a whole data set or a whole training: the fit in one dimension, spectra, epochs.
#include <algorithm>
#include <cmath>

#include "report/figures.h"
#include "report/plot.h"

namespace deepsl::report::detail {
namespace {

constexpr double width = 340.0, height = 240.0;

template <class Member>
std::vector<double> column(const std::vector<Epoch>& history, Member member) {
    std::vector<double> result;
    result.reserve(history.size());
    for (const auto& epoch : history) result.push_back(static_cast<double>(epoch.*member));
    return result;
}

const std::vector<Epoch>& baseline_history(const Report& report) {
    static const std::vector<Epoch> none;
    return report.baseline ? report.baseline->history : none;
}

Axis epoch_axis(const Report& report, const Plot& plot) {
    Span span;
    span.include(column(report.history, &Epoch::epoch));
    span.include(column(baseline_history(report), &Epoch::epoch));
    if (!(span.high() > span.low())) {
        const double only = span.empty() ? 1.0 : span.low();
        return {only - 1.0, only + 1.0, plot.left, plot.right};
    }
    return span.axis(plot.left, plot.right, 0.02);
}

struct Series {
    const std::vector<Epoch>* history;
    double Epoch::*value;
    std::string style;
};

/// Curves over the epochs, on one vertical axis.
std::string epochs_figure(const Report& report, const std::vector<Series>& series, bool logarithmic,
                          double scale, std::string_view description) {
    Plot plot(width, height, 14.0);
    plot.x = epoch_axis(report, plot);
    Span span;
    std::vector<std::vector<double>> values;
    for (const auto& one : series) {
        values.push_back(column(*one.history, one.value));
        for (double& value : values.back()) value *= scale;
        if (logarithmic)
            span.include_positive(values.back());
        else
            span.include(values.back());
    }
    plot.y = logarithmic ? span.logarithmic_axis(plot.bottom, plot.top)
                         : span.axis(plot.bottom, plot.top);
    plot.draw_axes("epoch", true);
    plot.draw_zero();
    for (std::size_t k = 0; k < series.size(); ++k)
        plot.curve(column(*series[k].history, &Epoch::epoch), values[k], series[k].style);
    return plot.drawing.figure(description);
}

bool all_positive(const std::vector<Epoch>& history, double Epoch::*value) {
    return std::all_of(history.begin(), history.end(),
                       [=](const Epoch& epoch) { return !(epoch.*value <= 0.0); });
}

const std::string dashed = R"(stroke-dasharray="5 4")";

}  // namespace

std::string fit_figure(const Report& report) {
    Plot plot(860.0, 440.0, 14.0);
    Span xs, ys;
    for (const auto* curve : {&report.predicted, &report.truth}) {
        xs.include(curve->x);
        ys.include(curve->y);
    }
    for (const auto& point : report.points) {
        xs.include(point.x);
        ys.include(point.y);
    }
    plot.x = xs.axis(plot.left, plot.right, 0.01);
    plot.y = ys.axis(plot.bottom, plot.top);
    plot.draw_axes(shortened(report.x_name, 40));
    plot.draw_zero();
    std::string train, test;
    for (const auto i : thinned(report.points.size(), most_points)) {
        const auto& point = report.points[i];
        if (!drawable(point.x) || !drawable(point.y)) continue;
        (point.is_test ? test : train) +=
            fmt::format("M{:.1f} {:.1f}{}", plot.x.at(point.x), plot.y.at(point.y), marker(0, 3.0));
    }
    plot.drawing.add(R"(<path class="train" d="{}" fill="{}" fill-opacity="0.45"/>)", train, grey);
    plot.drawing.add(R"(<path class="test" d="{}" fill="#fff" {}/>)", test, stroke(ink, 1.1));
    plot.curve(report.truth.x, report.truth.y, stroke(ink, 1.3, dashed));
    if (report.baseline)
        plot.curve(report.baseline->predicted.x, report.baseline->predicted.y, stroke(grey, 1.8));
    plot.curve(report.predicted.x, report.predicted.y, stroke(violet, 2.6));
    for (std::size_t i = 0; i < shown_samples(report); ++i) {
        const auto& sample = report.samples[i];
        if (!drawable(sample.x)) continue;
        const double x = plot.x.at(sample.x);
        plot.drawing.line(x, plot.top, x, plot.bottom,
                          stroke(ink, 1.0, R"(stroke-dasharray="1 4")"));
        plot.drawing.text(x + 6, plot.top + 14, sample_letters[i],
                          R"(font-size="15" font-weight="700")");
    }
    return plot.drawing.figure("Data, true curve and prediction");
}

std::string spectra_figure(const std::vector<std::vector<SpectrumBand>>& fields,
                           std::size_t field) {
    // Drawn about as wide as they are shown: alone, two or three side by side.
    Plot plot = fields.size() == 1   ? Plot(720.0, 320.0, 120.0)
                : fields.size() == 2 ? Plot(490.0, 300.0, 100.0)
                                     : Plot(340.0, 260.0, 84.0);
    Span span;
    std::size_t d = 1;
    bool is_positive = true;
    for (const auto& groups : fields)
        for (const auto& band : groups) {
            for (const auto* values : {&band.low, &band.middle, &band.high}) {
                span.include(*values);
                for (const double value : *values) is_positive = is_positive && !(value <= 1e-100);
            }
            d = std::max(d, band.middle.size());
        }
    const auto& bands = fields[field];
    // On a logarithmic axis the low and the high end of a spectrum can be read alike.
    const bool logarithmic = is_positive && !span.empty() && span.high() > 20.0 * span.low();
    plot.x = {0.7, static_cast<double>(d) + 0.3, plot.left, plot.right};
    plot.y = logarithmic ? span.logarithmic_axis(plot.bottom, plot.top)
                         : span.axis(plot.bottom, plot.top);
    plot.draw_axes("index i", true);
    plot.draw_zero();
    std::vector<EndLabel> labels;
    for (std::size_t k = 0; k < bands.size(); ++k) {
        const auto& band = bands[k];
        const auto* colour = class_colour(static_cast<int>(k));
        std::vector<double> index, outline_x, outline_y;
        for (std::size_t i = 0; i < band.middle.size(); ++i)
            index.push_back(static_cast<double>(i) + 1.0);
        const auto corner = [&](std::size_t i, double value) {
            if (!drawable(value)) return;
            outline_x.push_back(plot.x.at(index[i]));
            outline_y.push_back(plot.y.at(value));
        };
        for (std::size_t i = 0; i < band.low.size(); ++i) corner(i, band.low[i]);
        for (std::size_t i = band.high.size(); i-- > 0;) corner(i, band.high[i]);
        plot.drawing.curve(outline_x, outline_y,
                           fmt::format(R"(fill="{}" fill-opacity="0.15")", colour));
        plot.curve(index, band.middle, stroke(colour, 2.0));
        std::string markers;
        for (std::size_t i = 0; i < band.middle.size(); ++i)
            if (drawable(band.middle[i]))
                markers += fmt::format("M{:.1f} {:.1f}{}", plot.x.at(index[i]),
                                       plot.y.at(band.middle[i]), marker(static_cast<int>(k), 3.6));
        plot.drawing.add(R"(<path d="{}" fill="{}" {}/>)", markers, colour, stroke("#fff", 0.8));
        if (!band.middle.empty() && drawable(band.middle.back()))
            labels.push_back({plot.y.at(band.middle.back()),
                              shortened(band.name, fields.size() > 2 ? 10 : 14), colour});
    }
    if (labels.size() > 16) labels.resize(16);
    draw_end_labels(plot.drawing, plot.right + 10, labels, plot.top + 2, plot.bottom);
    return plot.drawing.figure("Eigenvalues against their index");
}

std::string loss_figure(const Report& report) {
    return epochs_figure(report,
                         {{&baseline_history(report), &Epoch::loss, stroke(grey, 1.6, dashed)},
                          {&report.history, &Epoch::spectral, stroke(pale_violet, 1.6)},
                          {&report.history, &Epoch::loss, stroke(violet, 2.2)}},
                         true, 1.0, "Loss over the epochs, on a logarithmic axis");
}

std::string metric_figure(const Report& report) {
    return epochs_figure(
        report,
        {{&baseline_history(report), &Epoch::validation_metric, stroke(grey, 1.6, dashed)},
         {&report.history, &Epoch::train_metric, stroke(pale_violet, 1.6)},
         {&report.history, &Epoch::validation_metric, stroke(violet, 2.2)}},
        false, report.metric_is_share ? 100.0 : 1.0, report.metric + " over the epochs");
}

std::string eigenvalue_figure(const Report& report) {
    const bool logarithmic = all_positive(report.history, &Epoch::mean_lambda_first) &&
                             all_positive(report.history, &Epoch::mean_lambda_last);
    return epochs_figure(report,
                         {{&report.history, &Epoch::mean_lambda_last, stroke(pale_violet, 2.0)},
                          {&report.history, &Epoch::mean_lambda_first, stroke(violet, 2.2)}},
                         logarithmic, 1.0, "First and last eigenvalue over the epochs");
}

}  // namespace deepsl::report::detail
