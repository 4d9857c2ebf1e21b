// Variants of a task, which train models of their own, and how much say these have.
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

// The exact minimum of two: w = 1/2 + (|e2|^2 - |e1|^2) / 2 / (|e1 - e2|^2 + 2 * 20 variance).
TEST(Weights, OfNumbersAreTheBestMean) {
    const std::vector<double> truth{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    const std::vector<double> first{1.1, 2.3, 2.9, 4.0, 4.6, 6.2},
        second{0.0, 3.0, 3.5, 2.0, 5.0, 9.0};
    double e1 = 0.0, e2 = 0.0, between = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
        const double a = first[i] - truth[i], b = second[i] - truth[i];
        e1 += a * a, e2 += b * b, between += (a - b) * (a - b);
    }
    const double variance = 35.0 / 12.0;
    const Matrix<double> numbers(6, 1, truth);
    train::Targets targets;
    targets.numbers = numbers;
    const auto weights = vote_weights({saying(first), saying(second)}, targets);
    EXPECT_NEAR(weights[0], 0.5 + 0.5 * (e2 - e1) / (between + 2.0 * 20.0 * variance), 1e-12);
}

// Outliers of opposite sign cancel in the mean, and must not throw the weights to a corner.
TEST(Weights, OfNumbersAreNeverWorseThanEvenOnes) {
    for (const double outlier : {8.0, 12.0, 40.0, 1e6, 1e150}) {
        Random random(5);
        std::vector<double> truth;
        std::vector<std::vector<double>> said(3);
        for (int i = 0; i < 30; ++i) {
            truth.push_back(normal(random));
            for (auto& each : said) each.push_back(truth.back() + 0.5 * normal(random));
        }
        said[1][0] += outlier;
        said[2][0] -= outlier;
        const Matrix<double> numbers(30, 1, truth);
        train::Targets targets;
        targets.numbers = numbers;
        const auto weights =
            vote_weights({saying(said[0]), saying(said[1]), saying(said[2])}, targets);
        const auto error = [&](const std::vector<double>& w) {
            double sum = 0.0;
            for (std::size_t i = 0; i < 30; ++i) {
                const double off =
                    w[0] * said[0][i] + w[1] * said[1][i] + w[2] * said[2][i] - truth[i];
                sum += off * off;
            }
            return sum;
        };
        EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1.0, 1e-9);
        EXPECT_LE(error(weights), error({1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}) * (1.0 + 1e-9))
            << outlier;
    }
}

TEST(Weights, OfWhatTellsNothingAreEven) {
    const std::vector<std::int64_t> labels{1, 0};
    train::Targets truth;
    truth.labels = labels;
    auto failed = saying({3.0, 1.0});
    for (auto& outcome : failed.outcomes) outcome.line = field::LineStatus::step_limit;
    for (const double weight : vote_weights({failed, saying({-3.0, 3.0})}, truth))
        EXPECT_NEAR(weight, 0.5, 1e-12) << "no row has both";
    const Matrix<double> same(2, 1, {4.0, 4.0});
    train::Targets constant;
    constant.numbers = same;
    double sum = 0.0;
    for (const double weight : vote_weights({saying({4.0, 4.0}), saying({4.0, 4.0})}, constant))
        sum += weight;
    EXPECT_NEAR(sum, 1.0, 1e-12);
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

TEST(Variants, ThatSayNothingAreLeftOut) {
    auto task = voting("size");
    // Nothing is learned at all, and what is said is far from every number.
    task.variants = "learning-rate=0 linear-gain=100";
    const auto learned = learn(table(), {}, task);
    ASSERT_EQ(learned.says.size(), 2U);
    EXPECT_EQ(learned.says[1], "left out learning-rate=0 linear-gain=100");
    EXPECT_EQ(learned.model.voters(), 3U);
    EXPECT_EQ(learned.record.voters, 3);
    EXPECT_NE(learned.model.record.at("weights").find("as above; left out"), std::string::npos);
    // The task's own, too.
    task.variants = "learning-rate=0.01 linear-gain=0";
    task.train.learning_rate = 0.0;
    task.model.linear_gain = 100.0;
    const auto other = learn(table(), {}, task);
    EXPECT_EQ(other.model.voters(), 3U);
    EXPECT_EQ(other.says[0], "left out as above");
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
