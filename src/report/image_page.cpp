#include "deepsl/report/image_page.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "deepsl/report/svg.h"
#include "deepsl/text.h"
#include "report/figures.h"
#include "report/frame.h"
#include "report/image_figures.h"
#include "report/image_style.h"
#include "report/picture.h"
#include "report/plot.h"

namespace deepsl::report {
namespace {

using namespace detail;

/// Classes; a larger matrix is not readable.
constexpr std::size_t most_classes = 20;
constexpr std::size_t picture_budget = 1100000;  // bytes of all pictures

void check_picture(const std::string& name, const Picture& picture) {
    const auto wanted = picture.height * picture.width * picture.channels;
    if (!picture.empty()) check_length(name + ".pixels", picture.pixels.size(), wanted);
}

void check_line(const std::string& name, const ImageReport& report, const ImageLine& line) {
    detail::check_line(name + ".line", line.line);
    check_length(name + ".added", line.added.size(), report.classes.size());
    check_length(name + ".scores", line.scores.size(), report.classes.size());
    for (const auto& curve : line.added)
        check_length(name + ".added[k]", curve.size(), line.line.u_t.size());
    for (const auto& curve : line.scores)
        check_length(name + ".scores[k]", curve.size(), line.score_t.size());
    for (const auto& place : line.places) {
        check_picture(name + ".places[i].picture", place.picture);
        if (!place.change.empty())
            check_length(name + ".places[i].change", place.change.size(),
                         place.picture.height * place.picture.width);
        for (const auto& near : place.nearest)
            check_picture(name + ".places[i].nearest[j].picture", near.picture);
    }
}

void check_sample(const ImageReport& report, const ImageSample& sample) {
    check_picture("samples[i].picture", sample.picture);
    if (!sample.probabilities.empty())
        check_length("samples[i].probabilities", sample.probabilities.size(),
                     report.classes.size());
    if (!sample.constant.empty())
        check_length("samples[i].constant", sample.constant.size(), report.classes.size());
    for (const auto& share : sample.shares)
        check_length("samples[i].shares[m]", share.size(), report.classes.size());
    for (const auto& line : sample.lines) check_line("samples[i].lines[m]", report, line);
}

void check(const ImageReport& report) {
    for (const auto& sample : report.wrong) check_sample(report, sample);
    for (const auto& group : report.groups)
        for (const auto& sample : group.samples) check_sample(report, sample);
    if (report.confusion.empty()) return;
    check_length("confusion", report.confusion.rows(), report.classes.size());
    check_length("confusion", report.confusion.columns(), report.classes.size());
}

/// By how much pictures are shrunk, so that all of them fit into a page.
std::size_t shrink_factor(const ImageReport& report) {
    std::vector<const Picture*> pictures;
    std::vector<const Picture*> changes;
    for (const auto& sample : report.wrong) pictures.push_back(&sample.picture);
    for (const auto& group : report.groups)
        for (const auto& sample : group.samples) {
            pictures.insert(pictures.end(), {&sample.picture, &sample.picture});
            for (const auto& line : sample.lines)
                for (const auto& place : line.places) {
                    pictures.push_back(&place.picture);
                    if (!place.change.empty()) changes.push_back(&place.picture);
                    for (const auto& near : place.nearest) pictures.push_back(&near.picture);
                }
        }
    for (std::size_t factor = 1;; ++factor) {
        std::size_t bytes = 0;
        bool large = false;
        const auto add = [&](const Picture& picture, std::size_t channels) {
            const auto height = (picture.height + factor - 1) / factor;
            const auto width = (picture.width + factor - 1) / factor;
            bytes += uri_bytes(height, width, channels);
            large = large || std::max(height, width) > 1;
        };
        for (const auto* picture : pictures) add(*picture, picture->channels);
        for (const auto* picture : changes) add(*picture, 1);
        if (bytes <= picture_budget || !large) return factor;
    }
}

void append_story(std::string& out, const ImageReport& report) {
    const auto fields = report.fields;
    out += "<div class=\"story\"><p>";
    out += report.latent
               ? "A network turns every image into a few numbers, a point of its latent space, and "
                 "the model fills that space with "
               : "The model fills the space of all images with ";
    out += fields == 1 ? "a current. Through every image runs one line of it, "
                       : fmt::format(
                             "{} currents, its fields. Through every image runs one line "
                             "of each, ",
                             count_word(fields));
    out += report.latent ? "from one edge of the domain to the other. "
                         : "from one edge of the domain to the other, and every point of the line "
                           "is an image again. ";
    out +=
        "On the line the model solves one eigenproblem, with coefficients <i>p</i>, <i>q</i> and "
        "<i>w</i> that it has learned. All points of the line share its eigenfunctions; each reads "
        "them off at its own place, and a linear map makes scores of what is read. ";
    out += report.latent
               ? "There are no pictures of points of the latent space: shown beside a line are the "
                 "images of the data whose points lie nearest to it."
               : "So the pictures along a line show what the model holds to be the same line, and "
                 "the curves below them how it tells them apart.";
    out += "</p><div class=\"symbols\">";
    if (report.latent) out += "<p>z = encoder(x)</p>";
    const std::string m = fields == 1 ? "" : "<sub>m</sub>";
    out += fmt::format(
        "<p>dz/dt = a{0}(z), &#160; z(0) = {1}</p><p>−(p{0} u′)′ + q{0} u = λ w{0} "
        "u</p><p>u(t₋) = u(t₊) = 0</p>",
        m, report.latent ? "z" : "x");
    out += fields == 1 ? "<p>F = c + Σ<sub>i</sub> L<sub>i</sub> u<sub>i</sub>(t = 0)</p>"
                       : "<p>F = c + Σ<sub>m</sub> Σ<sub>i</sub> L<sub>mi</sub> u<sub>mi</sub>(t = "
                         "0)</p>";
    out += "</div></div>\n";
}

/// What is taken for what, in counts.
std::string confusion_table(const ImageReport& report) {
    const auto& counts = report.confusion;
    std::string out =
        "<div class=\"scroll\"><table class=\"confusion\">\n<tr><td class=\"none\"></td>";
    for (std::size_t k = 0; k < counts.columns(); ++k)
        out += fmt::format("<th scope=\"col\">{}</th>",
                           escaped(shortened(class_title(report, static_cast<int>(k)), 12)));
    out += "</tr>\n";
    for (std::size_t i = 0; i < counts.rows(); ++i) {
        out += fmt::format("<tr><th scope=\"row\">{}</th>",
                           escaped(shortened(class_title(report, static_cast<int>(i)), 16)));
        std::int64_t all = 0;
        for (const auto count : counts.row(i)) all += count;
        for (std::size_t k = 0; k < counts.columns(); ++k) {
            const auto count = counts(i, k);
            if (count == 0) {
                out += "<td class=\"none\">·</td>";
                continue;
            }
            const double share = static_cast<double>(count) / static_cast<double>(all);
            // A few percent of mistakes should be seen.
            const double strength =
                i == k ? 0.10 + 0.22 * share : std::min(0.12 + 2.5 * share, 0.9);
            out += fmt::format(R"html(<td style="background:rgba({},{:.2f})">{}</td>)html",
                               i == k ? "93,74,152" : "217,106,22", strength, grouped(count));
        }
        out += "</tr>\n";
    }
    return out + "</table></div>\n";
}

/// The most frequent mistakes.
std::string mistakes_list(const ImageReport& report) {
    struct Mistake {
        std::int64_t count;
        int actual, predicted;
    };
    std::vector<Mistake> mistakes;
    const auto& counts = report.confusion;
    for (std::size_t i = 0; i < counts.rows(); ++i)
        for (std::size_t k = 0; k < counts.columns(); ++k)
            if (i != k && counts(i, k) > 0)
                mistakes.push_back({counts(i, k), static_cast<int>(i), static_cast<int>(k)});
    std::stable_sort(mistakes.begin(), mistakes.end(),
                     [](const Mistake& a, const Mistake& b) { return a.count > b.count; });
    mistakes.resize(std::min<std::size_t>(mistakes.size(), 8));
    if (mistakes.empty()) return "<p>No image is taken for another class.</p>\n";
    std::string out = "<h4>The most frequent mistakes</h4>\n<ol>\n";
    for (const auto& [count, actual, predicted] : mistakes)
        out += fmt::format("<li>{} taken for {}: {}</li>\n", escaped(class_title(report, actual)),
                           escaped(class_title(report, predicted)), grouped(count));
    return out + "</ol>\n";
}

void append_confusion(std::string& out, const ImageReport& report) {
    if (report.confusion.empty()) return;
    out += "<section>\n<h2>What is taken for what</h2>\n";
    const bool table = report.classes.size() <= most_classes;
    if (table)
        out +=
            "<p class=\"lead\">Rows: the true class; columns: the answer. The stronger the colour, "
            "the larger the share of the row.</p>\n<div class=\"panel mistakes\">\n" +
            confusion_table(report);
    else
        out += "<div class=\"panel mistakes\">\n";
    out += "<div>\n" + mistakes_list(report) + "</div>\n</div>\n</section>\n";
}

double chance(const ImageSample& sample, int label) {
    const auto k = static_cast<std::size_t>(label);
    return label >= 0 && k < sample.probabilities.size() ? sample.probabilities[k] : Epoch::unknown;
}

std::string sample_title(const ImageSample& sample) {
    auto title = fmt::format("Image {}", sample.number + 1);
    return sample.name.empty() ? title : title + ", " + sample.name;
}

std::string img(const Picture& picture, std::size_t factor, std::string_view about) {
    return fmt::format(R"(<img src="{}" width="{}" height="{}" alt="{}"/>)",
                       picture_uri(shrunk(picture, factor)), picture.width, picture.height,
                       escaped(about));
}

void append_gallery(std::string& out, const ImageReport& report, std::size_t factor) {
    if (report.wrong.empty()) return;
    out += "<section>\n<h2>Wrong answers at a glance</h2>\n<p class=\"lead\">";
    out += report.wrong.size() < report.wrong_in_all
               ? fmt::format("{} of {} wrong answers, those with the largest probability first.",
                             report.wrong.size(), grouped(report.wrong_in_all))
               : fmt::format("All {}, the largest probability first.",
                             counted(report.wrong.size(), "wrong answer"));
    out +=
        " Below each: its true class, what it is taken for, and how probable that is said to "
        "be.</p>\n<div class=\"panel gallery\">\n";
    for (const auto& sample : report.wrong)
        out += fmt::format(
            "<figure>{}<figcaption>{} → <b>{}</b><br/>{}<br/>image {}</figcaption></figure>\n",
            img(sample.picture, factor, sample_title(sample)),
            escaped(shortened(class_title(report, sample.actual), 20)),
            escaped(shortened(class_title(report, sample.predicted), 20)),
            percent_text(chance(sample, sample.predicted)), sample.number + 1);
    out += "</div>\n</section>\n";
}

/// The most probable classes, the true one among them.
std::string chances_table(const ImageReport& report, const ImageSample& sample) {
    constexpr std::size_t most = 4;
    std::vector<int> order(sample.probabilities.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return chance(sample, a) > chance(sample, b); });
    if (order.size() > most) {
        const auto actual = std::find(order.begin(), order.end(), sample.actual);
        if (actual != order.end() && actual - order.begin() >= static_cast<std::ptrdiff_t>(most))
            std::iter_swap(actual, order.begin() + static_cast<std::ptrdiff_t>(most) - 1);
        order.resize(most);
    }
    const auto shown =
        sample.lines.empty() ? std::vector<ShownClass>() : shown_classes(sample, sample.lines[0]);
    std::string out = "<table class=\"chances\">\n";
    for (const int k : order) {
        const auto own = std::find_if(shown.begin(), shown.end(),
                                      [&](const ShownClass& one) { return one.label == k; });
        out += fmt::format(
            R"(<tr><th scope="row">{}</th><td><i style="width:{:.1f}%;)"
            R"(background:{}"></i></td><td>{}</td></tr>)"
            "\n",
            escaped(shortened(class_title(report, k), 18)),
            std::isfinite(chance(sample, k)) ? std::clamp(100.0 * chance(sample, k), 0.0, 100.0)
                                             : 0.0,
            own == shown.end() ? grey : own->colour, percent_text(chance(sample, k)));
    }
    return out + "</table>\n";
}

/// Scores as sums: the constant, what each field adds, the total; of the first few classes.
std::string sums_table(const ImageReport& report, const ImageSample& sample) {
    std::vector<std::size_t> columns;
    for (const auto& one : shown_classes(sample, sample.lines[0]))
        columns.push_back(static_cast<std::size_t>(one.label));
    std::string out =
        "<details><summary>What each field adds to the scores</summary>\n<table class=\"shares\">\n"
        "<tr><td></td>";
    for (const auto k : columns)
        out += fmt::format("<th scope=\"col\">{}</th>",
                           escaped(shortened(class_title(report, static_cast<int>(k)), 12)));
    out += "</tr>\n";
    auto total = sample.constant;
    const auto append_row = [&](const std::string& name, const std::vector<double>& values) {
        out += fmt::format("<tr><th scope=\"row\">{}</th>", name);
        for (const auto k : columns)
            out += fmt::format("<td>{}</td>", k < values.size() ? number(values[k]) : "");
        out += "</tr>\n";
    };
    append_row("the constant", sample.constant);
    for (std::size_t m = 0; m < sample.shares.size(); ++m) {
        append_row(fmt::format("field {}", m + 1), sample.shares[m]);
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += sample.shares[m][k];
    }
    append_row("score", total);
    return out + "</table>\n</details>\n";
}

std::string line_caption(const ImageReport& report, const ImageSample& sample,
                         const ImageLine& line) {
    std::string out;
    for (const auto& [label, colour] : shown_classes(sample, line)) {
        std::string_view role;
        if (label == sample.actual && label != sample.predicted) role = ", the true class";
        if (label == sample.predicted) role = ", the answer";
        out += key(colour, class_title(report, label) + std::string(role));
    }
    if (report.classes.size() > shown_classes(sample, line).size())
        out += key(grey,
                   report.classes.size() > most_classes ? "some of the others" : "other classes");
    return out;
}

void append_lines(std::string& out, const ImageReport& report, const ImageSample& sample,
                  std::size_t factor) {
    for (const auto& line : sample.lines) {
        if (report.fields > 1) {
            const auto k = static_cast<std::size_t>(std::max(sample.predicted, 0));
            out += fmt::format(
                "<h5>The line of field {}, which adds {} to the score of {}</h5>\n", line.field + 1,
                line.field < sample.shares.size() ? number(sample.shares[line.field][k]) : "–",
                escaped(class_title(report, sample.predicted)));
        }
        out += fmt::format(
            "<figure><div class=\"strip\">{}</div><figcaption>{}</figcaption>"
            "</figure>\n",
            image_line_figure(report, sample, line, factor), line_caption(report, sample, line));
    }
    if (report.fields > 1 && !sample.lines.empty()) out += sums_table(report, sample);
}

void append_sample(std::string& out, const ImageReport& report, const ImageSample& sample,
                   std::size_t factor) {
    const bool known = sample.predicted >= 0 && sample.actual >= 0;
    const bool wrong = known && sample.predicted != sample.actual;
    out += "<article class=\"panel sample\">\n<div class=\"who\">";
    out += img(sample.picture, factor, sample_title(sample));
    out += fmt::format("<div><h3>{}</h3>", escaped(sample_title(sample)));
    if (sample.predicted >= 0)
        out += fmt::format("<span class=\"chip{}\">{} {}</span>", wrong ? " wrong" : "",
                           wrong   ? "✗ taken for"
                           : known ? "✓ taken for"
                                   : "taken for",
                           escaped(class_title(report, sample.predicted)));
    if (sample.actual >= 0)
        out += fmt::format("<span class=\"chip\">truly {}</span>",
                           escaped(class_title(report, sample.actual)));
    if (!sample.failure.empty())
        out += fmt::format("<p>There is no answer: {}</p>", escaped(sample.failure));
    out += "</div>\n";
    if (!sample.probabilities.empty()) out += chances_table(report, sample);
    out += "</div>\n";
    append_lines(out, report, sample, factor);
    out += "</article>\n";
}

/// How the figures are to be read, once.
std::string reading_note(const ImageReport& report) {
    std::string out;
    if (report.latent)
        out = fmt::format(
            "The line lives in the latent space, so it has no pictures of its own. Above it stand "
            "the nearest of {} at some of its places, with their true class, if it is known, and "
            "their distance; half of the images have another one within {}. No image lies further "
            "out than the outermost of these places.",
            counted(report.compared, "image"), number(report.usual_distance, 2));
    else
        out =
            "The pictures are the points of the line, from where it enters the domain to where it "
            "leaves it; the framed one is the image itself. Values beyond black and white are cut "
            "off in pictures, not in their change against the image in the row below: the number "
            "is what all pixels gain or lose on average, the colours what some of them gain "
            "(orange) or lose (blue) beyond that.";
    out += " Under them: what the model answers there.";
    if (report.fields > 1) {
        bool all = false;
        for (const auto& group : report.groups)
            for (const auto& sample : group.samples) all = all || sample.lines.size() > 1;
        out += all ? " The fields that add most to the answer come first."
                   : fmt::format(" Of {} fields the one that adds most to the answer is shown.",
                                 count_word(report.fields));
    }
    return out;
}

}  // namespace

std::string html_image_report(const ImageReport& report) {
    check(report);
    const auto factor = shrink_factor(report);
    auto out = page_start(report.title, image_style_sheet);
    out += "<main>\n";
    append_title(out, report.title, report.subtitle, report.facts);
    append_story(out, report);
    append_confusion(out, report);
    append_gallery(out, report, factor);
    bool first = true;
    for (const auto& group : report.groups) {
        out += fmt::format("<section>\n<h2>{}</h2>\n<p class=\"lead\">{}{}</p>\n",
                           escaped(group.title), escaped(group.lead),
                           first ? (group.lead.empty() ? "" : " ") + reading_note(report) : "");
        first = false;
        for (const auto& sample : group.samples) append_sample(out, report, sample, factor);
        out += "</section>\n";
    }
    append_settings(out, report.settings);
    return out + page_end();
}

}  // namespace deepsl::report
