// Settings from a table: which options they touch, and that a part of the rows is seen as the
// whole.
#include "deepsl/learner/rules.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "deepsl/learner/task.h"
#include "learner/tables.h"

namespace deepsl::learner {
namespace {

using model::Preset;

std::set<std::string> changed(const Task& task) {
    std::map<std::string, std::string> usual;
    const auto preset = preset_task(Preset::standard);
    const auto keep = [&](const Option& option, const auto& value) {
        usual[std::string(option.name)] = option_text(value);
    };
    visit_all(preset, keep);
    std::set<std::string> names;
    const auto compare = [&](const Option& option, const auto& value) {
        if (usual.at(std::string(option.name)) != option_text(value))
            names.insert(std::string(option.name));
    };
    visit_all(task, compare);
    // By the table itself, or asked for.
    for (const auto* known : {"target", "task", "effort"}) names.erase(known);
    return names;
}

TEST(Rules, TouchTheOptionsThatAreListed) {
    std::set<std::string> touched;
    for (const std::size_t rows : {50U, 999U, 1000U, 2999U, 3000U, 20000U})
        for (const std::size_t classes : {0U, 2U, 5U, 15U})
            for (const auto effort : {Effort::quick, Effort::normal})
                touched.merge(changed(task_for(test::plain_table(rows, classes), "y",
                                               Preset::standard, TargetKind::automatic, effort)));
    EXPECT_EQ(touched, std::set<std::string>(options_by_rule().begin(), options_by_rule().end()));
}

TEST(Rules, AreThoseOfTheDocs) {
    const auto task = [](std::size_t rows, std::size_t classes, Preset preset = Preset::standard) {
        return task_for(test::plain_table(rows, classes), "y", preset);
    };
    const auto few = task(999, 2), some = task(1000, 2), many = task(3000, 2);
    EXPECT_EQ(few.epoch_folds, 5);
    EXPECT_EQ(some.epoch_folds, 5);
    EXPECT_EQ(many.epoch_folds, 5);
    EXPECT_EQ(task(20000, 2).epoch_folds, 3);
    EXPECT_EQ(task(100000, 2).epoch_folds, 0);
    for (const auto& one : {few, some, many}) {
        EXPECT_EQ(one.after_folds, AfterFolds::vote);
        EXPECT_EQ(one.train.validation, 0.0);
        EXPECT_EQ(one.train.cool_down, 0.0);
    }
    EXPECT_EQ(few.variants,
              "directions=kernel relevance=1 relevance-by=kernel; fields=6 learning-rate=0.005 "
              "relevance=0 weight-decay=0.1");
    EXPECT_EQ(some.variants, "directions=kernel relevance=1 relevance-by=kernel");
    EXPECT_NE(task(199, 2).variants.find("fields=4"), std::string::npos);
    EXPECT_EQ(some.model.fields, 6);
    EXPECT_EQ(task(1000, 10).model.fields, 9);
    EXPECT_EQ(task(1000, 0).model.fields, 6);
    EXPECT_EQ(many.variants, "");
    EXPECT_EQ(few.train.batch, 64);
    EXPECT_EQ(many.train.batch, 256);
    EXPECT_EQ(few.train.epochs, 32);  // 16 steps each
    EXPECT_EQ(many.train.epochs, 42);
    EXPECT_EQ(task(20000, 2).train.epochs, 30);
    EXPECT_EQ(many.model.fields, 1);
    EXPECT_EQ(task(3000, 5).model.fields, 4);
    EXPECT_EQ(task(1000, 15).model.fields, 12);
    EXPECT_EQ(task(3000, 15).model.fields, 6);
    EXPECT_EQ(task(999, 15).model.fields, 6);
    EXPECT_EQ(task(3000, 0).model.fields, 1);
    EXPECT_EQ(few.train.best, train::Best::loss);
    EXPECT_EQ(few.relevance, 1.0);
    EXPECT_EQ(some.relevance, 0.0);
    EXPECT_EQ(few.train.warm_up, 0.4);
    EXPECT_EQ(some.train.warm_up, 0.4);
    EXPECT_EQ(many.train.warm_up, 0.0);
    EXPECT_EQ(few.train.learning_rate, 2e-3);
    EXPECT_EQ(some.train.learning_rate, 5e-3);
    EXPECT_EQ(many.train.learning_rate, 3e-3);
    EXPECT_EQ(few.train.weight_decay, 3.0);
    EXPECT_EQ(some.train.weight_decay, 0.1);
    EXPECT_EQ(few.model.cells, 4);
    EXPECT_EQ(few.model.steps, 3);
    const auto paper = task(999, 2, Preset::paper);
    EXPECT_EQ(paper.train.cool_down, 0.0);
    EXPECT_EQ(paper.relevance, 0.0);
    EXPECT_EQ(paper.train.best, train::Best::metric);
    EXPECT_EQ(paper.scale, ColumnScale::minmax);
    EXPECT_EQ(paper.train.loss, train::Loss::hinge);
    EXPECT_EQ(task(999, 0, Preset::paper).train.loss, train::Loss::automatic);
}

TEST(Rules, SpendAsMuchAsIsAskedFor) {
    const auto task = [](std::size_t rows, Effort effort) {
        return task_for(test::plain_table(rows, 2), "y", Preset::standard, TargetKind::automatic,
                        effort);
    };
    const auto quick = task(500, Effort::quick);
    EXPECT_EQ(quick.epoch_folds, 5);
    EXPECT_EQ(quick.after_folds, AfterFolds::retrain);
    EXPECT_EQ(quick.train.cool_down, 0.3);
    EXPECT_EQ(quick.variants, "");
    EXPECT_EQ(task(1000, Effort::quick).epoch_folds, 0);
    EXPECT_EQ(task(1000, Effort::quick).train.validation, 0.2);
    EXPECT_EQ(task(500, Effort::thorough).epoch_folds, 10);
    EXPECT_EQ(task(5000, Effort::thorough).epoch_folds, 5);
    EXPECT_NE(task(5000, Effort::thorough).variants.find("fields=6"), std::string::npos);
    EXPECT_EQ(task(5000, Effort::thorough).after_folds, AfterFolds::vote);
}

TEST(Rules, DecideOnceWhatTheTargetIs) {
    EXPECT_EQ(task_for(test::plain_table(100, 20), "y").target_kind, TargetKind::classes);
    EXPECT_EQ(task_for(test::plain_table(100, 21), "y").target_kind, TargetKind::numbers);
}

TEST(Rules, FewestRows) {
    EXPECT_EQ(task_for(test::plain_table(3, 2), "y").epoch_folds, 0);
    EXPECT_EQ(task_for(test::plain_table(4, 2), "y").epoch_folds, 2);
    EXPECT_EQ(task_for(test::plain_table(9, 2), "y").epoch_folds, 4);
}

}  // namespace
}  // namespace deepsl::learner
