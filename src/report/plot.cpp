#include "report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

namespace deepsl::report::detail {
namespace {

constexpr std::array<const char*, class_colours> colours = {
    "#2467b0", "#d96a16", "#14937a", "#b03a72", "#7a6a00", "#55b0dd", "#5a4a42", "#e0a800"};

/// Decades, with 2 and 5 between them where there are few.
std::vector<double> logarithmic_ticks(const Axis& axis, int about) {
    auto decades = axis.ticks(about);
    if (decades.size() >= 3) return decades;
    std::vector<double> ticks;
    const double first = std::floor(std::log10(axis.low));
    for (double k = first; k <= std::log10(axis.high); k += 1.0)
        for (const double lead : {1.0, 2.0, 5.0}) {
            const double tick = lead * std::pow(10.0, k);
            if (tick >= axis.low && tick <= axis.high) ticks.push_back(tick);
        }
    return ticks;
}

std::string tick_label(const Axis& axis, double tick) {
    if (!axis.logarithmic) return label(tick, axis.digits());
    return tick >= 0.000999 && tick < 9999.0 ? label(tick, 4) : power_label(tick);
}

}  // namespace

const char* class_colour(int label) {
    return label < 0 ? grey : colours[static_cast<std::size_t>(label) % class_colours];
}

const char* field_colour(std::size_t field) {
    constexpr std::array dark = {violet, "#1f7040", "#a3283f", "#0f6f86", "#80520a", "#8b2d86"};
    return dark[field % dark.size()];
}

std::string marker(int label, double size) {
    const double s = size;
    switch (std::max(label, 0) % 4) {
        case 0:
            return fmt::format(
                "m{0:.1f} 0a{1:.1f} {1:.1f} 0 1 0 {2:.1f} 0a{1:.1f} {1:.1f} 0 1 0 {3:.1f} 0z", -s,
                s, 2 * s, -2 * s);
        case 1:
            return fmt::format("m{0:.1f} {0:.1f}h{1:.1f}v{1:.1f}h{2:.1f}z", -0.88 * s, 1.76 * s,
                               -1.76 * s);
        case 2:
            return fmt::format("m0 {:.1f}l{:.1f} {:.1f}h{:.1f}z", -1.2 * s, 1.15 * s, 2.0 * s,
                               -2.3 * s);
        default:
            return fmt::format("m0 {0:.1f}l{1:.1f} {1:.1f}l{0:.1f} {1:.1f}l{0:.1f} {0:.1f}z",
                               -1.25 * s, 1.25 * s);
    }
}

std::string class_name(const Report& report, int label) {
    if (label < 0) return "unknown";
    const auto index = static_cast<std::size_t>(label);
    return index < report.classes.size() ? report.classes[index] : fmt::format("class {}", label);
}

std::string shortened(std::string_view text, std::size_t longest) {
    const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
    if (static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts)) <= longest)
        return std::string(text);
    std::size_t characters = 0, bytes = 0;
    for (; bytes < text.size(); ++bytes)
        if (starts(text[bytes]) && ++characters == longest) break;
    return std::string(text.substr(0, bytes)) + "…";
}

std::string number(double value, int digits) {
    return std::isfinite(value) ? label(value + 0.0, digits) : "–";
}

bool drawable(double value) { return std::isfinite(value) && std::fabs(value) < 1e100; }

std::vector<std::size_t> thinned(std::size_t count, std::size_t most) {
    std::vector<std::size_t> chosen;
    const auto kept = std::min(count, most);
    for (std::size_t i = 0; i < kept; ++i)
        chosen.push_back(kept < 2 ? 0 : i * (count - 1) / (kept - 1));
    return chosen;
}

void Span::include(double value) {
    if (!drawable(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
}

void Span::include(const std::vector<double>& values) {
    for (const double value : values) include(value);
}

void Span::include_positive(const std::vector<double>& values) {
    for (const double value : values)
        if (value > 1e-100) include(value);
}

Axis Span::axis(double start, double end, double room) const {
    if (empty()) return {0.0, 1.0, start, end};
    const double size = std::max(std::fabs(low_), std::fabs(high_));
    if (!(high_ - low_ > 1e-9 * size)) {
        const double margin = size > 1e-100 ? 0.5 * size : 1.0;
        return {low_ - margin, high_ + margin, start, end};
    }
    const double margin = room * (high_ - low_);
    return {low_ - margin, high_ + margin, start, end};
}

Axis Span::logarithmic_axis(double start, double end) const {
    if (empty()) return {0.1, 1.0, start, end, true};
    const double factor = std::max(std::pow(high_ / low_, 0.06), low_ * 1.2 > high_ ? 2.0 : 1.0);
    return {low_ / factor, high_ * factor, start, end, true};
}

Plot::Plot(double width, double height, double right_margin)
    : drawing(width, height), right(width - right_margin), bottom(height - 36.0) {}

void Plot::draw_axes(std::string_view x_name, bool whole_numbers) {
    const auto y_ticks = y.logarithmic ? logarithmic_ticks(y, 4) : y.ticks(4);
    for (const double tick : y_ticks) {
        drawing.line(left, y.at(tick), right, y.at(tick), stroke(rule, 0.7));
        drawing.text(left - 7, y.at(tick) + 4, tick_label(y, tick), Drawing::small("end"));
    }
    drawing.line(left, bottom, right, bottom, stroke(faint, 0.8));
    for (const double tick : x.ticks(right - left > 250 ? 6 : 5)) {
        if (whole_numbers && tick != std::round(tick)) continue;
        drawing.line(x.at(tick), bottom, x.at(tick), bottom + 4, stroke(faint, 0.8));
        drawing.text(x.at(tick), bottom + 17, label(tick, x.digits()), Drawing::small("middle"));
    }
    drawing.text(
        right, bottom + 32, x_name,
        fmt::format(R"(font-size="11.5" fill="{}" text-anchor="end" font-style="italic")", faint));
}

void Plot::draw_zero() {
    if (!y.logarithmic && y.low < 0.0 && y.high > 0.0)
        drawing.line(left, y.at(0.0), right, y.at(0.0), stroke(faint, 0.9));
}

void Plot::curve(const std::vector<double>& xs, const std::vector<double>& ys,
                 std::string_view style) {
    const auto size = std::min(xs.size(), ys.size());
    std::vector<double> px, py;
    // More than one point for each pixel cannot be seen.
    for (const auto i : thinned(size, static_cast<std::size_t>(std::min(480.0, right - left)))) {
        const bool visible =
            drawable(xs[i]) && drawable(ys[i]) && (!y.logarithmic || ys[i] > 1e-100);
        px.push_back(visible ? x.at(xs[i]) : Epoch::unknown);
        py.push_back(visible ? y.at(ys[i]) : Epoch::unknown);
    }
    drawing.curve(px, py, fmt::format(R"(fill="none" {})", style));
    // A point between two gaps is no line, and would not be seen.
    const auto is_gap = [&](std::size_t i) { return i >= px.size() || std::isnan(px[i]); };
    for (std::size_t i = 0; i < px.size(); ++i)
        if (!is_gap(i) && (i == 0 || is_gap(i - 1)) && is_gap(i + 1))
            drawing.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2" fill="none" {}/>)", px[i], py[i],
                        style);
}

void Plot::dot(double at_x, double at_y, double radius, std::string_view style) {
    if (!drawable(at_x) || !drawable(at_y)) return;
    drawing.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" {}/>)", x.at(at_x), y.at(at_y), radius,
                style);
}

void draw_area(Plot& plot, const std::vector<double>& xs, const std::vector<double>& ys,
               double base, const char* colour) {
    std::vector<double> px, py;
    const auto most = static_cast<std::size_t>(0.7 * (plot.right - plot.left));
    for (const auto i : thinned(std::min(xs.size(), ys.size()), most)) {
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

std::string stroke(std::string_view colour, double width, std::string_view more) {
    return fmt::format(R"(stroke="{}" stroke-width="{}"{}{})", colour, width,
                       more.empty() ? "" : " ", more);
}

void draw_end_labels(Drawing& drawing, double x, std::vector<EndLabel> labels, double top,
                     double bottom) {
    constexpr double spacing = 14.0;
    std::sort(labels.begin(), labels.end(),
              [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
    double least = top;
    for (auto& entry : labels) {
        entry.y = std::max(entry.y, least);
        least = entry.y + spacing;
    }
    double most = bottom;
    for (auto& entry : std::views::reverse(labels)) {
        entry.y = std::min(entry.y, most);
        most = entry.y - spacing;
    }
    for (const auto& entry : labels)
        drawing.text(x, entry.y + 4, entry.text,
                     fmt::format(R"(font-size="11.5" fill="{}"{})", entry.colour,
                                 entry.strong ? R"( font-weight="650")" : ""));
}

std::string key(std::string_view colour, std::string_view text, bool dashed) {
    return fmt::format(R"(<span class="key"><i{} style="border-color:{}"></i>{}</span> )",
                       dashed ? R"( class="dashed")" : "", colour, escaped(text));
}

}  // namespace deepsl::report::detail
