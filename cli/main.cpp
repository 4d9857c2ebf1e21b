// The program `deepsl`: finds the verb and turns every failure into one sentence and an exit code.
//
// This file is built twice. LibTorch takes half a second to load, a hundred times as long as a
// problem takes to solve: so `deepsl` does without it, and hands verbs that learn over to
// `deepsl-learn` beside it, which knows all verbs (DEEPSL_WITH_TORCH). A build without LibTorch
// has the first program only.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "deepsl/data/generated.h"
#include "deepsl/io/file.h"
#include "deepsl/sturm/status.h"
#include "deepsl/text.h"
#include "error.h"
#include "parse.h"
#include "solve.h"
#ifdef DEEPSL_WITH_TORCH
#include <c10/util/Exception.h>

#include "apply.h"
#include "check.h"
#include "cv.h"
#include "deepsl/option.h"
#include "demo.h"
#include "options.h"
#include "train.h"
#endif

namespace {

using namespace deepsl::cli;

const std::vector<std::string> learning_verbs = {"demo",    "check", "options",  "train",
                                                 "predict", "cv",    "evaluate", "inspect"};

[[maybe_unused]] bool is_learning_verb(const std::string& word) {
    return std::find(learning_verbs.begin(), learning_verbs.end(), word) != learning_verbs.end();
}

#ifdef DEEPSL_LEARN_PROGRAM
/// Becomes the other program, if the command is for it: verbs that learn, and the list of all.
void hand_over(char** argv) {
    const std::string word = argv[0] != nullptr && argv[1] != nullptr ? argv[1] : "--help";
    if (!is_learning_verb(word) && word != "--help" && word != "-h") return;
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto other = self.parent_path() / DEEPSL_LEARN_PROGRAM;
    // Threads that wait by spinning slow each other down several times when a core is shared.
    ::setenv("OMP_WAIT_POLICY", "passive", 0);
    ::execv(other.c_str(), argv);
    if (!is_learning_verb(word)) return;
    throw Error(ExitCode::failure,
                fmt::format("the verb '{}' needs the program {}, which is not there; install "
                            "deepsl again",
                            word, deepsl::in_quotes(other.string())));
}
#endif

int run(const std::vector<std::string>& words) {
    CLI::App app{"Deep Sturm-Liouville, and Sturm-Liouville problems, from the command line.",
                 "deepsl"};
    app.set_version_flag("--version", "deepsl " DEEPSL_VERSION, "Print the version and exit");
    app.allow_extras();
    SolveArguments solve_arguments;
    const auto* solve = add_solve(app, solve_arguments);
#ifdef DEEPSL_WITH_TORCH
    DemoArguments demo_arguments;
    CheckArguments check_arguments;
    OptionsArguments options_arguments;
    LearnArguments train_arguments, cv_arguments;
    ApplyArguments predict_arguments, evaluate_arguments, inspect_arguments;
    const auto* train = add_train(app, train_arguments);
    const auto* predict = add_predict(app, predict_arguments);
    const auto* evaluate = add_evaluate(app, evaluate_arguments);
    const auto* inspect = add_inspect(app, inspect_arguments);
    const auto* cv = add_cv(app, cv_arguments);
    const auto* demo = add_demo(app, demo_arguments);
    const auto* check = add_check(app, check_arguments);
    const auto* options = add_options(app, options_arguments);
#else
    if (!words.empty() && is_learning_verb(words[0])) {
        throw usage_error(
            fmt::format("this build of deepsl has no LibTorch, which the verb '{}' "
                        "needs; build it with -DDEEPSL_WITH_TORCH=ON",
                        words[0]));
    }
#endif
    try {
        parse(app, words);
    } catch (const CLI::Success& help_or_version) {
        return app.exit(help_or_version);
    }
    if (!app.remaining().empty()) {
        std::vector<std::string> known{"solve", "--help", "--version"};
        known.insert(known.end(), learning_verbs.begin(), learning_verbs.end());
        throw unknown_word(app.remaining().front(), known, "deepsl");
    }
    if (solve->parsed()) return static_cast<int>(run_solve(*solve, solve_arguments));
#ifdef DEEPSL_WITH_TORCH
    if (train->parsed()) return static_cast<int>(run_train(*train, train_arguments));
    if (predict->parsed()) return static_cast<int>(run_predict(*predict, predict_arguments));
    if (evaluate->parsed()) return static_cast<int>(run_evaluate(*evaluate, evaluate_arguments));
    if (inspect->parsed()) return static_cast<int>(run_inspect(*inspect, inspect_arguments));
    if (cv->parsed()) return static_cast<int>(run_cv(*cv, cv_arguments));
    if (demo->parsed()) return static_cast<int>(run_demo(*demo, demo_arguments));
    if (check->parsed()) return static_cast<int>(run_check(*check, check_arguments));
    if (options->parsed()) return static_cast<int>(run_options(*options, options_arguments));
    fmt::print("{}", app.help());
    throw usage_error("a verb is missing; try 'deepsl demo'");
#else
    fmt::print("{}", app.help());
    throw usage_error("a verb is missing; try 'deepsl solve --help'");
#endif
}

int failed(ExitCode code, std::string_view sentence) {
    // Sentences quote what they take from outside; if one forgets to, the terminal stays safe.
    tell(fmt::format("deepsl: error: {}\n", deepsl::printable_lines(sentence)));
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
#ifdef DEEPSL_LEARN_PROGRAM
        hand_over(argv);
#endif
        return run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    } catch (const Error& error) {
        return failed(error.code(), error.what());
    } catch (const deepsl::sturm::InputError& error) {
        return failed(ExitCode::bad_data, error.what());
    } catch (const deepsl::data::InputError& error) {
        return failed(ExitCode::usage, error.what());
    } catch (const deepsl::io::FileError& error) {
        return failed(ExitCode::failure, error.what());
#ifdef DEEPSL_WITH_TORCH
    } catch (const deepsl::OptionError& error) {
        return failed(ExitCode::usage, error.what());
    } catch (const c10::Error& error) {
        const std::string what = error.what_without_backtrace();
        if (what.find("allocate memory") != std::string::npos)
            return failed(ExitCode::failure,
                          "out of memory; use fewer rows, inputs or classes, or a smaller batch");
        return failed(ExitCode::failure, what.substr(0, what.find('\n')));
#endif
    } catch (const std::bad_alloc&) {
        return failed(ExitCode::failure, "out of memory; ask for fewer eigenvalues or points");
    } catch (const std::exception& error) {
        return failed(ExitCode::failure, error.what());
    } catch (...) {
        return failed(ExitCode::failure, "stopped for an unknown reason");
    }
}
