// The program `deepsl`: finds the verb and turns every failure into one sentence and an exit code.
#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "deepsl/sturm/status.h"
#include "error.h"
#include "parse.h"
#include "solve.h"

namespace {

using namespace deepsl::cli;

int run(const std::vector<std::string>& words) {
    CLI::App app{"Sturm-Liouville problems from the command line.", "deepsl"};
    app.set_version_flag("--version", "deepsl " DEEPSL_VERSION, "Print the version and exit");
    app.allow_extras();
    SolveArguments arguments;
    const auto* solve = add_solve(app, arguments);
    try {
        parse(app, words);
    } catch (const CLI::Success& help_or_version) {
        return app.exit(help_or_version);
    }
    if (!app.remaining().empty())
        throw unknown_word(app.remaining().front(), {"solve", "--help", "--version"}, "deepsl");
    if (solve->parsed()) return static_cast<int>(run_solve(*solve, arguments));
    fmt::print("{}", app.help());
    throw usage_error("a verb is missing; try 'deepsl solve --help'");
}

int failed(ExitCode code, std::string_view sentence) {
    fmt::print(stderr, "deepsl: error: {}\n", sentence);
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    } catch (const Error& error) {
        return failed(error.code(), error.what());
    } catch (const deepsl::sturm::InputError& error) {
        return failed(ExitCode::bad_data, error.what());
    } catch (const std::bad_alloc&) {
        return failed(ExitCode::failure, "out of memory; ask for fewer eigenvalues or points");
    } catch (const std::exception& error) {
        return failed(ExitCode::failure, error.what());
    } catch (...) {
        return failed(ExitCode::failure, "stopped for an unknown reason");
    }
}
