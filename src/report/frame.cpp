#include "report/frame.h"

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/report/svg.h"
#include "report/style.h"

namespace deepsl::report::detail {

std::string page_start(std::string_view title, std::string_view more_style) {
    std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
    out += R"(<meta name="viewport" content="width=device-width, initial-scale=1"/>)";
    return out + fmt::format("\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
                             escaped(title.empty() ? "Deep Sturm–Liouville" : title), style_sheet,
                             more_style);
}

void append_title(std::string& out, std::string_view title, std::string_view subtitle,
                  const std::vector<Fact>& facts) {
    out += "<header>\n<p class=\"brand\">Deep Sturm–Liouville</p>\n";
    out += fmt::format("<h1>{}</h1>\n",
                       escaped(title.empty() ? "A Deep Sturm–Liouville model" : title));
    if (!subtitle.empty()) out += fmt::format("<p class=\"subtitle\">{}</p>\n", escaped(subtitle));
    out += "</header>\n";
    if (facts.empty()) return;
    out += "<div class=\"cards\">\n";
    for (const auto& fact : facts) {
        out += fmt::format(R"(<div class="card"><div class="label">{}</div>)"
                           R"(<div class="value">{}</div>)",
                           escaped(fact.label), escaped(fact.value));
        if (!fact.note.empty())
            out += fmt::format(R"(<div class="note">{}</div>)", escaped(fact.note));
        out += "</div>\n";
    }
    out += "</div>\n";
}

void append_settings(std::string& out,
                     const std::vector<std::pair<std::string, std::string>>& settings) {
    if (settings.empty()) return;
    out += "<section>\n<details><summary>All settings</summary>\n<table>\n";
    for (const auto& [name, value] : settings)
        out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name),
                           escaped(value));
    out += "</table>\n</details>\n</section>\n";
}

std::string page_end() {
    return fmt::format(
        "<footer>Made by deepsl. The page is complete in itself; keep it with the "
        "model.</footer>\n</main>\n<script>{}</script>\n</body>\n</html>\n",
        script);
}

void check_length(std::string_view name, std::size_t given, std::size_t wanted) {
    if (given != wanted)
        throw argument_error(
            fmt::format("html_report: {} has {} values, but {} belong to it", name, given, wanted));
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

}  // namespace deepsl::report::detail
