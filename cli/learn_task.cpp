// From the flags of a verb that learns, and its configuration file, to a task.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config.h"
#include "deepsl/model/kinds.h"
#include "deepsl/text.h"
#include "machine.h"
#include "parse.h"
#include "text.h"
#include "train.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr OwnFlag task_flags[] = {
    {"--target", "COLUMN", "The column to predict (default: the last one)"},
    {"--task", "NAME", "What the target is: classes, numbers, or auto (default)"},
    {"--model", "KIND", "One of dsl, ablation, mlp, node (default dsl)"},
    {"--preset", "NAME", "default, which follows the size of the table, or paper"},
    {"--scale", "NAME",
     "Numbers by rank, zscore, minmax or none; auto (default): rank where\n"
     "there are categories, else zscore"},
    {"--relevance", "R",
     "Stretch inputs by their correlation with the target to the power R, 0 to 2;\n"
     "0: all alike (default: 1 for fewer than 1,000 rows, else 0)"},
    {"--drop", "A,B,...", "Columns to leave out"},
    {"--numbers", "A,B,...", "Columns that are numbers"},
    {"--categories", "A,B,...", "Columns that are categories, though they look like numbers"},
    {"--epoch-folds", "K",
     "Choose the number of epochs by K folds, then learn from all rows; 0: hold\n"
     "out a share (default: 5 for fewer than 1,000 rows, else 0)"},
    {"--config", "FILE", "A TOML file with a key for each flag; flags win over it"},
    {"--threads", "N", "Default: as many as there are cores"},
};

std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    if (!list.empty()) names = split_list(list);
    return names;
}

void check_roles(const std::vector<std::string>& numbers,
                 const std::vector<std::string>& categories,
                 const std::vector<std::string>& dropped) {
    std::map<std::string, std::string> flag_of;
    const auto add = [&](const std::string& flag, const std::vector<std::string>& names) {
        for (const auto& name : names) {
            const auto [found, fresh] = flag_of.emplace(name, flag);
            if (!fresh && found->second != flag)
                throw usage_error(fmt::format("{} and {} both name the column {}; choose one",
                                              found->second, flag, shown(name)));
        }
    };
    add("--numbers", numbers);
    add("--categories", categories);
    add("--drop", dropped);
}

std::string one_of(const std::string& flag, const std::string& value,
                   const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
    throw usage_error(fmt::format(
        "{} takes one of {}, but {} was given{}", flag, fmt::join(allowed, ", "), shown(value),
        nearest(value, allowed).empty() ? ""
                                        : "; did you mean '" + nearest(value, allowed) + "'?"));
}

/// Whether all texts would be numbers, were their commas points.
bool has_decimal_commas(const data::Column& column) {
    bool commas = false;
    for (auto text : column.texts) {
        const auto comma = text.find(',');
        if (comma != std::string::npos) text[comma] = '.';
        if (!to_number<double>(text)) return false;
        commas = commas || comma != std::string::npos;
    }
    return commas;
}

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
    for (const auto* of_others : {"output", "validation-data", "checkpoint", "checkpoint-seconds",
                                  "checkpoint-epochs", "resume", "folds"})
        known.emplace_back(of_others);
    auto config = read_config(path, known);
    std::erase_if(config.values, [&](const auto& entry) {
        return std::find(own.begin(), own.end(), entry.first) == own.end();
    });
    return config;
}

bool is_true(const Given& given, const std::string& name) {
    const auto found = given.find(name);
    if (found == given.end() || found->second.empty() || found->second == "false") return false;
    if (found->second == "true") return true;
    throw usage_error(
        fmt::format("--{} is true or false, but {} was given", name, shown(found->second)));
}

/// Folds, or rows held out: the command line wins over the file, and both at once contradict.
void choose_stopping(const Given& flags, LearnTask& result) {
    const auto asked = [](const Given& given, const std::string& name) {
        const auto found = given.find(name);
        return found != given.end() && !found->second.empty() && found->second != "0";
    };
    const auto rows = [&](const Given& given) {
        return asked(given, "validation") || asked(given, "validation-data");
    };
    auto& task = result.task;
    if (asked(result.given, "epoch-folds") && rows(result.given)) {
        if (asked(flags, "epoch-folds") == rows(flags))
            throw usage_error(
                "--epoch-folds chooses the number of epochs without rows held out; leave out "
                "--validation and --validation-data, or --epoch-folds");
        if (rows(flags)) {
            result.given["epoch-folds"] = "0";
        } else {
            result.given["validation"] = "0";
            result.given.erase("validation-data");
        }
    }
    if (rows(result.given)) task.epoch_folds = 0;
    if (const auto folds = result.value("epoch-folds"); !folds.empty()) {
        task.epoch_folds = static_cast<std::int64_t>(whole("--epoch-folds", folds, 0, 100));
        if (task.epoch_folds == 1)
            throw usage_error("--epoch-folds takes 0, or 2 and more: one fold leaves no rows");
        if (const auto all = static_cast<std::int64_t>(result.table.rows());
            2 * task.epoch_folds > all)
            throw data_error(fmt::format("{}: {} folds of {} rows; ask for {} at most",
                                         result.table.path, folds, all, all / 2));
    }
    task.train.validation = task.epoch_folds > 0 ? 0.0 : train::TrainOptions().validation;
    if (task.epoch_folds == 0) task.train.cool_down = 0.0;  // it is for the epoch that folds choose
}

}  // namespace

void add_learn_flags(CLI::App* verb, LearnArguments& arguments, const std::vector<OwnFlag>& own) {
    verb->allow_extras();
    verb->get_formatter()->column_width(34);
    verb->add_option("data", arguments.data, "The table: CSV or TSV")
        ->type_name("DATA")
        ->multi_option_policy(CLI::MultiOptionPolicy::Join);
    const auto add = [&](const OwnFlag& flag) {
        const std::string names = flag.names;
        const auto name = names.substr(names.find("--") + 2);
        add_value(verb, names, arguments.given[name], flag.type, flag.description, "Run");
    };
    for (const auto& flag : own) add(flag);
    for (const auto& flag : task_flags) add(flag);
    verb->add_flag("--json", arguments.json, "Print the result as JSON")->group("Run");
    verb->add_flag("--quiet", arguments.quiet, "Print the result only, no progress")->group("Run");
    verb->add_flag("--print-config", arguments.print_config,
                   "Print all settings as a configuration file, and end")
        ->group("Run");
    add_table_flags(verb, arguments.table);
    add_settings(verb, arguments.given, preset("default"), preset("paper"),
                 table::options_by_rule());
}

std::string LearnTask::value(const std::string& name, const std::string& otherwise) const {
    const auto found = given.find(name);
    return found == given.end() || found->second.empty() ? otherwise : found->second;
}

namespace {

/// `file` holds what stands in the configuration file; flags win over it.
LearnTask task_from(const CLI::App& verb, const LearnArguments& arguments, Given file) {
    LearnTask result;
    auto data = arguments.data;
    auto flags = arguments.table;
    for (const auto& [name, value] : arguments.given)
        if (!value.empty()) result.given[name] = value;
    if (data.empty()) data = file["data"];
    if (flags.separator.empty()) flags.separator = file["separator"];
    if (!flags.header && !flags.no_header) {
        flags.header = is_true(file, "header");
        flags.no_header = is_true(file, "no-header") || file["header"] == "false";
    }
    result.json = arguments.json || is_true(file, "json");
    result.quiet = arguments.quiet || is_true(file, "quiet");
    for (const auto& [name, value] : file) result.given.emplace(name, value);
    result.table_flags = flags;
    if (data.empty())
        throw usage_error(fmt::format("the table is missing; try 'deepsl {} data.csv --target y'",
                                      verb.get_name()));
    result.preset = one_of("--preset", result.value("preset", "default"), {"default", "paper"});
    const auto kind = one_of("--model", result.value("model", "dsl"), model::kinds());
    const auto target_kind =
        one_of("--task", result.value("task", "auto"), {"auto", "classes", "numbers"});
    const auto categories = result.texts = names_in(result.value("categories"));
    result.threads = result.value("threads").empty()
                         ? available_threads()
                         : static_cast<int>(whole("--threads", result.value("threads"), 1, 1024));

    const auto numbers = names_in(result.value("numbers")),
               dropped = names_in(result.value("drop"));
    std::vector<std::string> named{result.value("target")};
    for (const auto* list : {&numbers, &categories, &dropped})
        named.insert(named.end(), list->begin(), list->end());
    check_roles(numbers, categories, dropped);
    std::erase(named, "");
    result.table = read_table(data, flags, categories, named);
    const auto target = result.value("target", result.table.columns.back().name);
    try {
        result.task = table::task_for(result.table, target, result.preset, target_kind);
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    auto& task = result.task;
    task.kind = kind;
    auto& encoding = task.encoding;
    encoding.scale = one_of("--scale", result.value("scale", encoding.scale),
                            {"auto", "rank", "zscore", "minmax", "none"});
    if (const auto power = result.value("relevance"); !power.empty()) {
        task.relevance = to_number<double>(power).value_or(-1.0);
        if (!(task.relevance >= 0.0 && task.relevance <= 2.0))
            throw usage_error(fmt::format(
                "--relevance takes a number from 0 to 2, but {} was given", shown(power)));
    }
    encoding.dropped = dropped;
    for (const auto& name : categories) encoding.roles[name] = data::Role::category;
    for (const auto& name : numbers) encoding.roles[name] = data::Role::number;
    choose_stopping(arguments.given, result);
    Settings settings{task.model, task.train};
    cli::apply(result.given, settings);
    task.model = settings.model;
    task.train = settings.train;
    return result;
}

}  // namespace

LearnTask read_learn_task(const CLI::App& verb, const LearnArguments& arguments) {
    check_words(verb, "one table is enough; every value follows its flag");
    Config config;
    if (const auto& path = arguments.given.at("config"); !path.empty())
        config = read_config_for(verb, path);
    for (const auto& [name, value] : arguments.given)
        if (!value.empty()) config.lines.erase(name);
    try {
        return task_from(verb, arguments, config.values);
    } catch (const Error& error) {
        throw config.placed(error);
    }
}

std::string printed_config(const LearnTask& task) {
    std::vector<std::pair<std::string, std::string>> values{
        {"data", task.table.path},
        {"target", task.task.target},
        {"task", task.task.target_kind},
        {"model", task.task.kind},
        {"preset", task.preset},
        {"scale", task.task.encoding.scale},
        {"relevance", fmt::format("{}", task.task.relevance)},
        {"epoch-folds", fmt::format("{}", task.task.epoch_folds)},
        {"threads", fmt::format("{}", task.threads)}};
    for (const auto* name : {"drop", "numbers", "categories", "output", "validation-data",
                             "checkpoint", "checkpoint-seconds", "checkpoint-epochs", "folds"})
        if (const auto value = task.value(name); !value.empty()) values.emplace_back(name, value);
    const auto& flags = task.table_flags;
    if (!flags.separator.empty()) values.emplace_back("separator", flags.separator);
    if (flags.header) values.emplace_back("header", "true");
    if (flags.no_header) values.emplace_back("no-header", "true");
    for (auto& setting : listed({task.task.model, task.task.train}))
        values.push_back(std::move(setting));
    return config_text(values);
}

std::vector<std::string> task_lines(const LearnTask& task, const data::Encoding& encoding) {
    std::vector<std::string> lines{table_sentence(task.table)};
    std::vector<std::string> numbers, categories;
    std::string scale;
    for (const auto& column : encoding.columns()) {
        if (column.role == data::Role::number) {
            numbers.push_back(column.name);
            scale = column.scale;
        } else if (column.role == data::Role::category) {
            categories.push_back(fmt::format("{} ({})", column.name, column.levels.size()));
        } else if (column.role != data::Role::dropped) {
            lines.push_back(fmt::format("  left out: {} {}", column.name, column.why));
        }
    }
    const auto list = [&](const std::string& what, const std::vector<std::string>& names) {
        if (names.empty()) return;
        for (const auto& line :
             wrapped(fmt::format("{} {}: {}", names.size(), what, fmt::join(names, ", ")), 96))
            lines.push_back("  " + line);
    };
    list(scale.empty() ? "numbers" : fmt::format("numbers, by {}", scale), numbers);
    list("categories", categories);
    for (const auto& column : task.table.columns) {
        const bool a_category = std::any_of(
            encoding.columns().begin(), encoding.columns().end(), [&](const auto& learned) {
                return learned.name == column.name && learned.role == data::Role::category;
            });
        if (a_category && column.stray_line > 0)
            lines.push_back(
                fmt::format("  warning: {} is taken as categories because of {} in line {}, though "
                            "most of its cells are numbers; correct it, or leave the cell empty",
                            shown(column.name), shown(column.stray), column.stray_line));
        if (has_decimal_commas(column))
            lines.push_back(
                fmt::format("  warning: {} seems to hold numbers with decimal commas, which are "
                            "read as texts; write points, such as 1.5",
                            shown(column.name)));
    }
    return lines;
}

}  // namespace deepsl::cli
