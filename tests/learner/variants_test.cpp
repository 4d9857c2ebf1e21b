// Variants of a task, which train models of their own, and how much say these have.
#include "learner/variants.h"

#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/random.h"
#include "deepsl/train/folds.h"
#include "io/scratch.h"
#include "learner/tables.h"
#include "learner/trained.h"
#include "learner/weights.h"

namespace deepsl::learner {
namespace {

model::Prediction saying(const std::vector<double>& y) {
    model::Prediction prediction;
    prediction.y = Matrix<double>(y.size(), 1, y);
    prediction.lambda = Matrix<double>(y.size(), 0);
    prediction.outcomes.resize(y.size());
    return prediction;
}

std::string complaint(const std::string& text) {
    Task task;
    task.variants = text;
    try {
        check_task(task);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Variants, AreReadAndWritten) {
    const auto variants = variants_in(" fields=4   learning-rate=0.005;; relevance=0 ;");
    ASSERT_EQ(variants.size(), 2U);
    EXPECT_EQ(variants[0], (Settings{{"fields", "4"}, {"learning-rate", "0.005"}}));
    EXPECT_EQ(variants[1], (Settings{{"relevance", "0"}}));
    EXPECT_EQ(variants_text(variants), "fields=4 learning-rate=0.005; relevance=0");
    EXPECT_TRUE(variants_in("").empty());
    EXPECT_TRUE(variants_in("none").empty());
}

TEST(Variants, AreRefusedWithTheirNames) {
    EXPECT_NE(complaint("fields 4").find("variants takes settings such as fields=4"),
              std::string::npos);
    EXPECT_NE(complaint("seed=3").find("cannot change 'seed'"), std::string::npos);
    EXPECT_NE(complaint("colour=3").find("cannot change 'colour'"), std::string::npos);
    EXPECT_NE(complaint("fields=0").find("variants: fields takes a whole number"),
              std::string::npos);
    EXPECT_EQ(complaint("fields=2 hidden=8-4"), "");
}

TEST(Variants, BecomeTasks) {
    Task task;
    task.variants = "fields=4 learning-rate=0.5; field=straight";
    const auto tasks = with_variants(task);
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].model.fields, task.model.fields);
    EXPECT_EQ(tasks[1].model.fields, 4);
    EXPECT_EQ(tasks[1].train.learning_rate, 0.5);
    EXPECT_EQ(tasks[2].model.field, field::FieldKind::straight);
    EXPECT_EQ(tasks[2].model.fields, task.model.fields);
    // An MLP has no fields: of the second nothing is left.
    task.kind = model::Kind::mlp;
    EXPECT_EQ(with_variants(task).size(), 2U);
}

TEST(Variants, GiveWayToWhatIsGivenForAll) {
    EXPECT_EQ(variants_without("fields=4 batch=32; fields=2", {{"fields", "3"}}), "batch=32");
    EXPECT_EQ(variants_without("fields=4; batch=32", {{"fields", ""}}), "fields=4; batch=32");
}

TEST(Weights, FollowWhoIsRight) {
    Random random(7);
    std::vector<double> right, noise, wrong, numbers;
    train::Targets truth;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 200; ++i) {
        labels.push_back(i % 2);
        const double sign = i % 2 == 0 ? -1.0 : 1.0;
        right.push_back(2.0 * sign);
        noise.push_back(normal(random));
        wrong.push_back(-2.0 * sign);
        numbers.push_back(2.0 * sign);
    }
    const Matrix<double> table(200, 1, numbers);
    for (const bool classes : {true, false}) {
        truth = {};
        if (classes)
            truth.labels = labels;
        else
            truth.numbers = table;
        const auto weights = vote_weights({saying(right), saying(noise), saying(wrong)}, truth);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-9);
        EXPECT_GT(weights[0], 0.8);
        EXPECT_LT(weights[2], 0.06);
        // Who says the same has the same say.
        const auto twins = vote_weights({saying(noise), saying(noise)}, truth);
        EXPECT_NEAR(twins[0], 0.5, 1e-9);
    }
}

TEST(Weights, OfFewRowsStayNearlyAlike) {
    const std::vector<std::int64_t> labels{0, 1, 1};
    train::Targets truth;
    truth.labels = labels;
    const auto weights = vote_weights({saying({-1.0, 1.0, 1.0}), saying({1.0, -1.0, -1.0})}, truth);
    EXPECT_GT(weights[0], weights[1]);
    EXPECT_GT(weights[1], 0.35);
}

TEST(Weights, LookAtRowsThatAllHave) {
    const std::vector<std::int64_t> labels{1, 1};
    train::Targets truth;
    truth.labels = labels;
    auto first = saying({3.0, -50.0});
    first.outcomes[1].line = field::LineStatus::step_limit;
    const auto weights = vote_weights({first, saying({-3.0, 3.0})}, truth);
    EXPECT_GT(weights[0], weights[1]) << "the second row is not looked at";
}

const data::Table& table() {
    static const auto made = test::round_table(90);
    return made;
}

Task voting(const std::string& target) {
    auto task = test::small_task(table(), target, 6);
    task.epoch_folds = 3;
    task.after_folds = AfterFolds::vote;
    task.variants = "fields=2 relevance=1";
    return task;
}

TEST(Variants, VoteWithTheTask) {
    for (const std::string target : {"kind", "size"}) {
        const auto learned = learn(table(), {}, voting(target));
        const auto& model = learned.model;
        ASSERT_EQ(model.voters(), 6U);
        EXPECT_EQ(learned.record.folds, 3);
        EXPECT_EQ(model.voter(0).predictor->options().fields, 1);
        EXPECT_EQ(model.voter(3).predictor->options().fields, 2);
        const auto weights = model.weights();
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-9);
        EXPECT_EQ(weights[0], weights[1]);
        EXPECT_EQ(weights[3], weights[5]);

        const test::Scratch scratch;
        save_model(scratch.path("model.deepsl"), model);
        const auto loaded = load_model(scratch.path("model.deepsl"));
        EXPECT_EQ(loaded.weights(), weights);
        EXPECT_EQ(predict(loaded, table()).prediction.y, predict(model, table()).prediction.y);
    }
}

TEST(Variants, AreTheTasksThatTheyName) {
    const auto learned = learn(table(), {}, voting("kind"));
    auto alone = voting("kind");
    alone.variants.clear();
    alone.model.fields = 2;
    alone.relevance = 1.0;
    const auto other = learn(table(), {}, alone);
    for (std::size_t v = 0; v < 3; ++v)
        EXPECT_EQ(learned.model.voter(3 + v).predictor->parameters().values(),
                  other.model.voter(v).predictor->parameters().values());
}

TEST(Variants, GoOnWhereTheyWereStopped) {
    const test::Scratch scratch;
    const auto whole = learn(table(), {}, voting("kind"));
    train::Checkpointing checkpointing;
    checkpointing.path = scratch.path("run.ckpt");
    checkpointing.every_epochs = 1;
    train::Callbacks callbacks;
    callbacks.stop = [steps = 0]() mutable { return ++steps > 45; };
    EXPECT_TRUE(learn(table(), {}, voting("kind"), callbacks, checkpointing).stopped_in_folds);
    checkpointing.resume = true;
    const auto resumed = learn(table(), {}, voting("kind"), {}, checkpointing);
    ASSERT_EQ(resumed.model.voters(), 6U);
    EXPECT_EQ(predict(resumed.model, table()).prediction.y,
              predict(whole.model, table()).prediction.y);
    for (std::int64_t fold = 1; fold <= 6; ++fold)
        EXPECT_FALSE(std::filesystem::exists(train::fold_checkpoint(checkpointing, fold)));
}

}  // namespace
}  // namespace deepsl::learner
