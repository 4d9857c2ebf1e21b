// One sample followed from the coefficients on its line to its scores.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "deepsl/text.h"
#include "report_figures.h"
#include "report_plot.h"

namespace deepsl::io::detail {
namespace {

constexpr double width = 340.0, tall = 300.0, low = 230.0;

/// The line's own range, without room at its ends: the eigenfunctions vanish just there.
Axis time_axis(const SampleLine& sample, double start, double end) {
    Span span;
    span.include(sample.t);
    span.include(sample.u_t);
    if (sample.t_plus > sample.t_minus) {
        span.include(sample.t_minus);
        span.include(sample.t_plus);
    }
    return span.axis(start, end, 0.0);
}

void mark_sample(Plot& plot) {
    if (plot.x.low > 0.0 || plot.x.high < 0.0) return;
    plot.drawing.line(plot.x.at(0.0), plot.top, plot.x.at(0.0), plot.bottom,
                      stroke(ink, 1.1, R"(stroke-dasharray="1 4")"));
}

/// Between the curve and a horizontal line, given in pixels.
void draw_area(Plot& plot, const std::vector<double>& xs, std::vector<double> ys, double base,
               const char* colour) {
    std::vector<double> px, py;
    for (const auto i : thinned(std::min(xs.size(), ys.size()), 240)) {
        if (!drawable(xs[i]) || !drawable(ys[i])) continue;
        px.push_back(plot.x.at(xs[i]));
        py.push_back(plot.y.at(ys[i]));
    }
    if (px.size() < 2) return;
    px.insert(px.begin(), px.front());
    py.insert(py.begin(), base);
    px.push_back(px.back());
    py.push_back(base);
    plot.drawing.curve(px, py, fmt::format(R"(fill="{}" fill-opacity="0.12")", colour));
}

/// Positions 1 .. d on a horizontal axis.
Axis index_axis(std::size_t d, double start, double end) {
    return {0.4, static_cast<double>(std::max<std::size_t>(d, 1)) + 0.6, start, end};
}

void draw_time_axis(Plot& plot) {
    plot.drawing.line(plot.left, plot.bottom, plot.right, plot.bottom, stroke(faint, 0.8));
    for (const double tick : plot.x.ticks(5))
        plot.drawing.text(plot.x.at(tick), plot.bottom + 17, label(tick, plot.x.digits()),
                          Drawing::small("middle"));
    plot.drawing.text(plot.right, plot.bottom + 32, "t",
                      fmt::format(R"(font-size="12.5" fill="{}" font-style="italic" )"
                                  R"(text-anchor="end")",
                                  faint));
}

/// A bar from zero with a dot at its end.
void draw_stem(Plot& plot, std::size_t i, double value, const char* colour) {
    if (!drawable(value)) return;
    const double x = plot.x.at(static_cast<double>(i) + 1.0);
    plot.drawing.line(x, plot.y.at(0.0), x, plot.y.at(value), stroke(colour, 2.2));
    plot.drawing.add(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.6" fill="{}"><title>i = {}: {}</title>)"
        R"(</circle>)",
        x, plot.y.at(value), colour, i + 1, number(value, 5));
}

/// The integral of sqrt(w / p) over the line, or zero if it cannot be had.
double optical_length(const SampleLine& sample) {
    double sum = 0.0;
    const auto speed = [&](std::size_t i) { return std::sqrt(sample.w[i] / sample.p[i]); };
    for (std::size_t i = 1; i < sample.t.size(); ++i)
        sum += 0.5 * (sample.t[i] - sample.t[i - 1]) * (speed(i) + speed(i - 1));
    return drawable(sum) && sum > 1e-6 ? sum : 0.0;
}

}  // namespace

std::string coefficients_figure(const SampleLine& sample) {
    Plot plot(width, tall, 22.0);
    const double top = plot.top, bottom = plot.bottom;
    plot.x = time_axis(sample, plot.left, plot.right);
    mark_sample(plot);
    const double strip = (bottom - top) / 3.0;
    const std::vector<double>* values[] = {&sample.p, &sample.q, &sample.w};
    const char* names[] = {"p", "q", "w"};
    for (int k = 0; k < 3; ++k) {
        Span span;
        span.include(0.0);
        span.include(*values[k]);
        const double start = top + strip * (k + 1) - 12.0, end = top + strip * k + 4.0;
        plot.y = span.axis(start, end, 0.04);
        for (const double tick : plot.y.ticks(3)) {
            plot.drawing.line(plot.left, plot.y.at(tick), plot.right, plot.y.at(tick),
                              stroke(rule, 0.7));
            plot.drawing.text(plot.left - 7, plot.y.at(tick) + 4, label(tick, plot.y.digits()),
                              Drawing::small("end"));
        }
        draw_area(plot, sample.t, *values[k], plot.y.at(0.0), slate);
        plot.curve(sample.t, *values[k], stroke(slate, 1.8));
        plot.drawing.text(plot.right + 8, 0.5 * (start + end) + 5, names[k],
                          fmt::format(R"(font-size="16" font-style="italic" fill="{}")", slate));
    }
    draw_time_axis(plot);
    return plot.drawing.figure("p, q and w along the line");
}

std::string eigenfunctions_figure(const SampleLine& sample) {
    constexpr std::size_t most = 5;
    Plot plot(width, tall, 36.0);
    plot.left = 12.0;
    plot.x = time_axis(sample, plot.left, plot.right);
    const auto drawn = std::min(sample.u.size(), most);
    const double rung =
        (plot.bottom - plot.top) / static_cast<double>(std::max<std::size_t>(drawn, 1));
    mark_sample(plot);
    for (std::size_t k = 0; k < drawn; ++k) {
        const double zero = plot.bottom - (static_cast<double>(k) + 0.5) * rung;
        double largest = 0.0;
        for (const double u : sample.u[k])
            if (drawable(u)) largest = std::max(largest, std::fabs(u));
        if (!(largest > 1e-100)) largest = 1.0;
        plot.y = {-largest, largest, zero + 0.43 * rung, zero - 0.43 * rung};
        draw_area(plot, sample.u_t, sample.u[k], zero, violet);
        plot.drawing.line(plot.left, zero, plot.right, zero, stroke(pale_violet, 0.8));
        plot.curve(sample.u_t, sample.u[k], stroke(violet, 1.9));
        // What the sample reads off: the value next to t = 0.
        double nearest = 1e300, value = Epoch::unknown;
        for (std::size_t i = 0; i < sample.u_t.size(); ++i)
            if (std::fabs(sample.u_t[i]) < nearest) {
                nearest = std::fabs(sample.u_t[i]);
                value = sample.u[k][i];
            }
        if (plot.x.low <= 0.0 && plot.x.high >= 0.0)
            plot.dot(0.0, value, 4.2, fmt::format(R"(fill="{}" {})", ink, stroke("#fff", 1.4)));
        plot.drawing.text(plot.right + 9, zero + 5, fmt::format("u{}", subscript(k + 1)),
                          fmt::format(R"(font-size="14" font-style="italic" fill="{}")", violet));
    }
    draw_time_axis(plot);
    return plot.drawing.figure("The first eigenfunctions along the line");
}

std::string spectrum_figure(const SampleLine& sample) {
    Plot plot(width, low, 16.0);
    const auto d = sample.lambda.size();
    Span span;
    span.include(0.0);
    span.include(sample.lambda);
    plot.x = index_axis(d, plot.left, plot.right);
    plot.y = span.axis(plot.bottom, plot.top);
    plot.draw_axes("index i", true);
    plot.draw_zero();
    const double length = optical_length(sample);
    std::vector<double> index, uniform;
    for (double i = 1.0; length > 0.0 && i < static_cast<double>(d) + 0.01; i += 0.25) {
        const double lambda = std::pow(i * std::numbers::pi / length, 2);
        if (lambda > plot.y.high) break;
        index.push_back(i);
        uniform.push_back(lambda);
    }
    plot.curve(index, uniform, stroke(grey, 1.4, R"(stroke-dasharray="5 4")"));
    for (std::size_t i = 0; i < d; ++i) draw_stem(plot, i, sample.lambda[i], violet);
    return plot.drawing.figure("Eigenvalues against their index");
}

std::string basis_figure(const SampleLine& sample) {
    Plot plot(width, low, 16.0);
    Span span;
    span.include(0.0);
    span.include(sample.u_at_x);
    plot.x = index_axis(sample.u_at_x.size(), plot.left, plot.right);
    plot.y = span.axis(plot.bottom, plot.top, 0.1);
    plot.draw_axes("index i", true);
    plot.draw_zero();
    for (std::size_t i = 0; i < sample.u_at_x.size(); ++i)
        draw_stem(plot, i, sample.u_at_x[i], violet);
    return plot.drawing.figure("The eigenfunctions at the sample");
}

std::string scores_figure(const Report& report, const SampleLine& sample) {
    Plot plot(width, low, 88.0);
    std::vector<std::vector<double>> sums;  // after the first i functions
    std::size_t d = 0;
    Span span;
    span.include(0.0);
    for (std::size_t k = 0; k < sample.contributions.size(); ++k) {
        sums.push_back({k < sample.offset.size() ? sample.offset[k] : 0.0});
        for (const double term : sample.contributions[k]) sums[k].push_back(sums[k].back() + term);
        d = std::max(d, sample.contributions[k].size());
        span.include(sums[k]);
    }
    plot.x = {0.0, static_cast<double>(std::max<std::size_t>(d, 1)) + 0.5, plot.left, plot.right};
    plot.y = span.axis(plot.bottom, plot.top);
    plot.draw_axes("functions added", true);
    plot.draw_zero();
    const bool is_classification = sums.size() > 1 || sample.predicted >= 0;
    std::vector<EndLabel> labels;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        const auto output = static_cast<int>(k);
        const bool wins = !is_classification || output == sample.predicted;
        const auto* colour = is_classification ? class_colour(output) : violet;
        std::vector<double> xs, ys;
        for (std::size_t i = 0; i < sums[k].size(); ++i) {
            const double from = static_cast<double>(i) - 0.5;
            xs.insert(xs.end(), {std::max(from, 0.0), from + 1.0});
            ys.insert(ys.end(), {sums[k][i], sums[k][i]});
        }
        plot.curve(xs, ys, stroke(colour, wins ? 2.4 : 1.6));
        const double score = sums[k].back();
        plot.dot(xs.back(), score, wins ? 4.2 : 3.0, fmt::format(R"(fill="{}")", colour));
        if (drawable(score))
            labels.push_back(
                {plot.y.at(score),
                 is_classification ? shortened(class_name(report, output), 10) : number(score),
                 colour, wins});
    }
    // More would not fit beside one another.
    if (labels.size() > 12) labels.resize(12);
    draw_end_labels(plot.drawing, plot.right + 10, labels, plot.top + 2, plot.bottom);
    return plot.drawing.figure("The scores as one eigenfunction after another is added");
}

}  // namespace deepsl::io::detail
