// Settings from a table: which options they touch, and that a part of the rows is seen as the
// whole.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "data/tables.h"
#include "deepsl/table/learner.h"

namespace deepsl::table {
namespace {

/// `rows` rows of one input; `classes` classes, or numbers if there are none.
data::Table made(std::size_t rows, std::size_t classes) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < rows; ++i) {
        x.push_back(static_cast<double>(i * i % 97));
        y.push_back(classes > 0 ? static_cast<double>(i % classes)
                                : 0.5 * static_cast<double>(i % 89));
    }
    return test::table({test::numbers("x", x), test::numbers("y", y)});
}

std::set<std::string> changed(const Task& task) {
    std::map<std::string, std::string> usual;
    const auto model = model::model_preset("default");
    const auto train = train::train_preset("default");
    const auto keep = [&](const Option& option, const auto& value) {
        usual[std::string(option.name)] = option_text(value);
    };
    model::visit_model(model, keep);
    train::visit_train(train, keep);
    std::set<std::string> names;
    const auto compare = [&](const Option& option, const auto& value) {
        if (usual.at(std::string(option.name)) != option_text(value))
            names.insert(std::string(option.name));
    };
    model::visit_model(task.model, compare);
    train::visit_train(task.train, compare);
    return names;
}

TEST(Rules, TouchTheOptionsThatAreListed) {
    std::set<std::string> touched;
    for (const std::size_t rows : {50U, 999U, 1000U, 2999U, 3000U, 20000U})
        for (const std::size_t classes : {0U, 2U, 5U, 15U})
            touched.merge(changed(task_for(made(rows, classes), "y")));
    EXPECT_EQ(touched, std::set<std::string>(options_by_rule().begin(), options_by_rule().end()));
}

TEST(Rules, AreThoseOfTheDocs) {
    const auto few = task_for(made(999, 2), "y"), some = task_for(made(1000, 2), "y"),
               many = task_for(made(3000, 2), "y"), several = task_for(made(3000, 5), "y");
    EXPECT_EQ(few.epoch_folds, 5);
    EXPECT_EQ(some.epoch_folds, 0);
    EXPECT_EQ(some.train.validation, 0.2);
    EXPECT_EQ(few.train.batch, 64);
    EXPECT_EQ(many.train.batch, 256);
    EXPECT_EQ(few.train.epochs, 32);  // 16 steps each
    EXPECT_EQ(many.train.epochs, 42);
    EXPECT_EQ(task_for(made(20000, 2), "y").train.epochs, 30);
    EXPECT_EQ(many.model.fields, 1);
    EXPECT_EQ(several.model.fields, 4);
    EXPECT_EQ(task_for(made(3000, 15), "y").model.fields, 6);
    EXPECT_EQ(task_for(made(3000, 0), "y").model.fields, 1);
    EXPECT_EQ(few.train.best, "loss");
    EXPECT_EQ(few.relevance, 1.0);
    EXPECT_EQ(some.relevance, 0.0);
    EXPECT_EQ(few.train.warm_up, 0.4);
    EXPECT_EQ(some.train.warm_up, 0.0);
    EXPECT_EQ(few.train.cool_down, 0.3);
    EXPECT_EQ(some.train.cool_down, 0.0);
    EXPECT_EQ(task_for(made(999, 2), "y", "paper").train.cool_down, 0.0);
    EXPECT_EQ(task_for(made(999, 2), "y", "paper").relevance, 0.0);
    EXPECT_EQ(task_for(made(999, 2), "y", "paper").train.best, "metric");
}

TEST(Rules, DecideOnceWhatTheTargetIs) {
    EXPECT_EQ(task_for(made(100, 20), "y").target_kind, "classes");
    EXPECT_EQ(task_for(made(100, 21), "y").target_kind, "numbers");
}

}  // namespace
}  // namespace deepsl::table
