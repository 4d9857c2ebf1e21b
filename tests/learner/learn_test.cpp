// From tables and arrays to trained models: what is learned, from which rows, and for how long.
#include "deepsl/learner/learn.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/describe.h"
#include "deepsl/learner/generated.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/parallel.h"
#include "deepsl/train/folds.h"
#include "io/scratch.h"
#include "learner/tables.h"

namespace deepsl::learner {
namespace {

/// Ends a training after so many steps.
train::Callbacks stop_after(int steps) {
    train::Callbacks callbacks;
    callbacks.stop = [left = std::make_shared<int>(steps)] { return --*left <= 0; };
    return callbacks;
}

Task held_out_task(const data::Table& table, const std::string& target, std::int64_t epochs = 15) {
    auto task = test::small_task(table, target, epochs);
    task.epoch_folds = 0;
    task.train.validation = 0.2;
    task.train.cool_down = 0.0;
    return task;
}

TEST(Prepare, EncodesAndReadsTheTarget) {
    const auto table = test::round_table(60), other = test::round_table(20, 2);
    const auto prepared = prepare(table, other, test::small_task(table, "kind"));
    EXPECT_EQ(prepared.model.classes, (std::vector<std::string>{"in", "out"}));
    EXPECT_EQ(prepared.model.features,
              (std::vector<std::string>{"width", "height", "noise", "colour=blue", "colour=green",
                                        "colour=red"}));
    EXPECT_EQ(prepared.training.size(), 60u);
    EXPECT_EQ(prepared.training.x.columns(), 6u);
    EXPECT_EQ(prepared.validation.size(), 20u);
    for (std::size_t row = 0; row < 60; ++row) {
        const auto& kind = *table.find("kind");
        EXPECT_EQ(prepared.training.labels[row], kind.texts[kind.codes[row]] == "in" ? 0 : 1);
    }
    EXPECT_EQ(prepared.model.record.at("target"), "kind");
    EXPECT_EQ(prepared.notes.ignored, std::vector<std::string>{"size"});
}

TEST(Prepare, NumbersHaveMeanZeroAndDeviationOne) {
    const auto table = test::round_table(80), other = test::round_table(20, 2);
    const auto prepared = prepare(table, other, test::small_task(table, "size"));
    ASSERT_EQ(prepared.training.numbers.rows(), 80u);
    double sum = 0.0, squares = 0.0;
    for (const double value : prepared.training.numbers.values()) {
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum, 0.0, 1e-10);
    EXPECT_NEAR(squares / 80.0, 1.0, 1e-12);
    // Others by the same figures.
    for (std::size_t row = 0; row < 20; ++row)
        EXPECT_NEAR(prepared.model.target_mean +
                        prepared.model.target_scale * prepared.validation.numbers(row, 0),
                    other.find("size")->numbers[row], 1e-10);
}

TEST(Prepare, RefusesWhatCannotBeLearned) {
    using test::numbers;
    const std::vector<double> x{1, 2, 3, 5};
    const auto table = test::table({numbers("x", x), numbers("y", {1e200, -1e200, 3, 5.5})});
    Task task;
    task.target_kind = TargetKind::numbers;
    const auto sentence = test::sentence_of(Error::Kind::data, [&] { prepare(table, {}, task); });
    EXPECT_NE(sentence.find("column 'y'"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("too large to be squared"), std::string::npos) << sentence;
    EXPECT_NE(test::sentence_of(Error::Kind::data, [&] { prepare(data::Table(), {}, task); }),
              "no exception");
}

TEST(Prepare, RefusesArraysThatDoNotFit) {
    const auto refused = [](const Samples& samples) {
        return test::sentence_of(Error::Kind::argument, [&] { prepare(samples, {}, Task()); });
    };
    Samples samples;
    samples.rows.x = Matrix<double>(4, 1, std::vector<double>{1, 2, 3, 4});
    EXPECT_NE(refused(samples).find("4 rows need as many targets"), std::string::npos);
    samples.rows.numbers = Matrix<double>(4, 1, std::vector<double>{1, 2, NAN, 4});
    EXPECT_NE(refused(samples).find("not finite"), std::string::npos);
    samples.rows.numbers = {};
    samples.rows.labels = {0, 1, 2, 0};
    samples.classes = {"a", "b"};
    EXPECT_NE(refused(samples).find("label 2"), std::string::npos);
    samples.rows.labels = {0, 1, 1, 0};
    samples.features = {"x", "y"};
    EXPECT_NE(refused(samples).find("2 names for 1 inputs"), std::string::npos);
}

TEST(Learn, RefusesWhatCannotBeScaledBeforeItTrains) {
    using test::numbers;
    const auto table =
        test::table({numbers("x", {1, 2, 3, 5}), numbers("huge", {1e300, -1e300, 3e299, 5e299}),
                     numbers("y", {1, 2, 4, 7.5})});
    Task task;
    task.target_kind = TargetKind::numbers;
    task.scale = ColumnScale::none;
    train::Callbacks callbacks;
    callbacks.epoch = [](const train::EpochReport&) { FAIL() << "it trains"; };
    const auto sentence =
        test::sentence_of(Error::Kind::data, [&] { learn(table, {}, task, callbacks); });
    EXPECT_NE(sentence.find("the input 'huge' are"), std::string::npos) << sentence;
}

TEST(Learn, ClassesOfATable) {
    const auto table = test::round_table(300), other = test::round_table(200, 2);
    const auto learned = learn(table, {}, held_out_task(table, "kind", 60));
    const auto score = evaluate(learned.model, other);
    EXPECT_EQ(score.samples, 200);
    EXPECT_EQ(score.failed, 0);
    EXPECT_EQ(score.metrics[0].name, "accuracy");
    EXPECT_GT(score.majority, 0.5);
    EXPECT_LT(score.majority, 0.75);
    EXPECT_GT(score.metrics[0].value, score.majority + 0.15) << "hardly anything was learned";
    std::int64_t counted = 0;
    for (const auto count : score.confusion.values()) counted += count;
    EXPECT_EQ(counted, 200);
    EXPECT_EQ(learned.record.training_rows, 240);
    EXPECT_EQ(learned.record.validation_rows, 60);
}

TEST(Learn, NumbersOfATable) {
    const auto table = test::round_table(300), other = test::round_table(200, 2);
    const auto learned = learn(table, {}, held_out_task(table, "size", 60));
    const auto score = evaluate(learned.model, other);
    EXPECT_EQ(score.metrics[0].name, "r2");
    EXPECT_GT(score.metrics[0].value, 0.8);
    EXPECT_TRUE(std::isnan(score.majority));
    EXPECT_TRUE(std::isnan(learned.majority));
    EXPECT_TRUE(score.confusion.empty());
    // In the target's units.
    const auto predictions = predict(learned.model, other);
    double error = 0.0;
    for (std::size_t row = 0; row < 200; ++row)
        error += std::fabs(predictions.prediction.y(row, 0) - other.find("size")->numbers[row]);
    const auto mae = std::find_if(score.metrics.begin(), score.metrics.end(),
                                  [](const auto& metric) { return metric.name == "mae"; });
    ASSERT_NE(mae, score.metrics.end());
    EXPECT_NEAR(error / 200.0, mae->value, 1e-9);
    EXPECT_LT(error / 200.0, 5.0);
}

TEST(Learn, SameSeedSameBitsOnAnyNumberOfThreads) {
    const auto table = test::round_table(90);
    const auto values_of = [&](int count, std::int64_t seed) {
        set_threads(count);
        auto task = test::small_task(table, "kind", 4);  // with folds
        task.train.seed = seed;
        auto values = learn(table, {}, task).model.predictor->parameters().values();
        set_threads(1);
        return values;
    };
    const auto one = values_of(1, 0);
    EXPECT_EQ(values_of(2, 0), one);
    EXPECT_EQ(values_of(3, 0), one);
    EXPECT_NE(values_of(1, 1), one);
}

TEST(Learn, FoldsChooseTheEpochsThenAllRowsAreLearnedFrom) {
    const auto table = test::round_table(80);
    auto task = test::small_task(table, "kind", 12);
    ASSERT_EQ(task.epoch_folds, 5);
    task.epoch_folds = 4;
    int folds = 0;
    train::Callbacks callbacks;
    callbacks.fold = [&](const train::FoldReport& report) {
        EXPECT_EQ(report.folds, 4);
        ++folds;
    };
    const auto learned = learn(table, {}, task, callbacks);
    EXPECT_EQ(folds, 4);
    const auto& record = learned.record;
    EXPECT_EQ(record.folds, 4);
    EXPECT_EQ(record.training_rows, 80);
    EXPECT_EQ(record.validation_rows, 0);
    EXPECT_GE(record.fold_epoch, 1);
    // Longer by what the cool-down of 0.3 takes away, but no longer than asked.
    const auto longer = std::llround(static_cast<double>(record.fold_epoch) / 0.85);
    EXPECT_EQ(record.epochs.size(), static_cast<std::size_t>(std::min(12LL, longer)));
    EXPECT_EQ(record.best_epoch, static_cast<std::int64_t>(record.epochs.size()));
    EXPECT_TRUE(learned.model.record.contains("accuracy in 4 folds"));
}

TEST(Learn, ValidationRowsReplaceFoldsAndShares) {
    const auto table = test::round_table(60), other = test::round_table(25, 2);
    const auto learned = learn(table, other, test::small_task(table, "kind", 3));
    EXPECT_EQ(learned.record.folds, 0);
    EXPECT_EQ(learned.record.training_rows, 60);
    EXPECT_EQ(learned.record.validation_rows, 25);
}

TEST(Learn, RareClassesAreHeldOutToo) {
    // 999 : 1 would be "100.0 %" if all rows held out were of the larger class.
    std::vector<double> x;
    std::vector<std::string> y;
    for (std::size_t i = 0; i < 500; ++i) {
        x.push_back(std::sin(static_cast<double>(i)));
        y.emplace_back(i % 100 == 7 ? "rare" : "usual");
    }
    const auto table = test::table({test::numbers("x", x), test::texts("y", y)});
    auto task = held_out_task(table, "y", 2);
    task.dropped.clear();
    const auto learned = learn(table, {}, task);
    EXPECT_LT(learned.majority, 1.0) << "no rare row was held out";
    EXPECT_NEAR(learned.majority, 0.99, 1e-12);
    EXPECT_NE(result_description(learned).find("always guessing the most frequent class: 99.0 %"),
              std::string::npos)
        << result_description(learned);
}

TEST(Learn, RowsHeldOutDoNotSayWhereInputsGo) {
    // Held out or not, one row far away must not matter for the others.
    const auto table = test::round_table(100);
    auto task = held_out_task(table, "kind", 1);
    task.relevance = 1.0;
    const auto usual = learn(table, {}, task).model.scaling.placement;
    auto all = task;
    all.train.validation = 0.0;
    EXPECT_NE(learn(table, {}, all).model.scaling.placement.shift, usual.shift)
        << "the scaling was fitted to all rows";
}

TEST(Learn, FillsTheRecord) {
    const auto table = test::round_table(60);
    auto task = held_out_task(table, "kind", 3);
    task.target.clear();  // the last column
    task.target_kind = TargetKind::automatic;
    const auto learned = learn(table, {}, task);
    const auto& record = learned.model.record;
    const std::vector<std::pair<std::string, std::string>> expected{
        {"target", "kind"},     {"task", "classes"},  {"model", "dsl"},       {"preset", "default"},
        {"data", "people.csv"}, {"rows", "60"},       {"epochs", "3"},        {"epochs run", "3"},
        {"relevance", "1"},     {"epoch-folds", "0"}, {"validation", "0.2"},  {"scale", "auto"},
        {"failed lines", "0"},  {"seed", "0"},        {"optimiser", "adamw"}, {"drop", "size"}};
    for (const auto& [key, value] : expected) {
        ASSERT_TRUE(record.contains(key)) << key;
        EXPECT_EQ(record.at(key), value) << key;
    }
    EXPECT_TRUE(record.contains("validation accuracy"));
    EXPECT_TRUE(record.contains("best epoch"));
    EXPECT_FALSE(record.contains("numbers")) << "an empty list";
}

TEST(Learn, EveryKindOfModel) {
    const auto table = test::round_table(60);
    for (const auto kind :
         {model::Kind::dsl, model::Kind::ablation, model::Kind::mlp, model::Kind::node}) {
        auto task = held_out_task(table, "kind", 3);
        task.kind = kind;
        const auto learned = learn(table, {}, task);
        EXPECT_EQ(learned.model.predictor->kind(), kind);
        EXPECT_EQ(learned.model.record.at("model"), name(kind));
        EXPECT_EQ(evaluate(learned.model, table).failed, 0);
    }
}

TEST(Learn, StopsWhenTheCallerAsks) {
    const auto table = test::round_table(60);
    auto task = held_out_task(table, "kind", 500);
    const auto learned = learn(table, {}, task, stop_after(5));
    EXPECT_TRUE(learned.record.interrupted);
    EXPECT_FALSE(learned.stopped_in_folds);
    EXPECT_LT(learned.record.epochs.size(), 5u);
    EXPECT_EQ(evaluate(learned.model, table).failed, 0);
}

TEST(Learn, StoppedAmongFoldsTheFirstOnesModelIsKept) {
    const auto table = test::round_table(60);
    const auto learned = learn(table, {}, test::small_task(table, "kind", 500), stop_after(5));
    EXPECT_TRUE(learned.record.interrupted);
    EXPECT_TRUE(learned.stopped_in_folds);
    EXPECT_EQ(learned.record.folds, 0);
    const auto score = evaluate(learned.model, table);
    EXPECT_EQ(score.failed, 0);
    const test::Scratch scratch;
    save_model(scratch.path("first.deepsl"), learned.model);
    EXPECT_EQ(predict(load_model(scratch.path("first.deepsl")), table).prediction.y,
              predict(learned.model, table).prediction.y);
}

TEST(Learn, ResumedItHasTheSameBits) {
    const auto table = test::round_table(60);
    const test::Scratch scratch;
    train::Checkpointing checkpointing;
    checkpointing.path = scratch.path("run.ckpt");
    for (const bool folds : {false, true}) {
        auto task = folds ? test::small_task(table, "kind", 6) : held_out_task(table, "kind", 6);
        const auto whole = learn(table, {}, task).model.predictor->parameters().values();
        for (const int steps : {7, 60}) {
            checkpointing.resume = false;
            const auto part = learn(table, {}, task, stop_after(steps), checkpointing);
            checkpointing.resume = true;
            EXPECT_EQ(part.record.interrupted, folds || steps == 7);
            EXPECT_NO_THROW(check_resume(checkpointing));
            const auto resumed = learn(table, {}, task, {}, checkpointing);
            EXPECT_EQ(resumed.model.predictor->parameters().values(), whole)
                << (folds ? "folds, " : "") << steps << " steps";
            EXPECT_FALSE(std::filesystem::exists(train::fold_checkpoint(checkpointing, 1)));
        }
    }
}

TEST(Learn, NothingToResumeIsSaidAtOnce) {
    train::Checkpointing checkpointing;
    const test::Scratch scratch;
    checkpointing.path = scratch.path("none.ckpt");
    checkpointing.resume = true;
    const auto refused = [&] {
        return test::sentence_of(Error::Kind::data, [&] { check_resume(checkpointing); });
    };
    EXPECT_NE(refused().find("there is no such file"), std::string::npos);
    test::put(checkpointing.path, "no checkpoint");
    EXPECT_NE(refused(), "no exception");
}

TEST(Learn, AModelThatDoesNotFitIntoMemoryIsRefusedFirst) {
    const auto table = test::round_table(60);
    auto task = test::small_task(table, "kind");
    task.model.hidden = {65536, 65536, 65536};
    bool trained = false;
    train::Callbacks callbacks;
    callbacks.fold = [&](const train::FoldReport&) { trained = true; };
    const auto sentence =
        test::sentence_of(Error::Kind::argument, [&] { learn(table, {}, task, callbacks); });
    EXPECT_NE(sentence.find("memory"), std::string::npos) << sentence;
    EXPECT_FALSE(trained);
}

TEST(Learn, GeneratedSetsTakeTheSameWay) {
    for (const auto set : {GeneratedSet::circles, GeneratedSet::wave}) {
        data::GenerateOptions options;
        options.samples = 300;
        auto task = generated_task(set, model::Preset::standard);
        task.model.hidden = task.model.field_hidden = {12, 8};
        task.train.epochs = 30;
        const auto learned = learn(prepare(generated_samples(set, options), {}, task), task);
        EXPECT_EQ(learned.record.training_rows, 240);
        EXPECT_EQ(learned.record.validation_rows, 60);
        const auto test = generated_test_samples(set, options, 400);
        const auto score = evaluate(learned.model, test.rows);
        EXPECT_EQ(score.samples, 400);
        EXPECT_GT(score.metrics[0].value, 0.9) << name(set);
        // Every input is brought to the same size: the largest norm is two thirds.
        EXPECT_EQ(
            learned.model.scaling.pulled_in(generated_samples(set, options).rows.x.part(0, 300)),
            0u);
        const test::Scratch scratch;
        save_model(scratch.path("demo.deepsl"), learned.model);
        EXPECT_EQ(load_model(scratch.path("demo.deepsl")).predict(test.rows.x).y,
                  learned.model.predict(test.rows.x).y);
    }
}

TEST(Learn, APerceptronOfEqualSize) {
    const auto task = generated_task(GeneratedSet::spirals, model::Preset::standard);
    const auto model = model::make_predictor(model::Kind::dsl, 2, 2, task.model, 0);
    const auto other = task_of_equal_mlp(task, *model);
    EXPECT_EQ(other.kind, model::Kind::mlp);
    EXPECT_EQ(other.train.epochs, 5 * task.train.epochs);
    const auto mlp = model::make_predictor(other.kind, 2, 2, other.model, 0);
    const auto wanted = static_cast<double>(model->parameters().learned());
    EXPECT_NEAR(static_cast<double>(mlp->parameters().learned()), wanted, 0.02 * wanted);
}

}  // namespace
}  // namespace deepsl::learner
