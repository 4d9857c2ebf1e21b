// The verb `options`: all options of tasks, models and training, for people and for
// docs/options.md.
#pragma once

#include <CLI/CLI.hpp>

#include "error.h"

namespace deepsl::cli {

struct OptionsArguments {
    bool markdown = false;
};

CLI::App* add_options(CLI::App& app, OptionsArguments& arguments);

ExitCode run_options(const CLI::App& verb, const OptionsArguments& arguments);

}  // namespace deepsl::cli
