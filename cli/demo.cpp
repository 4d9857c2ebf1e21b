#include "demo.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/data/generated.h"
#include "deepsl/io/model_file.h"
#include "demo_run.h"
#include "file.h"
#include "machine.h"
#include "parse.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr const char* examples = R"text(Examples:
  deepsl demo
  deepsl demo --set checkerboard --samples 1500 --seed 3
  deepsl demo --set moons --preset paper -o paper.deepsl --report paper.html
  deepsl demo --set circles --field straight --eigenfunctions 6 --epochs 40 --json

Ctrl-C ends the training: the best model so far and its report are written, exit code 130; a
second Ctrl-C ends the program at once.
Exit codes: 0 trained, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 Ctrl-C.)text";

std::vector<std::string> set_names() {
    const auto sets = data::generated_sets();
    return {sets.begin(), sets.end()};
}

/// What was asked for, in words that give the same again.
std::string command_of(const DemoArguments& arguments) {
    std::string command = fmt::format("deepsl demo --set {} --samples {} --seed {}", arguments.set,
                                      arguments.samples, arguments.seed);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) command += fmt::format(" --{} {}", name, value);
    };
    add("noise", arguments.noise);
    if (arguments.preset != "default") add("preset", arguments.preset);
    for (const auto& [name, value] : arguments.settings) add(name, value);
    return command;
}

DemoTask read_task(const DemoArguments& arguments) {
    const auto sets = set_names();
    if (std::find(sets.begin(), sets.end(), arguments.set) == sets.end()) {
        throw usage_error(
            fmt::format("--set: there is no set {}; {}", shown(arguments.set),
                        did_you_mean(arguments.set, sets,
                                     fmt::format("choose one of {}", fmt::join(sets, ", ")))));
    }
    DemoTask task;
    task.set = arguments.set;
    task.preset = arguments.preset;
    task.settings = demo_preset(arguments.preset);
    apply(arguments.settings, task.settings);
    // The paper's loss is for classes; a set of numbers takes its own unless another is asked for.
    const auto loss = arguments.settings.find("loss");
    const bool asked = loss != arguments.settings.end() && !loss->second.empty();
    if (task.set == "wave" && !asked) task.settings.train.loss = "auto";
    const auto seed = whole("--seed", arguments.seed, 0, 1000000000000000);
    task.settings.train.seed = static_cast<std::int64_t>(seed);
    task.data.seed = seed;
    task.data.samples = whole("--samples", arguments.samples, 10, 10000000);
    if (!arguments.noise.empty()) {
        const double noise = to_number<double>(arguments.noise).value_or(-1.0);
        if (!(noise >= 0.0 && noise <= 100.0)) {
            throw usage_error(fmt::format("--noise takes a number from 0 to 100, but {} was given",
                                          shown(arguments.noise)));
        }
        task.data.noise = noise;
    }
    task.threads = arguments.threads.empty()
                       ? available_threads()
                       : static_cast<int>(whole("--threads", arguments.threads, 1, 1024));
    task.output = arguments.output;
    task.report = arguments.report;
    task.quiet = arguments.quiet;
    task.command = command_of(arguments);
    if (std::filesystem::weakly_canonical(task.output) ==
        std::filesystem::weakly_canonical(task.report))
        throw usage_error("--output and --report name the same file; choose two");
    return task;
}

}  // namespace

CLI::App* add_demo(CLI::App& app, DemoArguments& arguments) {
    auto* verb = app.add_subcommand(
        "demo", "Train on a generated set, compare with an MLP, write a model and a report");
    verb->allow_extras();
    verb->footer(examples);
    verb->get_formatter()->column_width(34);
    const auto add = [verb](const char* names, std::string& value, const char* type,
                            const std::string& description, const char* group) {
        add_value(verb, names, value, type, description, group);
    };
    const auto* data = "Data";
    add("--set", arguments.set, "NAME",
        fmt::format("One of {} (default spirals)", fmt::join(set_names(), ", ")), data);
    add("--samples", arguments.samples, "N",
        "Samples to learn from, a share of them for validation\n(default 2000)", data);
    add("--noise", arguments.noise, "X", "Standard deviation (default: as suits the set)", data);
    add("--seed", arguments.seed, "N", "Of data, weights and the order of samples (default 0)",
        data);
    const auto* run = "Run";
    add("--preset", arguments.preset, "NAME",
        "default, what learns best, or paper, the paper's settings", run);
    add("--threads", arguments.threads, "N", "Default: as many as there are cores", run);
    add("-o,--output", arguments.output, "MODEL", "The model file (default demo.deepsl)", run);
    add("--report", arguments.report, "FILE", "The page to look at (default demo.html)", run);
    verb->add_flag("--json", arguments.json, "Print the result as JSON")->group(run);
    verb->add_flag("--quiet", arguments.quiet, "Print the result only, no progress")->group(run);
    add_settings(verb, arguments.settings, demo_preset("default"), demo_preset("paper"));
    return verb;
}

ExitCode run_demo(const CLI::App& verb, const DemoArguments& arguments) {
    check_words(verb, "every value follows its flag, as in --set spirals");
    const auto task = read_task(arguments);
    check_writable(task.output);
    check_writable(task.report);

    auto result = run(task);
    fill_report(task, result);
    try {
        io::save_model(task.output, result.trained);
    } catch (const io::FileError& error) {
        throw Error(ExitCode::failure, error.what());
    }
    write_file(task.report, io::html_report(result.report));
    print(arguments.json ? demo_json(task, result)
                         : (task.quiet ? "" : "\n") + demo_text(task, result));
    return result.interrupted ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
