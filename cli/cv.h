// The verb `cv`: cross-validation, a model for each fold.
#pragma once

#include <CLI/CLI.hpp>

#include "error.h"
#include "learn_command.h"

namespace deepsl::cli {

CLI::App* add_cv(CLI::App& app, LearnArguments& arguments);
ExitCode run_cv(const CLI::App& verb, const LearnArguments& arguments);

}  // namespace deepsl::cli
