// The verb `solve`, run as a process: what it prints and what it writes.
#include <csignal>
#include <fstream>
#include <numbers>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "directory.h"
#include "expect.h"
#include "process.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;
using std::numbers::pi;

class Solve : public InDirectory {};

const Words example = {"--p",        "exp(6*t)", "--q", "0",  "--w", "exp(6*t)",
                       "--interval", "0",        "1",   "-n", "10"};

TEST_F(Solve, PrintsTheExampleAsATable) {
    const auto outcome = solve(example);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(outcome.out.starts_with("-(p u')' + q u = λ w u on [0, 1]\n")) << outcome.out;
    EXPECT_NE(outcome.out.find("p = exp(6*t)"), std::string::npos);
    EXPECT_NE(outcome.out.find("u(0) = 0,  u(1) = 0"), std::string::npos);
    std::istringstream lines(outcome.out);
    std::string line;
    int rows = 0;
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        int n = 0;
        double lambda = 0.0, error = 0.0;
        std::string status;
        if (!(cells >> n >> lambda >> error >> status) || status != "ok") continue;
        EXPECT_EQ(n, ++rows);
        EXPECT_NEAR(lambda, 9.0 + pi * pi * n * n, 1e-9 * lambda);
    }
    EXPECT_EQ(rows, 10);
}

TEST_F(Solve, PrintsJsonInFullPrecision) {
    auto words = example;
    words.push_back("--json");
    const auto outcome = solve(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto found = json::parse(outcome.out);
    ASSERT_EQ(found["eigenvalues"].size(), 10u);
    for (int n = 1; n <= 10; ++n) {
        const auto& item = found["eigenvalues"][static_cast<std::size_t>(n - 1)];
        const double exact = 9.0 + pi * pi * n * n;
        EXPECT_EQ(item["n"], n);
        EXPECT_NEAR(item["lambda"], exact, 1e-10 * exact);
        EXPECT_LE(item["error_estimate"], 1.01e-10 * exact);
        EXPECT_EQ(item["status"], "ok");
    }
    EXPECT_EQ(found["problem"]["p"], "exp(6*t)");
    EXPECT_GT(found["cells"], 0);
    EXPECT_GT(found["evaluations"], 0);

    // 1e-13 would be lost with 12 digits.
    const auto tight = eigenvalues({"-n", "1", "--tol", "1e-13"});
    EXPECT_NEAR(tight.at(0), pi * pi, 1e-12);
}

TEST_F(Solve, CountsFromAGivenIndex) {
    expect_near(eigenvalues({"--from", "5", "-n", "2"}), {25 * pi * pi, 36 * pi * pi});
    expect_near(eigenvalues({"--from=3", "--count=1"}), {9 * pi * pi});
}

TEST_F(Solve, FindsAllEigenvaluesInARange) {
    const Words shifted = {"--q", "-20", "--interval", "0", "pi"};
    auto words = shifted;
    words.insert(words.end(), {"--range", "-17,6"});
    expect_near(eigenvalues(words), {-16.0, -11.0, -4.0, 5.0});
    words = shifted;
    words.insert(words.end(), {"--range", "-17", "-10"});
    expect_near(eigenvalues(words), {-16.0, -11.0});
    words = shifted;
    words.insert(words.end(), {"--range", "-15,-14"});
    EXPECT_TRUE(eigenvalues(words).empty());
    words.pop_back();
    words.push_back("-15,-14");
    const auto outcome = solve(words);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("No eigenvalue"), std::string::npos);
}

TEST_F(Solve, TakesNegativeAndSymbolicEndsOfTheInterval) {
    const std::vector<double> expected = {pi * pi / 4, pi * pi};
    expect_near(eigenvalues({"--interval", "-1", "1", "-n", "2"}), expected);
    expect_near(eigenvalues({"-n", "2", "--interval", "-1,1"}), expected);
    expect_near(eigenvalues({"--interval=-1,1", "-n2"}), expected);
    expect_near(eigenvalues({"--interval", "-pi/2", "pi/2", "-n", "2"}), {1.0, 4.0});
    expect_near(eigenvalues({"--interval", "-pi", "-pow(0,2)", "-n", "2"}), {1.0, 4.0});
}

TEST_F(Solve, TakesBoundaryConditionsAsWordsAndNumbers) {
    const std::vector<double> mixed = {pi * pi / 4, 9 * pi * pi / 4};
    expect_near(eigenvalues({"--bc-left", "neumann", "-n", "2"}), mixed);
    expect_near(eigenvalues({"--bc-left", "0,1", "--bc-right", "dirichlet", "-n", "2"}), mixed);
    expect_near(eigenvalues({"--bc-left", "0,-3", "--bc-right", "-2,0", "-n", "2"}), mixed);
    expect_near(eigenvalues({"--bc-left", "neumann", "--bc-right", "neumann", "-n", "2"}),
                {0.0, pi * pi});
    // u = exp(t/2) solves -u'' = lambda u with u' = u/2 at both ends.
    EXPECT_NEAR(eigenvalues({"--bc-left", "-1,2", "--bc-right", "-1", "2", "-n", "1"}).at(0), -0.25,
                1e-9);
}

TEST_F(Solve, TakesBreakPoints) {
    // p = w: the wave length is the same on both sides, and so are u and p u' in the middle, where
    // one of them is 0.
    const Words words = {"--p", "t < 0.5 ? 1 : 4", "--w", "1 + 3*(t >= 0.5)", "-n", "2"};
    auto with_breaks = words;
    with_breaks.insert(with_breaks.end(), {"--breaks", "0.5,1/3"});
    expect_near(eigenvalues(with_breaks), eigenvalues(words));
    expect_near(eigenvalues(with_breaks), {pi * pi, 4 * pi * pi});
}

TEST_F(Solve, KnowsTheFunctionsOfC) {
    expect_near(
        eigenvalues({"--q", "pow(2,2) + fabs(-1) + floor(1.5) + (t >= 0) + (t == 7)", "-n", "1"}),
        {pi * pi + 7});
    expect_near(eigenvalues({"--q", "-log(e) + (t < 2 && t > -1) + 2^2", "-n", "1"}),
                {pi * pi + 4});
}

TEST_F(Solve, ReadsATable) {
    const auto table = write("rod.csv",
                             "w,remark,t,q,p\n1,start,0,0,1\n1,\"a, b\",0.25,0,1\r\n"
                             "\n1,,0.5,0,1\n1,end,1,0,1\n");
    expect_near(eigenvalues({"--table", table, "-n", "3"}), {pi * pi, 4 * pi * pi, 9 * pi * pi});
    // Straight lines between rows: the same as the formula with a kink.
    const auto kink = write("kink.csv", "t,p,q,w\n0,1,0,1\n0.5,2,10,1\n1,1,0,1\n");
    expect_near(eigenvalues({"--table", kink, "-n", "3"}),
                eigenvalues({"--p", "2 - abs(1 - 2*t)", "--q", "10 - 10*abs(1 - 2*t)", "--breaks",
                             "0.5", "-n", "3"}));
}

TEST_F(Solve, WritesNormalisedEigenfunctions) {
    const auto file = path("modes.csv");
    const auto outcome = solve({"--w", "1 + t", "-n", "3", "--from", "2", "--eigenfunctions", file,
                                "--points", "801", "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    std::ifstream rows(file);
    std::string line;
    std::getline(rows, line);
    EXPECT_EQ(line, "t,u2,pu2,u3,pu3,u4,pu4");
    std::vector<std::vector<double>> table;
    while (std::getline(rows, line)) {
        std::ranges::replace(line, ',', ' ');
        std::istringstream cells(line);
        table.emplace_back(std::istream_iterator<double>(cells), std::istream_iterator<double>());
        ASSERT_EQ(table.back().size(), 7u);
    }
    ASSERT_EQ(table.size(), 801u);
    EXPECT_EQ(table.front()[0], 0.0);
    EXPECT_EQ(table.back()[0], 1.0);
    for (std::size_t k = 0; k < 3; ++k) {
        double norm = 0.0;
        std::size_t zeros = 0;
        for (std::size_t i = 1; i + 1 < table.size(); ++i) {
            const double t = table[i][0], u = table[i][1 + 2 * k], next = table[i + 1][1 + 2 * k];
            norm += (i % 2 == 1 ? 4.0 : 2.0) * (1 + t) * u * u / 2400.0;
            if (i + 2 < table.size() && u * next < 0.0) ++zeros;
        }
        EXPECT_NEAR(norm, 1.0, 1e-7);
        EXPECT_EQ(zeros, k + 1);
        EXPECT_GT(table[0][2 + 2 * k], 0.0);
    }
}

TEST_F(Solve, DrawsAnSvgFile) {
    const auto file = path("oscillator.svg");
    const auto outcome =
        solve({"--q", "t^2", "--interval", "-6", "6", "-n", "8", "--quiet", "--plot", file});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto svg = read(file);
    EXPECT_TRUE(svg.starts_with("<?xml")) << svg.substr(0, 80);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    for (const auto* part : {"Eigenfunctions", "Spectrum", "q = t^2", "λ₁ = 1<", "λ₆ = 11<"})
        EXPECT_NE(svg.find(part), std::string::npos) << part;
    for (const auto* part : {"nan", "inf", "href", "url(http"})
        EXPECT_EQ(svg.find(part), std::string::npos) << part;

    // Well formed: what is opened is closed, in order.
    std::vector<std::string> open;
    for (auto at = svg.find('<', 2); at != std::string::npos; at = svg.find('<', at + 1)) {
        const auto end = svg.find('>', at);
        ASSERT_NE(end, std::string::npos);
        const auto tag = svg.substr(at + 1, end - at - 1);
        const auto name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.starts_with('/')) {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ("/" + open.back(), tag);
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.push_back(name);
        }
    }
    EXPECT_TRUE(open.empty());
}

TEST_F(Solve, EscapesFormulasInTheSvgFile) {
    const auto file = path("step.svg");
    EXPECT_EQ(solve({"--p", "1 + (t<0.5 && t>0)", "--quiet", "--plot", file}).exit_code, 0);
    EXPECT_NE(read(file).find("(t&lt;0.5 &amp;&amp; t&gt;"), std::string::npos);
}

TEST_F(Solve, DrawsInTextOnRequestOnly) {
    EXPECT_EQ(solve({"-n", "3"}).out.find("u₃"), std::string::npos);
    const auto drawn = solve({"-n", "3", "--draw"}).out;
    for (const auto* part : {"u₁", "u₂", "u₃", "⣀", "└──"})
        EXPECT_NE(drawn.find(part), std::string::npos) << part;
}

TEST_F(Solve, HelpsAndTellsItsVersion) {
    const auto version = run_program({"--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.out, "deepsl 0.2.0\n");
    const auto help = run_program({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("solve"), std::string::npos);
    const auto verb_help = run_program({"solve", "--help"});
    EXPECT_EQ(verb_help.exit_code, 0);
    EXPECT_NE(verb_help.out.find("Examples:\n  deepsl solve --p"), std::string::npos);
    const auto nothing = run_program({});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_NE(nothing.out.find("Usage:"), std::string::npos);
    EXPECT_NE(nothing.err.find("a verb is missing"), std::string::npos);
}

TEST_F(Solve, ReportsStatusesThatAreNotOk) {
    const auto outcome = solve({"--q", "1e4*floor(100*t)", "--max-cells", "32", "-n", "2"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.out.find("tolerance_not_met"), std::string::npos);
    EXPECT_TRUE(outcome.err.starts_with("deepsl: error: eigenvalues 1 and 2: The error estimate"))
        << outcome.err;
    const auto none = solve({"--interval", "0", "1e-300", "-n", "1", "--json"});
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_TRUE(json::parse(none.out)["eigenvalues"][0]["lambda"].is_null()) << none.out;
}

// Some seconds of work on any machine; ended as soon as it is seen.
const Words long_search = {"solve", "--p", "exp(t)", "--q", "20*cos(5*t)", "-n", "20000"};

TEST_F(Solve, ShowsProgressOnATerminal) {
    const auto outcome = run_on_terminal(long_search, " left (Ctrl-C stops)", SIGKILL);
    EXPECT_EQ(outcome.exit_code, -1);
    EXPECT_TRUE(std::regex_search(
        outcome.err,
        std::regex("\\[Kfinding 20,000 eigenvalues: [0-9]+ %, [0-9]+ s so far, about ")))
        << outcome.err;
    EXPECT_EQ(run_on_terminal({"solve"}).err, "");
}

TEST_F(Solve, SaysSoWhenASignalEndsTheSearch) {
    for (const auto& [signal, name, code] :
         {std::tuple{SIGINT, "Ctrl-C", 130}, std::tuple{SIGTERM, "SIGTERM", 143}}) {
        const auto outcome = run_on_terminal(long_search, " eigenvalues: ", signal);
        EXPECT_EQ(outcome.exit_code, code) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find(std::string("deepsl: error: stopped by ") + name + " at "),
                  std::string::npos)
            << outcome.err;
    }
}

TEST_F(Solve, StopsWritingAtCtrlCAndLeavesTheFileAlone) {
    const auto file = write("modes.csv", "precious");
    const auto outcome = run_on_terminal(
        {"solve", "-n", "20", "--eigenfunctions", file, "--points", "1000000"}, " %, ");
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_NE(outcome.err.find("deepsl: error: interrupted at "), std::string::npos) << outcome.err;
    EXPECT_EQ(read(file), "precious");
    EXPECT_EQ(files(), 1u);
}

TEST_F(Solve, IsQuietWhenAskedToBeButNotAboutFailures) {
    for (const std::string flag : {"--quiet", "--json"}) {
        const auto outcome = run_on_terminal({"solve", "-n", "15000", flag});
        EXPECT_EQ(outcome.exit_code, 0);
        EXPECT_EQ(outcome.err, "") << flag;
    }
    const auto failed =
        solve({"--q", "1e4*floor(100*t)", "--max-cells", "32", "-n", "2", "--quiet"});
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_EQ(failed.out, "");
    EXPECT_TRUE(failed.err.starts_with("deepsl: error: eigenvalues 1 and 2")) << failed.err;
}

}  // namespace
