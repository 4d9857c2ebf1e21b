// What a model says about columns: importance, contributions, and how far another answer is.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/contributions.h"
#include "deepsl/learner/importance.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/turning.h"
#include "learner/tables.h"
#include "learner/trained.h"

namespace deepsl::learner {
namespace {

const data::Table& training() {
    static const auto table = test::round_table(240);
    return table;
}

TrainedModel trained_on(const std::string& target) {
    auto task = test::small_task(training(), target, 25);
    task.epoch_folds = 0;
    task.train.validation = 0.0;
    return std::move(learn(training(), {}, task).model);
}

/// In or out of a circle, by width, height and colour; noise says nothing.
const TrainedModel& model_of_classes() {
    static const auto model = trained_on("kind");
    return model;
}

const TrainedModel& model_of_numbers() {
    static const auto model = trained_on("size");
    return model;
}

Matrix<double> row_of(const TrainedModel& model, std::size_t row) {
    return inputs_of(model, training().rows_of(std::vector{row}));
}

TEST(Columns, OfATableMakeTheModelsInputs) {
    const auto columns = columns_of(model_of_classes());
    std::vector<std::string> names;
    std::size_t next = 0;
    for (const auto& [name, first, count] : columns) {
        names.push_back(name);
        EXPECT_EQ(first, next) << name;
        next = first + count;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"width", "height", "noise", "colour"}));
    EXPECT_EQ(columns[3].count, 3U);
    EXPECT_EQ(next, model_of_classes().predictor->inputs());
    auto plain = test::random_model(3, 1, {});
    EXPECT_EQ(columns_of(plain)[2].name, "3");
    plain.features = {"a", "b", "c"};
    EXPECT_EQ(columns_of(plain)[2].name, "c");
}

TEST(Contributions, AddUpToTheDifferenceOfTheScores) {
    for (const auto* model : {&model_of_classes(), &model_of_numbers()})
        for (const std::size_t row : {0U, 1U, 7U, 100U}) {
            const auto x = row_of(*model, row);
            const auto found = contributions_of(*model, x);
            ASSERT_TRUE(found.complete);
            const auto here = model->predict(x).y, usual = model->predict(usual_row(*model)).y;
            double largest = 0.0;
            for (std::size_t k = 0; k < here.columns(); ++k) {
                EXPECT_NEAR(found.row[k], here(0, k), 1e-9);
                EXPECT_NEAR(found.usual[k], usual(0, k), 1e-9);
                largest = std::max(largest, std::fabs(here(0, k) - usual(0, k)));
            }
            for (std::size_t k = 0; k < here.columns(); ++k)
                EXPECT_NEAR(found.sum(k), here(0, k) - usual(0, k), 1e-3 * largest);
            EXPECT_LE(found.gap, 1e-3 * largest);
        }
}

/// Where only one column differs from the usual row, it has all of the difference.
TEST(Contributions, AreThoseOfTheColumnsThatDiffer) {
    const auto& model = model_of_numbers();
    auto x = usual_row(model);
    x(0, 1) += 1.0;
    const auto found = contributions_of(model, x);
    for (const std::size_t c : {0U, 2U, 3U}) EXPECT_EQ(found.parts(0, c), 0.0);
    EXPECT_NEAR(found.parts(0, 1), found.row[0] - found.usual[0],
                1e-3 * std::fabs(found.row[0] - found.usual[0]));
    EXPECT_NE(found.parts(0, 1), 0.0);
}

TEST(Contributions, OfBaselinesToo) {
    auto mlp = test::random_model(4, 2, {}, model::Kind::mlp);
    mlp.classes = {"a", "b"};
    // The output layer of a fresh one is not 0.
    const auto x = test::random_rows(1, 4, 8);
    const auto found = contributions_of(mlp, x);
    const auto here = mlp.predict(x).y, usual = mlp.predict(usual_row(mlp)).y;
    for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(found.sum(k), here(0, k) - usual(0, k), 1e-3 + 1e-3 * std::fabs(here(0, k)));
}

TEST(Importance, IsLargeForWhatDecidesAndNoneForNoise) {
    for (const auto* model : {&model_of_classes(), &model_of_numbers()}) {
        const auto found = importance(*model, training());
        ASSERT_EQ(found.columns.size(), 4U);
        const auto loss = [&](const std::string& name) {
            return std::find_if(found.columns.begin(), found.columns.end(),
                                [&](const auto& each) { return each.column == name; })
                ->loss;
        };
        for (const auto* decides : {"width", "height", "colour"})
            EXPECT_GT(loss(decides), 5.0 * std::fabs(loss("noise"))) << decides;
        EXPECT_TRUE(std::is_sorted(found.columns.begin(), found.columns.end(),
                                   [](const auto& a, const auto& b) { return a.loss > b.loss; }));
        const auto score = evaluate(*model, training());
        EXPECT_EQ(found.metric, score.metrics[0].value);
        EXPECT_EQ(found.rows, 240U);
    }
}

TEST(Importance, OfAColumnThatTheModelDoesNotSeeIsZero) {
    // All cells alike: whatever places they change, nothing does.
    auto rows = train::Dataset{test::random_rows(40, 3, 9), {}, Matrix<double>(40, 1)};
    for (std::size_t r = 0; r < 40; ++r) {
        rows.x(r, 1) = 2.0;
        rows.numbers(r, 0) = rows.x(r, 0);
    }
    const auto found = importance(test::random_model(3, 1, {}), rows, {.repeats = 3});
    for (const auto& column : found.columns)
        if (column.column == "2") {
            EXPECT_EQ(column.loss, 0.0);
            EXPECT_EQ(column.loss_deviation, 0.0);
        } else {
            EXPECT_NE(column.loss, 0.0);
            EXPECT_GT(column.loss_deviation, 0.0);
        }
}

TEST(Importance, TakesSomeOfManyRowsAndEndsWhenAsked) {
    const auto few = importance(model_of_classes(), training(), false, {.most_rows = 50});
    EXPECT_EQ(few.rows, 50U);
    std::size_t told = 0;
    const auto ended =
        importance(model_of_classes(), training(), false,
                   {.repeats = 1, .progress = [&](std::size_t done, std::size_t all) {
                        EXPECT_EQ(all, 4U);
                        told = done;
                        return done == 2;
                    }});
    EXPECT_EQ(told, 2U);
    EXPECT_EQ(ended.columns.size(), 2U);
}

TEST(Turning, IsWhereTheAnswerChangesOnTheLine) {
    const auto& model = model_of_classes();
    std::size_t found = 0;
    for (std::size_t row = 0; row < 40; ++row) {
        const auto seen = inspect_row(model, training(), row);
        const auto turning = nearest_turning(model, seen);
        if (!turning) continue;
        ++found;
        EXPECT_NE(turning->label, seen.predictions.label[0]);
        EXPECT_GT(turning->distance, 0.0);
        // Just before the answer is the old one, at the point the new one.
        const auto* lines = model.with_lines();
        const Matrix<double> there(1, turning->z.size(), turning->z);
        EXPECT_EQ(train::guess(model.predict(model.scaling.inverse(there)).y.row(0)),
                  turning->label);
        const auto& field = seen.fields[turning->field];
        EXPECT_GT(turning->t, field.t_minus[0]);
        EXPECT_LT(turning->t, field.t_plus[0]);
        auto before = there;
        for (std::size_t c = 0; c < there.columns(); ++c)
            before(0, c) = std::lerp(seen.z(0, c), there(0, c), 0.999);
        const double scores = lines->predict(before).y(0, 0) - lines->predict(before).y(0, 1);
        EXPECT_LT(std::fabs(scores), 0.1) << "close to a tie";
        double shares = 0.0;
        for (const auto& change : turning->changes) shares += change.share;
        EXPECT_NEAR(shares, 1.0, 1e-9);
        EXPECT_FALSE(std::isnan(turning->changes[0].number) && turning->changes[0].column < 3);
    }
    EXPECT_GT(found, 10U);
}

TEST(Turning, IsNowhereForNumbersAndBaselines) {
    EXPECT_FALSE(
        nearest_turning(model_of_numbers(), inspect_row(model_of_numbers(), training(), 0)));
    auto mlp = test::random_model(4, 2, {}, model::Kind::mlp);
    mlp.classes = {"a", "b"};
    EXPECT_FALSE(nearest_turning(mlp, inspect_row(mlp, test::random_rows(1, 4, 8))));
}

}  // namespace
}  // namespace deepsl::learner
