// What the figures of a report share: colours, axes that bear any data, curves with gaps, legends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/report/page.h"
#include "deepsl/report/svg.h"

namespace deepsl::report::detail {

// One hue for each kind of thing: eigenvalues and -functions violet, or their field's colour if
// there are several; coefficients slate, another model grey; the classes have the strong colours
// to themselves.
inline constexpr const char* violet = "#5d4a98";
inline constexpr const char* pale_violet = "#a79cce";
inline constexpr const char* slate = "#44617b";
inline constexpr const char* grey = "#87919b";

/// Colours that stay apart for colour-blind readers; the classes also differ in their markers.
inline constexpr std::size_t class_colours = 8;
const char* class_colour(int label);

/// Darker than the classes' colours, to be seen on top of them; the first is violet.
const char* field_colour(std::size_t field);

/// An SVG path of the class's marker around (0, 0), to be drawn after "Mx y".
std::string marker(int label, double size);

std::string class_name(const Report& report, int label);

/// At most `longest` characters, of which one may take several bytes.
std::string shortened(std::string_view text, std::size_t longest);

/// A dash for what is not a number.
std::string number(double value, int digits = 3);

/// Finite, and so far from overflow that a range of such values is finite too.
bool drawable(double value);

/// At most `most` of the values 0 .. count - 1, evenly, both ends among them.
std::vector<std::size_t> thinned(std::size_t count, std::size_t most);

/// Collects values, and makes an axis with some room at its ends. Values that cannot be drawn do
/// not count; no values, or equal ones, still give an axis.
class Span {
public:
    void include(double value);
    void include(const std::vector<double>& values);
    void include_positive(const std::vector<double>& values);

    bool empty() const { return low_ > high_; }
    double low() const { return low_; }
    double high() const { return high_; }

    /// `room` on either side, as a share of the range.
    Axis axis(double start, double end, double room = 0.06) const;
    /// Of positive values.
    Axis logarithmic_axis(double start, double end) const;

private:
    double low_ = 1e300, high_ = -1e300;
};

/// A drawing with one pair of axes.
class Plot {
public:
    Plot(double width, double height, double right_margin);

    Drawing drawing;
    Axis x{}, y{};
    double left = 46.0, right, top = 10.0, bottom;

    /// Grid and labels. The name of the horizontal axis stands below it, on the right.
    void draw_axes(std::string_view x_name, bool whole_numbers = false);
    /// A thin solid line where y is zero, if that is in view.
    void draw_zero();
    void curve(const std::vector<double>& xs, const std::vector<double>& ys,
               std::string_view style);
    void dot(double at_x, double at_y, double radius, std::string_view style);
};

/// Between the curve and a horizontal line, given in pixels.
void draw_area(Plot& plot, const std::vector<double>& xs, const std::vector<double>& ys,
               double base, const char* colour);

/// A stroke's attributes.
std::string stroke(std::string_view colour, double width, std::string_view more = "");

/// Texts at the right end of curves, at the heights asked for or as near as they can stand
/// without touching.
struct EndLabel {
    double y;
    std::string text, colour;
    bool strong = false;
};
void draw_end_labels(Drawing& drawing, double x, std::vector<EndLabel> labels, double top,
                     double bottom);

/// An entry of a legend in HTML: a piece of the line, then the text.
std::string key(std::string_view colour, std::string_view text, bool dashed = false);

}  // namespace deepsl::report::detail
