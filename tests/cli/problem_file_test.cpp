// The problems with known spectra, as a user would type them: their formulas on the command line.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.h"

namespace deepsl::test {
namespace {

std::vector<std::vector<std::string>> read_cells(const std::filesystem::path& path) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream stream(line);
        std::vector<std::string>& row = rows.emplace_back();
        for (std::string cell; std::getline(stream, cell, ',');) row.push_back(cell);
    }
    return rows;
}

TEST(ProblemFile, IsSolvedFromItsFormulas) {
    const auto path = std::filesystem::path(DEEPSL_SHARED_DIR) / "sturm" / "problems.csv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared/sturm/problems.csv here";
    const auto rows = read_cells(path);
    ASSERT_FALSE(rows.empty());
    for (std::size_t first = 0; first < rows.size(); first += 10) {
        const std::vector<std::string>& c = rows[first];
        ASSERT_EQ(c.size(), 13U);
        const Outcome result = run_program(
            {"solve", "--p", c[1], "--q", c[2], "--w", c[3], "--interval", c[4], c[5], "--bc-left",
             c[6] + "," + c[7], "--bc-right", c[8] + "," + c[9], "-n", "10", "--json"});
        ASSERT_EQ(result.exit_code, 0) << c[0] << ": " << result.err;
        const auto values = nlohmann::json::parse(result.out).at("eigenvalues");
        ASSERT_EQ(values.size(), 10U);
        for (std::size_t i = 0; i < 10; ++i) {
            const std::vector<std::string>& row = rows[first + i];
            const double truth = std::stod(row[11]);
            const double error = std::fabs(values[i].at("lambda").get<double>() - truth);
            EXPECT_EQ(row[0], c[0]);
            EXPECT_EQ(values[i].at("n").get<std::size_t>(), std::stoul(row[10]));
            EXPECT_EQ(values[i].at("status").get<std::string>(), "ok") << c[0];
            EXPECT_LE(error, 1e-9 * std::max(1.0, std::fabs(truth))) << c[0] << ", n = " << i + 1;
            EXPECT_LE(error, 10.0 * values[i].at("error_estimate").get<double>()) << c[0];
        }
    }
}

}  // namespace
}  // namespace deepsl::test
