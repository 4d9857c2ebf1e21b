#include "report_sections.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "deepsl/text.h"
#include "report_figures.h"
#include "report_plot.h"

namespace deepsl::io::detail {
namespace {

std::string legend(const Report& report) {
    std::set<int> labels;
    for (const auto& point : report.points) labels.insert(std::max(point.label, 0));
    for (const int winner : report.map.winner)
        if (winner >= 0) labels.insert(winner);
    std::string out = "<ul class=\"legend\">\n";
    std::size_t listed = 0;
    for (const int label : labels) {
        if (++listed > 12) break;
        out += fmt::format(R"(<li><svg viewBox="-10 -10 20 20" aria-hidden="true"><path )"
                           R"(d="M0 0{}" fill="{}"/></svg>{}</li>)"
                           "\n",
                           marker(label, 5.5), class_colour(label),
                           escaped(class_name(report, label)));
    }
    if (labels.size() > 12) out += fmt::format("<li>… {} more</li>\n", labels.size() - 12);
    out += "</ul>\n<ul class=\"legend\">\n";
    const auto toggle = [&](std::string_view id, std::string_view text, bool present) {
        if (present)
            out += fmt::format(R"(<li><label><input type="checkbox" id="{}" checked="checked"/>)"
                               R"({}</label></li>)"
                               "\n",
                               id, text);
    };
    const auto any_point = [&](bool is_test) {
        return std::any_of(report.points.begin(), report.points.end(),
                           [=](const DataPoint& point) { return point.is_test == is_test; });
    };
    toggle("show-train", "training points, pale", any_point(false));
    toggle("show-test", "test points; a ring marks a wrong answer", any_point(true));
    toggle("show-lines", "field lines, with their direction", !report.lines.empty());
    toggle("show-chosen", "the samples followed below", !report.samples.empty());
    return out + "</ul>\n";
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

std::string thinning_note(const Report& report) {
    std::string note;
    if (report.points.size() > most_points)
        note += fmt::format(" {} of {} points are drawn.", most_points, report.points.size());
    if (report.lines.size() > most_lines)
        note += fmt::format(" {} of {} lines are drawn.", most_lines, report.lines.size());
    return note;
}

void append_step(std::string& out, int step, std::string_view name, const std::string& figure,
                 std::string_view caption) {
    out += fmt::format("<figure><h4><b>{}</b>{}</h4>\n{}<figcaption>{}</figcaption></figure>\n",
                       step, name, figure, caption);
}

void append_sample(std::string& out, const Report& report, std::size_t index) {
    const auto& sample = report.samples[index];
    const bool is_wrong =
        sample.predicted >= 0 && sample.actual >= 0 && sample.predicted != sample.actual;
    out += fmt::format(
        "<article class=\"panel sample\">\n<header><span class=\"letter\">{}</span>"
        "<h3>{}</h3>",
        sample_letters[index], escaped(sample.title));
    if (sample.predicted >= 0)
        out += fmt::format("<span class=\"chip{}\">{} {}</span>", is_wrong ? " wrong" : "",
                           is_wrong ? "✗ taken for" : "predicted",
                           escaped(class_name(report, sample.predicted)));
    if (sample.actual >= 0)
        out += fmt::format("<span class=\"chip\">actually {}</span>",
                           escaped(class_name(report, sample.actual)));
    out += fmt::format("<p>On its line from t₋&#160;=&#160;{} to t₊&#160;=&#160;{}.",
                       number(sample.t_minus), number(sample.t_plus));
    if (!sample.lambda.empty())
        out +=
            fmt::format(" λ₁&#160;=&#160;{}, λ{}&#160;=&#160;{}.", number(sample.lambda.front(), 5),
                        subscript(sample.lambda.size()), number(sample.lambda.back(), 5));
    out += "</p></header>\n<div class=\"three\">\n";
    int step = 0;
    if (!sample.line.x.empty() && !report.one_dimensional)
        append_step(out, ++step, "The line", locator_figure(report, index),
                    "Where the current carries this sample, forwards and backwards.");
    if (!sample.t.empty())
        append_step(out, ++step, "What it meets", coefficients_figure(sample),
                    "Stiffness p, bed q and mass w along the line. The sample sits at the dotted "
                    "mark, t = 0.");
    if (!sample.u.empty())
        append_step(out, ++step, "How the wire swings", eigenfunctions_figure(sample),
                    "The first eigenfunctions, each at its own scale. The dots are what the sample "
                    "reads off.");
    if (!sample.lambda.empty())
        append_step(out, ++step, "At which pitch", spectrum_figure(sample),
                    "Eigenvalues λ. Dashed: (iπ / ∫√(w/p) dt)², the pitch of an even wire just as "
                    "long; what differs is the work of q and of uneven p and w.");
    if (!sample.u_at_x.empty())
        append_step(out, ++step, "The reading", basis_figure(sample),
                    "u at the sample, as the linear map receives it.");
    if (!sample.contributions.empty())
        append_step(out, ++step, "The verdict", scores_figure(report, sample),
                    sample.contributions.size() > 1
                        ? "Scores, as one function after another is added. Who is on top at the "
                          "right end wins."
                        : "The prediction, as one function after another is added.");
    out += "</div>\n</article>\n";
}

}  // namespace

void append_plane(std::string& out, const Report& report) {
    if (!has_plane(report)) return;
    out +=
        "<section>\n<h2>The plane, as the model sees it</h2>\n"
        "<p class=\"lead\">Colour tells which class wins, and fades where the decision is close. "
        "The thin lines are the learned current. All points of one line share one wire, and along "
        "it the score is one fixed mixture of the shapes in which that wire swings; from line to "
        "line it changes with the coefficients met on the way.";
    out += thinning_note(report) + "</p>\n<div class=\"plane\">\n<figure>\n";
    out += plane_figure(report) + "</figure>\n<aside>\n" + legend(report);
    const auto other = baseline_figure(report);
    if (!other.empty())
        out += fmt::format(
            "<figure><h4>{0}, for comparison</h4>\n{1}<figcaption>The same data and "
            "colours, seen by {0}; test points only.</figcaption></figure>\n",
            escaped(report.baseline->name), other);
    out += "</aside>\n</div>\n</section>\n";
}

void append_fit(std::string& out, const Report& report) {
    if (!report.one_dimensional) return;
    out +=
        "<section>\n<h2>The curve, as the model draws it</h2>\n"
        "<p class=\"lead\">In one dimension there is a single line, the axis itself, and every "
        "sample sits somewhere on it. The prediction is one mixture of the wire’s swinging "
        "shapes.";
    out += thinning_note(report) + "</p>\n<figure class=\"panel large\">\n" + fit_figure(report);
    out += "<figcaption>" + key(violet, "Deep Sturm–Liouville");
    if (report.baseline && !report.baseline->predicted.x.empty())
        out += key(grey, report.baseline->name);
    if (!report.truth.x.empty()) out += key(ink, "the truth", true);
    out += "Pale dots: training data; open dots: test data.</figcaption></figure>\n</section>\n";
}

void append_samples(std::string& out, const Report& report) {
    if (report.samples.empty()) return;
    out +=
        "<section>\n<h2>From a point to a verdict</h2>\n"
        "<p class=\"lead\">The whole computation, step by step, for a few samples. Nothing is "
        "hidden between the pictures: each follows from the one before.</p>\n";
    for (std::size_t i = 0; i < std::min(report.samples.size(), most_samples); ++i)
        append_sample(out, report, i);
    out += "</section>\n";
}

void append_spectra(std::string& out, const Report& report) {
    auto bands = report.spectra;
    const bool own = !bands.empty();
    for (std::size_t i = 0; !own && i < std::min(report.samples.size(), most_samples); ++i)
        if (!report.samples[i].lambda.empty())
            bands.push_back(
                {fmt::format("sample {}", sample_letters[i]), {}, report.samples[i].lambda, {}});
    if (bands.empty()) return;
    out += "<section>\n<h2>The spectra</h2>\n<div class=\"wide\">\n<figure class=\"panel\">\n";
    out += spectra_figure(bands);
    out +=
        fmt::format("<figcaption>Eigenvalues λᵢ against i{}.</figcaption></figure>\n<div>\n",
                    own ? ", the middle of each group and its spread" : ", for the samples above");
    out +=
        "<p>The eigenvalues are the pitches of the wire, squared. Far up they grow like i², "
        "whatever was learned: short waves feel the length of the wire and little else. What the "
        "model can shape is the low end.</p>\n<p>A training that keeps the eigenvalues small "
        "keeps the functions calm along the lines, and with them the prediction. That is the "
        "method’s own brake on overfitting.</p>\n</div>\n</div>\n</section>\n";
}

void append_training(std::string& out, const Report& report) {
    const auto has = [](const std::vector<Epoch>& history, double Epoch::*value) {
        return std::any_of(history.begin(), history.end(),
                           [=](const Epoch& epoch) { return drawable(epoch.*value); });
    };
    const std::vector<Epoch> none;
    const auto& other = report.baseline ? report.baseline->history : none;
    if (report.history.empty() && other.empty()) return;
    const auto other_name = report.baseline ? report.baseline->name : "";
    out += "<section>\n<h2>The training</h2>\n<div class=\"panel three\">\n";
    const auto add = [&](std::string_view name, const std::string& figure,
                         const std::string& keys) {
        out += fmt::format("<figure><h4>{}</h4>\n{}<figcaption>{}</figcaption></figure>\n",
                           escaped(name), figure, keys);
    };
    const auto key_if = [](bool present, const std::string& entry) {
        return present ? entry : std::string();
    };
    const auto& history = report.history;
    if (has(history, &Epoch::loss) || has(other, &Epoch::loss))
        add("Loss", loss_figure(report),
            key_if(has(history, &Epoch::loss), key(violet, "loss")) +
                key_if(has(history, &Epoch::spectral), key(pale_violet, "its spectral part")) +
                key_if(has(other, &Epoch::loss), key(grey, other_name, true)));
    if (has(history, &Epoch::validation_metric) || has(history, &Epoch::train_metric) ||
        has(other, &Epoch::validation_metric))
        add(capitalised(report.metric) + (report.metric_is_share ? ", %" : ""),
            metric_figure(report),
            key_if(has(history, &Epoch::validation_metric), key(violet, "validation")) +
                key_if(has(history, &Epoch::train_metric), key(pale_violet, "training")) +
                key_if(has(other, &Epoch::validation_metric), key(grey, other_name, true)));
    if (has(history, &Epoch::mean_lambda_first) || has(history, &Epoch::mean_lambda_last))
        add("Eigenvalues, mean over the samples", eigenvalue_figure(report),
            key(violet, "the first") + key(pale_violet, "the last"));
    out += "</div>\n</section>\n";
}

}  // namespace deepsl::io::detail
