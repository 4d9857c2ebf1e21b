#include "deepsl/learner/task.h"

#include <map>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/text.h"
#include "learner/variants.h"

namespace deepsl::learner {
namespace {

void check_roles(const Task& task) {
    std::map<std::string, std::string_view> option_of;
    const auto add = [&](std::string_view option, const std::vector<std::string>& columns) {
        for (const auto& column : columns) {
            const auto [found, fresh] = option_of.emplace(column, option);
            if (!fresh && found->second != option)
                throw argument_error(fmt::format("{} and {} both name the column {}; choose one",
                                                 found->second, option, in_quotes(column, 60)));
        }
    };
    add("numbers", task.numbers);
    add("categories", task.categories);
    add("drop", task.dropped);
}

}  // namespace

data::EncodingOptions Task::encoding() const {
    data::EncodingOptions options;
    options.scale = scale;
    options.dropped = dropped;
    for (const auto& column : categories) options.roles[column] = data::Role::category;
    for (const auto& column : numbers) options.roles[column] = data::Role::number;
    return options;
}

void check_task(const Task& task) {
    visit_task(task, CheckOption());
    if (task.epoch_folds == 1)
        throw argument_error("epoch-folds takes 0, or 2 and more: one fold leaves no rows");
    check_roles(task);
    model::check_model(task.model);
    train::check_train(task.train);
    if (!task.variants.empty()) with_variants(task);
}

Task preset_task(model::Preset preset) {
    Task task;
    task.preset = preset;
    task.model = model::model_preset(preset);
    task.train = train::train_preset(preset);
    switch (preset) {
        case model::Preset::standard: break;
        case model::Preset::paper: task.scale = ColumnScale::minmax; break;
    }
    return task;
}

}  // namespace deepsl::learner
