// One sample followed from the coefficients on its line to its scores.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "deepsl/text.h"
#include "report/figures.h"
#include "report/plot.h"

namespace deepsl::report::detail {
namespace {

/// The line's own range, without room at its ends: the eigenfunctions vanish just there.
Axis time_axis(const SampleLine& line, double start, double end) {
    Span span;
    span.include(line.t);
    span.include(line.u_t);
    if (line.t_plus > line.t_minus) {
        span.include(line.t_minus);
        span.include(line.t_plus);
    }
    return span.axis(start, end, 0.0);
}

void mark_sample(Plot& plot) {
    if (plot.x.low > 0.0 || plot.x.high < 0.0) return;
    plot.drawing.line(plot.x.at(0.0), plot.top, plot.x.at(0.0), plot.bottom,
                      stroke(ink, 1.1, R"(stroke-dasharray="1 4")"));
}

/// Positions 1 .. d on a horizontal axis.
Axis index_axis(std::size_t d, double start, double end) {
    return {0.4, static_cast<double>(std::max<std::size_t>(d, 1)) + 0.6, start, end};
}

void draw_time_axis(Plot& plot) {
    plot.drawing.line(plot.left, plot.bottom, plot.right, plot.bottom, stroke(faint, 0.8));
    const int about = plot.right - plot.left > 250.0 ? 5 : 3;
    for (const double tick : plot.x.ticks(about))
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
double optical_length(const SampleLine& line) {
    double sum = 0.0;
    const auto speed = [&](std::size_t i) { return std::sqrt(line.w[i] / line.p[i]); };
    for (std::size_t i = 1; i < line.t.size(); ++i)
        sum += 0.5 * (line.t[i] - line.t[i - 1]) * (speed(i) + speed(i - 1));
    return drawable(sum) && sum > 1e-6 ? sum : 0.0;
}

/// All with as many decimals, to stand below one another: three digits of the largest.
std::string aligned(double value, double largest) {
    if (!drawable(value) || largest >= 1e6) return number(value);
    const int decimals = largest > 1e-4 ? 2 - static_cast<int>(std::floor(std::log10(largest))) : 6;
    auto text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

/// Behind the scores: which functions are whose.
void draw_field_strips(Plot& plot, const Sample& sample) {
    double from = 0.5;
    for (std::size_t m = 0; m < sample.lines.size(); ++m) {
        const auto& terms = sample.lines[m].contributions;
        const double to = from + (terms.empty() ? 0.0 : static_cast<double>(terms[0].size()));
        const double left = plot.x.at(from), right = plot.x.at(to);
        plot.drawing.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" )"
                         R"(fill-opacity="{}"/>)",
                         left, plot.top - 22.0, right - left, plot.bottom - plot.top + 22.0,
                         field_colour(m), m % 2 == 0 ? 0.07 : 0.12);
        plot.drawing.text(
            0.5 * (left + right), plot.top - 7.0,
            right - left > 60.0 ? fmt::format("field {}", m + 1) : std::to_string(m + 1),
            fmt::format(R"(font-size="12" font-weight="650" fill="{}" text-anchor="middle")",
                        field_colour(m)));
        from = to;
    }
}

}  // namespace

std::string coefficients_figure(const SampleLine& line, const LineLook& look) {
    Plot plot(look.width, look.tall, 22.0);
    const double top = plot.top, bottom = plot.bottom;
    plot.x = time_axis(line, plot.left, plot.right);
    mark_sample(plot);
    const double strip = (bottom - top) / 3.0;
    const std::vector<double>* values[] = {&line.p, &line.q, &line.w};
    const char* names[] = {"p", "q", "w"};
    for (int k = 0; k < 3; ++k) {
        Span span;
        span.include(0.0);
        span.include(*values[k]);
        const double start = top + strip * (k + 1) - 12.0, end = top + strip * k + 4.0;
        plot.y = span.axis(start, end, 0.04);
        for (const double tick : plot.y.ticks(strip > 65.0 ? 3 : 2)) {
            plot.drawing.line(plot.left, plot.y.at(tick), plot.right, plot.y.at(tick),
                              stroke(rule, 0.7));
            plot.drawing.text(plot.left - 7, plot.y.at(tick) + 4, label(tick, plot.y.digits()),
                              Drawing::small("end"));
        }
        draw_area(plot, line.t, *values[k], plot.y.at(0.0), slate);
        plot.curve(line.t, *values[k], stroke(slate, 1.8));
        plot.drawing.text(plot.right + 8, 0.5 * (start + end) + 5, names[k],
                          fmt::format(R"(font-size="16" font-style="italic" fill="{}")", slate));
    }
    draw_time_axis(plot);
    return plot.drawing.figure("p, q and w along the line");
}

std::string eigenfunctions_figure(const SampleLine& line, const LineLook& look) {
    constexpr std::size_t most = 5;
    Plot plot(look.width, look.tall, 36.0);
    plot.left = 12.0;
    plot.x = time_axis(line, plot.left, plot.right);
    const auto drawn = std::min(line.u.size(), most);
    const double rung =
        (plot.bottom - plot.top) / static_cast<double>(std::max<std::size_t>(drawn, 1));
    mark_sample(plot);
    for (std::size_t k = 0; k < drawn; ++k) {
        const double zero = plot.bottom - (static_cast<double>(k) + 0.5) * rung;
        double largest = 0.0;
        for (const double u : line.u[k])
            if (drawable(u)) largest = std::max(largest, std::fabs(u));
        if (!(largest > 1e-100)) largest = 1.0;
        plot.y = {-largest, largest, zero + 0.43 * rung, zero - 0.43 * rung};
        draw_area(plot, line.u_t, line.u[k], zero, look.colour);
        plot.drawing.line(plot.left, zero, plot.right, zero,
                          stroke(look.colour, 0.8, R"(stroke-opacity="0.5")"));
        plot.curve(line.u_t, line.u[k], stroke(look.colour, 1.9));
        // What the sample reads off: the value next to t = 0.
        double nearest = 1e300, value = Epoch::unknown;
        for (std::size_t i = 0; i < line.u_t.size(); ++i)
            if (std::fabs(line.u_t[i]) < nearest) {
                nearest = std::fabs(line.u_t[i]);
                value = line.u[k][i];
            }
        if (plot.x.low <= 0.0 && plot.x.high >= 0.0)
            plot.dot(0.0, value, 4.2, fmt::format(R"(fill="{}" {})", ink, stroke("#fff", 1.4)));
        plot.drawing.text(
            plot.right + 9, zero + 5, fmt::format("u{}", subscript(k + 1)),
            fmt::format(R"(font-size="14" font-style="italic" fill="{}")", look.colour));
    }
    draw_time_axis(plot);
    return plot.drawing.figure("The first eigenfunctions along the line");
}

std::string spectrum_figure(const SampleLine& line, const LineLook& look) {
    Plot plot(look.width, look.low, 16.0);
    const auto d = line.lambda.size();
    Span span;
    span.include(0.0);
    span.include(line.lambda);
    plot.x = index_axis(d, plot.left, plot.right);
    plot.y = span.axis(plot.bottom, plot.top);
    plot.draw_axes("index i", true);
    plot.draw_zero();
    const double length = optical_length(line);
    std::vector<double> index, uniform;
    for (double i = 1.0; length > 0.0 && i < static_cast<double>(d) + 0.01; i += 0.25) {
        const double lambda = std::pow(i * std::numbers::pi / length, 2);
        if (lambda > plot.y.high) break;
        index.push_back(i);
        uniform.push_back(lambda);
    }
    plot.curve(index, uniform, stroke(grey, 1.4, R"(stroke-dasharray="5 4")"));
    for (std::size_t i = 0; i < d; ++i) draw_stem(plot, i, line.lambda[i], look.colour);
    return plot.drawing.figure("Eigenvalues against their index");
}

std::string basis_figure(const SampleLine& line, const LineLook& look) {
    Plot plot(look.width, look.low, 16.0);
    Span span;
    span.include(0.0);
    span.include(line.u_at_x);
    plot.x = index_axis(line.u_at_x.size(), plot.left, plot.right);
    plot.y = span.axis(plot.bottom, plot.top, 0.1);
    plot.draw_axes("index i", true);
    plot.draw_zero();
    for (std::size_t i = 0; i < line.u_at_x.size(); ++i)
        draw_stem(plot, i, line.u_at_x[i], look.colour);
    return plot.drawing.figure("The eigenfunctions at the sample");
}

std::string scores_figure(const Report& report, const Sample& sample) {
    const bool many = sample.lines.size() > 1;
    Plot plot(many ? 720.0 : 340.0, many ? 270.0 : 230.0, many ? 104.0 : 88.0);
    if (many) plot.top += 22.0;
    const auto outputs = sample.lines.empty() ? 0 : sample.lines[0].contributions.size();
    std::vector<std::vector<double>> sums(outputs);  // after the first i functions
    Span span;
    span.include(0.0);
    for (std::size_t k = 0; k < outputs; ++k) {
        sums[k].push_back(k < sample.constant.size() ? sample.constant[k] : 0.0);
        for (const auto& line : sample.lines)
            for (const double term : line.contributions[k])
                sums[k].push_back(sums[k].back() + term);
        span.include(sums[k]);
    }
    const auto terms = outputs > 0 ? sums[0].size() - 1 : 0;
    plot.x = {0.0, static_cast<double>(std::max<std::size_t>(terms, 1)) + 0.5, plot.left,
              plot.right};
    plot.y = span.axis(plot.bottom, plot.top);
    if (many) draw_field_strips(plot, sample);
    plot.draw_axes(many ? "functions added, field by field" : "functions added", true);
    plot.draw_zero();
    const bool is_classification = outputs > 1 || sample.predicted >= 0;
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

std::string shares_table(const Report& report, const Sample& sample) {
    constexpr std::size_t most_columns = 3;
    std::vector<std::vector<double>> sums;  // [output, row]
    for (std::size_t k = 0; k < sample.lines[0].contributions.size(); ++k) {
        std::vector<double> sum = {k < sample.constant.size() ? sample.constant[k] : 0.0};
        for (const auto& line : sample.lines) {
            const auto& terms = line.contributions[k];
            sum.push_back(std::accumulate(terms.begin(), terms.end(), 0.0));
        }
        sum.push_back(std::accumulate(sum.begin(), sum.end(), 0.0));
        sums.push_back(std::move(sum));
    }
    std::vector<std::size_t> columns(sums.size());
    std::iota(columns.begin(), columns.end(), 0U);
    if (columns.size() > most_columns) {
        const auto score = [&](std::size_t k) {
            return drawable(sums[k].back()) ? sums[k].back() : -1e300;
        };
        std::stable_sort(columns.begin(), columns.end(),
                         [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
        columns.resize(most_columns);
    }
    double largest = 0.0;
    for (const auto k : columns)
        for (const double value : sums[k])
            if (drawable(value)) largest = std::max(largest, std::fabs(value));
    std::string out = "<table class=\"shares\">\n<tr><td></td>";
    const bool is_classification = sums.size() > 1 || sample.predicted >= 0;
    for (const auto k : columns) {
        const auto output = static_cast<int>(k);
        out += fmt::format(
            R"(<th scope="col" style="color:{}">{}</th>)",
            is_classification ? class_colour(output) : ink,
            is_classification ? escaped(shortened(class_name(report, output), 14)) : "prediction");
    }
    out += "</tr>\n";
    const auto append_row = [&](const std::string& name, std::size_t row) {
        out += fmt::format(R"(<tr><th scope="row">{}</th>)", name);
        for (const auto k : columns)
            out += fmt::format("<td>{}</td>", aligned(sums[k][row], largest));
        out += "</tr>\n";
    };
    append_row("the constant", 0);
    for (std::size_t m = 0; m < sample.lines.size(); ++m)
        append_row(key(field_colour(m), fmt::format("field {}", m + 1)), m + 1);
    append_row(is_classification ? "score" : "sum", sample.lines.size() + 1);
    return out + "</table>\n";
}

}  // namespace deepsl::report::detail
