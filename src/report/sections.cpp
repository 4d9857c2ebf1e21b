#include "report/sections.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "deepsl/text.h"
#include "report/figures.h"
#include "report/plot.h"

namespace deepsl::report::detail {
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
    const auto fields = std::min(report.lines.size(), most_fields);
    for (std::size_t m = 0; m < fields; ++m)
        toggle(fmt::format("show-field{}", m + 1),
               report.lines.size() == 1
                   ? "field lines, with their direction"
                   : key(field_colour(m), fmt::format("lines of field {}", m + 1)),
               !report.lines[m].empty());
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
    const auto fields = field_count(report);
    if (fields > most_fields)
        note += fmt::format(" {} of {} fields are drawn.", most_fields, fields);
    std::size_t lines = 0, drawn = 0;
    for (std::size_t m = 0; m < std::min(report.lines.size(), most_fields); ++m) {
        lines += report.lines[m].size();
        drawn += std::min(report.lines[m].size(), most_lines_each(report));
    }
    if (drawn < lines) note += fmt::format(" {} of {} lines are drawn.", drawn, lines);
    return note;
}

struct Step {
    std::string_view name;
    std::string figure;
    std::string_view caption;  // none if empty
};

void append_step(std::string& out, int number, const Step& step) {
    out += fmt::format("<figure><h4><b>{}</b>{}</h4>\n{}", number, step.name, step.figure);
    if (!step.caption.empty()) out += fmt::format("<figcaption>{}</figcaption>", step.caption);
    out += "</figure>\n";
}

/// From the line to what is read off; what is not known is left out.
std::vector<Step> steps_of(const Report& report, std::size_t sample, std::size_t field) {
    const auto& line = report.samples[sample].lines[field];
    const LineLook look = field_count(report) == 1
                              ? LineLook{340.0, 300.0, 230.0, violet}
                              : LineLook{214.0, 230.0, 230.0, field_colour(field)};
    std::vector<Step> steps;
    if (!line.line.x.empty() && !report.one_dimensional)
        steps.push_back({"The line", locator_figure(report, sample, field),
                         "Where the current carries this sample, forwards and backwards."});
    if (!line.t.empty())
        steps.push_back({"What it meets", coefficients_figure(line, look),
                         "Stiffness p, bed q and mass w along the line. The sample sits at the "
                         "dotted mark, t&#160;=&#160;0."});
    if (!line.u.empty())
        steps.push_back({"How the wire swings", eigenfunctions_figure(line, look),
                         "The first eigenfunctions, each at its own scale. The dots are what the "
                         "sample reads off."});
    if (!line.lambda.empty())
        steps.push_back({"At which pitch", spectrum_figure(line, look),
                         "Eigenvalues λ. Dashed: (iπ / ∫√(w/p) dt)², the pitch of an even wire "
                         "just as long; what differs is the work of q and of uneven p and w."});
    if (!line.u_at_x.empty())
        steps.push_back({"The reading", basis_figure(line, look),
                         "u at the sample, as the linear map receives it."});
    return steps;
}

std::string line_summary(const SampleLine& line) {
    auto text = fmt::format("from t₋&#160;=&#160;{} to t₊&#160;=&#160;{}.", number(line.t_minus),
                            number(line.t_plus));
    if (!line.lambda.empty())
        text +=
            fmt::format(" λ₁&#160;=&#160;{}, λ{}&#160;=&#160;{}.", number(line.lambda.front(), 5),
                        subscript(line.lambda.size()), number(line.lambda.back(), 5));
    return text;
}

/// One field after another in rows of small figures that stand below one another, then the sum.
void append_rows(std::string& out, const Report& report, std::size_t index) {
    const auto& sample = report.samples[index];
    const auto shown = std::min(sample.lines.size(), most_fields);
    int number = 0;
    for (std::size_t m = 0; m < shown; ++m) {
        out += fmt::format(R"(<p class="field" style="border-color:{0}"><b style="color:{0}">)"
                           "Field {1}</b> Its line runs {2}</p>\n<div class=\"row\">\n",
                           field_colour(m), m + 1, line_summary(sample.lines[m]));
        number = 0;
        for (auto step : steps_of(report, index, m)) {
            if (m + 1 < shown) step.caption = {};
            append_step(out, ++number, step);
        }
        out += "</div>\n";
    }
    if (sample.lines[0].contributions.empty()) return;
    out += "<div class=\"sum\">\n";
    const bool several = sample.lines[0].contributions.size() > 1;
    append_step(out, ++number,
                {"The verdict", scores_figure(report, sample),
                 several ? "Scores: the constant, then one function after another is added, field "
                           "by field. Who is on top at the right end wins."
                         : "The prediction: the constant, then one function after another is "
                           "added, field by field."});
    out += fmt::format("<figure><h4>What each field adds</h4>\n{}</figure>\n</div>\n",
                       shares_table(report, sample));
}

/// What the sample owes to its columns.
void append_columns(std::string& out, const Sample& sample) {
    if (sample.columns.empty() && sample.remark.empty()) return;
    out += "<div class=\"wide columns\">\n";
    if (!sample.columns.empty())
        out += fmt::format(
            "<figure><h4>What each column adds</h4>\n{}<figcaption>To the {}, over a usual row: "
            "exact gradients, integrated from there to here.</figcaption></figure>\n",
            bars_figure(sample.columns, 620.0, true),
            sample.predicted >= 0 ? "score of the class that is predicted" : "prediction");
    if (!sample.remark.empty()) out += fmt::format("<p>{}</p>\n", escaped(sample.remark));
    out += "</div>\n";
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
    if (sample.lines.size() == 1)
        out += fmt::format("<p>On its line {}</p>", line_summary(sample.lines[0]));
    out += "</header>\n";
    if (sample.lines.size() > 1) {
        append_rows(out, report, index);
    } else if (!sample.lines.empty()) {
        out += "<div class=\"three\">\n";
        int number = 0;
        for (const auto& step : steps_of(report, index, 0)) append_step(out, ++number, step);
        const auto outputs = sample.lines[0].contributions.size();
        if (outputs > 0)
            append_step(out, ++number,
                        {"The verdict", scores_figure(report, sample),
                         outputs > 1 ? "Scores, as one function after another is added. Who is on "
                                       "top at the right end wins."
                                     : "The prediction, as one function after another is added."});
        out += "</div>\n";
    }
    append_columns(out, sample);
    out += "</article>\n";
}

/// Spectra of the samples' own lines, by field.
std::vector<std::vector<SpectrumBand>> sample_spectra(const Report& report) {
    std::vector<std::vector<SpectrumBand>> spectra(field_count(report));
    for (std::size_t i = 0; i < shown_samples(report); ++i)
        for (std::size_t m = 0; m < report.samples[i].lines.size(); ++m) {
            const auto& lambda = report.samples[i].lines[m].lambda;
            if (!lambda.empty())
                spectra[m].push_back({fmt::format("sample {}", sample_letters[i]), {}, lambda, {}});
        }
    return spectra;
}

}  // namespace

void append_plane(std::string& out, const Report& report) {
    if (!has_plane(report)) return;
    const auto fields = field_count(report);
    out +=
        "<section>\n<h2>The plane, as the model sees it</h2>\n"
        "<p class=\"lead\">Colour tells which class wins, and fades where the decision is close. "
        "The thin lines are ";
    if (fields == 1)
        out +=
            "the learned current. All points of one line share one wire, and along it the score is "
            "one fixed mixture of the shapes in which that wire swings; from line to line it "
            "changes with the coefficients met on the way.";
    else
        out += fmt::format(
            "the {} learned currents, each in its own colour. All points of one line share one "
            "wire, and along it what its field adds to the score is one fixed mixture of the "
            "shapes in which that wire swings; from line to line it changes with the coefficients "
            "met on the way. The score is the sum of what all fields add, and a constant.",
            count_word(fields));
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
        "sample sits somewhere on it. ";
    const auto fields = field_count(report);
    out += fields == 1 ? "The prediction is one mixture of the wire’s swinging shapes."
                       : fmt::format(
                             "Each of the {} fields strings a wire of its own on it, and the "
                             "prediction is one mixture of the swinging shapes of all of them.",
                             count_word(fields));
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
        "hidden between the pictures: each follows from the one before.";
    if (field_count(report) > 1)
        out += " Every field has its row; only in the verdict do they meet.";
    out += "</p>\n";
    for (std::size_t i = 0; i < shown_samples(report); ++i) append_sample(out, report, i);
    out += "</section>\n";
}

void append_importance(std::string& out, const Report& report) {
    if (report.importance.empty()) return;
    out += fmt::format(
        "<section>\n<h2>The columns it relies on</h2>\n<p class=\"lead\">How much larger the {} is "
        "on these rows when the cells of one column change places by chance, while all others stay "
        "where they are. Columns that say the same share what they are worth.</p>\n"
        "<figure class=\"panel\">\n{}</figure>\n</section>\n",
        escaped(report.importance_name), bars_figure(report.importance, 620.0, false));
}

void append_spectra(std::string& out, const Report& report) {
    const auto fields = shown_fields(report);
    const bool own = !report.spectra.empty();
    auto spectra = own ? report.spectra : sample_spectra(report);
    spectra.resize(fields);
    if (std::all_of(spectra.begin(), spectra.end(),
                    [](const auto& bands) { return bands.empty(); }))
        return;
    out += fmt::format("<section>\n<h2>The spectra</h2>\n<div class=\"{}\">\n",
                       fields == 1 ? "wide" : "fields");
    for (std::size_t m = 0; m < fields; ++m) {
        out += "<figure class=\"panel\">\n";
        if (fields > 1)
            out += fmt::format("<h4 style=\"color:{}\">Field {}</h4>\n", field_colour(m), m + 1);
        out += spectra_figure(spectra, m);
        out += fmt::format(
            "<figcaption>Eigenvalues λᵢ{} against i{}.</figcaption></figure>\n",
            fields > 1 ? fmt::format(" of field {}", m + 1) : "",
            own ? ", the middle of each group and its spread" : ", for the samples above");
    }
    // Beside one figure, below several.
    out += fields == 1 ? "<div>\n" : "</div>\n<div class=\"notes\">\n";
    out +=
        "<p>The eigenvalues are the pitches of the wire, squared. Far up they grow like i², "
        "whatever was learned: short waves feel the length of the wire and little else. What the "
        "model can shape is the low end.</p>\n<p>A training that keeps the eigenvalues small "
        "keeps the functions calm along the lines, and with them ";
    out += fields == 1 ? "the prediction" : "what each field adds to the prediction";
    out += ". That is the method’s own brake on overfitting.</p>\n";
    out += fields == 1 ? "</div>\n</div>\n</section>\n" : "</div>\n</section>\n";
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
            field_count(report) == 1
                ? key(violet, "the first") + key(pale_violet, "the last")
                : key(violet, "the smallest of all fields") + key(pale_violet, "the largest"));
    out += "</div>\n</section>\n";
}

}  // namespace deepsl::report::detail
