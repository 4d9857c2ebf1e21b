#include "learn_command.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config.h"
#include "deepsl/learner/describe.h"
#include "deepsl/learner/rules.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "error.h"
#include "option_flags.h"
#include "parse.h"
#include "text.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr OwnFlag common_flags[] = {
    {"--config", "FILE", "A TOML file with a key for each flag; flags win over it"},
    {"--threads", "N", "Default: as many as there are cores"},
};

/// Flags with a value that some verbs that learn have, and that are no options of a task.
constexpr const char* flags_of_verbs[] = {
    "output", "labels", "validation-data", "checkpoint", "checkpoint-seconds", "checkpoint-epochs",
    "folds"};

/// The keys of this verb.
std::vector<std::string> keys_of(const CLI::App& verb) {
    std::vector<std::string> keys{"data"};
    for (const auto& name : flag_names(verb))
        if (name.starts_with("--") && name != "--help" && name != "--config" &&
            name != "--print-config")
            keys.push_back(name.substr(2));
    return keys;
}

/// One file serves all verbs that learn: what only others know is left aside.
Config read_config_for(const CLI::App& verb, const std::string& path) {
    const auto own = keys_of(verb);
    auto known = own;
    known.insert(known.end(), std::begin(flags_of_verbs), std::end(flags_of_verbs));
    known.emplace_back("resume");
    auto config = read_config(path, known);
    std::erase_if(config.values, [&](const auto& entry) {
        return std::find(own.begin(), own.end(), entry.first) == own.end();
    });
    return config;
}

bool is_true(const learner::Settings& given, const std::string& name) {
    const auto found = given.find(name);
    if (found == given.end() || found->second.empty() || found->second == "false") return false;
    if (found->second == "true") return true;
    throw argument_error(
        fmt::format("--{} is true or false, but {} was given", name, shown(found->second)));
}

/// `file` holds what stands in the configuration file; flags win over it.
LearnCommand command_from(const CLI::App& verb, const LearnArguments& arguments,
                          learner::Settings file) {
    LearnCommand result;
    result.given = learner::merge_settings(arguments.given, file);
    auto& flags = result.table_flags = arguments.table;
    if (flags.separator.empty()) flags.separator = file["separator"];
    if (!flags.header && !flags.no_header) {
        flags.header = is_true(file, "header");
        flags.no_header = is_true(file, "no-header") || file["header"] == "false";
    }
    result.json = arguments.json || is_true(file, "json");
    result.quiet = arguments.quiet || is_true(file, "quiet");
    const auto data = arguments.data.empty() ? file["data"] : arguments.data;
    if (data.empty())
        throw argument_error(fmt::format(
            "the data are missing; try 'deepsl {} data.csv --target y'", verb.get_name()));
    result.threads = threads_of(result.value("threads"));
    if (data::is_image_data(data)) {
        result.images = std::make_shared<const data::Images>(
            data::read_images(data, {.labels = result.value("labels")}));
        result.task = learner::make_task(*result.images, result.given);
        return result;
    }
    result.table = data::read_table(data, with_flags(flags, learner::table_options(result.given)));
    if (!result.value("labels").empty())
        throw argument_error("labels belong to images, but the data are a table");
    result.task = learner::make_task(result.table, result.given);
    return result;
}

/// "--cells and --steps have no effect with --model mlp"
std::string no_effect(std::vector<std::string> names, const std::string& where) {
    for (auto& name : names) name.insert(0, "--");
    const auto last = names.back();
    names.pop_back();
    return fmt::format("{}{}{} no effect {}", fmt::join(names, ", "), names.empty() ? "" : " and ",
                       last + (names.empty() ? " has" : " have"), where);
}

/// Of flags that are given, and of images that may not be what is meant.
std::vector<std::string> warnings_about(const LearnArguments& arguments,
                                        const LearnCommand& command) {
    std::vector<std::string> warnings;
    const auto& flags = arguments.given;
    const bool is_images = command.images != nullptr;
    if (auto idle = learner::idle_options(flags, command.task); !idle.empty())
        warnings.push_back(
            no_effect(std::move(idle), fmt::format("with --model {}", name(command.task.kind))));
    if (auto idle = learner::idle_about_folds(flags, command.task); !is_images && !idle.empty())
        warnings.push_back(
            no_effect(std::move(idle), command.task.epoch_folds > 0 ? "where folds do not vote"
                                       : command.task.preset == model::Preset::paper
                                           ? "with --preset paper"
                                           : "without folds, where rows are held out"));
    auto foreign = learner::foreign_options(flags, is_images);
    if (is_images && !arguments.table.separator.empty()) foreign.emplace_back("separator");
    if (is_images && arguments.table.header) foreign.emplace_back("header");
    if (is_images && arguments.table.no_header) foreign.emplace_back("no-header");
    if (!foreign.empty())
        warnings.push_back(
            no_effect(std::move(foreign), is_images ? "on images" : "on tables, only on images"));
    if (!is_images) return warnings;
    for (auto& text : learner::image_warnings(*command.images, command.task))
        warnings.push_back(std::move(text));
    return warnings;
}

}  // namespace

void add_learn_flags(CLI::App* verb, LearnArguments& arguments, const std::vector<OwnFlag>& own) {
    verb->allow_extras();
    verb->get_formatter()->column_width(34);
    verb->add_option("data", arguments.data,
                     "The table: CSV or TSV; or images: a folder, IDX, NPY, NPZ")
        ->type_name("DATA")
        ->multi_option_policy(CLI::MultiOptionPolicy::Join);
    const auto add = [&](const OwnFlag& flag) {
        const std::string names = flag.names;
        const auto name = names.substr(names.find("--") + 2);
        add_value(verb, names, arguments.given[name], flag.type, flag.description, "Run");
    };
    for (const auto& flag : own) add(flag);
    for (const auto& flag : common_flags) add(flag);
    verb->add_flag("--json", arguments.json, "Print the result as JSON")->group("Run");
    verb->add_flag("--quiet", arguments.quiet, "Print the result and warnings only, no progress")
        ->group("Run");
    verb->add_flag("--print-config", arguments.print_config,
                   "Print all settings as a configuration file, and end")
        ->group("Run");
    const auto usual = learner::preset_task(model::Preset::standard),
               paper = learner::preset_task(model::Preset::paper);
    add_task_flags(verb, arguments.given, usual, paper, learner::options_by_rule());
    add_table_flags(verb, arguments.table);
    add_model_flags(verb, arguments.given, usual, paper, learner::options_by_rule());
}

std::string LearnCommand::value(const std::string& name, const std::string& otherwise) const {
    const auto found = given.find(name);
    return found == given.end() || found->second.empty() ? otherwise : found->second;
}

LearnCommand read_learn_command(const CLI::App& verb, const LearnArguments& arguments) {
    check_words(
        verb,
        "one table, or one folder or file of images, is enough; every value follows its flag");
    Config config;
    if (const auto& path = arguments.given.at("config"); !path.empty())
        config = read_config_for(verb, path);
    for (const auto& [name, value] : arguments.given)
        if (!value.empty()) config.lines.erase(name);
    LearnCommand command;
    try {
        with_flag_names([&] { command = command_from(verb, arguments, config.values); });
    } catch (const Error& error) {
        throw config.placed(error);
    }
    // A configuration file may have all options, and serve every kind of model.
    command.warnings = warnings_about(arguments, command);
    return command;
}

std::string printed_config(const LearnCommand& command) {
    std::vector<std::pair<std::string, std::string>> values{
        {"data", command.path()}, {"threads", fmt::format("{}", command.threads)}};
    for (const auto* name : flags_of_verbs)
        if (const auto value = command.value(name); !value.empty())
            values.emplace_back(name, value);
    const auto& flags = command.table_flags;
    if (!flags.separator.empty()) values.emplace_back("separator", flags.separator);
    if (flags.header) values.emplace_back("header", "true");
    if (flags.no_header) values.emplace_back("no-header", "true");
    for (auto& setting : learner::settings_of(command.task)) values.push_back(std::move(setting));
    return config_text(values);
}

std::vector<std::string> table_lines(const data::Table& table, const data::Encoding& encoding) {
    std::vector<std::string> lines{table_sentence(table)};
    std::map<std::string_view, std::vector<std::string>> numbers;  // by scale
    std::vector<std::string> categories;
    for (const auto& column : encoding.columns()) {
        const auto name = printable(column.name);
        switch (column.role) {
            case data::Role::number: numbers[deepsl::name(column.scale)].push_back(name); break;
            case data::Role::category:
                categories.push_back(fmt::format("{} ({})", name, column.levels.size()));
                break;
            case data::Role::constant:
            case data::Role::identifier:
                lines.push_back(fmt::format("  left out: {} {}", name, column.why));
                break;
            case data::Role::dropped: break;
        }
    }
    const auto list = [&](const char* what, const std::string& how,
                          const std::vector<std::string>& names) {
        if (names.empty()) return;
        for (const auto& line : wrapped(
                 fmt::format("{}{}: {}", counted(names.size(), what), how, fmt::join(names, ", ")),
                 96))
            lines.push_back("  " + line);
    };
    for (const auto& [scale, names] : numbers) list("number", fmt::format(", by {}", scale), names);
    list("category", "", categories);
    return lines;
}

}  // namespace deepsl::cli
