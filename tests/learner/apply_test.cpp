// What a trained model predicts, and how good that is: as functions of tables and arrays.
#include "deepsl/learner/apply.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/io/checksum.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/learner/cross_validation.h"
#include "deepsl/learner/describe.h"
#include "deepsl/learner/inspect.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_file.h"
#include "io/scratch.h"
#include "learner/tables.h"
#include "learner/trained.h"

namespace deepsl::learner {
namespace {

Learned learned_from(const data::Table& table, const std::string& target,
                     field::DomainKind domain = field::DomainKind::ball) {
    auto task = test::small_task(table, target, 4);
    task.epoch_folds = 0;
    task.train.validation = 0.0;
    task.model.fields = 2;
    task.model.domain = domain;
    return learn(table, {}, task);
}

/// Some samples fail: what is not finite is told in its outcome.
Matrix<double> with_a_bad_row(std::size_t inputs) {
    auto x = test::random_rows(6, inputs, 11);
    x(3, 0) = NAN;
    return x;
}

TEST(Predict, ProbabilitiesAreThoseOfTheScores) {
    const auto table = test::round_table(60);
    const auto model = std::move(learned_from(table, "kind").model);
    const auto seen = predict(model, table);
    ASSERT_EQ(seen.size(), 60u);
    EXPECT_EQ(seen.failed, 0);
    for (std::size_t b = 0; b < 60; ++b) {
        const double first = std::exp(seen.prediction.y(b, 0)),
                     second = std::exp(seen.prediction.y(b, 1));
        EXPECT_NEAR(seen.probability(b, 0), first / (first + second), 1e-12);
        EXPECT_NEAR(seen.probability(b, 0) + seen.probability(b, 1), 1.0, 1e-12);
        EXPECT_EQ(seen.label[b], second > first ? 1 : 0);
    }
}

TEST(Predict, ARowIsTheSameAloneAndWithOthers) {
    const auto table = test::round_table(70);
    const auto model = std::move(learned_from(table, "size").model);
    const auto all = predict(model, table).prediction.y;
    for (const std::size_t row : {0U, 31U, 32U, 69U})
        EXPECT_EQ(predict(model, table.rows_of(std::vector{row})).prediction.y(0, 0), all(row, 0));
    // More rows than are scaled at a time.
    const auto x = inputs_of(model, table);
    std::vector<std::size_t> many;
    for (std::size_t i = 0; i < 40000; ++i) many.push_back(i % 70);
    const auto repeated = model.predict(x.rows_at(many)).y;
    for (std::size_t i = 0; i < 40000; i += 997) EXPECT_EQ(repeated(i, 0), all(many[i], 0));
}

TEST(Predict, WhatFailsIsCountedAndHasNoNumber) {
    auto classes = test::random_model(2, 3, {});
    classes.classes = {"a", "b", "c"};
    const auto x = with_a_bad_row(2);
    const auto of_classes = predict(classes, x);
    EXPECT_EQ(of_classes.failed, 1);
    EXPECT_EQ(of_classes.failures.at("not_finite"), 1);
    EXPECT_EQ(of_classes.label[3], 0);
    EXPECT_TRUE(std::isnan(of_classes.probability(3, 1)));
    EXPECT_FALSE(std::isnan(of_classes.probability(2, 1)));
    const auto numbers = test::random_model(2, 1, {});
    const auto of_numbers = predict(numbers, x);
    EXPECT_TRUE(std::isnan(of_numbers.prediction.y(3, 0)));
    EXPECT_FALSE(std::isnan(of_numbers.prediction.y(4, 0)));
}

TEST(Predict, OneOutputTellsTwoClassesApartByItsSign) {
    auto model = test::random_model(2, 1, {});
    model.classes = {"no", "yes"};
    const auto seen = predict(model, test::random_rows(30, 2, 12));
    for (std::size_t b = 0; b < 30; ++b) {
        const double y = seen.prediction.y(b, 0);
        EXPECT_EQ(seen.label[b], y > 0.0 ? 1 : 0);
        EXPECT_NEAR(seen.probability(b, 1), 1.0 / (1.0 + std::exp(-y)), 1e-12);
        EXPECT_NEAR(seen.probability(b, 0), 1.0 - seen.probability(b, 1), 1e-12);
    }
}

TEST(Predict, NotesWhatTrainingDidNotHave) {
    const auto table = test::round_table(60);
    const auto model = std::move(learned_from(table, "kind").model);
    auto other = table.rows_of(std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
    other.columns[0].numbers[1] = 50.0;
    other.columns[0].numbers[2] = test::hole;
    other.columns[3] =
        test::texts("colour", {"grey", "red", "red", "red", "blue", "", "red", "red"});
    const auto seen = predict(model, other);
    EXPECT_EQ(seen.notes.out_of_range.at("width"), 1u);
    EXPECT_EQ(seen.notes.holes.at("width"), 1u);
    EXPECT_EQ(seen.notes.unseen.at("colour"), 1u);
    EXPECT_THROW(predict(model, other, true), std::exception);
    const auto lines = notes_lines(seen.notes);
    ASSERT_GE(lines.size(), 3u);
    EXPECT_EQ(lines[0], "missing cells, filled in: colour (1), width (1)");
}

TEST(Predict, AModelWithoutATableHasNoneToRead) {
    const auto model = test::random_model(2, 1, {});
    const auto table = test::round_table(8);
    const auto word = std::string("not trained on a table");
    constexpr auto kind = Error::Kind::data;
    EXPECT_NE(test::sentence_of(kind, [&] { predict(model, table); }).find(word),
              std::string::npos);
    EXPECT_NE(test::sentence_of(kind, [&] { evaluate(model, table); }).find(word),
              std::string::npos);
    EXPECT_NE(test::sentence_of(kind, [&] { read_table_for(model, "x.csv"); }).find(word),
              std::string::npos);
    EXPECT_NE(test::sentence_of(kind, [&] { inspect_row(model, table, 0); }).find(word),
              std::string::npos);
}

TEST(Predict, ATableIsReadAsTrainingHadIt) {
    const test::Scratch scratch;
    std::string text = "code,size,kind\n";
    for (int i = 0; i < 40; ++i)
        text += (i % 2 == 0 ? "01," : "1,") + std::to_string(i * i % 37) +
                (i % 2 == 0 ? ",yes\n" : ",no\n");
    test::put(scratch.path("train.csv"), text);
    data::TableOptions options;
    options.texts = {"code"};
    const auto table = data::read_table(scratch.path("train.csv"), options);
    Task task;
    task.target = "kind";
    task.categories = {"code"};
    task.train.epochs = 1;
    const auto model = std::move(learn(table, {}, task).model);
    test::put(scratch.path("new.csv"), "size,code\n3,01\n3,1\n");
    const auto fresh = read_table_for(model, scratch.path("new.csv"));
    EXPECT_FALSE(fresh.find("code")->numeric) << "01 and 1 are the same as numbers";
    const auto seen = predict(model, fresh);
    EXPECT_TRUE(seen.notes.unseen.empty());
    EXPECT_NE(seen.prediction.y(0, 0), seen.prediction.y(1, 0));
}

TEST(Evaluate, ArraysAndTablesAlike) {
    const auto table = test::round_table(60);
    for (const std::string target : {"kind", "size"}) {
        const auto model = std::move(learned_from(table, target).model);
        train::Dataset rows;
        rows.x = inputs_of(model, table);
        const auto known = data::read_measured_target(table, target, model.classes);
        rows.labels = known.labels;
        if (target == "size") rows.numbers = Matrix<double>(60, 1, known.numbers);
        const auto by_table = evaluate(model, table), by_rows = evaluate(model, rows);
        ASSERT_EQ(by_table.metrics.size(), by_rows.metrics.size());
        for (std::size_t i = 0; i < by_table.metrics.size(); ++i)
            EXPECT_EQ(by_table.metrics[i].value, by_rows.metrics[i].value);
        EXPECT_EQ(by_table.confusion, by_rows.confusion);
        train::Dataset wrong;
        wrong.x = rows.x;
        if (target == "kind") wrong.numbers = Matrix<double>(60, 1, 0.5);
        if (target == "size") wrong.labels.assign(60, 0);
        EXPECT_NE(test::sentence_of(Error::Kind::argument, [&] { evaluate(model, wrong); }),
                  "no exception");
    }
}

TEST(Inspect, ContributionsAddUpToThePrediction) {
    const auto table = test::round_table(60);
    for (const std::string target : {"kind", "size"}) {
        const auto model = std::move(learned_from(table, target).model);
        for (const std::size_t number : {0U, 17U, 59U}) {
            const auto row = inspect_row(model, table, number);
            ASSERT_EQ(row.fields.size(), 2u);
            const auto& y = row.predictions.prediction.y;
            for (std::size_t k = 0; k < y.columns(); ++k)
                EXPECT_NEAR(row.constant[k] + row.contributions(k), y(0, k),
                            1e-9 * (1.0 + std::fabs(y(0, k))));
        }
        EXPECT_NE(test::sentence_of(Error::Kind::data, [&] { inspect_row(model, table, 60); })
                      .find("row 61 was asked for"),
                  std::string::npos);
    }
}

TEST(Inspect, RelevanceStretchesWhatTellsMost) {
    const auto table = test::round_table(200);
    const auto inputs = [&](double relevance, field::DomainKind domain) {
        auto task = test::small_task(table, "size", 1);
        task.relevance = relevance;
        task.epoch_folds = 0;
        task.model.domain = domain;
        return stretched_inputs(learn(table, {}, task).model, 2);
    };
    const auto most = inputs(1.0, field::DomainKind::ball);
    ASSERT_EQ(most.size(), 2u);
    EXPECT_EQ(most[0], "colour=red");
    EXPECT_NE(most[1], "noise");
    EXPECT_TRUE(inputs(0.0, field::DomainKind::ball).empty());
    EXPECT_TRUE(inputs(1.0, field::DomainKind::box).empty());
}

TEST(CrossValidate, MeasuresEachRowOnce) {
    const auto table = test::round_table(60);
    auto task = test::small_task(table, "kind", 2);
    task.epoch_folds = 0;
    std::vector<std::int64_t> folds;
    std::int64_t samples = 0;
    const auto result = cross_validate(table, task, 4, {}, [&](std::int64_t fold, const Score& s) {
        folds.push_back(fold);
        samples += s.samples;
    });
    EXPECT_EQ(folds, (std::vector<std::int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(samples, 60);
    ASSERT_EQ(result.folds(), 4u);
    EXPECT_EQ(result.names[0], "accuracy");
    EXPECT_EQ(result.majority.size(), 4u);
    EXPECT_FALSE(result.interrupted);
    double mean = 0.0, squares = 0.0;
    for (const double value : result.values[0]) mean += value / 4.0;
    for (const double value : result.values[0]) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(result.mean(0), mean, 1e-15);
    EXPECT_NEAR(result.deviation(0), std::sqrt(squares / 3.0), 1e-15);
}

TEST(CrossValidate, RefusesWhatCannotBeMeasured) {
    const auto table = test::round_table(6);
    const auto task = test::small_task(table, "size", 2);
    EXPECT_NE(test::sentence_of(Error::Kind::data, [&] { cross_validate(table, task, 7); })
                  .find("7 folds of 6 rows"),
              std::string::npos);
    EXPECT_NE(test::sentence_of(Error::Kind::argument, [&] { cross_validate(table, task, 1); }),
              "no exception");
    const auto alone = test::table(
        {test::numbers("x", {1, 2, 3, 5, 9}), test::texts("y", {"a", "a", "b", "a", "a"})});
    EXPECT_NE(test::sentence_of(Error::Kind::data, [&] { cross_validate(alone, {}, 2); })
                  .find("the class 'b' has one row"),
              std::string::npos);
}

TEST(CrossValidate, StopsWhenTheCallerAsks) {
    const auto table = test::round_table(60);
    auto task = test::small_task(table, "kind", 2);
    task.epoch_folds = 0;
    train::Callbacks callbacks;
    bool first_done = false;
    callbacks.stop = [&] { return first_done; };
    const auto result = cross_validate(table, task, 3, callbacks,
                                       [&](std::int64_t, const Score&) { first_done = true; });
    EXPECT_EQ(result.folds(), 1u);
    EXPECT_TRUE(result.interrupted);
}

TEST(Describe, WarnsOfColumnsThatArePossiblyNumbers) {
    const auto table = data::parse_table(
        "a;b;c;y\n1,5;1;x;0\n2,5;2;y;1\n3;3;x;0\n4,25;oops;x;1\n"
        "5,0;5;y;0\n6,0;6;x;1\n7,0;7;y;0\n8,5;8;x;1\n",
        "people.csv");
    data::EncodingOptions options;
    options.roles = {{"a", data::Role::category}, {"b", data::Role::category}};
    const auto lines = table_warnings(table, data::Encoding::fit(table, "y", options));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[0].find("'a' seems to hold numbers with decimal commas"), std::string::npos);
    EXPECT_NE(lines[1].find("'b' is taken as categories because of 'oops' in line 5"),
              std::string::npos);
    EXPECT_EQ(lines[0].find("left out"), std::string::npos);
    options.roles["a"] = data::Role::dropped;
    EXPECT_NE(table_warnings(table, data::Encoding::fit(table, "y", options))[0].find(
                  "read as texts, so that it is left out; write points"),
              std::string::npos);
}

class TableModelFile : public ::testing::TestWithParam<field::DomainKind> {};

TEST_P(TableModelFile, TheScalingMustBelongToTheDomain) {
    const auto table = test::round_table(60);
    const auto model = std::move(learned_from(table, "kind", GetParam()).model);
    const test::Scratch scratch;
    const auto path = scratch.path("model.deepsl");
    save_model(path, model);
    const auto good = io::read_tensor_file(path);
    const auto refused = [&](io::TensorFile file) {
        file.metadata[io::checksum_key] = io::checksum_of(file);
        io::write_tensor_file(path, file);
        try {
            load_model(path);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refused(good), "");
    // Another domain, said consistently.
    auto other = good;
    const bool ball = GetParam() == field::DomainKind::ball;
    const std::string from = ball ? "ball" : "box", to = ball ? "box" : "ball";
    other.metadata["domain"] = to;
    auto& architecture = other.metadata["architecture"];
    architecture.replace(architecture.find("\"" + from + "\""), from.size() + 2, "\"" + to + "\"");
    EXPECT_NE(refused(other).find("does not belong to its domain"), std::string::npos);
    auto tiny = good;
    for (auto& tensor : tiny.tensors) {
        if (tensor.name != "scaling.factor") continue;
        for (std::size_t i = 0; i < tensor.bytes.size(); i += sizeof(double)) {
            double factor = 0.0;
            std::memcpy(&factor, tensor.bytes.data() + i, sizeof factor);
            factor *= 1e-100;
            std::memcpy(tensor.bytes.data() + i, &factor, sizeof factor);
        }
    }
    EXPECT_NE(refused(tiny), "");
    auto renamed = good;
    auto& names = renamed.metadata["features"];
    names.replace(names.find("width"), 5, "depth");
    EXPECT_NE(refused(renamed).find("other names"), std::string::npos);
    auto nameless = good;
    nameless.metadata["classes"] = "[]";
    EXPECT_NE(refused(nameless).find("names none"), std::string::npos);
    auto deep = good;
    deep.metadata["encoding"] = std::string(100000, '[');
    EXPECT_NE(refused(deep), "");
    auto encoding = good;
    auto& text = encoding.metadata["encoding"];
    text.replace(text.find("\"red\""), 5, "\"tan\"");
    EXPECT_NE(refused(encoding), "");
}

INSTANTIATE_TEST_SUITE_P(Domains, TableModelFile,
                         ::testing::Values(field::DomainKind::ball, field::DomainKind::box),
                         [](const auto& domain) { return std::string(name(domain.param)); });

}  // namespace
}  // namespace deepsl::learner
