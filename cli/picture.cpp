#include "picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "braille.h"
#include "deepsl/report/svg.h"
#include "deepsl/text.h"

namespace deepsl::cli {
namespace {

using report::Axis;
using report::axis_of;
using report::Drawing;
using report::faint;
using report::ink;
using report::label;

constexpr std::array<const char*, svg_curves> colours = {"#2f6db5", "#d9742b", "#2a9470",
                                                         "#b8456b", "#7b5cb0", "#a5851f"};
std::string shortened(const std::string& text, std::size_t longest) {
    return text.size() <= longest ? text : text.substr(0, longest - 1) + "…";
}

std::vector<double> mapped(const std::vector<double>& values, const Axis& axis) {
    std::vector<double> result;
    result.reserve(values.size());
    for (const double value : values) result.push_back(axis.at(value));
    return result;
}

bool is_constant(const std::vector<double>& values, double value) {
    return std::all_of(values.begin(), values.end(), [=](double x) { return x == value; });
}

/// Where the zero line of each drawn eigenfunction lies.
struct Ladder {
    std::vector<double> rungs;  // pixels
    double spacing = 0.0;       // of the closest two
    bool to_scale = false;      // the height is the eigenvalue
    bool with_q = false;        // q belongs into the picture, as a potential
    Axis axis{};
};

Ladder make_ladder(const Picture& picture, std::size_t drawn, double bottom, double top) {
    constexpr double least_spacing = 24.0;
    Ladder ladder;
    if (drawn >= 2) {
        const double first = picture.spectrum.front().lambda;
        const double last = picture.spectrum[drawn - 1].lambda;
        double gap = last - first;
        for (std::size_t i = 1; i < drawn; ++i)
            gap = std::min(gap, picture.spectrum[i].lambda - picture.spectrum[i - 1].lambda);
        const auto& q = picture.coefficients[1].values;
        const double lowest_q = *std::min_element(q.begin(), q.end());
        const auto spacing = [&](double low, double high) {
            return gap / (high - low) * (bottom - top);
        };
        const double high = last + std::max(gap, 0.09 * (last - first));
        const double low = first - std::max(0.8 * gap, 0.07 * (last - first));
        ladder.axis = {low, high, bottom, top};
        ladder.with_q = is_constant(picture.coefficients[2].values, 1.0) && !is_constant(q, q[0]) &&
                        spacing(std::min(low, lowest_q), high) >= least_spacing;
        if (ladder.with_q && lowest_q < low) ladder.axis.low = lowest_q - 0.04 * (high - lowest_q);
        ladder.spacing = spacing(ladder.axis.low, high);
        ladder.to_scale = ladder.spacing >= least_spacing;
    }
    if (!ladder.to_scale) {
        ladder.with_q = false;
        ladder.spacing = (bottom - top) / static_cast<double>(std::max<std::size_t>(drawn, 1));
    }
    for (std::size_t i = 0; i < drawn; ++i) {
        ladder.rungs.push_back(ladder.to_scale
                                   ? ladder.axis.at(picture.spectrum[i].lambda)
                                   : bottom - (static_cast<double>(i) + 0.5) * ladder.spacing);
    }
    return ladder;
}

std::size_t drawn_curves(const Picture& picture, std::size_t most) {
    std::size_t drawn = 0;
    while (drawn < std::min(most, picture.spectrum.size()) && !picture.spectrum[drawn].u.empty())
        ++drawn;
    return drawn;
}

double largest_value(const Picture& picture, std::size_t drawn) {
    double largest = 0.0;
    for (std::size_t i = 0; i < drawn; ++i)
        for (const double u : picture.spectrum[i].u) largest = std::max(largest, std::fabs(u));
    return largest > 0.0 ? largest : 1.0;
}

void draw_eigenfunctions(const Picture& picture, Drawing& drawing, Axis x, double top,
                         double bottom) {
    const auto drawn = drawn_curves(picture, svg_curves);
    const auto ladder = make_ladder(picture, drawn, bottom, top);
    const double largest = largest_value(picture, drawn);
    const double height =
        ladder.to_scale ? std::min(0.9 * ladder.spacing, 70.0) : 0.47 * ladder.spacing;

    const auto* note = ladder.to_scale ? "each at the height of its eigenvalue"
                                       : "evenly spaced, the lowest eigenvalue at the bottom";
    drawing.heading(x.start, top - 14, "Eigenfunctions",
                    drawn == 0
                        ? "none found"
                        : fmt::format("{}; ∫ w u² = 1, largest |u| = {}", note, label(largest, 3)));
    if (ladder.to_scale) drawing.vertical_axis(ladder.axis, x.start, x.end, 6);
    drawing.add(R"(<clipPath id="frame"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)",
                x.start, top, x.end - x.start, bottom - top);
    const auto t = mapped(picture.t, x);
    if (ladder.with_q) {
        drawing.curve(t, mapped(picture.coefficients[1].values, ladder.axis),
                      fmt::format(R"(fill="none" stroke="{}" stroke-width="1.6" )"
                                  R"-(stroke-dasharray="5 4" clip-path="url(#frame)")-",
                                  faint));
        drawing.text(x.start + 8, top + 16, "dashed: q(t)", Drawing::small("start"));
    }
    for (std::size_t i = 0; i < drawn; ++i) {
        const auto& eigen = picture.spectrum[i];
        const double zero = ladder.rungs[i];
        const auto* colour = colours[i];
        std::vector<double> y;
        for (const double u : eigen.u) y.push_back(zero - height * u / largest);
        auto outline_t = t, outline_y = y;
        outline_t.insert(outline_t.begin(), x.start);
        outline_y.insert(outline_y.begin(), zero);
        outline_t.push_back(x.end);
        outline_y.push_back(zero);
        drawing.curve(outline_t, outline_y,
                      fmt::format(R"(fill="{}" fill-opacity="0.10" stroke="none")", colour));
        drawing.line(
            x.start, zero, x.end, zero,
            fmt::format(R"(stroke="{}" stroke-opacity="0.55" stroke-width="0.9")", colour));
        drawing.curve(t, y, fmt::format(R"(fill="none" stroke="{}" stroke-width="2")", colour));
        drawing.text(x.end + 12, zero + 4, fmt::format("u{}", subscript(eigen.index)),
                     fmt::format(R"(font-size="13.5" font-style="italic" fill="{}")", colour));
        drawing.text(x.end + 42, zero + 4,
                     fmt::format("λ{} = {}", subscript(eigen.index), label(eigen.lambda, 9)),
                     fmt::format(R"(font-size="13.5" fill="{}")", colour));
    }
    drawing.horizontal_axis(x, bottom, 8, "");
    drawing.text(x.end, bottom + 34, "t",
                 R"(font-style="italic" font-size="13" text-anchor="end")");
}

void draw_coefficients(const Picture& picture, Drawing& drawing, double left, double right,
                       double top, double bottom) {
    constexpr double gap = 72.0;
    const double width = (right - left - 2 * gap) / 3.0;
    for (std::size_t k = 0; k < picture.coefficients.size(); ++k) {
        const auto& coefficient = picture.coefficients[k];
        const double start = left + static_cast<double>(k) * (width + gap);
        const Axis x{picture.t.front(), picture.t.back(), start, start + width};
        const auto y = axis_of(coefficient.values, bottom, top);
        drawing.heading(
            start, top - 12,
            fmt::format("{} = {}", coefficient.name, shortened(coefficient.formula, 26)),
            y.logarithmic ? "log scale" : "");
        drawing.vertical_axis(y, start, start + width, 3);
        drawing.add(R"(<clipPath id="{}"><rect x="{:.2f}" y="{}" width="{:.2f}" height="{}"/>)"
                    R"(</clipPath>)",
                    coefficient.name, start, top, width, bottom - top);
        drawing.curve(mapped(picture.t, x), mapped(coefficient.values, y),
                      fmt::format(R"(fill="none" stroke="{}" stroke-width="2" )"
                                  R"-(clip-path="url(#{})")-",
                                  ink, coefficient.name));
        drawing.horizontal_axis(x, bottom, 4, "");
    }
}

void draw_spectrum(const Picture& picture, Drawing& drawing, double left, double right,
                   double top) {
    drawing.heading(left, top - 8, "Spectrum");
    if (picture.spectrum.empty()) return;
    std::vector<double> lambdas;
    for (const auto& eigen : picture.spectrum) lambdas.push_back(eigen.lambda);
    auto axis = axis_of(lambdas, left, right);
    axis.logarithmic = false;
    const double low = lambdas.front(), high = lambdas.back();
    const double size = std::max({1.0, std::fabs(low), std::fabs(high)});
    const double margin =
        lambdas.size() > 1 ? std::max(0.04 * (high - low), 1e-9 * size) : 0.5 * size;
    axis.low = low - margin;
    axis.high = high + margin;
    const auto drawn = drawn_curves(picture, svg_curves);
    double labelled = left - 100.0;
    for (std::size_t i = 0; i < picture.spectrum.size(); ++i) {
        const auto& eigen = picture.spectrum[i];
        const double x = axis.at(eigen.lambda);
        drawing.add(R"(<line x1="{0:.2f}" y1="{1}" x2="{0:.2f}" y2="{2}" stroke="{3}" )"
                    R"(stroke-width="{4}"><title>λ{5} = {6}</title></line>)",
                    x, top + 22, top + 48, i < drawn ? colours[i] : faint,
                    picture.spectrum.size() > 60 ? 1.0 : 2.2, subscript(eigen.index),
                    label(eigen.lambda, 12));
        if (x - labelled < 20.0) continue;
        labelled = x;
        drawing.text(x, top + 15, std::to_string(eigen.index), Drawing::small("middle"));
    }
    drawing.horizontal_axis(axis, top + 54, 8, "λ");
}

Braille plotted(const std::vector<double>& u, std::size_t columns, std::size_t rows) {
    Braille field(columns, rows);
    const auto [least, most] = std::minmax_element(u.begin(), u.end());
    const double low = std::min(0.0, *least), high = std::max(0.0, *most);
    const auto level = [&, low, high](double value) {
        const double share = high > low ? (high - value) / (high - low) : 0.5;
        return static_cast<std::size_t>(
            std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(field.height() - 1)));
    };
    for (std::size_t x = 0; x < field.width(); x += 4) field.set(x, level(0.0));
    auto before = level(u.front());
    for (std::size_t x = 0; x < field.width(); ++x) {
        const auto now = level(u[x * (u.size() - 1) / (field.width() - 1)]);
        // Steep parts are filled so that the curve stays in one piece.
        const auto from = now > before ? before + 1 : now < before ? before - 1 : now;
        for (auto y = std::min(from, now); y <= std::max(from, now); ++y) field.set(x, y);
        before = now;
    }
    return field;
}

}  // namespace

std::string svg_picture(const Picture& picture) {
    Drawing drawing(960, 860);
    drawing.text(78, 42, picture.title, R"(font-size="21" font-weight="600")");
    drawing.text(78, 65, picture.subtitle, fmt::format(R"(font-size="14" fill="{}")", faint));
    const Axis x{picture.t.front(), picture.t.back(), 78, 730};
    draw_eigenfunctions(picture, drawing, x, 112, 500);
    draw_coefficients(picture, drawing, 78, 920, 590, 700);
    draw_spectrum(picture, drawing, 78, 900, 762);
    return drawing.document(picture.title);
}

std::string text_picture(const Picture& picture) {
    constexpr std::size_t columns = 60, rows = 4;
    const auto drawn = drawn_curves(picture, text_curves);
    if (drawn == 0) return "";
    std::string out = "\n";
    for (std::size_t i = drawn; i-- > 0;) {
        const auto& eigen = picture.spectrum[i];
        const auto field = plotted(eigen.u, columns, rows);
        const auto name = fmt::format("u{}", subscript(eigen.index));
        for (std::size_t r = 0; r < rows; ++r)
            out += fmt::format("{:>6} │{}\n", r == rows / 2 ? name : "", field.row(r));
    }
    const auto left = fmt::format("{:.6g}", picture.t.front());
    const auto right = fmt::format("{:.6g}", picture.t.back());
    out += fmt::format("{:>6} └", "");
    for (std::size_t c = 0; c < columns; ++c) out += "─";
    return out + fmt::format("\n{:>8}{:<{}}{}\n", "", left, columns - right.size(), right);
}

}  // namespace deepsl::cli
