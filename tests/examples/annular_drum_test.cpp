// The example of one dimension, run as a process: what it finds from four modes of a drum.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

std::vector<std::string> printed_lines() {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(DEEPSL_ANNULAR_DRUM, "r"), pclose);
    std::vector<std::string> lines;
    std::array<char, 200> line{};
    while (pipe != nullptr && fgets(line.data(), line.size(), pipe.get()) != nullptr)
        lines.emplace_back(line.data());
    return lines;
}

/// The numbers that end a line, behind words.
std::vector<double> numbers(const std::string& line) {
    std::vector<double> found;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        char* end = nullptr;
        const double value = std::strtod(word.c_str(), &end);
        if (end == word.c_str() + word.size()) found.push_back(value);
    }
    return found;
}

TEST(AnnularDrum, FourModesTellTheOthersAndTheCoefficients) {
    const auto lines = printed_lines();
    ASSERT_EQ(lines.size(), 18U);
    for (std::size_t i = 0; i < 8; ++i) {
        const auto row = numbers(lines[1 + i]);  // number, lambda, learned, error in percent
        ASSERT_EQ(row.size(), 4U) << lines[1 + i];
        // The k of the asymptotic expansion, McMahon's, with beta = i pi / 2 and mu = 4 * 9:
        // k = beta + (mu - 1) / (8 * 3 beta) + ..; good for the higher modes.
        const double beta = static_cast<double>(i + 1) * std::numbers::pi / 2.0;
        if (i > 3) {
            EXPECT_NEAR(std::sqrt(row[1]), beta + 35.0 / (24.0 * beta), 0.01) << i + 1;
        }
        EXPECT_NEAR(row[2] / row[1], 1.0, 0.01) << "mode " << i + 1;
        EXPECT_LT(row[3], i < 4 ? 0.5 : 1.5) << "mode " << i + 1;
    }
    // Near the rims, where all modes vanish, little is known of q.
    for (std::size_t i = 11; i < 18; ++i) {
        const auto row = numbers(lines[i]);  // r, p, w, 9 / r, q
        ASSERT_EQ(row.size(), 5U) << lines[i];
        EXPECT_NEAR(row[1] / row[0], 1.0, 0.03) << lines[i];
        EXPECT_NEAR(row[2] / row[0], 1.0, 0.04) << lines[i];
        if (row[0] > 1.2 && row[0] < 2.8) {
            EXPECT_NEAR(row[4] / row[3], 1.0, 0.15) << lines[i];
        }
    }
}

}  // namespace
