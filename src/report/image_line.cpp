// Everything about one line of an image in one figure, from boundary to boundary.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "deepsl/text.h"
#include "report/image_figures.h"
#include "report/picture.h"
#include "report/plot.h"

namespace deepsl::report::detail {
namespace {

constexpr double width = 1120.0, left = 112.0, right = 1056.0;
constexpr std::size_t most_colours = 5, most_functions = 5, most_curves = 20;

std::string text_style(double size, std::string_view colour, std::string_view anchor,
                       bool strong = false) {
    return fmt::format(R"(font-size="{}" fill="{}" text-anchor="{}"{})", size, colour, anchor,
                       strong ? R"( font-weight="650")" : "");
}

int winner_of(const std::vector<double>& scores) {
    if (scores.empty()) return -1;
    return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

const char* colour_of(const std::vector<ShownClass>& shown, int label) {
    for (const auto& one : shown)
        if (one.label == label) return one.colour;
    return grey;
}

class LineFigure {
public:
    LineFigure(const ImageReport& report, const ImageSample& sample, const ImageLine& line,
               std::size_t factor)
        : report_(report),
          sample_(sample),
          line_(line),
          factor_(factor),
          shown_(shown_classes(sample, line)),
          plot_(width, 0.0, 0.0) {
        plot_.left = left;
        plot_.right = right;
        Span span;
        span.include(line.line.t_minus);
        span.include(line.line.t_plus);
        plot_.x = span.axis(left, right, 0.0);
    }

    std::string draw() {
        draw_pictures();
        draw_scores();
        if (report_.fields > 1) draw_added();
        draw_functions();
        draw_coefficients();
        draw_time_axis();
        Drawing whole(width, y_);
        whole.add(plot_.drawing);
        return whole.figure(
            fmt::format("The line of image {} from boundary to boundary", sample_.number + 1));
    }

private:
    double slot(std::size_t i) const {
        const auto steps = static_cast<double>(std::max<std::size_t>(line_.places.size(), 2) - 1);
        return std::lerp(left, right, static_cast<double>(i) / steps);
    }

    bool is_sample(std::size_t i) const { return line_.places[i].t == 0.0; }

    void draw_picture(const std::string& uri, std::size_t i, double size, const std::string& title,
                      bool marked) {
        const double x = slot(i) - 0.5 * size;
        auto& drawing = plot_.drawing;
        drawing.add(R"(<image x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" href="{}">)"
                    R"(<title>{}</title></image>)",
                    x, y_, size, size, uri, escaped(title));
        drawing.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
                    R"(fill="none" {}/>)",
                    x, y_, size, size, marked ? stroke(ink, 3.0) : stroke(rule, 1.0));
    }

    void draw_pictures() {
        const auto count = line_.places.size();
        if (count == 0) return;
        const double size = std::min(92.0, (right - left) / static_cast<double>(count - 1) - 8.0);
        auto& drawing = plot_.drawing;
        for (std::size_t i = 0; i < count; ++i) {
            const bool end = i == 0 || i + 1 == count;
            if (!end && !is_sample(i)) continue;
            drawing.text(slot(i), 14.0, is_sample(i) ? "this image" : "boundary",
                         text_style(12.5, is_sample(i) ? ink : faint, "middle", is_sample(i)));
        }
        y_ = 22.0;
        report_.latent ? draw_nearest(size) : draw_own(size);
        draw_answers();
        // From the pictures, which stand evenly, to their places.
        for (std::size_t i = 0; i < count; ++i) {
            const double at = plot_.x.at(line_.places[i].t);
            drawing.add(R"(<path d="M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}" )"
                        R"(fill="none" {}/>)",
                        slot(i), y_, slot(i), y_ + 14.0, at, y_ + 10.0, at, y_ + 24.0,
                        is_sample(i) ? stroke(ink, 1.6) : stroke(grey, 1.0));
        }
        y_ += 24.0;
    }

    /// Pictures of the places themselves, and how they differ from the sample.
    void draw_own(double size) {
        row_name(y_ + 0.5 * size, "the line");
        for (std::size_t i = 0; i < line_.places.size(); ++i) {
            const auto& place = line_.places[i];
            if (!place.picture.empty())
                draw_picture(picture_uri(shrunk(place.picture, factor_)), i, size,
                             fmt::format("t = {}", number(place.t)), is_sample(i));
        }
        y_ += size + 5.0;
        draw_changes(size);
    }

    /// Most of a change may be common to all pixels: it is a number, and the rest a picture.
    void draw_changes(double size) {
        std::vector<double> means;
        double largest = 0.0;
        for (const auto& [t, scores, probabilities, picture, change, nearest] : line_.places) {
            means.push_back(std::accumulate(change.begin(), change.end(), 0.0) /
                            static_cast<double>(std::max<std::size_t>(change.size(), 1)));
            for (const float value : change)
                largest = std::max(largest, std::fabs(static_cast<double>(value) - means.back()));
        }
        if (std::all_of(line_.places.begin(), line_.places.end(),
                        [](const LinePlace& place) { return place.change.empty(); }))
            return;
        row_name(y_ + 0.5 * size - 4.0, "change");
        row_name(y_ + 0.5 * size + 12.0, "± " + number(largest, 2));
        row_name(y_ + size + 14.0, "mean change");
        for (std::size_t i = 0; i < line_.places.size(); ++i) {
            const auto& [height, columns, channels, pixels] = line_.places[i].picture;
            auto rest = shrunk(line_.places[i].change, height, columns, factor_);
            for (float& value : rest) value -= static_cast<float>(means[i]);
            draw_picture(change_uri(rest, (height + factor_ - 1) / factor_,
                                    (columns + factor_ - 1) / factor_, largest),
                         i, size, "less (blue) or more (orange) than in the image", false);
            auto text = number(means[i], 2);
            if (means[i] > 0.0) text.insert(0, "+");
            if (!is_sample(i))
                plot_.drawing.text(slot(i), y_ + size + 14.0, text,
                                   text_style(11.5, faint, "middle"));
        }
        y_ += size + 20.0;
    }

    /// The images of the data that lie nearest.
    void draw_nearest(double size) {
        std::size_t rows = 0;
        for (const auto& place : line_.places) rows = std::max(rows, place.nearest.size());
        for (std::size_t r = 0; r < rows; ++r) {
            row_name(y_ + 0.5 * size, r == 0 ? "nearest" : "next");
            row_name(y_ + size + 14.0, "distance");
            for (std::size_t i = 0; i < line_.places.size(); ++i) {
                const auto& nearest = line_.places[i].nearest;
                if (r == 0 && is_sample(i)) {
                    draw_picture(picture_uri(shrunk(sample_.picture, factor_)), i, size,
                                 "this image", true);
                    continue;
                }
                const auto index = is_sample(i) ? r - 1 : r;
                if (index >= nearest.size()) continue;
                const auto& near = nearest[index];
                draw_picture(picture_uri(shrunk(near.picture, factor_)), i, size,
                             fmt::format("image {}", near.number + 1), false);
                const auto label = near.label < 0
                                       ? std::string()
                                       : shortened(class_title(report_, near.label), 11) + ", ";
                plot_.drawing.text(slot(i), y_ + size + 14.0, label + number(near.distance, 2),
                                   text_style(11.5, faint, "middle"));
            }
            y_ += size + 20.0;
        }
    }

    /// Who wins there, and how surely.
    void draw_answers() {
        y_ += 15.0;
        row_name(y_, "it says");
        for (std::size_t i = 0; i < line_.places.size(); ++i) {
            const auto& place = line_.places[i];
            const int winner = winner_of(place.scores);
            if (winner < 0) continue;
            const auto k = static_cast<std::size_t>(winner);
            const auto share =
                k < place.probabilities.size() ? percent_text(place.probabilities[k]) : "";
            const double x = slot(i);
            plot_.drawing.text(x, y_, shortened(class_title(report_, winner), 12),
                               text_style(14.0, colour_of(shown_, winner), "middle", true));
            plot_.drawing.text(x, y_ + 15.0, share, text_style(11.5, faint, "middle"));
        }
        y_ += 22.0;
    }

    /// Where the sample is, as far as a panel reaches.
    void mark_sample(double top, double bottom) {
        if (plot_.x.low < 0.0 && plot_.x.high > 0.0)
            plot_.drawing.line(plot_.x.at(0.0), top, plot_.x.at(0.0), bottom,
                               stroke(ink, 1.2, R"(stroke-dasharray="1 4")"));
    }

    void row_name(double y, std::string_view text) {
        plot_.drawing.text(8.0, y, text, text_style(11.5, faint, "start"));
    }

    void heading(std::string_view title, std::string_view note) {
        y_ += 24.0;
        plot_.drawing.heading(8.0, y_, title, note);
        y_ += 10.0;
    }

    void axis_lines(double start, double end, int about) {
        for (const double tick : plot_.y.ticks(about)) {
            plot_.drawing.line(left, plot_.y.at(tick), right, plot_.y.at(tick), stroke(rule, 0.7));
            plot_.drawing.text(left - 8.0, plot_.y.at(tick) + 4.0, label(tick, plot_.y.digits()),
                               Drawing::small("end"));
        }
        plot_.top = end;
        plot_.bottom = start;
    }

    /// Curves by class over one range: gray ones first, then those of colour, the first on top.
    void draw_classes(const std::vector<double>& t, const std::vector<std::vector<double>>& values,
                      double height, bool dots) {
        Span span;
        for (const auto& curve : values) span.include(curve);
        plot_.y = span.axis(y_ + height, y_);
        axis_lines(y_ + height, y_, 4);
        plot_.draw_zero();
        mark_sample(y_, y_ + height);
        const auto style = [&](int k) {
            return stroke(colour_of(shown_, k), k == sample_.predicted ? 3.0 : 2.0);
        };
        for (const auto k : thinned(values.size(), most_curves))
            if (colour_of(shown_, static_cast<int>(k)) == grey)
                plot_.curve(t, values[k], stroke(grey, 1.0, R"(stroke-opacity="0.55")"));
        for (auto one = shown_.rbegin(); one != shown_.rend(); ++one) {
            const auto k = static_cast<std::size_t>(one->label);
            if (k >= values.size()) continue;
            plot_.curve(t, values[k], style(one->label));
            for (std::size_t i = 0; dots && i < line_.places.size(); ++i)
                if (k < line_.places[i].scores.size())
                    plot_.dot(line_.places[i].t, line_.places[i].scores[k], 4.0,
                              fmt::format(R"(fill="#fff" {})", stroke(one->colour, 1.8)));
        }
        y_ += height;
    }

    void draw_scores() {
        if (report_.fields > 1) {
            heading("Scores of the classes",
                    "the model asked anew at every point: this field’s share and that of all "
                    "others, whose lines cross here");
            draw_classes(line_.score_t, line_.scores, 170.0, false);
            return;
        }
        heading("Scores of the classes",
                "curves: c + L u(t), from the eigenfunctions of this line; rings: the model asked "
                "anew at the pictures, on its own coarser grid");
        auto sums = line_.added;
        for (std::size_t k = 0; k < std::min(sums.size(), sample_.constant.size()); ++k)
            for (double& value : sums[k]) value += sample_.constant[k];
        draw_classes(line_.line.u_t, sums, 190.0, true);
    }

    void draw_added() {
        heading(fmt::format("What field {} adds to them", line_.field + 1),
                "L u(t): one fixed mixture of the eigenfunctions below");
        draw_classes(line_.line.u_t, line_.added, 120.0, false);
    }

    void draw_functions() {
        const auto drawn = std::min(line_.line.u.size(), most_functions);
        if (drawn == 0) return;
        heading("Eigenfunctions", "each at its own scale; the dots are what the image reads off");
        constexpr double rung = 46.0;
        mark_sample(y_, y_ + rung * static_cast<double>(drawn));
        for (std::size_t k = 0; k < drawn; ++k) {
            const auto& u = line_.line.u[k];
            const double zero = y_ + 0.5 * rung;
            double largest = 0.0;
            for (const double value : u)
                if (drawable(value)) largest = std::max(largest, std::fabs(value));
            if (!(largest > 1e-100)) largest = 1.0;
            plot_.y = {-largest, largest, zero + 0.44 * rung, zero - 0.44 * rung};
            const auto* colour = field_colour(line_.field);
            draw_area(plot_, line_.line.u_t, u, zero, colour);
            plot_.drawing.line(left, zero, right, zero,
                               stroke(colour, 0.8, R"(stroke-opacity="0.5")"));
            plot_.curve(line_.line.u_t, u, stroke(colour, 2.0));
            plot_.dot(0.0, value_at_zero(u), 4.4,
                      fmt::format(R"(fill="{}" {})", ink, stroke("#fff", 1.4)));
            plot_.drawing.text(
                right + 12.0, zero + 5.0, fmt::format("u{}", subscript(k + 1)),
                fmt::format(R"(font-size="15" font-style="italic" fill="{}")", colour));
            y_ += rung;
        }
    }

    /// Linear between the two points beside the sample.
    double value_at_zero(const std::vector<double>& u) const {
        const auto& t = line_.line.u_t;
        for (std::size_t i = 1; i < t.size(); ++i)
            if (t[i - 1] <= 0.0 && t[i] >= 0.0 && t[i] > t[i - 1])
                return std::lerp(u[i - 1], u[i], -t[i - 1] / (t[i] - t[i - 1]));
        return Epoch::unknown;
    }

    void draw_coefficients() {
        if (line_.line.t.empty()) return;
        heading("What the line meets", "p, q and w along it");
        const std::vector<double>* values[] = {&line_.line.p, &line_.line.q, &line_.line.w};
        const char* names[] = {"p", "q", "w"};
        constexpr double strip = 62.0;
        mark_sample(y_, y_ + 3.0 * strip);
        for (int k = 0; k < 3; ++k) {
            Span span;
            span.include(0.0);
            span.include(*values[k]);
            plot_.y = span.axis(y_ + strip - 8.0, y_, 0.04);
            axis_lines(y_ + strip - 8.0, y_, 2);
            draw_area(plot_, line_.line.t, *values[k], plot_.y.at(0.0), slate);
            plot_.curve(line_.line.t, *values[k], stroke(slate, 1.8));
            plot_.drawing.text(
                right + 12.0, y_ + 0.5 * strip, names[k],
                fmt::format(R"(font-size="16" font-style="italic" fill="{}")", slate));
            y_ += strip;
        }
    }

    void draw_time_axis() {
        plot_.drawing.line(left, y_, right, y_, stroke(faint, 0.9));
        for (const double tick : plot_.x.ticks(8)) {
            plot_.drawing.line(plot_.x.at(tick), y_, plot_.x.at(tick), y_ + 5.0,
                               stroke(faint, 0.9));
            plot_.drawing.text(plot_.x.at(tick), y_ + 19.0, label(tick, plot_.x.digits()),
                               Drawing::small("middle"));
        }
        plot_.drawing.text(right + 12.0, y_ + 5.0, "t",
                           fmt::format(R"(font-size="14" font-style="italic" fill="{}")", faint));
        y_ += 30.0;
    }

    const ImageReport& report_;
    const ImageSample& sample_;
    const ImageLine& line_;
    std::size_t factor_;
    std::vector<ShownClass> shown_;
    Plot plot_;
    double y_ = 0.0;
};

}  // namespace

std::vector<ShownClass> shown_classes(const ImageSample& sample, const ImageLine& line) {
    std::vector<int> labels;
    const auto add = [&](int label) {
        if (label >= 0 && labels.size() < most_colours &&
            std::find(labels.begin(), labels.end(), label) == labels.end())
            labels.push_back(label);
    };
    add(sample.predicted);
    add(sample.actual);
    for (const auto& place : line.places) add(winner_of(place.scores));
    std::vector<std::size_t> order(sample.probabilities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return sample.probabilities[a] > sample.probabilities[b];
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i)
        add(static_cast<int>(order[i]));
    std::vector<ShownClass> shown;
    for (std::size_t i = 0; i < labels.size(); ++i)
        shown.push_back({labels[i], class_colour(static_cast<int>(i))});
    return shown;
}

std::string class_title(const ImageReport& report, int label) {
    if (label < 0) return "unknown";
    const auto index = static_cast<std::size_t>(label);
    return index < report.classes.size() ? report.classes[index] : fmt::format("class {}", label);
}

std::string percent_text(double share) {
    if (!std::isfinite(share)) return "–";
    if (share > 0.0 && share < 0.001) return "< 0.1 %";
    return fmt::format("{:.{}f} %", 100.0 * share, share > 0.9995 ? 0 : 1);
}

std::string image_line_figure(const ImageReport& report, const ImageSample& sample,
                              const ImageLine& line, std::size_t factor) {
    return LineFigure(report, sample, line, factor).draw();
}

}  // namespace deepsl::report::detail
