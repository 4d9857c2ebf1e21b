#include "demo.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/data/generated.h"
#include "deepsl/io/file.h"
#include "deepsl/learner/generated.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/option.h"
#include "deepsl/parallel.h"
#include "demo_run.h"
#include "file.h"
#include "option_flags.h"
#include "parse.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr const char* examples = R"text(Examples:
  deepsl demo
  deepsl demo --set checkerboard --samples 1500 --seed 3
  deepsl demo --set moons --preset paper -o paper.deepsl --report paper.html
  deepsl demo --set circles --field straight --eigenfunctions 6 --epochs 40 --json

Ctrl-C or SIGTERM ends the training: the best model so far and its report are written; a second
one ends the program at once.
Exit codes: 0 trained, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 Ctrl-C,
143 SIGTERM.)text";

std::vector<std::string> set_names() {
    const auto sets = names(data::GeneratedSet{});
    return {sets.begin(), sets.end()};
}

data::GeneratedSet set_of(const std::string& text) {
    if (const auto set = named<data::GeneratedSet>(text)) return *set;
    const auto sets = set_names();
    throw argument_error(fmt::format(
        "--set: there is no set {}; {}", shown(text),
        did_you_mean(text, sets, fmt::format("choose one of {}", fmt::join(sets, ", ")))));
}

/// What was asked for, in words that give the same again.
std::string command_of(const DemoArguments& arguments) {
    std::string command = fmt::format("deepsl demo --set {} --samples {} --seed {}", arguments.set,
                                      arguments.samples, arguments.seed);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) command += fmt::format(" --{} {}", name, value);
    };
    add("noise", arguments.noise);
    if (arguments.preset != name(model::Preset::standard)) add("preset", arguments.preset);
    for (const auto& [name, value] : arguments.given) add(name, value);
    return command;
}

learner::Task task_of(data::GeneratedSet set, const DemoArguments& arguments) {
    learner::Task task;
    with_flag_names([&] {
        learner::Task asked;
        learner::apply_settings({{"preset", arguments.preset}}, asked);
        task = learner::generated_task(set, asked.preset);
        learner::apply_settings(arguments.given, task);
    });
    return task;
}

DemoCommand read_command(const DemoArguments& arguments) {
    DemoCommand command;
    command.set = set_of(arguments.set);
    command.task = task_of(command.set, arguments);
    const auto seed = whole_number_of("--seed", arguments.seed, 0, 1000000000000000);
    command.task.train.seed = static_cast<std::int64_t>(seed);
    command.data.seed = seed;
    command.data.samples = whole_number_of("--samples", arguments.samples, 10, 10000000);
    if (!arguments.noise.empty()) {
        const double noise = to_number<double>(arguments.noise).value_or(-1.0);
        if (!(noise >= 0.0 && noise <= 100.0)) {
            throw argument_error(fmt::format(
                "--noise takes a number from 0 to 100, but {} was given", shown(arguments.noise)));
        }
        command.data.noise = noise;
    }
    command.threads = threads_of(arguments.threads);
    command.output = arguments.output;
    command.report = arguments.report;
    command.quiet = arguments.quiet;
    command.words = command_of(arguments);
    check_distinct("--output", command.output, {command.report});
    return command;
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
    verb->add_flag("--quiet", arguments.quiet, "Print the result and warnings only, no progress")
        ->group(run);
    const auto set = data::GeneratedSet::spirals;
    add_model_flags(verb, arguments.given, learner::generated_task(set, model::Preset::standard),
                    learner::generated_task(set, model::Preset::paper));
    return verb;
}

ExitCode run_demo(const CLI::App& verb, const DemoArguments& arguments) {
    check_words(verb, "every value follows its flag, as in --set spirals");
    const auto command = read_command(arguments);
    check_writable(command.output);
    check_writable(command.report);

    auto result = run(command);
    fill_report(command, result);
    learner::save_model_or_rescue(command.output, result.trained);
    io::write_file(command.report, report::html_report(result.report));
    print(arguments.json ? demo_json(command, result)
                         : (command.quiet ? "" : "\n") + demo_text(command, result));
    return result.interrupted ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
