// The problem set: all ten eigenvalues of every problem, to the tolerance asked for, with the right
// index, an honest error estimate, and the right number of zeros.
#include "problem_set.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace deepsl::sturm {
namespace {

using testing::NamedProblem;
using testing::problem_set;

class ProblemSet : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(ProblemSet, HasAllTenEigenvalues) {
    const NamedProblem& known = GetParam();
    const Solution solution = solve(known.problem, Indices{1, 10}, {.tolerance = 1e-10});
    ASSERT_EQ(solution.pairs.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
        const Eigenpair& pair = solution.pairs[i];
        const double truth = known.lambda[i];
        const double error = std::fabs(pair.lambda - truth);
        EXPECT_EQ(pair.index, i + 1);
        EXPECT_EQ(pair.status, Status::ok) << "n = " << i + 1;
        EXPECT_LE(error, 1e-9 * std::max(1.0, std::fabs(truth))) << "n = " << i + 1;
        EXPECT_LE(error, 10.0 * pair.error_estimate) << "n = " << i + 1;
        if (i > 0) {
            EXPECT_GT(pair.lambda, solution.pairs[i - 1].lambda);
        }
    }
}

TEST_P(ProblemSet, EstimatesItsErrorHonestlyAtAnyTolerance) {
    const NamedProblem& known = GetParam();
    for (double tolerance : {1e-3, 1e-5, 1e-7, 1e-8, 1e-11}) {
        const Solution solution = solve(known.problem, Indices{1, 10}, {.tolerance = tolerance});
        for (const Eigenpair& pair : solution.pairs) {
            const double truth = known.lambda[pair.index - 1];
            const double error = std::fabs(pair.lambda - truth);
            EXPECT_LE(error, 10.0 * pair.error_estimate) << "n = " << pair.index;
            EXPECT_LE(error, 10.0 * tolerance * std::max(1.0, std::fabs(truth)));
        }
    }
}

TEST_P(ProblemSet, IsSolvedTheSameFromAnyFirstIndex) {
    const NamedProblem& known = GetParam();
    const Solution solution = solve(known.problem, Indices{7, 2}, {.tolerance = 1e-8});
    for (std::size_t i = 0; i < 2; ++i) {
        const double truth = known.lambda[6 + i];
        EXPECT_EQ(solution.pairs[i].index, 7 + i);
        EXPECT_NEAR(solution.pairs[i].lambda, truth, 1e-7 * std::max(1.0, std::fabs(truth)));
    }
}

TEST_P(ProblemSet, EigenfunctionsHaveTheirZeros) {
    const Solution solution = solve(GetParam().problem, Indices{1, 10});
    for (const Eigenpair& pair : solution.pairs) {
        // Functions of eigenvalues that agree to rounding are not determined one by one, and
        // say so.
        if (pair.function.error_estimate() > 1e-3) continue;
        EXPECT_EQ(pair.function.zeros().size(), pair.index - 1) << "n = " << pair.index;
    }
}

INSTANTIATE_TEST_SUITE_P(Known, ProblemSet, ::testing::ValuesIn(problem_set()),
                         [](const auto& given) { return given.param.name; });

struct FileRow {
    std::size_t n;
    double lambda, digits;
};

std::map<std::string, std::vector<FileRow>> read_rows(const std::filesystem::path& path) {
    std::map<std::string, std::vector<FileRow>> rows;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::vector<std::string> cells;
        std::istringstream stream(line);
        for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
        if (cells.size() != 13) continue;
        rows[cells[0]].push_back(
            {std::stoul(cells[10]), std::stod(cells[11]), std::stod(cells[12])});
    }
    return rows;
}

TEST(ProblemFile, AgreesWithTheSolver) {
    const auto path = std::filesystem::path(DEEPSL_SHARED_DIR) / "sturm" / "problems.csv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared/sturm/problems.csv here";
    const auto rows = read_rows(path);
    EXPECT_EQ(rows.size(), problem_set().size());
    for (const NamedProblem& known : problem_set()) {
        const auto found = rows.find(known.name);
        ASSERT_NE(found, rows.end()) << known.name;
        const Solution solution = solve(known.problem, Indices{1, 10});
        for (const FileRow& row : found->second) {
            const double allowed = std::max(1e-9, std::pow(10.0, -row.digits));
            EXPECT_NEAR(solution.pairs.at(row.n - 1).lambda, row.lambda,
                        allowed * std::max(1.0, std::fabs(row.lambda)))
                << known.name << ", n = " << row.n;
        }
    }
}

}  // namespace
}  // namespace deepsl::sturm
