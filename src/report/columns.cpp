// Bars for columns: how important each is, or what it adds.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/figures.h"
#include "report/plot.h"

namespace deepsl::report::detail {
namespace {

constexpr std::size_t most_bars = 12;
constexpr double row_height = 22.0, bar_height = 13.0, top = 6.0;

}  // namespace

std::string bars_figure(std::vector<ColumnBar> bars, double width, bool add_up) {
    // What adds nothing is not worth a line.
    std::erase_if(bars, [&](const ColumnBar& bar) {
        return !drawable(bar.value) || (add_up && bar.value == 0.0);
    });
    std::stable_sort(bars.begin(), bars.end(), [](const ColumnBar& a, const ColumnBar& b) {
        return std::fabs(a.value) > std::fabs(b.value);
    });
    if (bars.size() > most_bars) {
        ColumnBar rest{fmt::format("{} more", bars.size() - most_bars), 0.0, 0.0, ""};
        for (auto i = most_bars; i < bars.size(); ++i) rest.value += bars[i].value;
        bars.resize(most_bars);
        if (add_up) bars.push_back(rest);
    }
    Span span;
    span.include(0.0);
    for (const auto& bar : bars) {
        span.include(bar.value + std::fabs(bar.spread));
        span.include(bar.value - std::fabs(bar.spread));
    }
    const double names = 150.0, numbers = 58.0;
    const auto axis = span.axis(names, width - numbers, 0.02);
    Drawing drawing(width, top + row_height * static_cast<double>(bars.size()) + 4.0);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const auto& bar = bars[i];
        const double middle = top + row_height * (static_cast<double>(i) + 0.5);
        const double from = axis.at(std::min(bar.value, 0.0)),
                     to = axis.at(std::max(bar.value, 0.0));
        auto name = shortened(bar.column, 15);
        if (!bar.note.empty()) name += " = " + shortened(bar.note, 9);
        drawing.text(names - 8.0, middle + 4.0, name, Drawing::small("end"));
        drawing.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}">)"
                    R"(<title>{}: {}</title></rect>)",
                    from, middle - 0.5 * bar_height, std::max(to - from, 0.8), bar_height,
                    bar.value < 0.0 ? pale_violet : violet,
                    escaped(bar.note.empty() ? bar.column : bar.column + " = " + bar.note),
                    number(bar.value, 4));
        if (bar.spread > 0.0)
            drawing.line(axis.at(bar.value - bar.spread), middle, axis.at(bar.value + bar.spread),
                         middle, stroke(ink, 1.2));
        drawing.text(width - 4.0, middle + 4.0,
                     fmt::format("{}{}", add_up && bar.value > 0.0 ? "+" : "", number(bar.value)),
                     Drawing::small("end"));
    }
    drawing.line(axis.at(0.0), 2.0, axis.at(0.0),
                 top + row_height * static_cast<double>(bars.size()), stroke(faint, 0.8));
    return drawing.figure("The columns, largest first");
}

}  // namespace deepsl::report::detail
