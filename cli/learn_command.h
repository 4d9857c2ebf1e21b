// What the verbs that learn from a table, `train` and `cv`, share: their flags, the configuration
// file, and what both ask for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "deepsl/data/encoding.h"
#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/settings.h"
#include "deepsl/learner/task.h"
#include "table_flags.h"

namespace deepsl::cli {

/// The words of the command: every flag by its name, as text.
struct LearnArguments {
    std::string data;
    learner::Settings given;  // flags of the verb, of the task, the model and the training
    TableFlags table;
    bool json = false, quiet = false, print_config = false;
};

/// A flag that only one verb has.
struct OwnFlag {
    const char *names, *type, *description;
};

/// Flags for the table, the task and all its options; and those of the verb's own.
void add_learn_flags(CLI::App* verb, LearnArguments& arguments, const std::vector<OwnFlag>& own);

/// What was asked for: flags, then the configuration file, then what suits the table.
struct LearnCommand {
    data::Table table;
    std::shared_ptr<const data::Images> images;  // instead of a table
    learner::Task task;
    learner::Settings given;  // flags over the configuration file
    TableFlags table_flags;
    std::vector<std::string> warnings;  // about flags
    int threads = 1;
    bool json = false, quiet = false;

    const std::string& path() const { return images ? images->path : table.path; }
    std::size_t rows() const { return images ? images->size() : table.rows(); }
    /// The value of a flag, or `otherwise`.
    std::string value(const std::string& name, const std::string& otherwise = "") const;
    bool learns_classes() const { return task.target_kind == learner::TargetKind::classes; }
    /// "accuracy" or "R²", for people.
    const char* metric() const { return learns_classes() ? "accuracy" : "R²"; }
};

/// Reads the table, too. Throws Error.
LearnCommand read_learn_command(const CLI::App& verb, const LearnArguments& arguments);

/// All settings as a configuration file.
std::string printed_config(const LearnCommand& command);

/// What is known about the table and what is made of it, for people.
std::vector<std::string> table_lines(const data::Table& table, const data::Encoding& encoding);

}  // namespace deepsl::cli
