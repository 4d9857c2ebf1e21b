// The verb `train`: from a table to a model file.
#pragma once

#include <CLI/CLI.hpp>

#include "error.h"
#include "learn_command.h"

namespace deepsl::cli {

CLI::App* add_train(CLI::App& app, LearnArguments& arguments);
ExitCode run_train(const CLI::App& verb, const LearnArguments& arguments);

}  // namespace deepsl::cli
