// The verb `demo`: trains on a generated set, compares with an MLP, and writes a model and a
// report to look at.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "deepsl/learner/settings.h"
#include "error.h"

namespace deepsl::cli {

struct DemoArguments {
    std::string set = "spirals";
    std::string samples = "2000";
    std::string noise;
    std::string seed = "0";
    std::string preset = "default";
    std::string threads;  // all cores
    std::string output = "demo.deepsl";
    std::string report = "demo.html";
    bool json = false;
    bool quiet = false;
    learner::Settings given;  // options of model and training
};

CLI::App* add_demo(CLI::App& app, DemoArguments& arguments);

/// Throws Error. After Ctrl-C or SIGTERM the model and the report are written all the same:
/// interrupted.
ExitCode run_demo(const CLI::App& verb, const DemoArguments& arguments);

}  // namespace deepsl::cli
