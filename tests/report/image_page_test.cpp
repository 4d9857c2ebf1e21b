// The page about images: well formed, closed in itself, bounded in size, and unmoved by bad data.
#include "deepsl/report/image_page.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "page.h"
#include "stored_png.h"

namespace deepsl::report {
namespace {

using testing::checked;
using testing::first_image;

Picture picture_of(std::size_t size, std::size_t channels) {
    Picture picture{size, size, channels, {}};
    for (std::size_t i = 0; i < size * size * channels; ++i)
        picture.pixels.push_back(static_cast<std::uint8_t>(i * 7 % 256));
    return picture;
}

ImageLine line_of(const Picture& picture, bool latent, std::size_t classes) {
    ImageLine line;
    line.line.t_minus = -1.0;
    line.line.t_plus = 1.5;
    for (int i = 0; i <= 50; ++i) line.line.t.push_back(-1.0 + 0.05 * i);
    line.line.p = line.line.q = line.line.w = line.line.t;
    line.line.u_t = line.score_t = line.line.t;
    line.line.u.assign(3, line.line.t);
    line.added.assign(classes, line.line.t);
    line.scores = line.added;
    for (const double t : {-1.0, -0.5, 0.0, 0.75, 1.5}) {
        LinePlace place;
        place.t = t;
        place.scores.assign(classes, t);
        place.scores[1] = 3.0;
        place.probabilities.assign(classes, 0.5);
        if (latent) {
            place.nearest.assign(2, {picture, 11, 1, 0.25});
        } else {
            place.picture = picture;
            place.change.assign(picture.height * picture.width, static_cast<float>(t));
        }
        line.places.push_back(place);
    }
    return line;
}

ImageReport report_of(bool latent, std::size_t size = 8, std::size_t channels = 1,
                      std::size_t fields = 1) {
    ImageReport report;
    report.title = "A title";
    report.facts = {{"accuracy", "98 %", "of 200"}};
    report.classes = {"cat", "dog", "cow"};
    report.latent = latent;
    report.fields = fields;
    report.compared = 200;
    report.usual_distance = 0.5;
    report.confusion =
        Matrix<std::int64_t>(3, 3, std::vector<std::int64_t>{50, 4, 0, 1, 45, 0, 0, 0, 100});
    ImageSample sample;
    sample.number = 41;
    sample.picture = picture_of(size, channels);
    sample.predicted = 1;
    sample.actual = 0;
    sample.probabilities = {0.2, 0.7, 0.1};
    report.wrong.assign(5, sample);
    report.wrong_in_all = 5;
    sample.constant = {0.0, 0.5, 0.25};
    sample.shares.assign(fields, {1.0, 2.0, 3.0});
    sample.lines = {line_of(sample.picture, latent, 3)};
    report.groups = {{"Wrong answers", "The surest.", {sample, sample}}};
    return report;
}

TEST(ImagePage, IsWellFormedAndClosedInItself) {
    for (const bool latent : {false, true})
        for (const std::size_t fields : {1U, 3U}) {
            const auto html = html_image_report(report_of(latent, 8, 1, fields));
            const auto page = checked(html);
            EXPECT_EQ(page.count("article"), 2U);
            EXPECT_EQ(page.count("svg"), 2U);
            EXPECT_EQ(page.count("img"), 5U + 2U);
            // Of pixels a picture and its change at each of five places; else two neighbours, and
            // at the sample itself in place of the second.
            EXPECT_EQ(page.count("image"), 2U * 10U);
            EXPECT_EQ(page.count("details"), fields > 1 ? 2U : 0U);
            EXPECT_NE(html.find("cat taken for dog: 4"), std::string::npos);
            EXPECT_NE(html.find("Image 42"), std::string::npos);
            EXPECT_NE(html.find("truly cat"), std::string::npos);
            EXPECT_EQ(html.find("The line lives in the latent space") != std::string::npos, latent);
        }
}

TEST(ImagePage, PicturesHaveThePixels) {
    for (const std::size_t channels : {1U, 3U}) {
        const auto report = report_of(false, 5, channels);
        const auto image = first_image(html_image_report(report));
        EXPECT_EQ(image.channels, channels);
        ASSERT_EQ(image.rows.size(), 5U);
        const auto& pixels = report.wrong[0].picture.pixels;
        for (std::size_t y = 0; y < 5; ++y)
            for (std::size_t i = 0; i < 5 * channels; ++i)
                EXPECT_EQ(image.rows[y].at(i), pixels[y * 5 * channels + i]);
    }
}

TEST(ImagePage, LargeImagesAreShrunkToTheMeansOfTheirPixels) {
    auto report = report_of(true, 600, 3);
    for (auto& value : report.wrong[0].picture.pixels) value = 77;
    const auto html = html_image_report(report);
    EXPECT_LT(html.size(), 2000000U);
    const auto image = first_image(html);
    EXPECT_LT(image.rows.size(), 300U);
    EXPECT_GT(image.rows.size(), 20U);
    for (const int value : image.rows.back()) EXPECT_EQ(value, 77);
}

TEST(ImagePage, NamesAreEscaped) {
    auto report = report_of(false, 8, 1, 2);
    report.title = "<script>\"&";
    report.classes = {"<b>cat</b>", "a & b", "\"c\""};
    report.groups[0].samples[0].name = "<i>.png";
    const auto html = html_image_report(report);
    checked(html);
    EXPECT_EQ(html.find("<b>cat"), std::string::npos);
    EXPECT_EQ(html.find("<i>.png"), std::string::npos);
    EXPECT_NE(html.find("&lt;b&gt;cat"), std::string::npos);
    EXPECT_NE(html.find("a &amp; b"), std::string::npos);
}

TEST(ImagePage, BadNumbersLeaveGaps) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const bool latent : {false, true}) {
        auto report = report_of(latent, 8, 1, 2);
        report.usual_distance = nan;
        for (auto& sample : report.groups[0].samples) {
            sample.probabilities = {nan, nan, nan};
            sample.constant.assign(3, std::numeric_limits<double>::infinity());
            auto& line = sample.lines[0];
            for (auto* values : {&line.line.p, &line.line.u[0], &line.added[0], &line.scores[1]})
                values->assign(values->size(), nan);
            line.places[1].scores.clear();
            line.places[1].probabilities.clear();
            line.places[2].scores.assign(3, nan);
            if (!latent) line.places[3].change.assign(64, std::nanf(""));
        }
        checked(html_image_report(report));
    }
    ImageReport empty;
    checked(html_image_report(empty));
    auto failed = report_of(false);
    failed.groups[0].samples[0] = {};
    failed.groups[0].samples[0].picture = picture_of(4, 1);
    failed.groups[0].samples[0].failure = "the line did not end.";
    EXPECT_NE(html_image_report(failed).find("There is no answer: the line did not end."),
              std::string::npos);
}

TEST(ImagePage, ManyClassesHaveAListInsteadOfAMatrix) {
    auto report = report_of(false);
    report.groups.clear();
    report.wrong.clear();
    report.classes.assign(100, "name");
    report.confusion = Matrix<std::int64_t>(100, 100, 1);
    report.confusion(3, 5) = 9;
    const auto html = html_image_report(report);
    EXPECT_EQ(checked(html).count("table"), 0U);
    EXPECT_NE(html.find("name taken for name: 9"), std::string::npos);
}

TEST(ImagePage, RefusesArraysOfDifferentLengths) {
    const auto refused = [](auto change) {
        auto report = report_of(false);
        change(report);
        EXPECT_THROW(html_image_report(report), Error);
    };
    refused([](ImageReport& r) { r.wrong[0].picture.pixels.pop_back(); });
    refused([](ImageReport& r) { r.groups[0].samples[0].probabilities.pop_back(); });
    refused([](ImageReport& r) { r.groups[0].samples[0].lines[0].added[0].pop_back(); });
    refused([](ImageReport& r) { r.groups[0].samples[0].lines[0].places[0].change.pop_back(); });
    refused([](ImageReport& r) { r.groups[0].samples[0].lines[0].line.p.pop_back(); });
    refused([](ImageReport& r) { r.confusion = Matrix<std::int64_t>(2, 2); });
}

}  // namespace
}  // namespace deepsl::report
