// The picture of annular_drum: modes, and the coefficients behind them, learned and known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "deepsl/report/svg.h"

/// What was learned beside what is known, at radii r.
struct Curves {
    std::vector<double> r, p, q, w;               // learned; known are r, 9 / r and r
    std::vector<std::vector<double>> u, known_u;  // [mode, radius]
    std::vector<double> lambda, known_lambda;

    /// |u - known u| / |known u|, root mean squares over the radii.
    double error(std::size_t i) const {
        double off = 0.0, size = 0.0;
        for (std::size_t b = 0; b < r.size(); ++b) {
            off += (u[i][b] - known_u[i][b]) * (u[i][b] - known_u[i][b]);
            size += known_u[i][b] * known_u[i][b];
        }
        return std::sqrt(off / size);
    }
};

inline void draw(const Curves& curves, std::size_t shown, const std::string& path) {
    using namespace deepsl::report;
    constexpr double width = 900, height = 560, left = 60, middle = 515;
    const auto line = [](const char* colour, double thick, const char* more = "") {
        return fmt::format(R"(fill="none" stroke="{}" stroke-width="{}" {})", colour, thick, more);
    };
    const char *const violet = "#5d4a98", *const orange = "#c8641e";
    Drawing drawing(width, height);
    const auto on = [](const Axis& axis, const std::vector<double>& values) {
        std::vector<double> pixels;
        for (const double value : values) pixels.push_back(axis.at(value));
        return pixels;
    };
    // Grey and wide what is known, on it what was learned.
    const auto pair = [&](const Axis& x, const Axis& y, const std::vector<double>& known,
                          const std::vector<double>& learned, const char* colour) {
        drawing.curve(on(x, curves.r), on(y, known), line("#c3c9d0", 5));
        drawing.curve(on(x, curves.r), on(y, learned), line(colour, 1.6));
    };

    drawing.heading(left, 28, "Modes of a ring-shaped drum", "grey: known, in colour: learned");
    const Axis x{1.0, 3.0, left + 20, middle - 90};
    const double row = (height - 110) / static_cast<double>(curves.u.size());
    for (std::size_t i = 0; i < curves.u.size(); ++i) {
        double size = 0.0;
        for (const double value : curves.known_u[i]) size = std::max(size, std::fabs(value));
        const double base = 80 + row * static_cast<double>(i);
        pair(x, {-size, size, base + 0.46 * row, base - 0.46 * row}, curves.known_u[i], curves.u[i],
             i < shown ? violet : orange);
        drawing.text(left, base + 4, fmt::format("{}", i + 1), Drawing::small("middle"));
        drawing.text(x.end + 12, base + 4,
                     fmt::format("{}, off by {:.1g} %", i < shown ? "shown" : "not shown",
                                 100.0 * curves.error(i)),
                     Drawing::small("start"));
    }
    drawing.horizontal_axis(x, height - 45, 5, "r");

    std::vector<double> r = curves.r, inverse;
    for (const double value : r) inverse.push_back(9.0 / value);
    const std::vector<double>* learned[] = {&curves.p, &curves.w, &curves.q};
    const std::vector<double>* known[] = {&r, &r, &inverse};
    const char* const names[] = {"p = r", "w = r", "q = 9 / r"};
    const Axis across{1.0, 3.0, middle + 70, width - 40};
    const double tall = (height - 75) / 3.0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double top = 28 + tall * static_cast<double>(i);
        const Axis y{0.0, i < 2 ? 3.3 : 10.0, top + tall - 32, top + 14};
        drawing.heading(middle + 70, top, names[i], i == 0 ? "grey: known, blue: learned" : "");
        drawing.vertical_axis(y, across.start, across.end, 3);
        pair(across, y, *known[i], *learned[i], "#2b6a9b");
    }
    drawing.horizontal_axis(across, height - 45, 5, "r");
    std::ofstream(path) << drawing.document(
        "Modes and coefficients of a ring-shaped drum, learned");
}
