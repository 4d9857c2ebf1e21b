// Variants of a task, which train models of their own.
#include "learner/variants.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/train/folds.h"
#include "io/scratch.h"
#include "learner/tables.h"
#include "learner/trained.h"

namespace deepsl::learner {
namespace {

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
    EXPECT_NE(complaint("fields=2 fields=3").find("sets 'fields' twice"), std::string::npos);
    EXPECT_EQ(complaint("fields=2 hidden=8-4"), "");
}

TEST(Variants, BecomeTasks) {
    Task task;
    task.variants = "fields=4 learning-rate=0.5; field=straight";
    const auto tasks = with_variants(task);
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].task.model.fields, task.model.fields);
    EXPECT_EQ(tasks[1].task.model.fields, 4);
    EXPECT_EQ(tasks[1].task.train.learning_rate, 0.5);
    EXPECT_EQ(tasks[2].task.model.field, field::FieldKind::straight);
    EXPECT_EQ(tasks[2].task.model.fields, task.model.fields);
    EXPECT_EQ(tasks[0].settings, "");
    EXPECT_EQ(tasks[1].settings, "fields=4 learning-rate=0.5");
    // An MLP has no fields: of the second nothing is left.
    task.kind = model::Kind::mlp;
    EXPECT_EQ(with_variants(task).size(), 2U);
}

TEST(Variants, ThatAreTheSameCountOnce) {
    Task task;
    task.variants = "fields=2; fields=2 steps=6; fields=" + std::to_string(task.model.fields);
    const auto tasks = with_variants(task);
    ASSERT_EQ(tasks.size(), 2U) << "steps are 6 anyway, and the last one is the task";
    task.variants = "relevance-by=kernel";
    task.relevance = 0.0;
    EXPECT_EQ(with_variants(task).size(), 1U) << "of no relevance";
    // Rules give no models twice, whatever the table and the kind.
    for (const std::size_t rows : {100U, 999U, 1000U, 2999U, 3000U})
        for (const std::size_t classes : {0U, 2U, 7U, 10U, 15U})
            for (const auto kind : {model::Kind::dsl, model::Kind::mlp, model::Kind::node})
                for (const auto effort : {Effort::normal, Effort::thorough}) {
                    auto by_rule = task_for(test::plain_table(rows, classes), "y",
                                            model::Preset::standard, TargetKind::automatic, effort);
                    by_rule.kind = kind;
                    std::set<std::vector<std::string>> seen;
                    for (const auto& variant : with_variants(by_rule)) {
                        std::vector<std::string> texts;
                        for (const auto& [name, value] : settings_of(variant.task))
                            if (name != "relevance-by" || variant.task.relevance > 0.0)
                                if (kind == model::Kind::dsl || name != "directions")
                                    texts.push_back(value);
                        EXPECT_TRUE(seen.insert(texts).second) << rows << ", " << classes;
                    }
                }
}

TEST(Variants, AreNotTooMany) {
    std::string text;
    for (int i = 1; i <= 40; ++i) text += "batch=" + std::to_string(i) + ";";
    EXPECT_NE(complaint(text).find("variants names 40; take 31 at most"), std::string::npos);
}

TEST(Variants, GiveWayToWhatIsGivenForAll) {
    EXPECT_EQ(variants_without("fields=4 batch=32; fields=2", {{"fields", "3"}}), "batch=32");
    EXPECT_EQ(variants_without("fields=4; batch=32", {{"fields", ""}}), "fields=4; batch=32");
}

const data::Table& table() {
    static const auto made = test::round_table(90);
    return made;
}

Task voting(const std::string& target) {
    auto task = test::voting_task(table(), target, 6);
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

TEST(Variants, ThatSayNothingAreLeftOut) {
    auto task = voting("size");
    // Nothing is learned at all, and what is said is far from every number.
    task.variants = "learning-rate=0 linear-gain=100";
    const auto learned = learn(table(), {}, task);
    ASSERT_EQ(learned.says.size(), 2U);
    EXPECT_EQ(learned.says[1], "left out: learning-rate=0 linear-gain=100");
    EXPECT_EQ(learned.model.voters(), 3U);
    EXPECT_EQ(learned.record.voters, 3);
    EXPECT_NE(learned.model.record.at("settings").find(": these settings; left out: "),
              std::string::npos);
    // The task's own, too.
    task.variants = "learning-rate=0.01 linear-gain=0";
    task.train.learning_rate = 0.0;
    task.model.linear_gain = 100.0;
    const auto other = learn(table(), {}, task);
    EXPECT_EQ(other.model.voters(), 3U);
    EXPECT_EQ(other.says[0], "left out: these settings");
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

TEST(Variants, HaveWeightsThatMakeSense) {
    const test::Scratch scratch;
    auto model = learn(table(), {}, voting("kind")).model;
    for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        model.others[0].weight = bad;
        EXPECT_NE(test::sentence_of(Error::Kind::output,
                                    [&] { save_model(scratch.path("m.deepsl"), model); })
                      .find("the weight of model 2 is"),
                  std::string::npos);
    }
}

// Width and height make a parabola together, which no slope of one of them tells.
TEST(Variants, MayBeStretchedByAKernelGuess) {
    auto task = voting("kind");
    task.variants.clear();
    task.relevance = 1.0;
    const auto by_correlation = learn(table(), {}, task);
    task.relevance_by = RelevanceBy::kernel;
    const auto by_guess = learn(table(), {}, task);
    const auto& factors = by_guess.model.scaling.placement.factor;
    EXPECT_NE(factors, by_correlation.model.scaling.placement.factor);
    const auto names = by_guess.model.features;
    const auto factor = [&](const std::string& name) {
        return factors[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                                names.begin())];
    };
    EXPECT_GT(factor("width"), factor("noise"));
    EXPECT_GT(factor("height"), factor("noise"));
}

// A run with more folds may have left any of its checkpoints; the next one begins without them.
TEST(Variants, LeaveNoCheckpointsToOtherRuns) {
    const test::Scratch scratch;
    train::Checkpointing checkpointing;
    checkpointing.path = scratch.path("run.ckpt");
    checkpointing.every_epochs = 1;
    for (const auto* const name : {"run.ckpt.fold5", "run.ckpt.fold12"})
        std::ofstream(scratch.path(name)) << "of another run";
    std::ofstream(scratch.path("run.ckpt.folder")) << "somebody's";
    train::Callbacks callbacks;
    callbacks.stop = [steps = 0]() mutable { return ++steps > 10; };
    EXPECT_TRUE(learn(table(), {}, voting("kind"), callbacks, checkpointing).stopped_in_folds);
    EXPECT_FALSE(std::filesystem::exists(scratch.path("run.ckpt.fold12")));
    checkpointing.resume = true;
    EXPECT_EQ(learn(table(), {}, voting("kind"), {}, checkpointing).model.voters(), 6U);
    EXPECT_TRUE(std::filesystem::exists(scratch.path("run.ckpt.folder")));
}

}  // namespace
}  // namespace deepsl::learner
