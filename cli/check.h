// The verb `check`: does what the theory promises hold for the model in a file?
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "deepsl/learner/settings.h"
#include "error.h"
#include "table_flags.h"

namespace deepsl::cli {

struct CheckArguments {
    std::string model, data, tolerances, threads, part = "test";
    learner::Settings given;  // of model::visit_check, by name
    TableFlags table;
    bool json = false;
};

CLI::App* add_check(CLI::App& app, CheckArguments& arguments);

/// failure: a figure is out of bounds. Throws Error.
ExitCode run_check(const CLI::App& verb, const CheckArguments& arguments);

}  // namespace deepsl::cli
