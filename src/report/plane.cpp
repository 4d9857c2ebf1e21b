#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "report/figures.h"
#include "report/map.h"
#include "report/plot.h"

namespace deepsl::report::detail {
namespace {

bool has_map(const DecisionMap& map) {
    return map.columns > 0 && map.rows > 0 && drawable(map.x_max - map.x_min) &&
           drawable(map.y_max - map.y_min) && map.x_max > map.x_min && map.y_max > map.y_min;
}

/// A drawing of the data's plane, with one scale for both coordinates unless that would give a
/// strip.
class Plane {
public:
    Plane(const Report& report, double width, double most_height, std::string id, bool with_axes)
        : report_(report), id_(std::move(id)) {
        Span xs, ys;
        const auto& map =
            has_map(report.map) || !report.baseline ? report.map : report.baseline->map;
        for (const double x : {map.x_min, map.x_max})
            if (has_map(map)) xs.include(x);
        for (const double y : {map.y_min, map.y_max})
            if (has_map(map)) ys.include(y);
        xs.include(report.outline.x);
        ys.include(report.outline.y);
        for (const auto& point : report.points) {
            xs.include(point.x);
            ys.include(point.y);
        }
        if (xs.empty() || ys.empty())
            for (const auto& field : report.lines)
                for (const auto& line : field) {
                    xs.include(line.x);
                    ys.include(line.y);
                }
        left_ = with_axes ? 40.0 : 4.0;
        x_ = xs.axis(left_, width - 4.0, 0.01);
        y_ = ys.axis(0.0, 1.0, 0.01);
        double ratio = (y_.high - y_.low) / (x_.high - x_.low);
        if (ratio < 0.4 || ratio > 1.6) ratio = std::clamp(ratio, 0.6, 1.0);
        const double full = x_.end - x_.start;
        const double height = std::min(full * ratio, most_height);
        // Centred, where the height is what limits.
        x_.start += 0.5 * (full - height / ratio);
        x_.end -= 0.5 * (full - height / ratio);
        y_.start = height + 4.0;
        y_.end = 4.0;
        drawing_ = Drawing(width, height + (with_axes ? 40.0 : 8.0));
        drawing_.add(R"(<clipPath id="{}-frame"><rect x="{:.1f}" y="4" width="{:.1f}" )"
                     R"(height="{:.1f}"/></clipPath>)",
                     id_, x_.start, x_.end - x_.start, height);
        if (!report.outline.x.empty())
            drawing_.add(R"(<clipPath id="{}-domain"><path d="{}z"/></clipPath>)", id_,
                         path(report.outline));
        if (with_axes) draw_axes();
    }

    void draw_map(const DecisionMap& map, std::string_view image, double opacity) {
        if (!has_map(map)) return;
        const double x = x_.at(map.x_min), y = y_.at(map.y_max);
        // The reference is inside the group, since it would scale the clip path as well.
        drawing_.add(R"-(<g clip-path="url(#{}-{})" opacity="{}"><use href="#{}" )-"
                     R"-(transform="translate({:.2f} {:.2f}) scale({:.5f} {:.5f})"/></g>)-",
                     id_, report_.outline.x.empty() ? "frame" : "domain", opacity, image, x, y,
                     x_.at(map.x_max) - x, y_.at(map.y_min) - y);
    }

    void draw_outline() {
        if (!report_.outline.x.empty())
            drawing_.add(R"(<path d="{}z" fill="none" {}/>)", path(report_.outline),
                         stroke(faint, 1.2));
    }

    void draw_points(double size, bool with_train, bool with_errors) {
        std::map<std::pair<bool, int>, std::string> paths;
        std::string errors;
        for (const auto i : thinned(report_.points.size(), most_points)) {
            const auto& point = report_.points[i];
            if (!drawable(point.x) || !drawable(point.y) || (!point.is_test && !with_train))
                continue;
            const auto place = fmt::format("M{:.1f} {:.1f}", x_.at(point.x), y_.at(point.y));
            paths[{point.is_test, std::max(point.label, 0)}] +=
                place + marker(point.label, point.is_test ? size : 0.8 * size);
            if (point.misclassified) errors += place + marker(0, 2.1 * size);
        }
        for (const auto& [kind, shapes] : paths)
            drawing_.add(R"(<path class="{}" d="{}" fill="{}" {}/>)", kind.first ? "test" : "train",
                         shapes, class_colour(kind.second),
                         kind.first ? stroke("#fff", 0.8) : R"(fill-opacity="0.5")");
        if (with_errors && !errors.empty())
            drawing_.add(R"(<path class="errors" d="{}" fill="none" {}/>)", errors,
                         stroke(ink, 1.3));
    }

    void draw_lines(std::size_t field) {
        if (field >= report_.lines.size()) return;
        std::string lines, arrows;
        for (const auto i : thinned(report_.lines[field].size(), most_lines_each(report_))) {
            lines += path(report_.lines[field][i]);
            arrows += arrows_of(report_.lines[field][i], 3.6);
        }
        const auto* colour = line_colour(field);
        // Ink is stronger than any colour.
        const auto* opacity =
            colour == ink ? R"(stroke-opacity="0.5")" : R"(stroke-opacity="0.75")";
        drawing_.add(
            R"-(<g class="field{}" clip-path="url(#{}-frame)"><path d="{}" fill="none" {}/>)-"
            R"-(<path d="{}" fill="{}" fill-opacity="0.75"/></g>)-",
            field + 1, id_, lines, stroke(colour, 0.9, opacity), arrows, colour);
    }

    /// The lines of all fields, or of one alone and the others pale.
    void draw_sample_lines(const Sample& sample, std::optional<std::size_t> field = {}) {
        open_sample(sample);
        const auto shown = std::min(sample.lines.size(), most_fields);
        for (std::size_t m = 0; m < shown; ++m)
            if (field && m != *field)
                drawing_.add(R"(<path d="{}" fill="none" {}/>)", path(sample.lines[m].line),
                             stroke(line_colour(m), 1.2, R"(stroke-opacity="0.4")"));
        for (std::size_t m = 0; m < shown; ++m) {
            if (field && m != *field) continue;
            const auto line = path(sample.lines[m].line);
            drawing_.add(R"(<g class="field{}"><path d="{}" fill="none" {}/>)", m + 1, line,
                         stroke("#fff", 5.5, R"(stroke-opacity="0.85")"));
            drawing_.add(R"(<path d="{}" fill="none" {}/><path d="{}" fill="{}"/></g>)", line,
                         stroke(line_colour(m), 2.1), arrows_of(sample.lines[m].line, 5.5),
                         line_colour(m));
        }
        drawing_.add("</g>");
    }

    void draw_sample(const Sample& sample, std::string_view letter) {
        if (!drawable(sample.x) || !drawable(sample.y)) return;
        open_sample(sample);
        const double x = x_.at(sample.x), y = y_.at(sample.y);
        drawing_.add(R"(<path d="M{:.1f} {:.1f}{}" fill="{}" {}/>)", x, y,
                     marker(sample.actual, 6.5), class_colour(sample.actual), stroke("#fff", 2));
        drawing_.text(x + 10, y - 9, letter,
                      fmt::format(R"(font-size="16" font-weight="700" paint-order="stroke" {})",
                                  stroke("#fff", 4)));
        drawing_.add("</g>");
    }

    std::string figure(std::string_view description) const { return drawing_.figure(description); }

private:
    void open_sample(const Sample& sample) {
        drawing_.add(R"-(<g class="chosen" clip-path="url(#{}-frame)"><title>{}</title>)-", id_,
                     escaped(sample.title));
    }

    /// Points nearer than a pixel or two to the last one add nothing but bytes.
    std::vector<std::pair<double, double>> pixels(const Curve& curve) const {
        std::vector<std::pair<double, double>> result;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (!drawable(curve.x[i]) || !drawable(curve.y[i])) continue;
            const double x = x_.at(curve.x[i]), y = y_.at(curve.y[i]);
            if (std::fabs(x) > 1e5 || std::fabs(y) > 1e5) continue;
            if (result.empty() || i + 1 == curve.x.size() ||
                std::hypot(x - result.back().first, y - result.back().second) > 2.5)
                result.emplace_back(x, y);
        }
        const auto kept = thinned(result.size(), 240);
        std::vector<std::pair<double, double>> few;
        few.reserve(kept.size());
        for (const auto i : kept) few.push_back(result[i]);
        return few;
    }

    std::string path(const Curve& curve) const {
        std::string out;
        for (const auto& [x, y] : pixels(curve))
            out += fmt::format("{}{:.1f} {:.1f}", out.empty() ? "M" : "L", x, y);
        return out;
    }

    std::string arrows_of(const Curve& curve, double size) const {
        const auto points = pixels(curve);
        double length = 0.0;
        for (std::size_t i = 1; i < points.size(); ++i) length += step(points[i - 1], points[i]);
        const double count = std::clamp(std::round(length / 240.0), 1.0, 4.0);
        if (length < 4.0 * size) return "";
        std::string out;
        double passed = 0.0, next = 0.5 * length / count;
        for (std::size_t i = 1; i < points.size(); ++i) {
            const double along = step(points[i - 1], points[i]);
            if (passed + along >= next && along > 0.0) {
                const double share = (next - passed) / along;
                const double dx = (points[i].first - points[i - 1].first) / along;
                const double dy = (points[i].second - points[i - 1].second) / along;
                const double x = points[i - 1].first + share * along * dx + size * dx;
                const double y = points[i - 1].second + share * along * dy + size * dy;
                const double back = 2.0 * size, side = 0.8 * size;
                out += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z", x, y,
                                   x - back * dx - side * dy, y - back * dy + side * dx,
                                   x - back * dx + side * dy, y - back * dy - side * dx);
                next += length / count;
            }
            passed += along;
        }
        return out;
    }

    const char* line_colour(std::size_t field) const {
        return field_count(report_) == 1 ? ink : field_colour(field);
    }

    static double step(const std::pair<double, double>& a, const std::pair<double, double>& b) {
        return std::hypot(b.first - a.first, b.second - a.second);
    }

    void draw_axes() {
        drawing_.add(R"(<rect x="{:.1f}" y="4" width="{:.1f}" height="{:.1f}" fill="#fff" {}/>)",
                     x_.start, x_.end - x_.start, y_.start - y_.end, stroke(rule, 0.8));
        for (const double tick : x_.ticks(5))
            drawing_.text(x_.at(tick), y_.start + 18, label(tick, x_.digits()),
                          Drawing::small("middle"));
        for (const double tick : y_.ticks(5))
            drawing_.text(left_ - 8, y_.at(tick) + 4, label(tick, y_.digits()),
                          Drawing::small("end"));
        constexpr const char* style = R"(font-size="13" font-style="italic" text-anchor="{}")";
        drawing_.text(x_.end, y_.start + 34, shortened(report_.x_name, 40),
                      fmt::format(fmt::runtime(style), "end"));
        drawing_.text(left_ + 8, 20, shortened(report_.y_name, 40),
                      fmt::format(fmt::runtime(style), "start"));
    }

    const Report& report_;
    std::string id_;
    Axis x_{}, y_{};
    double left_ = 0.0;
    Drawing drawing_{0, 0};
};

}  // namespace

bool has_plane(const Report& report) {
    return !report.one_dimensional &&
           (has_map(report.map) || !report.points.empty() || !report.lines.empty());
}

std::string map_images(const Report& report) {
    std::string images;
    const auto add = [&](const DecisionMap& map, std::string_view id) {
        if (!has_map(map)) return;
        images += fmt::format(R"(<image id="{}" width="1" height="1" preserveAspectRatio="none" )"
                              R"(href="{}"/>)",
                              id, png_data_uri(map_image(map, report.outline)));
    };
    add(report.map, "map-model");
    if (report.baseline) add(report.baseline->map, "map-baseline");
    if (images.empty()) return "";
    return R"(<svg width="0" height="0" class="hidden" aria-hidden="true"><defs>)" + images +
           "</defs></svg>\n";
}

std::string plane_figure(const Report& report) {
    Plane plane(report, 720.0, 1200.0, "plane", true);
    plane.draw_map(report.map, "map-model", 1.0);
    plane.draw_outline();
    plane.draw_points(3.4, true, true);
    for (std::size_t m = 0; m < shown_fields(report); ++m) plane.draw_lines(m);
    // No line runs over another sample's letter.
    for (std::size_t i = 0; i < shown_samples(report); ++i)
        plane.draw_sample_lines(report.samples[i]);
    for (std::size_t i = 0; i < shown_samples(report); ++i)
        plane.draw_sample(report.samples[i], sample_letters[i]);
    return plane.figure("Decision regions, data points and field lines in the plane of the data");
}

std::string baseline_figure(const Report& report) {
    if (!report.baseline || !has_map(report.baseline->map)) return "";
    Plane plane(report, 360.0, 600.0, "baseline", false);
    plane.draw_map(report.baseline->map, "map-baseline", 1.0);
    plane.draw_outline();
    plane.draw_points(2.2, false, false);
    return plane.figure("Decision regions of " + report.baseline->name);
}

std::string locator_figure(const Report& report, std::size_t sample, std::size_t field) {
    const double size = field_count(report) == 1 ? 340.0 : 214.0;
    Plane plane(report, size, 0.86 * size, fmt::format("sample{}-field{}", sample, field), false);
    plane.draw_map(report.map, "map-model", 0.8);
    plane.draw_outline();
    plane.draw_sample_lines(report.samples[sample], field);
    plane.draw_sample(report.samples[sample], "");
    return plane.figure("The line of this sample");
}

}  // namespace deepsl::report::detail
