#include "deepsl/report/page.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "deepsl/error.h"
#include "deepsl/report/svg.h"
#include "report/figures.h"
#include "report/sections.h"
#include "report/style.h"

namespace deepsl::report {
namespace {

using namespace detail;

void check_length(std::string_view name, std::size_t given, std::size_t wanted) {
    if (given != wanted)
        throw argument_error(
            fmt::format("html_report: {} has {} values, but {} belong to it", name, given, wanted));
}

void check_map(std::string_view name, const DecisionMap& map) {
    check_length(fmt::format("{}.winner", name), map.winner.size(), map.columns * map.rows);
    check_length(fmt::format("{}.confidence", name), map.confidence.size(), map.columns * map.rows);
}

void check_curve(std::string_view name, const Curve& curve) {
    check_length(fmt::format("{}.y", name), curve.y.size(), curve.x.size());
}

void check_line(const std::string& name, const SampleLine& line) {
    check_curve(name + ".line", line.line);
    check_length(name + ".p", line.p.size(), line.t.size());
    check_length(name + ".q", line.q.size(), line.t.size());
    check_length(name + ".w", line.w.size(), line.t.size());
    for (const auto& u : line.u) check_length(name + ".u[i]", u.size(), line.u_t.size());
    for (const auto& row : line.contributions)
        check_length(name + ".contributions[k]", row.size(), line.contributions[0].size());
}

void check_sample(const std::string& name, const Sample& sample) {
    for (std::size_t m = 0; m < sample.lines.size(); ++m) {
        const auto line = fmt::format("{}.lines[{}]", name, m);
        check_line(line, sample.lines[m]);
        check_length(line + ".contributions", sample.lines[m].contributions.size(),
                     sample.lines[0].contributions.size());
    }
    if (!sample.constant.empty() && !sample.lines.empty())
        check_length(name + ".constant", sample.constant.size(),
                     sample.lines[0].contributions.size());
}

void check(const Report& report) {
    check_map("map", report.map);
    check_curve("outline", report.outline);
    check_curve("predicted", report.predicted);
    check_curve("truth", report.truth);
    for (const auto& field : report.lines)
        for (const auto& line : field) check_curve("lines[m][i]", line);
    for (std::size_t i = 0; i < report.samples.size(); ++i)
        check_sample(fmt::format("samples[{}]", i), report.samples[i]);
    for (const auto& field : report.spectra)
        for (const auto& band : field) {
            if (!band.low.empty()) check_length("spectra.low", band.low.size(), band.middle.size());
            check_length("spectra.high", band.high.size(), band.low.size());
        }
    if (!report.baseline) return;
    check_map("baseline.map", report.baseline->map);
    check_curve("baseline.predicted", report.baseline->predicted);
}

void append_story(std::string& out, const Report& report) {
    const auto fields = field_count(report);
    out += "<div class=\"story\"><p>The model fills the space of the data with ";
    out += fields == 1
               ? "a current. Through every sample runs one line of it, from one edge of the domain "
                 "to the other, and on that line the model strings a wire"
               : fmt::format(
                     "{} currents, its fields. Through every sample runs one line of each, "
                     "from one edge of the domain to the other, and on each of these lines "
                     "the model strings a wire",
                     count_word(fields));
    out +=
        ", clamped at both ends: its stiffness <i>p</i>, the bed it rests in <i>q</i> and its mass "
        "<i>w</i> are learned, and differ from place to place";
    if (fields > 1) out += " and from field to field";
    out +=
        ". A wire can swing in its own pure shapes only. How far each of the first few of them "
        "swings out just where the sample sits is all that the last layer, a plain linear map, "
        "gets to see before it names a ";
    out += report.one_dimensional ? "value" : "class";
    if (fields > 1) out += fmt::format(": what the {} wires say is added up", count_word(fields));
    out += ".</p>";
    out += "<div class=\"symbols\">";
    out += fields == 1 ? "<p>dz/dt = a(z), &#160; z(0) = x</p><p>−(p u′)′ + q u = λ w u</p>"
                         "<p>u(t₋) = u(t₊) = 0</p>"
                         "<p>F(x) = c + Σ<sub>i</sub> L<sub>i</sub> u<sub>i</sub>(t = 0)</p>"
                       : fmt::format("<p>for each field m = 1{} {}:</p>",
                                     fields == 2 ? "," : ", …,", fields) +
                             "<p>dz/dt = a<sub>m</sub>(z), &#160; z(0) = x</p>"
                             "<p>−(p<sub>m</sub> u′)′ + q<sub>m</sub> u = λ w<sub>m</sub> u</p>"
                             "<p>u(t₋) = u(t₊) = 0</p>"
                             "<p>F(x) = c + Σ<sub>m</sub> Σ<sub>i</sub> L<sub>mi</sub> "
                             "u<sub>mi</sub>(t = 0)</p>";
    out += "</div></div>\n";
}

void append_header(std::string& out, const Report& report) {
    const auto title = report.title.empty() ? "A Deep Sturm–Liouville model" : report.title;
    out += "<header>\n<p class=\"brand\">Deep Sturm–Liouville</p>\n";
    out += fmt::format("<h1>{}</h1>\n", escaped(title));
    if (!report.subtitle.empty())
        out += fmt::format("<p class=\"subtitle\">{}</p>\n", escaped(report.subtitle));
    out += "</header>\n";
    if (!report.facts.empty()) {
        out += "<div class=\"cards\">\n";
        for (const auto& fact : report.facts) {
            out += fmt::format(R"(<div class="card"><div class="label">{}</div>)"
                               R"(<div class="value">{}</div>)",
                               escaped(fact.label), escaped(fact.value));
            if (!fact.note.empty())
                out += fmt::format(R"(<div class="note">{}</div>)", escaped(fact.note));
            out += "</div>\n";
        }
        out += "</div>\n";
    }
    append_story(out, report);
}

void append_settings(std::string& out, const Report& report) {
    if (report.settings.empty()) return;
    out += "<section>\n<details><summary>All settings</summary>\n<table>\n";
    for (const auto& [name, value] : report.settings)
        out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name),
                           escaped(value));
    out += "</table>\n</details>\n</section>\n";
}

/// A field's lines in the plane can be switched off.
std::string field_switches(const Report& report) {
    std::string rules;
    for (std::size_t m = 1; m <= shown_fields(report); ++m)
        rules += fmt::format(
            ".plane:has(#show-field{0}:not(:checked)) .field{0} {{ display: none; }}\n", m);
    return rules;
}

}  // namespace

std::size_t detail::field_count(const Report& report) {
    auto count = std::max({std::size_t{1}, report.lines.size(), report.spectra.size()});
    for (const auto& sample : report.samples) count = std::max(count, sample.lines.size());
    return count;
}

std::size_t detail::shown_fields(const Report& report) {
    return std::min(field_count(report), most_fields);
}

std::size_t detail::shown_samples(const Report& report) {
    return std::min(
        {report.samples.size(), most_samples, most_sample_lines / shown_fields(report)});
}

std::size_t detail::most_lines_each(const Report& report) {
    return most_lines / shown_fields(report);
}

std::string detail::count_word(std::size_t count) {
    constexpr std::array words = {"no", "one", "two", "three", "four", "five", "six"};
    return count < words.size() ? words[count] : std::to_string(count);
}

std::string html_report(const Report& report) {
    check(report);
    std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
    out += R"(<meta name="viewport" content="width=device-width, initial-scale=1"/>)";
    out += fmt::format("\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
                       escaped(report.title.empty() ? "Deep Sturm–Liouville" : report.title),
                       style_sheet, field_switches(report));
    if (has_plane(report)) out += map_images(report);
    out += "<main>\n";
    append_header(out, report);
    append_plane(out, report);
    append_fit(out, report);
    append_samples(out, report);
    append_spectra(out, report);
    append_training(out, report);
    append_settings(out, report);
    out +=
        "<footer>Made by deepsl. The page is complete in itself; keep it with the "
        "model.</footer>\n";
    out += fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", script);
    return out;
}

}  // namespace deepsl::report
