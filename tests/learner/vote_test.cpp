// Several models as one: what they say together, how they are kept, and what is told of them.
#include "learner/vote.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/contributions.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/learner/turning.h"
#include "deepsl/train/folds.h"
#include "io/scratch.h"
#include "learner/tables.h"
#include "learner/trained.h"

namespace deepsl::learner {
namespace {

model::Prediction saying(std::vector<double> y, std::size_t rows = 1) {
    model::Prediction prediction;
    const auto outputs = y.size() / rows;
    prediction.y = Matrix<double>(rows, outputs, std::move(y));
    prediction.lambda = Matrix<double>(rows, 0);
    prediction.outcomes.resize(rows);
    return prediction;
}

double softmax(const std::vector<double>& y, std::size_t k) {
    double sum = 0.0;
    for (const double score : y) sum += std::exp(score);
    return std::exp(y[k]) / sum;
}

const std::vector<double> alike{1.0, 1.0};

TEST(Vote, OfNumbersIsTheirMean) {
    const std::vector<model::Prediction> said{saying({1.0, -2.0}), saying({3.0, 5.0}),
                                              saying({5.0, 0.0})};
    const auto result = vote(said, std::vector{1.0, 1.0, 1.0}, false);
    EXPECT_NEAR(result.y(0, 0), 3.0, 1e-15);
    EXPECT_NEAR(result.y(0, 1), 1.0, 1e-15);
    const auto weighted = vote(said, std::vector{1.0, 2.0, 1.0}, false);
    EXPECT_NEAR(weighted.y(0, 0), 3.0, 1e-15);
    EXPECT_NEAR(weighted.y(0, 1), 2.0, 1e-15);
}

TEST(Vote, OfClassesIsTheMeanOfTheirProbabilities) {
    const std::vector<double> a{1.0, -1.0, 0.5}, b{-3.0, 2.0, 0.0};
    const auto result = vote({saying(a), saying(b)}, alike, true);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(std::exp(result.y(0, k)), 0.5 * (softmax(a, k) + softmax(b, k)), 1e-15);
    const auto weighted = vote({saying(a), saying(b)}, std::vector{3.0, 1.0}, true);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(std::exp(weighted.y(0, k)), 0.75 * softmax(a, k) + 0.25 * softmax(b, k), 1e-15);
    // As far as logarithms reach: no probability is rounded to 0.
    const auto sure = vote({saying({0.0, 2000.0}), saying({0.0, 3000.0})}, alike, true);
    EXPECT_NEAR(sure.y(0, 0), -2000.0 - std::log(2.0), 1e-9);
    EXPECT_NEAR(sure.y(0, 1), 0.0, 1e-12);
    // A single score is the logarithm of the odds.
    const auto single = vote({saying({2.0}), saying({-1.0})}, alike, true);
    const auto sigmoid = [](double s) { return 1.0 / (1.0 + std::exp(-s)); };
    EXPECT_NEAR(sigmoid(single.y(0, 0)), 0.5 * (sigmoid(2.0) + sigmoid(-1.0)), 1e-15);
}

TEST(Vote, OfOneIsItsOwn) {
    for (const bool classes : {true, false})
        EXPECT_EQ(vote({saying({1.0, 7.0})}, std::vector{1.0}, classes).y.values(),
                  (std::vector<double>{1.0, 7.0}));
}

TEST(Vote, LeavesOutWhoFails) {
    auto failed = saying({0.0, 0.0}, 2), fine = saying({4.0, 6.0}, 2);
    failed.outcomes[0].line = field::LineStatus::step_limit;
    const auto result = vote({failed, fine}, alike, false);
    EXPECT_EQ(result.y(0, 0), 4.0) << "only one has a say";
    EXPECT_EQ(result.y(1, 0), 3.0);
    EXPECT_TRUE(result.outcomes[0].ok());
    fine.outcomes[0].line = field::LineStatus::not_finite;
    EXPECT_FALSE(vote({failed, fine}, alike, true).outcomes[0].ok());
}

TEST(Vote, GradientsAgreeWithDifferences) {
    for (const bool classes : {true, false})
        for (const std::size_t outputs : {1U, 2U, 4U}) {
            Random random(outputs);
            std::vector<model::Prediction> votes;
            for (int v = 0; v < 3; ++v) {
                std::vector<double> y;
                for (std::size_t k = 0; k < outputs; ++k) y.push_back(2.0 * normal(random));
                votes.push_back(saying(y));
            }
            const std::vector<double> weights{0.5, 2.0, 1.0};
            std::vector<double> gradient(outputs);
            for (std::size_t v = 0; v < votes.size(); ++v)
                for (std::size_t k = 0; k < outputs; ++k) {
                    vote_gradient(votes, weights, classes, 0, k, v, gradient);
                    for (std::size_t j = 0; j < outputs; ++j) {
                        constexpr double h = 1e-5;
                        auto more = votes, less = votes;
                        more[v].y(0, j) += h;
                        less[v].y(0, j) -= h;
                        const double difference = (vote(more, weights, classes).y(0, k) -
                                                   vote(less, weights, classes).y(0, k)) /
                                                  (2.0 * h);
                        EXPECT_NEAR(gradient[j], difference, 1e-9) << k << ", " << j;
                    }
                }
        }
}

const data::Table& table() {
    static const auto made = test::round_table(90);
    return made;
}

Task voting(const std::string& target) { return test::voting_task(table(), target, 8); }

TEST(FoldsThatVote, AreTheModelsOfTheFolds) {
    for (const std::string target : {"kind", "size"}) {
        const auto learned = learn(table(), {}, voting(target));
        const auto& model = learned.model;
        ASSERT_EQ(model.voters(), 3U);
        EXPECT_EQ(learned.record.voters, 3);
        EXPECT_EQ(learned.record.training_rows, 90);
        EXPECT_EQ(model.record.at("voters"), "3");
        EXPECT_GT(learned.record.fold_metric, target == "kind" ? 0.6 : 0.2);
        const auto x = inputs_of(model, table());
        std::vector<model::Prediction> votes;
        for (std::size_t v = 0; v < 3; ++v) votes.push_back(model.voter(v).ask(x));
        EXPECT_NE(votes[0].y, votes[1].y);
        EXPECT_NE(model.scaling.placement.shift, model.others[0].scaling.placement.shift)
            << "each is scaled by the rows that it learned from";
        EXPECT_EQ(model.weights(), std::vector<double>(3, 1.0 / 3.0));
        auto together = vote(std::move(votes), model.weights(), model.predicts_classes()).y;
        for (double& y : together.values()) y = model.target_mean + model.target_scale * y;
        EXPECT_EQ(predict(model, table()).prediction.y, together);
        EXPECT_GT(model.learned_numbers(), 2 * model.predictor->parameters().learned());
    }
}

TEST(FoldsThatVote, AreSavedAndLoaded) {
    const test::Scratch scratch;
    const auto path = scratch.path("voters.deepsl");
    const auto learned = learn(table(), {}, voting("kind"));
    save_model(path, learned.model);
    const auto loaded = load_model(path);
    EXPECT_EQ(loaded.voters(), 3U);
    EXPECT_EQ(predict(loaded, table()).prediction.y, predict(learned.model, table()).prediction.y);
    for (std::size_t v = 0; v < 3; ++v)
        EXPECT_EQ(loaded.voter(v).scaling.spread, learned.model.voter(v).scaling.spread);
}

TEST(FoldsThatVote, GoOnWhereTheyWereStopped) {
    const test::Scratch scratch;
    const auto whole = learn(table(), {}, voting("kind"));
    train::Checkpointing checkpointing;
    checkpointing.path = scratch.path("run.ckpt");
    checkpointing.every_epochs = 1;
    train::Callbacks callbacks;
    int steps = 0;
    callbacks.stop = [&] { return ++steps > 40; };
    const auto stopped = learn(table(), {}, voting("kind"), callbacks, checkpointing);
    EXPECT_TRUE(stopped.stopped_in_folds);
    EXPECT_EQ(stopped.model.voters(), 1U);
    checkpointing.resume = true;
    const auto resumed = learn(table(), {}, voting("kind"), {}, checkpointing);
    ASSERT_EQ(resumed.model.voters(), 3U);
    EXPECT_EQ(predict(resumed.model, table()).prediction.y,
              predict(whole.model, table()).prediction.y);
    EXPECT_FALSE(std::filesystem::exists(train::fold_checkpoint(checkpointing, 1)));
}

TEST(FoldsThatVote, ExplainThemselves) {
    const auto learned = learn(table(), {}, voting("kind"));
    const auto& model = learned.model;
    std::size_t turnings = 0;
    for (const std::size_t row : {0U, 3U, 8U, 20U, 31U, 47U}) {
        const auto x = inputs_of(model, table().rows_of(std::vector{row}));
        const auto found = contributions_of(model, x);
        const auto here = model.predict(x).y, usual = model.predict(usual_row(model)).y;
        for (std::size_t k = 0; k < 2; ++k)
            EXPECT_NEAR(found.sum(k), here(0, k) - usual(0, k),
                        1e-3 * (std::fabs(here(0, k)) + std::fabs(usual(0, k))));
        const auto seen = inspect_row(model, table(), row);
        ASSERT_EQ(seen.others.size(), 2U);
        if (const auto turning = nearest_turning(model, seen)) {
            ++turnings;
            const Matrix<double> there(1, turning->z.size(), turning->z);
            const auto back = model.voter(turning->voter).scaling.inverse(there);
            EXPECT_EQ(train::guess(model.predict(back).y.row(0)), turning->label);
            EXPECT_NE(turning->label, seen.predictions.label[0]);
        }
    }
    EXPECT_GT(turnings, 2U);
}

}  // namespace
}  // namespace deepsl::learner
