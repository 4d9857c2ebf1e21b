#include "deepsl/io/report.h"

#include <stdexcept>
#include <string_view>

#include "report_figures.h"
#include "report_sections.h"
#include "report_style.h"
#include "svg.h"

namespace deepsl::io {
namespace {

using namespace detail;

void check_length(std::string_view name, std::size_t given, std::size_t wanted) {
    if (given != wanted)
        throw std::invalid_argument(
            fmt::format("html_report: {} has {} values, but {} belong to it", name, given, wanted));
}

void check_map(std::string_view name, const DecisionMap& map) {
    check_length(fmt::format("{}.winner", name), map.winner.size(), map.columns * map.rows);
    check_length(fmt::format("{}.confidence", name), map.confidence.size(), map.columns * map.rows);
}

void check_curve(std::string_view name, const Curve& curve) {
    check_length(fmt::format("{}.y", name), curve.y.size(), curve.x.size());
}

void check_sample(const std::string& name, const SampleLine& sample) {
    check_curve(name + ".line", sample.line);
    check_length(name + ".p", sample.p.size(), sample.t.size());
    check_length(name + ".q", sample.q.size(), sample.t.size());
    check_length(name + ".w", sample.w.size(), sample.t.size());
    for (const auto& u : sample.u) check_length(name + ".u[i]", u.size(), sample.u_t.size());
    for (const auto& row : sample.contributions)
        check_length(name + ".contributions[k]", row.size(), sample.contributions[0].size());
    if (!sample.offset.empty())
        check_length(name + ".offset", sample.offset.size(), sample.contributions.size());
}

void check(const Report& report) {
    check_map("map", report.map);
    check_curve("outline", report.outline);
    check_curve("predicted", report.predicted);
    check_curve("truth", report.truth);
    for (const auto& line : report.lines) check_curve("lines[i]", line);
    for (std::size_t i = 0; i < report.samples.size(); ++i)
        check_sample(fmt::format("samples[{}]", i), report.samples[i]);
    for (const auto& band : report.spectra) {
        if (!band.low.empty()) check_length("spectra.low", band.low.size(), band.middle.size());
        check_length("spectra.high", band.high.size(), band.low.size());
    }
    if (!report.baseline) return;
    check_map("baseline.map", report.baseline->map);
    check_curve("baseline.predicted", report.baseline->predicted);
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
    out += fmt::format(
        R"(<div class="story"><p>The model fills the space of the data with a current. Through )"
        R"(every sample runs one line of it, from one edge of the domain to the other, and on that )"
        R"(line the model strings a wire, clamped at both ends: its stiffness <i>p</i>, the bed )"
        R"(it rests in <i>q</i> and its mass <i>w</i> are learned, and differ from place to place. )"
        R"(A wire can swing in its own pure shapes only. How far each of the first few of them )"
        R"(swings out just where the sample sits is all that the last layer, a plain linear map, )"
        R"(gets to see before it names a {}.</p>)"
        R"(<div class="symbols"><p>dz/dt = a(z), &#160; z(0) = x</p>)"
        R"(<p>−(p u′)′ + q u = λ w u</p><p>u(t₋) = u(t₊) = 0</p>)"
        R"(<p>F(x) = Σ<sub>i</sub> L<sub>i</sub> u<sub>i</sub>(t = 0)</p></div></div>)"
        "\n",
        report.one_dimensional ? "value" : "class");
}

void append_settings(std::string& out, const Report& report) {
    if (report.settings.empty()) return;
    out += "<section>\n<details><summary>All settings</summary>\n<table>\n";
    for (const auto& [name, value] : report.settings)
        out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name),
                           escaped(value));
    out += "</table>\n</details>\n</section>\n";
}

}  // namespace

std::string html_report(const Report& report) {
    check(report);
    std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
    out += R"(<meta name="viewport" content="width=device-width, initial-scale=1"/>)";
    out += fmt::format("\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
                       escaped(report.title.empty() ? "Deep Sturm–Liouville" : report.title),
                       style_sheet);
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

}  // namespace deepsl::io
