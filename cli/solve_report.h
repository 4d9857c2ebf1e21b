// What `solve` reports of a problem and its solution: text, JSON and CSV.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/sturm/solver.h"
#include "error.h"

namespace deepsl::cli {

/// A problem, and its parts as they were typed.
struct StatedProblem {
    sturm::Problem problem;
    std::string p, q, w, a, b;  // as typed; see formula_text
};

/// As typed but on one line, and harmless: in a formula control characters count as blanks.
std::string formula_text(std::string formula);

std::string equation_text(const StatedProblem& stated);
std::string conditions_text(const StatedProblem& stated);

bool has_function(const sturm::Eigenpair& pair);

/// Equal steps from end to end.
std::vector<double> grid(const sturm::Problem& problem, std::size_t points);

std::string table_text(const StatedProblem& stated, const sturm::Solution& solution,
                       double tolerance);
std::string json_text(const StatedProblem& stated, const sturm::Solution& solution);

/// The file of eigenfunctions in blocks of rows: all of them together may not fit into memory.
class CsvBlocks {
public:
    /// The solution must outlive it.
    CsvBlocks(const sturm::Solution& solution, std::vector<double> t);

    /// The share of the rows that was given out.
    double share() const;

    /// Adds the next block to `out`; false when there is none.
    bool next(std::string& out);

private:
    const sturm::Solution& solution_;
    std::vector<double> t_;
    std::size_t row_ = 0;
};

/// One line on stderr for each way in which eigenvalues failed.
ExitCode report_failures(const sturm::Solution& solution);

}  // namespace deepsl::cli
