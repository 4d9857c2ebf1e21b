// Settings as text: what is given wins over rules and presets, and what contradicts is refused.
#include "deepsl/learner/settings.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "deepsl/learner/describe.h"
#include "learner/tables.h"

namespace deepsl::learner {
namespace {

constexpr auto argument = Error::Kind::argument;

TEST(Settings, AllOptionsGoThereAndBack) {
    Task task;
    task.target = "price";
    task.kind = model::Kind::node;
    task.preset = model::Preset::paper;
    task.scale = ColumnScale::zscore;
    task.relevance = 0.5;
    task.epoch_folds = 3;
    task.dropped = {"id", "a, b"};
    task.categories = {"zip"};
    task.model.hidden = {7, 5};
    task.model.precision = model::Precision::float64;
    task.train.optimiser = train::OptimiserKind::fromage;
    task.train.seed = 42;
    Settings settings;
    for (const auto& [name, value] : settings_of(task)) settings[name] = value;
    Task again;
    apply_settings(settings, again);
    EXPECT_EQ(settings_of(again), settings_of(task));
    EXPECT_EQ(again.dropped, task.dropped);
    EXPECT_EQ(again.model.hidden, task.model.hidden);
    EXPECT_EQ(again.kind, model::Kind::node);
}

TEST(Settings, NamesAreThoseOfVersion01) {
    // A configuration file of version 0.1 stays valid.
    std::map<std::string, int> names;
    Task task;
    visit_task(task, [&](const Option& option, const auto&) { ++names[std::string(option.name)]; });
    const std::map<std::string, int> expected{
        {"target", 1},      {"task", 1}, {"model", 1},   {"preset", 1},     {"scale", 1},
        {"epoch-folds", 1}, {"drop", 1}, {"numbers", 1}, {"categories", 1}, {"relevance", 1}};
    for (const auto& [name, count] : expected) EXPECT_EQ(names[name], count) << name;
    const auto of_task = names;
    visit_all(task, [&](const Option& option, const auto&) { ++names[std::string(option.name)]; });
    for (const auto& [name, count] : names)
        EXPECT_LE(count, of_task.contains(name) ? 2 : 1) << name;
}

TEST(Settings, AnErrorBeginsWithTheOption) {
    const auto refused = [](const Settings& settings) {
        Task task;
        const auto before = settings_of(task);
        const auto sentence = test::sentence_of(argument, [&] { apply_settings(settings, task); });
        EXPECT_EQ(settings_of(task), before) << "a task was changed in part";
        return sentence;
    };
    EXPECT_TRUE(refused({{"epochs", "0"}}).starts_with("epochs takes"));
    EXPECT_TRUE(refused({{"model", "mpl"}}).starts_with("model takes"));
    EXPECT_NE(refused({{"model", "mpl"}}).find("did you mean 'mlp'"), std::string::npos);
    EXPECT_TRUE(refused({{"relevance", "3"}}).starts_with("relevance takes"));
    EXPECT_TRUE(refused({{"scale", "ranks"}}).starts_with("scale takes"));
    EXPECT_TRUE(refused({{"task", "class"}}).starts_with("task takes"));
    EXPECT_TRUE(refused({{"epoch-folds", "1"}}).starts_with("epoch-folds takes 0, or 2"));
    EXPECT_TRUE(refused({{"drop", "a,b"}, {"numbers", "b"}}).starts_with("numbers and drop both"));
    EXPECT_TRUE(refused({{"method", "dormand_prince"}, {"tolerance", "1e-9"}})
                    .starts_with("tolerance must be"));
}

TEST(Settings, WinOverPresetAndRules) {
    const auto table = test::plain_table(400, 2);
    const auto task = make_task(table, {{"fields", "3"}, {"epochs", "7"}, {"relevance", "0.25"}});
    EXPECT_EQ(task.target, "y") << "the last column";
    EXPECT_EQ(task.target_kind, TargetKind::classes);
    EXPECT_EQ(task.model.fields, 3);
    EXPECT_EQ(task.train.epochs, 7);
    EXPECT_EQ(task.relevance, 0.25);
    EXPECT_EQ(task.model.eigenfunctions, 6) << "by rule";
    EXPECT_EQ(task.epoch_folds, 5) << "by rule";
    const auto paper = make_task(table, {{"preset", "paper"}, {"fields", "2"}, {"task", "auto"}});
    EXPECT_EQ(paper.model.domain, field::DomainKind::box);
    EXPECT_EQ(paper.model.fields, 2);
    EXPECT_EQ(paper.scale, ColumnScale::minmax);
    EXPECT_EQ(paper.target_kind, TargetKind::classes) << "auto has been decided";
    EXPECT_EQ(make_task(table, {{"target", "x"}, {"task", "numbers"}}).target_kind,
              TargetKind::numbers);
}

TEST(Settings, PatienceFollowsTheEpochsThatAreAskedFor) {
    const auto table = test::plain_table(400, 2);
    const auto patience = [&](const Settings& settings) {
        return make_task(table, settings).train.patience;
    };
    EXPECT_EQ(patience({{"epochs", "300"}}), 100);
    EXPECT_EQ(patience({{"epochs", "7"}}), 10);
    EXPECT_EQ(patience({{"epochs", "300"}, {"patience", "5"}}), 5);
    EXPECT_EQ(patience({{"preset", "paper"}, {"epochs", "300"}}), patience({{"preset", "paper"}}));
}

TEST(Settings, ChooseHowLongToTrain) {
    const auto table = test::plain_table(400, 2);
    const auto task = [&](const Settings& settings) { return make_task(table, settings); };
    EXPECT_EQ(task({}).train.validation, 0.0);
    EXPECT_EQ(task({}).train.cool_down, 0.0);
    EXPECT_EQ(task({{"effort", "quick"}}).train.cool_down, 0.3);
    // Rows held out end the folds, and what belongs to them.
    EXPECT_EQ(task({{"validation", "0.3"}}).epoch_folds, 0);
    EXPECT_EQ(task({{"validation", "0.3"}}).train.validation, 0.3);
    EXPECT_EQ(task({{"validation", "0.3"}}).train.cool_down, 0.0);
    EXPECT_EQ(task({{"validation-data", "other.csv"}}).epoch_folds, 0);
    EXPECT_EQ(task({{"epoch-folds", "0"}}).train.validation, 0.2);
    EXPECT_EQ(task({{"epoch-folds", "0"}, {"validation", "0"}}).train.validation, 0.0);
    EXPECT_EQ(task({{"epoch-folds", "3"}}).epoch_folds, 3);
    const auto many = test::plain_table(1200, 2);
    EXPECT_EQ(make_task(many, {{"effort", "quick"}}).train.validation, 0.2);
    EXPECT_EQ(make_task(many, {}).train.validation, 0.0);
    EXPECT_EQ(make_task(many, {{"epoch-folds", "4"}}).train.validation, 0.0);
    EXPECT_NE(test::sentence_of(Error::Kind::data,
                                [&] {
                                    make_task(test::plain_table(10, 2), {{"epoch-folds", "6"}});
                                })
                  .find("ask for 5 at most"),
              std::string::npos);
}

TEST(Settings, ACommandWinsOverWhatAPrintedFileSaysOfFolds) {
    const auto table = test::plain_table(400, 2);
    Settings file;
    for (const auto& [name, value] : settings_of(make_task(table, {}))) file[name] = value;
    const auto quick = make_task(table, merge_settings({{"effort", "quick"}}, file));
    EXPECT_EQ(quick.after_folds, AfterFolds::retrain);
    EXPECT_EQ(quick.variants, "");
    EXPECT_EQ(quick.train.cool_down, 0.3);
    const auto fields = make_task(table, merge_settings({{"fields", "2"}}, file));
    EXPECT_EQ(fields.model.fields, 2);
    EXPECT_EQ(fields.variants.find("fields"), std::string::npos) << "what is given holds for all";
    EXPECT_NE(fields.variants.find("directions=kernel"), std::string::npos);
}

TEST(Settings, FitTheFoldsThatThereAre) {
    const auto table = test::plain_table(400, 2);
    const auto retrained = make_task(table, {{"after-folds", "retrain"}});
    EXPECT_EQ(retrained.train.cool_down, 0.3);
    EXPECT_EQ(retrained.variants, "");
    const auto held_out = make_task(table, {{"validation", "0.2"}});
    EXPECT_EQ(held_out.after_folds, AfterFolds::retrain);
    EXPECT_EQ(held_out.variants, "");
    const auto idle = [&](const Settings& settings) {
        const auto task = make_task(table, settings);
        auto names = idle_options(settings, task);
        for (auto& name : idle_about_folds(settings, task)) names.push_back(std::move(name));
        return names;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(idle({{"effort", "thorough"}}), Names{});
    EXPECT_EQ(idle({{"effort", "thorough"}, {"validation", "0.2"}}), Names{"effort"});
    EXPECT_EQ(idle({{"effort", "quick"}, {"preset", "paper"}}), Names{"effort"});
    EXPECT_EQ(idle({{"effort", "quick"}, {"variants", "fields=3"}}), Names{"variants"});
    EXPECT_EQ(idle({{"smoothness", "0.1"}, {"model", "mlp"}}), Names{"smoothness"});
    EXPECT_EQ(idle({{"alpha", "0.1"}, {"model", "ablation"}}), Names{});
}

TEST(Settings, ACommandWinsOverAFile) {
    const Settings folds{{"epoch-folds", "3"}}, rows{{"validation", "0.1"}},
        other{{"validation-data", "other.csv"}}, both{{"epoch-folds", "3"}, {"validation", "0.1"}};
    EXPECT_EQ(merge_settings({{"epochs", "3"}}, {{"epochs", "5"}, {"batch", "8"}}),
              (Settings{{"epochs", "3"}, {"batch", "8"}}));
    EXPECT_EQ(merge_settings({{"epochs", ""}}, {{"epochs", "5"}}).at("epochs"), "5");
    EXPECT_EQ(merge_settings(folds, rows), (Settings{{"epoch-folds", "3"}, {"validation", "0"}}));
    EXPECT_EQ(merge_settings(folds, other).contains("validation-data"), false);
    EXPECT_EQ(merge_settings(rows, folds).at("epoch-folds"), "0");
    EXPECT_EQ(merge_settings(other, folds).at("epoch-folds"), "0");
    EXPECT_EQ(merge_settings({{"epoch-folds", "0"}}, rows).at("validation"), "0.1");
    for (const auto& [command, file] : {std::pair(both, Settings()), std::pair(Settings(), both)})
        EXPECT_TRUE(test::sentence_of(argument, [&, &c = command, &f = file] {
                        merge_settings(c, f);
                    }).starts_with("epoch-folds chooses"));
}

TEST(Settings, SayHowATableIsRead) {
    const auto options = table_options(
        {{"target", "y"}, {"categories", "zip,code"}, {"numbers", "a"}, {"drop", "id"}});
    EXPECT_EQ(options.texts, (std::vector<std::string>{"zip", "code"}));
    EXPECT_EQ(options.expected, (std::vector<std::string>{"y", "a", "zip", "code", "id"}));
    // Options that fit together only with their preset do not matter yet.
    EXPECT_NO_THROW(table_options({{"preset", "paper"}, {"field", "positive"}}));
}

TEST(Settings, AreDescribedInASentence) {
    Task task;
    task.train.epochs = 60;
    task.train.patience = 20;
    EXPECT_EQ(stopping_description(task, 0),
              "at most 60 epochs, the best one chosen by 20 % of the rows, held out; stops after "
              "20 epochs without improvement");
    EXPECT_NE(stopping_description(task, 1500).find("chosen by 1,500 other rows"),
              std::string::npos);
    task.epoch_folds = 5;
    EXPECT_EQ(stopping_description(task, 0),
              "5 folds choose the number of epochs, then all rows are learned from");
}

}  // namespace
}  // namespace deepsl::learner
