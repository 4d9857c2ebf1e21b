// The verb `solve`: eigenvalues and eigenfunctions of one Sturm-Liouville problem.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "error.h"

namespace deepsl::cli {

/// The words of the command as they were typed; `run_solve` reads and checks them.
struct SolveArguments {
    std::string p = "1";
    std::string q = "0";
    std::string w = "1";
    std::string interval = "0,1";
    std::string bc_left = "dirichlet";
    std::string bc_right = "dirichlet";
    std::string breaks;
    std::string table;

    std::string count = "10";
    std::string from = "1";
    std::string range;
    std::string tolerance = "1e-10";
    std::string max_cells;

    bool json = false;
    bool quiet = false;
    bool draw = false;
    std::string eigenfunctions;
    std::string points = "401";
    std::string plot;
};

/// Adds the verb with its flags to `app`; they fill `arguments`, which must outlive the parse.
CLI::App* add_solve(CLI::App& app, SolveArguments& arguments);

/// Throws Error.
ExitCode run_solve(const CLI::App& verb, const SolveArguments& arguments);

}  // namespace deepsl::cli
