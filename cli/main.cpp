// The program `deepsl`: finds the verb and turns every failure into one sentence and an exit code.
#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apply.h"
#include "check.h"
#include "cv.h"
#include "deepsl/error.h"
#include "deepsl/text.h"
#include "demo.h"
#include "error.h"
#include "machine.h"
#include "options.h"
#include "parse.h"
#include "solve.h"
#include "train.h"

namespace {

using namespace deepsl::cli;

ExitCode run(const std::vector<std::string>& words) {
    CLI::App app{"Deep Sturm-Liouville, and Sturm-Liouville problems, from the command line.",
                 "deepsl"};
    app.set_version_flag("--version", "deepsl " DEEPSL_VERSION, "Print the version and exit");
    app.allow_extras();
    app.require_subcommand(0, 1);  // a word after the verb is never another verb
    SolveArguments solve_arguments;
    LearnArguments train_arguments, cv_arguments;
    ApplyArguments predict_arguments, evaluate_arguments, inspect_arguments;
    DemoArguments demo_arguments;
    CheckArguments check_arguments;
    OptionsArguments options_arguments;
    const auto* solve = add_solve(app, solve_arguments);
    const auto* train = add_train(app, train_arguments);
    const auto* predict = add_predict(app, predict_arguments);
    const auto* evaluate = add_evaluate(app, evaluate_arguments);
    const auto* inspect = add_inspect(app, inspect_arguments);
    const auto* cv = add_cv(app, cv_arguments);
    const auto* demo = add_demo(app, demo_arguments);
    const auto* check = add_check(app, check_arguments);
    const auto* options = add_options(app, options_arguments);
    try {
        parse(app, words);
    } catch (const CLI::Success& help_or_version) {
        app.exit(help_or_version);
        return ExitCode::ok;
    }
    if (!app.remaining().empty()) {
        std::vector<std::string> known{"--help", "--version"};
        for (const auto* verb : app.get_subcommands(nullptr)) known.push_back(verb->get_name());
        throw unknown_word(app.remaining().front(), known, "deepsl");
    }
    if (solve->parsed()) return run_solve(*solve, solve_arguments);
    if (train->parsed()) return run_train(*train, train_arguments);
    if (predict->parsed()) return run_predict(*predict, predict_arguments);
    if (evaluate->parsed()) return run_evaluate(*evaluate, evaluate_arguments);
    if (inspect->parsed()) return run_inspect(*inspect, inspect_arguments);
    if (cv->parsed()) return run_cv(*cv, cv_arguments);
    if (demo->parsed()) return run_demo(*demo, demo_arguments);
    if (check->parsed()) return run_check(*check, check_arguments);
    if (options->parsed()) return run_options(*options, options_arguments);
    fmt::print("{}", app.help());
    throw deepsl::argument_error("a verb is missing; try 'deepsl demo'");
}

/// By the convention of shells, a program that a signal ended gives 128 and the signal's number.
int status_of(ExitCode code) {
    constexpr int ended_by_signal = 128;
    return code == ExitCode::interrupted ? ended_by_signal + Interrupt::signal()
                                         : static_cast<int>(code);
}

ExitCode code_of(deepsl::Error::Kind kind) {
    switch (kind) {
        case deepsl::Error::Kind::argument: return ExitCode::usage;
        case deepsl::Error::Kind::data: return ExitCode::bad_data;
        case deepsl::Error::Kind::output: return ExitCode::failure;
    }
    return ExitCode::failure;
}

int failed(ExitCode code, std::string_view sentence) {
    // Sentences quote what they take from outside; if one forgets to, the terminal stays safe.
    tell(fmt::format("deepsl: error: {}\n", deepsl::printable_lines(sentence)));
    return status_of(code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return status_of(run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
    } catch (const Interrupted& error) {
        return failed(ExitCode::interrupted, error.what());
    } catch (const deepsl::Error& error) {
        return failed(code_of(error.kind()), error.what());
    } catch (const std::bad_alloc&) {
        return failed(
            ExitCode::failure,
            "out of memory; ask for fewer rows, inputs, eigenvalues or points, or for --threads 1");
    } catch (const std::exception& error) {
        return failed(ExitCode::failure, error.what());
    } catch (...) {
        return failed(ExitCode::failure, "stopped for an unknown reason");
    }
}
