// The report's page: well formed, closed in itself, bounded in size, and unmoved by bad data.
#include "deepsl/report/page.h"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "page.h"
#include "stored_png.h"

namespace deepsl::report {
namespace {

using testing::checked;
using testing::first_image;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

SampleLine sample_line(std::size_t classes) {
    SampleLine line;
    line.t_minus = -1.0;
    line.t_plus = 1.0;
    for (int i = 0; i <= 200; ++i) {
        const double t = -1.0 + 0.01 * i;
        line.t.push_back(t);
        line.p.push_back(1.0);
        line.q.push_back(std::sin(t));
        line.w.push_back(2.0 + t);
        line.line.x.push_back(0.5 + 0.4 * t);
        line.line.y.push_back(0.4 + 0.3 * t * t);
    }
    line.u_t = line.t;
    for (int k = 1; k <= 3; ++k) {
        line.u.emplace_back();
        for (const double t : line.t) line.u.back().push_back(std::sin(k * (t + 1.0)));
    }
    for (int i = 1; i <= 10; ++i) {
        line.lambda.push_back(2.4 * i * i);
        line.u_at_x.push_back(std::cos(i));
    }
    line.contributions.assign(classes, line.u_at_x);
    return line;
}

Sample sample_of(std::size_t classes, std::size_t fields = 1) {
    Sample sample;
    sample.title = "one";
    sample.x = 0.5;
    sample.y = 0.4;
    sample.predicted = 0;
    sample.actual = 1;
    sample.lines.assign(fields, sample_line(classes));
    sample.constant.assign(classes, 0.1);
    return sample;
}

DecisionMap decision_map(std::size_t size) {
    DecisionMap map;
    map.columns = map.rows = size;
    for (std::size_t i = 0; i < size * size; ++i) {
        map.winner.push_back(static_cast<int>(i * 3 / (size * size)) - (i % 7 == 0 ? 3 : 0));
        map.confidence.push_back(static_cast<float>(i % 100) / 100.0F);
    }
    return map;
}

Report full_report(std::size_t points = 300, std::size_t map_size = 60, std::size_t lines = 20,
                   std::size_t fields = 1) {
    Report report;
    report.title = "A title";
    report.subtitle = "and more";
    report.facts = {{"test accuracy", "98 %", "of 200"}, {"seconds", "41", ""}};
    report.settings = {{"rate", "0.002"}, {"seed", "1"}};
    report.classes = {"left", "middle", "right"};
    for (std::size_t i = 0; i < points; ++i) {
        const double s = static_cast<double>(i) / static_cast<double>(points);
        report.points.push_back(
            {s, 0.5 + 0.4 * std::sin(40.0 * s), static_cast<int>(i % 3), i % 4 == 0, i % 40 == 0});
    }
    report.map = decision_map(map_size);
    report.outline = {{0.0, 1.0, 1.0, 0.0}, {0.0, 0.0, 1.0, 1.0}};
    report.lines.resize(fields);
    for (std::size_t k = 0; k < lines; ++k) {
        Curve line;
        for (int i = 0; i <= 400; ++i) {
            line.x.push_back(i / 400.0);
            line.y.push_back(static_cast<double>(k) / static_cast<double>(lines) +
                             0.1 * std::sin(i / 60.0));
        }
        for (auto& of_field : report.lines) of_field.push_back(line);
    }
    report.samples.assign(2, sample_of(3, fields));
    report.spectra.assign(
        fields, {{"left", {1, 2, 3}, {2, 3, 4}, {3, 4, 50}}, {"right", {}, {2, 5, 9}, {}}});
    for (int e = 1; e <= 30; ++e)
        report.history.push_back(
            {e, 1.0 / e, 0.01, 1.0 - 0.5 / e, 1.0 - 0.6 / e, 5.0, 500.0 + e, 0.5});
    report.baseline.emplace();
    report.baseline->map = report.map;
    report.baseline->history = report.history;
    return report;
}

std::size_t figures(const Report& report) { return checked(html_report(report)).count("svg"); }

TEST(Report, full_page_is_well_formed_and_closed_in_itself) {
    const auto html = html_report(full_report());
    const auto page = checked(html);
    EXPECT_EQ(page.count("article"), 2U);
    EXPECT_EQ(page.count("image"), 2U);
    EXPECT_EQ(page.count("details"), 1U);
    EXPECT_EQ(page.count("tr"), 2U);
    // The plane, the other model, six steps for each sample, the spectra, three of the training;
    // three markers of the legend and the element that holds the images.
    EXPECT_EQ(page.count("svg"), 2U + 2U * 6U + 1U + 3U + 3U + 1U);
}

TEST(Report, several_fields_are_all_shown_and_named) {
    for (const std::size_t fields : {2U, 3U, 6U}) {
        SCOPED_TRACE(fields);
        const auto html = html_report(full_report(300, 60, 20, fields));
        const auto page = checked(html);
        // As above, but five figures for each field of a sample, and a spectrum for each field.
        EXPECT_EQ(page.count("svg"), 2U + 2U * (5U * fields + 1U) + fields + 3U + 3U + 1U);
        EXPECT_EQ(page.count("table"), 1U + 2U);
        for (std::size_t m = 1; m <= fields; ++m) {
            const auto name = std::to_string(m);
            EXPECT_NE(html.find("lines of field " + name), std::string::npos);
            EXPECT_NE(html.find("Eigenvalues λᵢ of field " + name), std::string::npos);
            EXPECT_NE(html.find("Field " + name + "</b>"), std::string::npos);
            EXPECT_NE(html.find("#show-field" + name + ":not(:checked)"), std::string::npos);
        }
        EXPECT_NE(html.find("Σ<sub>m</sub>"), std::string::npos);
        EXPECT_EQ(html.find("one line of it"), std::string::npos);
    }
    EXPECT_EQ(html_report(full_report()).find("Σ<sub>m</sub>"), std::string::npos);
}

TEST(Report, what_the_fields_add_is_the_score) {
    Report report;
    report.classes = {"left", "right"};
    auto& sample = report.samples.emplace_back();
    sample.lines.resize(2);
    sample.lines[0].contributions = {{1.0, 2.5}, {-1.0, 0.5}};
    sample.lines[1].contributions = {{0.25, 0.0}, {4.0, 4.0}};
    sample.constant = {0.5, -0.25};
    const auto html = html_report(report);
    checked(html);
    for (const auto* row :
         {"the constant</th><td>0.50</td><td>−0.25</td>",
          "field 1</span> </th><td>3.50</td><td>−0.50</td>",
          "field 2</span> </th><td>0.25</td><td>8.00</td>", "score</th><td>4.25</td><td>7.25</td>"})
        EXPECT_NE(html.find(row), std::string::npos) << row;
}

TEST(Report, same_data_same_page) {
    EXPECT_EQ(html_report(full_report()), html_report(full_report()));
}

TEST(Report, hostile_texts_are_shown_and_not_obeyed) {
    const std::string hostile =
        "</title></svg><script>alert(\"1\")</script><img src=x onerror='x'>&";
    auto report = full_report();
    report.title = report.subtitle = report.x_name = report.y_name = report.metric = hostile;
    report.classes = {hostile, hostile, hostile};
    report.facts = {{hostile, hostile, hostile}};
    report.settings = {{hostile, hostile}};
    for (auto& sample : report.samples) sample.title = hostile;
    for (auto& band : report.spectra[0]) band.name = hostile;
    report.baseline->name = hostile;
    const auto html = html_report(report);
    const auto page = checked(html);
    EXPECT_EQ(page.count("script"), 1U);
    EXPECT_EQ(page.count("img"), 0U);
    EXPECT_NE(html.find("&lt;script&gt;alert(&quot;1&quot;)"), std::string::npos);
}

TEST(Report, long_names_are_cut_between_characters) {
    auto report = full_report();
    report.classes[0] = "αβγδεζηθικλμνξοπρστυφχψω";
    const auto html = html_report(report);
    EXPECT_NE(html.find(">αβγδεζηθι…<"), std::string::npos);
}

TEST(Report, nothing_at_all_is_still_a_page) {
    EXPECT_EQ(figures(Report{}), 0U);
    Report report;
    report.one_dimensional = true;
    EXPECT_EQ(figures(report), 1U);
    report = Report{};
    report.samples.emplace_back();
    report.baseline.emplace();
    EXPECT_EQ(figures(report), 0U);
}

TEST(Report, one_epoch_is_drawn_as_dots) {
    auto report = full_report();
    report.history.resize(1);
    report.baseline.reset();
    const auto page = checked(html_report(report));
    auto longer = full_report();
    longer.baseline.reset();
    EXPECT_EQ(page.count("circle"), checked(html_report(longer)).count("circle") + 6U);
}

TEST(Report, values_that_are_not_finite_leave_gaps) {
    for (const double bad : {nan, infinity, -infinity, 1e308, -1e308, 1e-320, 0.0}) {
        SCOPED_TRACE(bad);
        auto report = full_report(300, 60, 20, 2);
        report.points[3].x = report.points[4].y = bad;
        report.lines[0][2].x[7] = report.lines[1][3].y[9] = bad;
        report.lines[1][4].x.assign(401, bad);
        report.map.confidence[5] = static_cast<float>(nan);
        auto& sample = report.samples[0];
        sample.x = sample.constant[0] = bad;
        auto& line = sample.lines[1];
        line.p[0] = line.q[8] = line.w.back() = line.u[1][4] = bad;
        line.t_minus = line.lambda[0] = line.u_at_x[3] = line.contributions[1][2] = bad;
        line.u[2].assign(201, bad);
        auto& spoiled = report.samples[1].lines[0];
        spoiled.t.assign(201, bad);
        spoiled.u_t.assign(201, bad);
        spoiled.lambda.assign(10, bad);
        report.spectra[0][0].low[1] = report.spectra[1][1].middle[2] = bad;
        for (auto& epoch : report.history) epoch.spectral = bad;
        report.history[3].loss = report.history.back().validation_metric = bad;
        report.history[5].mean_lambda_first = bad;
        checked(html_report(report));
        report.map.x_max = report.map.y_min = bad;
        report.outline.x[1] = bad;
        checked(html_report(report));
    }
}

TEST(Report, constant_curves_and_single_points_have_axes) {
    for (const double value : {0.0, 1.0, -3e-12, 7e12}) {
        SCOPED_TRACE(value);
        auto report = full_report(1, 1, 1);
        report.classes = {"only"};
        report.outline = {};
        report.points[0].x = report.points[0].y = value;
        report.lines[0][0].x.assign(401, value);
        for (auto& sample : report.samples) {
            auto& line = sample.lines[0];
            line.q.assign(201, value);
            line.lambda.assign(10, value);
            line.u_at_x.assign(10, value);
            line.u[0].assign(201, value);
            line.contributions.assign(1, std::vector<double>(10, value));
            sample.constant.clear();
        }
        for (auto& epoch : report.history) epoch.loss = epoch.train_metric = value;
        checked(html_report(report));
        report.map = {};
        report.baseline.reset();
        checked(html_report(report));
    }
}

TEST(Report, regression_in_one_dimension) {
    auto report = full_report();
    report.one_dimensional = true;
    report.metric_is_share = false;
    report.metric = "RMSE";
    report.predicted = {{0.0, 0.5, 1.0}, {0.1, nan, 0.3}};
    report.truth = {{0.0, 1.0}, {0.1, 0.4}};
    report.baseline->predicted = report.truth;
    report.samples = {sample_of(1)};
    report.samples[0].predicted = report.samples[0].actual = -1;
    const auto page = checked(html_report(report));
    EXPECT_EQ(page.count("image"), 0U);
    EXPECT_EQ(page.count("svg"), 1U + 5U + 1U + 3U);
}

TEST(Report, size_is_bounded_and_thinning_is_told) {
    auto report = full_report(50000, 700, 2000);
    report.samples.assign(9, report.samples[0]);
    for (int e = 31; e <= 20000; ++e) {
        report.history.push_back(report.history[static_cast<std::size_t>(e) % 30]);
        report.history.back().epoch = e;
    }
    const auto html = html_report(report);
    EXPECT_EQ(checked(html).count("article"), 6U);
    EXPECT_NE(html.find("of 50000 points"), std::string::npos);
    EXPECT_NE(html.find("of 2000 lines"), std::string::npos);
}

TEST(Report, size_is_bounded_for_any_number_of_fields) {
    for (const std::size_t fields : {2U, 6U, 40U}) {
        SCOPED_TRACE(fields);
        auto report = full_report(50000, 700, 300, fields);
        report.samples.assign(9, report.samples[0]);
        const auto html = html_report(report);
        EXPECT_EQ(checked(html).count("article"), fields == 2 ? 6U : 2U);
        EXPECT_EQ(html.find("6 of 40 fields are drawn") != std::string::npos, fields == 40);
    }
}

TEST(Report, arrays_that_differ_in_length_are_named) {
    const auto message = [](auto&& spoil) -> std::string {
        auto report = full_report();
        spoil(report);
        try {
            html_report(report);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message([](Report& r) { r.samples[1].lines[0].q.pop_back(); }),
              "html_report: samples[1].lines[0].q has 200 values, but 201 belong to it");
    EXPECT_EQ(message([](Report& r) { r.map.rows = 61; }),
              "html_report: map.winner has 3600 values, but 3660 belong to it");
    EXPECT_NE(message([](Report& r) { r.lines[0][0].y.clear(); }), "no error");
    EXPECT_NE(message([](Report& r) { r.samples[0].lines[0].u[2].clear(); }), "no error");
    EXPECT_NE(message([](Report& r) { r.samples[0].lines.emplace_back(); }), "no error");
    EXPECT_NE(message([](Report& r) { r.samples[0].constant.pop_back(); }), "no error");
    EXPECT_NE(message([](Report& r) { r.spectra[0][0].high.pop_back(); }), "no error");
    EXPECT_NE(message([](Report& r) { r.baseline->map.confidence.clear(); }), "no error");
}

TEST(Report, map_has_row_zero_at_the_bottom) {
    Report report;
    report.map.columns = 2;
    report.map.rows = 2;
    report.map.winner = {0, 1, -1, 1};  // the lower row first
    report.map.confidence = {1.0F, 0.0F, 1.0F, 1.0F};
    const auto image = first_image(html_report(report));
    ASSERT_EQ(image.rows.size(), 2U);
    // No winner: transparent; then two classes of 127 colours each, from pale to strong.
    EXPECT_EQ(image.rows[0], (std::vector<int>{0, 254}));
    EXPECT_EQ(image.rows[1], (std::vector<int>{127, 128}));
    EXPECT_EQ(image.colours, 255U);
}

TEST(Report, large_map_is_thinned_to_a_valid_image) {
    Report report;
    report.map = decision_map(1024);
    const auto image = first_image(html_report(report));
    ASSERT_EQ(image.rows.size(), 256U);
    std::set<std::size_t> classes;
    for (const auto& row : image.rows) {
        EXPECT_EQ(row.size(), 256U);
        for (const int pixel : row)
            if (pixel > 0) classes.insert(static_cast<std::size_t>(pixel - 1) / 85);
    }
    EXPECT_EQ(classes.size(), 3U);
}

TEST(Report, cells_beyond_the_outline_are_filled_and_failed_ones_are_not) {
    Report report;
    report.map = {0.0, 5.0, 0.0, 1.0, 5, 1, {-1, 0, -1, 0, -1}, {1, 1, 1, 1, 1}};
    report.outline = {{1.0, 4.0, 4.0, 1.0}, {0.0, 0.0, 1.0, 1.0}};
    EXPECT_EQ(first_image(html_report(report)).rows[0], (std::vector<int>{255, 255, 0, 255, 255}));
}

}  // namespace
}  // namespace deepsl::report
