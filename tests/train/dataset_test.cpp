// Data sets: what is refused and in which words, and how rows are split.
#include "deepsl/train/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/train/options.h"
#include "deepsl/train/trainer.h"
#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

Matrix<double> zeros(std::size_t rows, std::size_t columns) { return {rows, columns, 0.0}; }

/// What is said of these data; empty if nothing is wrong.
std::string refusal(std::size_t outputs, const Dataset& data) {
    const LinearModel model(2, outputs);
    try {
        check_dataset(model, data, "here");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::data);
        return error.what();
    }
    return "";
}

TEST(Dataset, GoodOnesPass) {
    EXPECT_EQ(refusal(3, labelled(zeros(3, 2), {0, 1, 2})), "");
    EXPECT_EQ(refusal(1, labelled(zeros(3, 2), {0, 1, 1})), "");
    EXPECT_EQ(refusal(2, numbered(zeros(3, 2), zeros(3, 2))), "");
    EXPECT_EQ(refusal(1, numbered(Matrix<double>(3, 2, std::nan("")), zeros(3, 1))), "");
}

TEST(Dataset, BadOnesAreRefusedInClearWords) {
    EXPECT_EQ(refusal(2, {}), "here: there are no rows; give at least one sample");
    EXPECT_EQ(refusal(2, labelled(zeros(3, 4), {0, 1, 1})),
              "here: x must be [rows, 2], but is [3, 4]");
    EXPECT_EQ(refusal(2, labelled(zeros(3, 2), {0, 1})),
              "here: x has 3 rows, but the target has 2; give one for each");
    EXPECT_EQ(refusal(2, {zeros(3, 2), {}, {}}),
              "here: x has 3 rows, but the target has 0; give one for each");
    EXPECT_EQ(refusal(2, {zeros(3, 2), {0, 1, 0}, zeros(3, 2)}),
              "here: targets must be labels or numbers, not both");
    EXPECT_EQ(
        refusal(3, labelled(zeros(3, 2), {0, 3, 1})),
        "here: row 1 has label 3, but a model with 3 outputs takes labels from 0 to 2; number "
        "the classes from 0, or give the model an output for each");
    EXPECT_EQ(
        refusal(1, labelled(zeros(3, 2), {0, 1, -1})),
        "here: row 2 has label -1, but a model with 1 output takes labels from 0 to 1; number "
        "the classes from 0, or give the model an output for each");
    EXPECT_EQ(refusal(1, numbered(zeros(3, 2), column({0.0, std::nan(""), 0.0}))),
              "here: the target in row 1 is nan, but targets must be finite; leave such rows out");
    EXPECT_EQ(refusal(2, numbered(zeros(3, 2), zeros(3, 1))),
              "here: the target must be labels or [rows, 2], but is [3, 1]");
}

TEST(Dataset, TrainAndEvaluateRefuseBeforeTheyTouchTheModel) {
    LinearModel model(2, 2);
    const auto before = model.parameters().values();
    const auto good = labelled(Matrix<double>(8, 2, 0.5), {0, 1, 0, 1, 0, 1, 0, 1});
    const auto bad = labelled(Matrix<double>(2, 2, 0.5), {0, 2});
    const auto numbers = numbered(Matrix<double>(2, 2, 0.5), zeros(2, 2));
    TrainOptions squared, no_batch;
    squared.loss = Loss::squared;
    no_batch.batch = 0;
    EXPECT_THROW(train(model, bad, {}, {}), Error);
    EXPECT_THROW(train(model, good, bad, {}), Error);
    EXPECT_THROW(train(model, good, numbers, {}), Error);
    EXPECT_THROW(train(model, good, {}, squared), Error);
    EXPECT_THROW(train(model, good, {}, no_batch), Error);
    EXPECT_THROW(evaluate(model, good, Loss::squared), Error);
    EXPECT_THROW(evaluate(model, bad, Loss::hinge), Error);
    EXPECT_EQ(model.parameters().values(), before);
}

TEST(Dataset, CalibrationTargets) {
    EXPECT_EQ(calibration_targets(labelled(zeros(2, 1), {2, 0}), 3),
              rows_of({0.0, 0.0, 1.0, 1.0, 0.0, 0.0}, 3));
    EXPECT_EQ(calibration_targets(labelled(zeros(2, 1), {1, 0}), 1), column({1.0, -1.0}));
    const auto numbers = rows_of({0.1, 0.2, 0.3, 0.4}, 2);
    EXPECT_EQ(calibration_targets(numbered(zeros(2, 1), numbers), 2), numbers);
}

TEST(Dataset, PermutationIsOneAndIsFixed) {
    Random random(5);
    const auto order = permutation(1000, random);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
    EXPECT_NE(permutation(1000, random), order);
    // From the standard's generator alone, so the same everywhere.
    Random fresh(0);
    EXPECT_EQ(permutation(6, fresh), (std::vector<std::size_t>{3, 4, 5, 1, 2, 0}));
}

TEST(Split, KeepsEveryRowOnceWithItsTarget) {
    Dataset data{zeros(100, 1), std::vector<std::int64_t>(100), {}};
    for (std::size_t i = 0; i < 100; ++i) {
        data.x(i, 0) = static_cast<double>(i);
        data.labels[i] = static_cast<std::int64_t>(i % 4);
    }
    for (const bool labels : {true, false}) {
        if (!labels) {
            data.labels.clear();
            data.numbers = data.x;
        }
        Random random(1);
        const auto parts = split(data, 0.2, random);
        EXPECT_EQ(parts.training.size(), 80U);
        EXPECT_EQ(parts.validation.size(), 20U);
        std::set<double> seen;
        for (const auto* part : {&parts.training, &parts.validation})
            for (std::size_t i = 0; i < part->size(); ++i) {
                const double x = part->x(i, 0);
                seen.insert(x);
                if (labels)
                    EXPECT_EQ(part->labels[i], static_cast<std::int64_t>(x) % 4);
                else
                    EXPECT_EQ(part->numbers(i, 0), x);
            }
        EXPECT_EQ(seen.size(), 100U);
        EXPECT_FALSE(
            std::is_sorted(parts.training.x.values().begin(), parts.training.x.values().end()));
    }
}

TEST(Split, OfVeryFewRows) {
    Random random(1);
    const auto sizes = [&](std::size_t rows, double share) {
        const auto parts =
            split(labelled(zeros(rows, 1), std::vector<std::int64_t>(rows)), share, random);
        return std::pair(parts.training.size(), parts.validation.size());
    };
    EXPECT_EQ(sizes(1, 0.2), std::pair(std::size_t{1}, std::size_t{0}));
    EXPECT_EQ(sizes(2, 0.2), std::pair(std::size_t{1}, std::size_t{1}));
    EXPECT_EQ(sizes(2, 0.9), std::pair(std::size_t{1}, std::size_t{1}));
    EXPECT_EQ(sizes(5, 0.0), std::pair(std::size_t{5}, std::size_t{0}));
}

/// How many rows of each class are held out.
std::vector<std::size_t> held_out(const std::vector<std::size_t>& classes, double share,
                                  std::uint64_t seed = 1) {
    std::vector<std::int64_t> labels;
    for (std::size_t c = 0; c < classes.size(); ++c)
        labels.insert(labels.end(), classes[c], static_cast<std::int64_t>(c));
    Random random(seed);
    const auto rows = split_rows({labels, {}}, share, random);
    EXPECT_EQ(rows.training.size() + rows.validation.size(), labels.size());
    std::vector<std::size_t> held(classes.size());
    for (const auto row : rows.validation) ++held[static_cast<std::size_t>(labels[row])];
    return held;
}

TEST(Split, HoldsOutEveryClass) {
    using Counts = std::vector<std::size_t>;
    EXPECT_EQ(held_out({500, 300, 200}, 0.2), (Counts{100, 60, 40}));
    // One of two rare rows is held out whatever the seed, and one is kept to learn from.
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(held_out({998, 2}, 0.2, seed)[1], 1U);
        EXPECT_EQ(held_out({998, 2}, 0.9, seed)[1], 1U);
        EXPECT_EQ(held_out({5, 5, 5}, 0.01, seed), (Counts{1, 1, 1}));
    }
    // A single one cannot be on both sides, and is of more use in training.
    EXPECT_EQ(held_out({999, 1}, 0.2), (Counts{200, 0}));
    // The shares are rounded so that they add up: 0.8 + 2.6 + 2.6 = 6.
    EXPECT_EQ(held_out({4, 13, 13}, 0.2), (Counts{1, 3, 2}));
    // Where every class has a single row, there is nothing to keep together.
    const auto singles = held_out(Counts(100, 1), 0.2);
    EXPECT_EQ(std::accumulate(singles.begin(), singles.end(), std::size_t{0}), 20U);
    EXPECT_EQ(held_out({5, 5}, 0.0), (Counts{0, 0}));
    // A class number without rows is no class.
    EXPECT_EQ(held_out({10, 0, 10}, 0.2), (Counts{2, 0, 2}));
}

TEST(Split, IsFixedByItsSeed) {
    std::vector<std::int64_t> labels(100);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 3);
    const auto rows = [&](std::uint64_t seed) {
        Random random(seed);
        return split_rows({labels, {}}, 0.3, random).validation;
    };
    EXPECT_EQ(rows(4), rows(4));
    EXPECT_NE(rows(4), rows(5));
}

TEST(TrainOptions, PresetsAndRanges) {
    EXPECT_NO_THROW(check_train(train_preset(model::Preset::standard)));
    const auto paper = train_preset(model::Preset::paper);
    EXPECT_NO_THROW(check_train(paper));
    EXPECT_EQ(paper.loss, Loss::hinge);
    EXPECT_EQ(paper.optimiser, OptimiserKind::adam);
    EXPECT_EQ(paper.alpha, 1e-4);

    TrainOptions options;
    options.learning_rate = std::nan("");
    try {
        check_train(options);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::argument);
        EXPECT_STREQ(error.what(),
                     "learning-rate takes a number from 0 to 10, but 'nan' was given");
    }
}

TEST(TrainOptions, AreReadAndWrittenByName) {
    TrainOptions options;
    std::vector<std::string> seen;
    visit_train(options, [&](const Option& option, auto& value) {
        seen.push_back(std::string(option.name) + "=" + option_text(value));
        if (option.name == "optimiser") parse_option(option, "fromage", value);
        if (option.name == "loss") parse_option(option, "hinge", value);
    });
    EXPECT_EQ(seen.front(), "loss=auto");
    EXPECT_EQ(seen[3], "optimiser=adamw");
    EXPECT_EQ(options.optimiser, OptimiserKind::fromage);
    EXPECT_EQ(options.loss, Loss::hinge);
    options.epochs = 10;
    EXPECT_EQ(options.last_epoch(), 10);
    options.stop_epoch = 4;
    EXPECT_EQ(options.last_epoch(), 4);
    options.stop_epoch = 40;
    EXPECT_EQ(options.last_epoch(), 10);
}

}  // namespace
}  // namespace deepsl::train
