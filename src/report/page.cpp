#include "deepsl/report/page.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "deepsl/report/svg.h"
#include "report/figures.h"
#include "report/frame.h"
#include "report/sections.h"

namespace deepsl::report {
namespace {

using namespace detail;

void check_map(std::string_view name, const DecisionMap& map) {
    check_length(fmt::format("{}.winner", name), map.winner.size(), map.columns * map.rows);
    check_length(fmt::format("{}.confidence", name), map.confidence.size(), map.columns * map.rows);
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
    auto out = page_start(report.title, field_switches(report));
    if (has_plane(report)) out += map_images(report);
    out += "<main>\n";
    append_title(out, report.title, report.subtitle, report.facts);
    append_story(out, report);
    append_plane(out, report);
    append_fit(out, report);
    append_samples(out, report);
    append_importance(out, report);
    append_spectra(out, report);
    append_training(out, report);
    append_settings(out, report.settings);
    return out + page_end();
}

}  // namespace deepsl::report
