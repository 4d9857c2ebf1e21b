#include "deepsl/learner/settings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/learner/rules.h"
#include "deepsl/text.h"
#include "learner/variants.h"

namespace deepsl::learner {
namespace {

/// Empty if it is not given.
std::string value_of(const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? "" : std::string(trimmed(found->second));
}

/// Given, and not 0, which asks for nothing.
bool asks_for(const Settings& settings, const std::string& name) {
    const auto value = value_of(settings, name);
    return !value.empty() && to_number<double>(value) != 0.0;
}

bool asks_for_rows(const Settings& settings) {
    return asks_for(settings, "validation") || !value_of(settings, "validation-data").empty();
}

/// Values as they are given, which need not fit together yet.
Task parsed(const Settings& settings, Task task) {
    visit_all(task, [&](const Option& option, auto& value) {
        const auto given = value_of(settings, std::string(option.name));
        if (!given.empty()) parse_option(option, given, value);
    });
    return task;
}

/// Folds, or rows held out. Values that are given are put into the task by apply_settings.
void choose_stopping(const Settings& settings, const std::string& path, std::size_t rows,
                     Task& task) {
    if (asks_for_rows(settings)) task.epoch_folds = 0;
    if (const auto folds = value_of(settings, "epoch-folds"); !folds.empty()) {
        apply_settings({{"epoch-folds", folds}}, task);
        if (2 * task.epoch_folds > static_cast<std::int64_t>(rows))
            throw data_error(fmt::format("{}: {} folds of {} rows; ask for {} at most",
                                         in_quotes(path), folds, rows, rows / 2));
    }
    // A task that ends at a given epoch has nothing to choose.
    const bool chooses = task.epoch_folds == 0 && task.train.stop_epoch == 0;
    task.train.validation = chooses ? train::TrainOptions().validation : 0.0;
    if (task.epoch_folds == 0) task.train.cool_down = 0.0;  // it is for the epoch that folds choose
}

/// What is for folds that vote, or for those that choose an epoch, where there are none of these.
void fit_folds(const Settings& settings, const Task& asked, Task& task) {
    const bool votes = task.epoch_folds > 0 && task.after_folds == AfterFolds::vote;
    if (value_of(settings, "variants").empty() && !votes) task.variants.clear();
    if (value_of(settings, "after-folds").empty() && task.epoch_folds == 0)
        task.after_folds = AfterFolds::retrain;
    const bool by_rule = asked.preset == model::Preset::standard && task.model.image.empty();
    if (by_rule && value_of(settings, "cool-down").empty())
        task.train.cool_down = task.epoch_folds > 0 && !votes ? cool_down_after_folds : 0.0;
}

/// From what the rules have chosen to what is given.
Task finished(Task task, const Settings& settings, const Task& asked) {
    // What is given holds for all.
    if (value_of(settings, "variants").empty())
        task.variants = variants_without(task.variants, settings);
    auto given = settings;
    given.erase("task");  // decided by now, where it is left to the values
    apply_settings(given, task);
    fit_folds(settings, asked, task);
    // A rule of the epochs, whoever has chosen them.
    if (asked.preset == model::Preset::standard && value_of(settings, "patience").empty())
        task.train.patience = patience_for(task.train.epochs);
    return task;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const Task& task) {
    std::vector<std::pair<std::string, std::string>> values;
    visit_all(task, [&](const Option& option, const auto& value) {
        auto text = option_text(value);
        if (option.kind != Option::Kind::list || !text.empty())
            values.emplace_back(option.name, std::move(text));
    });
    return values;
}

void apply_settings(const Settings& settings, Task& task) {
    auto changed = parsed(settings, task);
    check_task(changed);
    task = std::move(changed);
}

Settings merge_settings(const Settings& command, const Settings& file) {
    auto merged = file;
    // What a printed configuration says for every effort, and for every model that votes.
    if (!value_of(command, "effort").empty())
        for (const auto* const chosen : {"epoch-folds", "after-folds", "variants", "cool-down"})
            merged.erase(chosen);
    if (const auto variants = value_of(merged, "variants"); !variants.empty()) {
        const auto kept = variants_without(variants, command);
        merged["variants"] = kept.empty() ? "none" : kept;
    }
    for (const auto& [name, value] : command)
        if (!value.empty()) merged[name] = value;
    if (!asks_for(merged, "epoch-folds") || !asks_for_rows(merged)) return merged;
    const bool command_asks_for_rows = asks_for_rows(command);
    if (asks_for(command, "epoch-folds") == command_asks_for_rows)
        throw argument_error(
            "epoch-folds chooses the number of epochs without rows held out; leave out validation "
            "and validation-data, or epoch-folds");
    const auto none = option_text(std::int64_t{0});
    if (command_asks_for_rows) {
        merged["epoch-folds"] = none;
    } else {
        merged["validation"] = none;
        merged.erase("validation-data");
    }
    return merged;
}

data::TableOptions table_options(const Settings& settings) {
    const auto asked = parsed(settings, {});
    Task columns_only;
    columns_only.numbers = asked.numbers;
    columns_only.categories = asked.categories;
    columns_only.dropped = asked.dropped;
    check_task(columns_only);
    data::TableOptions options;
    options.texts = asked.categories;
    if (!asked.target.empty()) options.expected.push_back(asked.target);
    for (const auto* columns : {&asked.numbers, &asked.categories, &asked.dropped})
        options.expected.insert(options.expected.end(), columns->begin(), columns->end());
    return options;
}

std::vector<std::string> idle_options(const Settings& settings, const Task& task) {
    std::vector<std::string> names;
    model::visit_model(task.model, [&](const Option& option, const auto&) {
        std::string name(option.name);
        if (!value_of(settings, name).empty() && !model::reads(task.kind, name))
            names.push_back(std::move(name));
    });
    const bool lines = task.kind == model::Kind::dsl;
    const bool spectrum = lines || task.kind == model::Kind::ablation;
    if (!spectrum && !value_of(settings, "alpha").empty()) names.emplace_back("alpha");
    if (!lines && !value_of(settings, "smoothness").empty()) names.emplace_back("smoothness");
    return names;
}

std::vector<std::string> idle_about_folds(const Settings& settings, const Task& task) {
    const bool folds = task.epoch_folds > 0, votes = task.after_folds == AfterFolds::vote;
    std::vector<std::string> names;
    const auto look = [&](const char* name, bool has_effect) {
        if (!has_effect && !value_of(settings, name).empty()) names.emplace_back(name);
    };
    look("effort", task.preset == model::Preset::standard && !asks_for_rows(settings));
    look("after-folds", folds);
    look("variants", folds && votes);
    return names;
}

std::vector<std::string> foreign_options(const Settings& settings, bool images) {
    const std::vector<std::string> of_images{"pixels", "flip", "crop"},
        of_tables{"task",     "effort", "scale",   "relevance", "relevance-by",
                  "variants", "drop",   "numbers", "categories"};
    auto names = images ? of_tables : of_images;
    std::erase_if(names, [&](const auto& name) { return value_of(settings, name).empty(); });
    return names;
}

Task make_task(const data::Table& table, const Settings& settings) {
    const auto asked = parsed(settings, {});
    const auto target = asked.target.empty() ? table.columns.back().name : asked.target;
    auto task = task_for(table, target, asked.preset, asked.target_kind, asked.effort);
    choose_stopping(settings, table.path, table.rows(), task);
    return finished(std::move(task), settings, asked);
}

Task make_task(const data::Images& images, const Settings& settings) {
    const auto asked = parsed(settings, {});
    if (!asked.target.empty())
        throw argument_error("target names a column of a table, but these are images");
    const auto side = std::min(images.shape.height, images.shape.width);
    if (asked.crop >= static_cast<std::int64_t>(side))
        throw argument_error(fmt::format(
            "crop would move images of {} out of sight, by up to {} pixels; take fewer, such as 4",
            data::shown_shape(images.shape), asked.crop));
    auto task = task_for(images, asked.preset, asked.kind);
    // A default gives way to what is asked for.
    const auto wanted = parsed(settings, task).model;
    if (wanted.latent == 0) {  // no encoder, whatever the default one would be
        task.model.encoder.clear(), task.model.encoder_hidden.clear();
        task.model.latent = 0;
    }
    if (value_of(settings, "normalise").empty() &&
        (wanted.start_network || 2 * wanted.eigenfunctions > wanted.cells))
        task.model.normalise = false;
    choose_stopping(settings, images.path, images.size(), task);
    task = finished(std::move(task), settings, asked);
    if (asked.preset == model::Preset::standard && value_of(settings, "warm-up").empty())
        task.train.warm_up = image_warm_up(images.size(), task.train);
    // By default the last epoch is kept, whatever its number; where one is to be chosen, it is not.
    if (value_of(settings, "stop-epoch").empty())
        task.train.stop_epoch =
            asks_for_rows(settings) || task.epoch_folds > 0 ? 0 : task.train.epochs;
    if (task.train.stop_epoch > 0 && value_of(settings, "patience").empty())
        task.train.patience = 0;
    return task;
}

}  // namespace deepsl::learner
