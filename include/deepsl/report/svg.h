// The parts of a plot as SVG: axes with ticks, curves, labels. For figures in files and in pages.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace deepsl::report {

inline constexpr const char* ink = "#25313c";
inline constexpr const char* faint = "#6b7783";
inline constexpr const char* rule = "#d5dae0";

inline std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += code < 0x20 ? ' ' : c;
    }
    return out;
}

/// With the true minus sign, which has the width of the plus sign.
inline std::string label(double value, int digits = 6) {
    auto text = fmt::format("{:.{}g}", value, digits);
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

/// "10" with its exponent raised.
inline std::string power_label(double power_of_ten) {
    constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const int exponent = static_cast<int>(std::lround(std::log10(power_of_ten)));
    std::string out = exponent < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(exponent))) out += raised[digit - '0'];
    return out;
}

/// A range of values and the pixels it is drawn on.
struct Axis {
    double low, high;
    double start, end;
    bool logarithmic = false;

    double at(double value) const {
        const auto place = [this](double x) { return logarithmic ? std::log10(x) : x; };
        const double share = (place(value) - place(low)) / (place(high) - place(low));
        return start + share * (end - start);
    }

    /// Enough to tell neighbouring ticks apart.
    int digits() const {
        const double size = std::max(std::fabs(low), std::fabs(high));
        return std::clamp(static_cast<int>(std::log10(size / (high - low))) + 3, 6, 17);
    }

    std::vector<double> ticks(int about) const {
        std::vector<double> result;
        if (logarithmic) {
            const double first = std::ceil(std::log10(low) - 1e-9);
            const double last = std::floor(std::log10(high) + 1e-9);
            const double step = std::max(1.0, std::ceil((last - first) / about));
            for (double k = first; k <= last; k += step) result.push_back(std::pow(10.0, k));
            return result;
        }
        const double raw = (high - low) / about;
        const double power = std::pow(10.0, std::floor(std::log10(raw)));
        const double lead = raw / power;
        const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
        // Counted, because adding a small step to a large number may not move it.
        const double first = std::ceil(low / step - 1e-9);
        for (int i = 0; i <= 2 * about + 2 && (first + i) * step <= high + 1e-9 * step; ++i)
            result.push_back((first + i) * step + 0.0);  // + 0.0: no "-0"
        return result;
    }
};

/// The range of a curve. Rare spikes, such as a pole near an end, do not flatten the rest.
inline Axis axis_of(const std::vector<double>& values, double start, double end) {
    std::vector<double> sorted;
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
                 [](double x) { return std::isfinite(x); });
    if (sorted.empty()) return {0.0, 1.0, start, end};
    std::sort(sorted.begin(), sorted.end());
    double low = sorted.front(), high = sorted.back();
    if (low > 0.0 && high / low >= 1e3) return {low, high, start, end, true};
    const double few = sorted[sorted.size() / 40],
                 most = sorted[sorted.size() - 1 - sorted.size() / 40];
    if (high - most > 20.0 * (most - few) && most > few) high = most + (most - few);
    if (few - low > 20.0 * (most - few) && most > few) low = few - (most - few);
    double margin = 0.08 * (high - low);
    if (!(margin > 1e-12 * std::max(std::fabs(low), std::fabs(high))))
        margin = low == 0.0 ? 1.0 : 0.5 * std::fabs(low);
    return {low - margin, high + margin, start, end};
}

class Drawing {
public:
    Drawing(double width, double height) : width_(width), height_(height) {}

    template <class... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(body_), format, std::forward<Values>(values)...);
        body_ += '\n';
    }

    void line(double x1, double y1, double x2, double y2, std::string_view style) {
        add(R"(<line x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}" {}/>)", x1, y1, x2, y2, style);
    }

    void text(double x, double y, std::string_view content, std::string_view style) {
        add(R"(<text x="{:.2f}" y="{:.2f}" {}>{}</text>)", x, y, style, escaped(content));
    }

    void heading(double x, double y, std::string_view content, std::string_view note = "") {
        add(R"(<text x="{:.2f}" y="{:.2f}" font-size="14" font-weight="600">{}<tspan dx="10" )"
            R"(font-size="11.5" font-weight="400" fill="{}">{}</tspan></text>)",
            x, y, escaped(content), faint, escaped(note));
    }

    void horizontal_axis(const Axis& axis, double y, int about, std::string_view name) {
        line(axis.start, y, axis.end, y, fmt::format(R"(stroke="{}")", faint));
        for (const double tick : axis.ticks(about)) {
            line(axis.at(tick), y, axis.at(tick), y + 5, fmt::format(R"(stroke="{}")", faint));
            text(axis.at(tick), y + 18, label(tick, axis.digits()), small("middle"));
        }
        text(axis.end + 10, y + 4, name, R"(font-style="italic" font-size="13")");
    }

    void vertical_axis(const Axis& axis, double x, double right, int about) {
        for (const double tick : axis.ticks(about)) {
            const double y = axis.at(tick);
            line(x, y, right, y, fmt::format(R"(stroke="{}" stroke-width="0.7")", rule));
            text(x - 7, y + 4, axis.logarithmic ? power_label(tick) : label(tick, axis.digits()),
                 small("end"));
        }
    }

    /// Gaps where the curve is not finite.
    void curve(const std::vector<double>& x, const std::vector<double>& y, std::string_view style) {
        std::string path;
        bool pen_down = false;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
            const bool drawable =
                std::isfinite(x[i]) && std::isfinite(y[i]) && std::fabs(y[i]) < 1e6;
            if (drawable) path += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", x[i], y[i]);
            pen_down = drawable;
        }
        add(R"(<path d="{}" {}/>)", path, style);
    }

    static std::string small(std::string_view anchor) {
        return fmt::format(R"(font-size="11.5" fill="{}" text-anchor="{}")", faint, anchor);
    }

    std::string document(std::string_view title) const {
        return fmt::format(
            R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}")"
            R"( font-family="'Inter','Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif")"
            R"( fill="{2}" stroke-linejoin="round" stroke-linecap="round">
<title>{3}</title>
<rect width="100%" height="100%" fill="#fdfdfb"/>
{4}</svg>
)",
            width_, height_, ink, escaped(title), body_);
    }

    /// Puts another drawing on top of this one.
    void add(const Drawing& other) { body_ += other.body_; }

    /// For a page, which gives the background, the font and the width.
    std::string figure(std::string_view description) const {
        return fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}" fill="{}" )"
                           R"(stroke-linejoin="round" stroke-linecap="round">
{}</svg>
)",
                           width_, height_, escaped(description), ink, body_);
    }

private:
    double width_, height_;
    std::string body_;
};

}  // namespace deepsl::report
