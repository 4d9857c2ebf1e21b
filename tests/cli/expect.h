// What the tests of the command line expect of one run.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.h"

namespace deepsl::test {

using Words = std::vector<std::string>;

inline Outcome solve(Words words) {
    words.insert(words.begin(), "solve");
    return run_program(words);
}

inline std::vector<double> eigenvalues(Words words) {
    words.push_back("--json");
    const auto outcome = solve(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    std::vector<double> lambdas;
    const auto found = nlohmann::json::parse(outcome.out);
    for (const auto& item : found["eigenvalues"]) {
        EXPECT_EQ(item["status"], "ok");
        lambdas.push_back(item["lambda"]);
    }
    return lambdas;
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-9 * std::max(1.0, std::fabs(expected[i])));
}

/// One sentence after the prefix that names every culprit; further lines only point at it.
inline void expect_error(const Outcome& outcome, int exit_code, const Words& culprits) {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("deepsl: error: ")) << outcome.err;
    std::istringstream lines(outcome.err);
    std::string first, line;
    std::getline(lines, first);
    while (std::getline(lines, line)) EXPECT_TRUE(line.starts_with("    ")) << outcome.err;
    for (const auto& culprit : culprits)
        EXPECT_NE(first.find(culprit), std::string::npos) << culprit << " in " << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

}  // namespace deepsl::test
