// From models of images to pages: lines are those of the model, and the worst comes first.
#include "deepsl/learner/image_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/learn.h"
#include "learner/bars.h"
#include "learner/tables.h"
#include "report/page.h"

namespace deepsl::learner {
namespace {

using test::bars;

/// Trained once: on the pixels, and behind an encoder with two fields.
struct Trained {
    Trained() {
        const auto images = bars(200, 1);
        auto task = test::small_image_task(*images, model::Preset::paper, 3);
        task.train.learning_rate = 3e-2;
        pixels = learn(prepare(images, nullptr, task), task).model;
        task = test::small_image_task(*images, model::Preset::standard, 3);
        task.model.fields = 2;
        latent = learn(prepare(images, nullptr, task), task).model;
    }
    TrainedModel pixels, latent;
};

const Trained& trained() {
    static const Trained models;
    return models;
}

/// Some labels are wrong, so that there are wrong answers.
std::shared_ptr<const data::Images> spoilt(std::size_t count) {
    auto images = *bars(count, 2);
    for (std::size_t i = 0; i < count; i += 7) images.labels[i] = 1 - images.labels[i];
    return std::make_shared<const data::Images>(std::move(images));
}

std::shared_ptr<const data::Images> unlabelled(std::size_t count) {
    auto images = *bars(count, 2);
    images.labels.clear();
    images.classes.clear();
    return std::make_shared<const data::Images>(std::move(images));
}

double probability(const report::ImageSample& sample) {
    return sample.probabilities[static_cast<std::size_t>(sample.predicted)];
}

const report::ImageGroup* group_of(const report::ImageReport& report, const std::string& title) {
    for (const auto& group : report.groups)
        if (group.title == title) return &group;
    return nullptr;
}

TEST(ImageReport, WrongAnswersComeFirstTheSurestBeforeAll) {
    const auto images = spoilt(70);
    for (const auto* model : {&trained().pixels, &trained().latent}) {
        const auto report = image_report(*model, images);
        const auto score = evaluate(*model, images);
        EXPECT_EQ(report.confusion, score.confusion);
        ASSERT_FALSE(report.groups.empty());
        EXPECT_EQ(report.groups[0].title, "Wrong answers");
        const auto predictions = predict(*model, images);
        double surest = 0.0;
        std::size_t wrong = 0;
        for (std::size_t b = 0; b < images->size(); ++b) {
            if (predictions.label[b] == images->labels[b]) continue;
            ++wrong;
            surest = std::max(
                surest, predictions.probability(b, static_cast<std::size_t>(predictions.label[b])));
        }
        EXPECT_EQ(report.wrong_in_all, wrong);
        EXPECT_EQ(report.wrong.size(), std::min<std::size_t>(wrong, 36));
        EXPECT_NEAR(probability(report.groups[0].samples[0]), surest, 1e-9);
        for (const auto* list : {&report.wrong, &report.groups[0].samples})
            for (std::size_t i = 0; i < list->size(); ++i) {
                EXPECT_NE((*list)[i].predicted, (*list)[i].actual);
                if (i == 0) continue;
                EXPECT_LE(probability((*list)[i]), probability((*list)[i - 1]));
            }
        const auto* close = group_of(report, "Right, but close");
        ASSERT_NE(close, nullptr);
        ASSERT_EQ(close->samples.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(close->samples[i].predicted, close->samples[i].actual);
            if (i == 0) continue;
            EXPECT_GE(probability(close->samples[i]), probability(close->samples[i - 1]));
        }
        const auto page = report::testing::checked(report::html_image_report(report));
        EXPECT_EQ(page.count("article"),
                  report.groups[0].samples.size() + 3 +
                      (report.groups.size() > 2 ? report.groups[2].samples.size() : 0));
    }
}

TEST(ImageReport, PicturesOfALineOfPixelsAreItsPoints) {
    const auto& model = trained().pixels;
    const auto images = bars(20, 3);
    ImageReportOptions options;
    options.image = 4;
    const auto report = image_report(model, images, options);
    EXPECT_FALSE(report.latent);
    ASSERT_EQ(report.groups.size(), 1U);
    const auto& sample = report.groups[0].samples[0];
    EXPECT_EQ(sample.number, 4U);
    ASSERT_EQ(sample.lines.size(), 1U);
    const auto& line = sample.lines[0];
    ASSERT_EQ(line.places.size(), 11U);
    EXPECT_EQ(line.places.front().t, line.line.t_minus);
    EXPECT_EQ(line.places.back().t, line.line.t_plus);
    std::size_t samples = 0;
    for (std::size_t i = 0; i < line.places.size(); ++i) {
        if (i > 0) {
            EXPECT_GT(line.places[i].t, line.places[i - 1].t);
        }
        if (line.places[i].t != 0.0) continue;
        ++samples;
        EXPECT_EQ(sample.picture.pixels, std::vector<std::uint8_t>(images->bytes.begin() + 4 * 64,
                                                                   images->bytes.begin() + 5 * 64));
        // The place of the sample is the sample: by way of the domain and back.
        for (std::size_t k = 0; k < 64; ++k) {
            EXPECT_NEAR(line.places[i].picture.pixels[k], sample.picture.pixels[k], 1);
            EXPECT_EQ(line.places[i].change[k], 0.0F);
        }
        for (std::size_t k = 0; k < 2; ++k)
            EXPECT_NEAR(line.places[i].probabilities[k], sample.probabilities[k], 1e-4);
    }
    EXPECT_EQ(samples, 1U);
    EXPECT_NE(line.places.front().change, line.places.back().change);
}

TEST(ImageReport, PointsOfALineAskedAnewReadOffItsEigenfunctions) {
    // With one field F is c + L u(t) all along the line.
    const auto& model = trained().pixels;
    ImageReportOptions options;
    options.image = 2;
    const auto report = image_report(model, bars(10, 3), options);
    const auto& sample = report.groups[0].samples[0];
    const auto& line = sample.lines.at(0);
    const auto& t = line.line.u_t;
    for (const auto& place : line.places) {
        ASSERT_EQ(place.scores.size(), 2U);
        const auto above = std::clamp<std::size_t>(
            static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), place.t) - t.begin()), 1,
            t.size() - 1);
        const double share = (place.t - t[above - 1]) / (t[above] - t[above - 1]);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto& added = line.added[k];
            const auto [low, high] = std::minmax_element(added.begin(), added.end());
            EXPECT_NEAR(place.scores[k],
                        sample.constant[k] + std::lerp(added[above - 1], added[above], share),
                        0.05 * (*high - *low))
                << place.t;
        }
    }
}

TEST(ImageReport, BehindAnEncoderTheNearestImagesAreShown) {
    const auto& model = trained().latent;
    const auto images = bars(30, 3);
    ImageReportOptions options;
    options.image = 7;
    const auto report = image_report(model, images, options);
    EXPECT_TRUE(report.latent);
    EXPECT_EQ(report.compared, 30U);
    EXPECT_GT(report.usual_distance, 0.0);
    const auto& sample = report.groups[0].samples[0];
    ASSERT_EQ(sample.lines.size(), 2U) << "all fields";
    EXPECT_GE(sample.shares[sample.lines[0].field][static_cast<std::size_t>(sample.predicted)],
              sample.shares[sample.lines[1].field][static_cast<std::size_t>(sample.predicted)]);
    Matrix<double> x(30, 64);
    for (std::size_t i = 0; i < 30; ++i)
        for (std::size_t k = 0; k < 64; ++k) x(i, k) = images->bytes[i * 64 + k] / 255.0;
    const auto z = model.coordinates(x);
    for (const auto& line : sample.lines)
        for (const auto& place : line.places) {
            ASSERT_EQ(place.nearest.size(), 2U);
            EXPECT_TRUE(place.picture.empty());
            EXPECT_LE(place.nearest[0].distance, place.nearest[1].distance);
            for (const auto& near : place.nearest) {
                EXPECT_NE(near.number, 7U) << "the image is not its own neighbour";
                EXPECT_EQ(near.label, static_cast<int>(images->labels[near.number]));
            }
            if (place.t != 0.0) continue;
            // By hand, at the sample itself.
            double least = 1e300;
            for (std::size_t i = 0; i < 30; ++i) {
                double square = 0.0;
                for (std::size_t c = 0; c < z.columns(); ++c)
                    square += std::pow(z(i, c) - z(7, c), 2);
                if (i != 7) least = std::min(least, std::sqrt(square));
            }
            EXPECT_NEAR(place.nearest[0].distance, least, 1e-5);
        }
    const auto html = report::html_image_report(report);
    report::testing::checked(html);
    EXPECT_NE(html.find("The line lives in the latent space"), std::string::npos);
    EXPECT_NE(html.find("What each field adds"), std::string::npos);
}

TEST(ImageReport, SharesOfTheFieldsMakeTheScores) {
    const auto& model = trained().latent;
    const auto images = bars(12, 5);
    const auto predictions = predict(model, images);
    const auto report = image_report(model, images);
    for (const auto& group : report.groups)
        for (const auto& sample : group.samples) {
            ASSERT_EQ(sample.lines.size(), 1U) << "of the strongest field";
            for (std::size_t k = 0; k < 2; ++k) {
                double sum = sample.constant[k];
                for (const auto& share : sample.shares) sum += share[k];
                EXPECT_NEAR(sum, predictions.prediction.y(sample.number, k), 1e-5);
            }
        }
}

TEST(ImageReport, ImagesWithoutLabelsHaveNeitherWrongAnswersNorConfusion) {
    for (const auto* model : {&trained().pixels, &trained().latent}) {
        const auto report = image_report(*model, unlabelled(20));
        EXPECT_TRUE(report.confusion.empty());
        EXPECT_TRUE(report.wrong.empty());
        ASSERT_GE(report.groups.size(), 1U);
        EXPECT_EQ(report.groups[0].title, "Close decisions");
        const auto html = report::html_image_report(report);
        report::testing::checked(html);
        EXPECT_EQ(html.find("What is taken for what"), std::string::npos);
        EXPECT_EQ(html.find("Wrong answers"), std::string::npos);
        EXPECT_EQ(html.find("truly"), std::string::npos);
    }
}

TEST(ImageReport, ColourAndValuesBeyondOneAreDrawn) {
    const auto colour = bars(60, 1, 3);
    auto task = test::small_image_task(*colour, model::Preset::standard, 1);
    auto model = learn(prepare(colour, nullptr, task), task).model;
    data::Images floats = *colour;
    for (const auto byte : floats.bytes) floats.floats.push_back(static_cast<float>(byte) - 20.0F);
    floats.bytes.clear();
    for (const auto& images : {colour, std::make_shared<const data::Images>(floats)}) {
        const auto report = image_report(model, images);
        const auto& picture = report.groups.at(0).samples.at(0).picture;
        EXPECT_EQ(picture.channels, 3U);
        EXPECT_EQ(picture.pixels.size(), 192U);
        const auto [low, high] = std::minmax_element(picture.pixels.begin(), picture.pixels.end());
        EXPECT_GT(*high - *low, 100) << "neither all black nor all white";
        report::testing::checked(report::html_image_report(report));
    }
}

TEST(ImageReport, SaysWhatIsWrong) {
    ImageReportOptions options;
    options.image = 20;
    EXPECT_NE(test::sentence_of(Error::Kind::data,
                                [&] { image_report(trained().pixels, bars(20, 1), options); })
                  .find("has 20 images, but image 21 was asked for"),
              std::string::npos);
    EXPECT_NE(test::sentence_of(Error::Kind::data,
                                [&] { image_report(trained().pixels, bars(20, 1, 3)); })
                  .find("8 x 8 colour"),
              std::string::npos);
    const auto images = bars(40, 1);
    auto task = test::small_image_task(*images, model::Preset::standard, 1);
    task.kind = model::Kind::mlp;
    const auto baseline = learn(prepare(images, nullptr, task), task).model;
    EXPECT_NE(test::sentence_of(Error::Kind::argument, [&] { image_report(baseline, images); })
                  .find("only models of the kind dsl"),
              std::string::npos);
}

}  // namespace
}  // namespace deepsl::learner
