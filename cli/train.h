// The verb `train`: from a table to a model file.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "deepsl/table/learner.h"
#include "error.h"
#include "settings.h"
#include "table_flags.h"

namespace deepsl::cli {

/// What the verbs that learn from a table are told: every flag by its name, as text.
struct LearnArguments {
    std::string data;
    Given given;  // flags of the verb and of the settings
    TableFlags table;
    bool json = false, quiet = false, print_config = false;
};

/// Flags for `data`, the task and all settings; `own` are further ones of the verb: name, type,
/// description.
struct OwnFlag {
    const char *names, *type, *description;
};
void add_learn_flags(CLI::App* verb, LearnArguments& arguments, const std::vector<OwnFlag>& own);

/// What was asked for: flags, then the configuration file, then what suits the table.
struct LearnTask {
    data::Table table;
    table::Task task;
    Given given;  // flags over the configuration file
    std::string preset;
    TableFlags table_flags;
    std::vector<std::string> texts;  // columns that are categories on request
    int threads = 1;
    bool json = false, quiet = false;

    /// The value of a flag, or `otherwise`.
    std::string value(const std::string& name, const std::string& otherwise = "") const;
};
LearnTask read_learn_task(const CLI::App& verb, const LearnArguments& arguments);

/// All settings as a configuration file.
std::string printed_config(const LearnTask& task);

/// What is known about the table and what is made of it, for people.
std::vector<std::string> task_lines(const LearnTask& task, const data::Encoding& encoding);

CLI::App* add_train(CLI::App& app, LearnArguments& arguments);
ExitCode run_train(const CLI::App& verb, const LearnArguments& arguments);

}  // namespace deepsl::cli
