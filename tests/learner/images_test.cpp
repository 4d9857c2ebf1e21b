// From images to trained models: presets, variations, what is saved, and what is refused.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/image_rows.h"
#include "deepsl/learner/inspect.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/learner/settings.h"
#include "deepsl/parallel.h"
#include "deepsl/random.h"
#include "io/scratch.h"
#include "learner/bars.h"
#include "learner/tables.h"

namespace deepsl::learner {
namespace {

using test::bars;
using test::small_image_task;

class Images : public testing::Test {
protected:
    std::string file(const std::string& name) const { return scratch_.path(name); }

private:
    test::Scratch scratch_;
};

TEST_F(Images, AreLearnedByEveryKindOfModelBehindTheSameEncoder) {
    const auto images = bars(300, 1), test = bars(200, 2);
    for (const auto kind : {model::Kind::dsl, model::Kind::linear, model::Kind::mlp,
                            model::Kind::node, model::Kind::ablation}) {
        const auto task = small_image_task(*images, model::Preset::standard, 12, kind);
        const auto learned = learn(prepare(images, nullptr, task), task);
        const auto score = evaluate(learned.model, test);
        EXPECT_EQ(score.samples, 200);
        EXPECT_EQ(score.failed, 0);
        EXPECT_GT(score.metrics.front().value, 0.9) << name(kind);
    }
}

TEST_F(Images, OfThePresetPaperAreLearnedOnThePixelsOrBehindAnEncoder) {
    for (const std::size_t channels : {1U, 3U}) {
        const auto images = bars(300, 1, channels), test = bars(200, 2, channels);
        auto task = small_image_task(*images, model::Preset::paper, 15);
        EXPECT_EQ(task.model.latent > 0, channels == 3);
        EXPECT_EQ(task.model.convolutions.empty(), channels == 3);
        const auto learned = learn(prepare(images, nullptr, task), task);
        EXPECT_GT(evaluate(learned.model, test).metrics.front().value, 0.9) << channels;
    }
}

TEST_F(Images, AreScaledAsAskedForInFrontOfAnEncoder) {
    const auto images = bars(50, 1);
    auto task = small_image_task(*images, model::Preset::standard, 1, model::Kind::linear);
    Matrix<double> x(1, images->shape.size());
    ImageRows(images, {}).read(0, x.row(0));
    const auto scaled = [&](PixelScale pixels) {
        task.pixels = pixels;
        return learn(prepare(images, nullptr, task), task).model.scaling.forward(x);
    };
    const auto range = scaled(PixelScale::range), standard = scaled(PixelScale::standard);
    double far = 0.0;
    for (std::size_t i = 0; i < x.columns(); ++i) {
        EXPECT_NEAR(range(0, i), 0.25 + 0.5 * x(0, i), 1e-12);
        far = std::max(far, std::fabs(standard(0, i) - range(0, i)));
    }
    EXPECT_GT(far, 0.5);
}

TEST_F(Images, AModelOfThemIsSavedAndPredictsTheSameBits) {
    const auto images = bars(60, 1), test = bars(40, 2);
    for (const auto preset : {model::Preset::standard, model::Preset::paper}) {
        auto task = small_image_task(*images, preset, 2);
        const auto learned = learn(prepare(images, nullptr, task), task);
        save_model(file("bars.deepsl"), learned.model);
        const auto loaded = load_model(file("bars.deepsl"));
        EXPECT_EQ(loaded.image(), images->shape);
        EXPECT_EQ(loaded.classes, images->classes);
        const auto before = predict(learned.model, test), after = predict(loaded, test);
        EXPECT_EQ(before.prediction.y.values(), after.prediction.y.values());
        // The same from numbers, and one image alone.
        const auto row = inspect_image(loaded, *test, 7);
        EXPECT_EQ(row.predictions.prediction.y(0, 1), after.prediction.y(7, 1));
        ASSERT_FALSE(row.fields.empty());
        double sum = row.constant[1];
        sum += row.contributions(1);
        EXPECT_NEAR(sum, after.prediction.y(7, 1), 1e-6 * (1.0 + std::fabs(sum)));
    }
}

TEST_F(Images, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
    const auto images = bars(80, 1);
    auto task = small_image_task(*images, model::Preset::standard, 2);
    task.flip = true;
    task.crop = 1;
    std::vector<std::vector<double>> values;
    for (const int count : {1, 2}) {
        set_threads(count);
        values.push_back(
            learn(prepare(images, nullptr, task), task).model.predictor->parameters().values());
    }
    set_threads(available_threads());
    EXPECT_EQ(values[0], values[1]);
    task.flip = false;
    EXPECT_NE(learn(prepare(images, nullptr, task), task).model.predictor->parameters().values(),
              values[0]);
}

TEST_F(Images, ATrainingGoesOnFromItsCheckpoint) {
    const auto images = bars(80, 1);
    auto task = small_image_task(*images, model::Preset::standard, 3);
    task.crop = 1;
    const auto whole = learn(prepare(images, nullptr, task), task);
    train::Callbacks callbacks;
    callbacks.stop = [steps = std::make_shared<int>(5)] { return --*steps <= 0; };
    train::Checkpointing keeping{file("bars.ckpt")};
    EXPECT_TRUE(learn(prepare(images, nullptr, task), task, callbacks, keeping).record.interrupted);
    keeping.resume = true;
    const auto resumed = learn(prepare(images, nullptr, task), task, {}, keeping);
    EXPECT_EQ(resumed.model.predictor->parameters().values(),
              whole.model.predictor->parameters().values());
    // Another variation is another run.
    task.crop = 2;
    EXPECT_THROW(learn(prepare(images, nullptr, task), task, {}, keeping), Error);
}

TEST(ImageVariation, MirrorsAndMovesWhatIsThere) {
    data::Images images;
    images.shape = {2, 3, 1};
    for (const int value : {51, 102, 153, 204, 255, 0})
        images.bytes.push_back(static_cast<std::uint8_t>(value));
    const auto shared = std::make_shared<const data::Images>(images);
    const auto drawn = [&](const Variation& variation, std::uint64_t draw) {
        std::vector<double> out(6);
        ImageRows(shared, variation).vary(0, draw, out);
        for (auto& value : out) value = std::round(5.0 * value);
        return out;
    };
    const std::vector<double> plain{1, 2, 3, 4, 5, 0}, mirrored{3, 2, 1, 0, 5, 4};
    EXPECT_EQ(drawn({}, 1), plain);
    std::size_t mirrors = 0;
    for (std::uint64_t draw = 1; draw <= 1000; ++draw) {
        const auto one = drawn({.flip = true}, draw);
        EXPECT_TRUE(one == plain || one == mirrored);
        EXPECT_EQ(one, drawn({.flip = true}, draw));
        mirrors += one == mirrored ? 1U : 0U;
    }
    EXPECT_NEAR(static_cast<double>(mirrors), 500.0, 80.0);
    // Nine moves, all of them drawn: the middle ones, and those that bring in what is empty.
    std::vector<std::vector<double>> seen;
    for (std::uint64_t draw = 1; draw <= 300; ++draw) {
        auto one = drawn({.crop = 1}, draw);
        if (std::find(seen.begin(), seen.end(), one) == seen.end()) seen.push_back(one);
    }
    EXPECT_EQ(seen.size(), 9U);
    for (const auto& expected : {plain, {2, 3, 0, 5, 0, 0}, {0, 1, 2, 0, 4, 5}, {4, 5, 0, 0, 0, 0}})
        EXPECT_NE(std::find(seen.begin(), seen.end(), expected), seen.end());
}

TEST(ImageSettings, FollowThePaperAndWhatIsAskedFor) {
    const auto gray = make_task(*bars(20, 1), {{"preset", "paper"}});
    EXPECT_EQ(gray.model.convolutions, (std::vector<std::int64_t>{32, 64, 128}));
    EXPECT_EQ(gray.model.hidden, (std::vector<std::int64_t>{32, 32, 16}));
    EXPECT_EQ(gray.model.field_convolutions, (std::vector<std::int64_t>{32, 64}));
    EXPECT_EQ(gray.model.eigenfunctions, 10);
    EXPECT_EQ(gray.model.linear_gain, 1.0);
    EXPECT_EQ(gray.train.epochs, 10);
    EXPECT_EQ(gray.train.alpha, 1e-4);
    EXPECT_EQ(gray.pixels, PixelScale::range);
    const auto colour = make_task(*bars(20, 1, 3), {{"preset", "paper"}, {"epochs", "3"}});
    EXPECT_EQ(colour.model.latent, 128);
    EXPECT_EQ(colour.model.halving, model::Halving::max);
    EXPECT_TRUE(colour.model.start_network);
    EXPECT_EQ(colour.train.epochs, 3);
    EXPECT_THROW(make_task(*bars(20, 1), {{"target", "x"}}), Error);
}

TEST(ImageSettings, BehindTheEncoderStandsASimpleHead) {
    const auto few = make_task(*bars(20, 1), {});
    EXPECT_EQ(few.model.field, field::FieldKind::straight);
    EXPECT_TRUE(few.model.hidden.empty());
    EXPECT_TRUE(few.model.normalise);
    EXPECT_EQ(few.model.fields, 16);
    EXPECT_EQ(few.model.basis_scale, model::BasisScale::mean);
    EXPECT_EQ(few.model.linear_gain, 1.0);
    // It gives way to what is asked for.
    EXPECT_FALSE(make_task(*bars(20, 1), {{"start-network", "true"}}).model.normalise);
    EXPECT_FALSE(make_task(*bars(20, 1), {{"eigenfunctions", "5"}}).model.normalise);
    EXPECT_TRUE(make_task(*bars(20, 1), {{"eigenfunctions", "4"}}).model.normalise);
    EXPECT_EQ(make_task(*bars(20, 1), {{"model", "mlp"}}).model.hidden,
              (std::vector<std::int64_t>{32, 16}))
        << "an MLP without hidden layers is none";
}

TEST(ImageSettings, WithoutAnEncoderNothingIsLeftOfIt) {
    const auto task = make_task(*bars(20, 1), {{"latent", "0"}, {"convolutions", "4-8"}});
    EXPECT_TRUE(task.model.encoder.empty());
    EXPECT_EQ(task.model.latent, 0);
    EXPECT_EQ(task.model.convolutions, (std::vector<std::int64_t>{4, 8}));
}

TEST(ImageSettings, WhatMovesImagesOutOfSightIsRefused) {
    EXPECT_NO_THROW(make_task(*bars(20, 1), {{"crop", "2"}}));
    EXPECT_THROW(make_task(*bars(20, 1), {{"crop", "1000"}}), Error);
}

TEST(ImageSettings, TheRateRisesOverTheSameStepsWhateverTheEpochs) {
    const auto warm_up = [](const Settings& settings) {
        return make_task(*bars(6400, 1), settings).train.warm_up;
    };
    EXPECT_NEAR(warm_up({}), 200.0 / 1000.0, 1e-12);
    EXPECT_NEAR(warm_up({{"epochs", "20"}}), 200.0 / 2000.0, 1e-12);
    EXPECT_NEAR(warm_up({{"batch", "32"}}), 200.0 / 2000.0, 1e-12);
    EXPECT_EQ(warm_up({{"warm-up", "0.3"}}), 0.3);
    EXPECT_EQ(warm_up({{"preset", "paper"}}), 0.0);
}

TEST(ImageSettings, FewImagesGetSteps) {
    const auto few = make_task(*bars(20, 1), {}).train;
    EXPECT_EQ(few.epochs, 500);
    EXPECT_NEAR(few.warm_up, 0.4, 1e-12);
    EXPECT_EQ(make_task(*bars(1280, 1), {}).train.epochs, 50);
    const auto many = make_task(*bars(6400, 1), {}).train;
    EXPECT_EQ(many.epochs, 10);
    EXPECT_EQ(many.stop_epoch, 10);
    EXPECT_NEAR(many.warm_up, 0.2, 1e-12);
}

TEST(ImageErrors, SayWhatIsWrong) {
    const auto images = bars(20, 1);
    data::Images unlabelled = *images;
    unlabelled.labels.clear();
    EXPECT_NE(test::sentence_of(Error::Kind::data, [&] { (void)task_for(unlabelled); })
                  .find("has no labels"),
              std::string::npos);
    data::Images strange = *images;
    strange.classes[1] = "round";
    const auto shared = std::make_shared<const data::Images>(strange);
    EXPECT_NE(test::sentence_of(Error::Kind::data, [&] { (void)labelled(shared, images->classes); })
                  .find("'round', which the model does not know"),
              std::string::npos);
    // Names decide, not their order.
    data::Images turned = *images;
    std::swap(turned.classes[0], turned.classes[1]);
    const auto same = labelled(std::make_shared<const data::Images>(turned), images->classes);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(same->labels[i], 1 - images->labels[i]);
}

}  // namespace
}  // namespace deepsl::learner
