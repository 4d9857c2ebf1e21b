// The verb `solve`, run as a process: what it refuses, and that nothing is lost then.
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "directory.h"
#include "expect.h"
#include "process.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;
using std::numbers::pi;

class SolveRefuses : public InDirectory {};

TEST_F(SolveRefuses, RefusesMalformedCommands) {
    const struct {
        Words words;
        Words culprits;
    } cases[] = {
        {{"--interval", "1", "0"}, {"--interval 1,0", "reversed"}},
        {{"--interval", "2", "2"}, {"--interval 2,2", "length zero"}},
        {{"--interval", "1"}, {"--interval", "two numbers", "'1'"}},
        {{"--interval", "0", "1/0"}, {"--interval", "'1/0'", "infinite"}},
        {{"--bc-left", "0,0"}, {"--bc-left 0,0"}},
        {{"--bc-right", "0", "0"}, {"--bc-right 0,0"}},
        {{"--bc-right", "neuman"}, {"--bc-right", "'neuman'", "'neumann'"}},
        {{"-n", "0"}, {"-n", "'0'", "from 1"}},
        {{"-n", "-3"}, {"-n", "'-3'"}},
        {{"-n", "2.5"}, {"-n", "'2.5'"}},
        {{"--from", "0"}, {"--from", "'0'"}},
        {{"--range", "5,1"}, {"--range 5,1"}},
        {{"--range", "1,5", "-n", "3"}, {"--range", "--count"}},
        {{"--table", "x.csv", "--w", "1"}, {"--table", "--w"}},
        {{"--tol", "0"}, {"--tol", "'0'", "1e-13 to 0.1"}},
        {{"--tol", "1"}, {"--tol", "'1'"}},
        {{"--tol", "1e-20"}, {"--tol", "'1e-20'"}},
        {{"--tol", "nan"}, {"--tol", "'nan'"}},
        {{"--tol", "small"}, {"--tol", "'small'"}},
        {{"--points", "1"}, {"--points", "'1'"}},
        {{"--breaks", "0.5,3"}, {"--breaks", "3", "[0, 1]"}},
        {{"--plto", "x.svg"}, {"'--plto'", "'--plot'"}},
        {{"-json"}, {"'-json'", "'--json'"}},
        {{"--tolerance=1e-8"}, {"'--tolerance=1e-8'", "'--tol'"}},
        {{"stray"}, {"'stray'"}},
        {{"--p"}, {"--p needs a value"}},
        {{"--p", "--json"}, {"--p needs a value", "--json"}},
        {{"--p", "1", "--p", "2"}, {"--p", "2 times"}},
    };
    for (const auto& [words, culprits] : cases) expect_error(solve(words), 2, culprits);
    expect_error(run_program({"slove"}), 2, {"'slove'", "'solve'"});
    expect_error(run_program({"--versoin"}), 2, {"'--versoin'", "'--version'"});
}

TEST_F(SolveRefuses, PointsAtWhatIsWrongInAFormula) {
    const auto unknown = solve({"--p", "1 + epx(6*t)"});
    expect_error(unknown, 2, {"--p", "'epx'", "character 5", "'exp'"});
    EXPECT_NE(unknown.err.find("\n    1 + epx(6*t)\n        ^~~\n"), std::string::npos)
        << unknown.err;
    expect_error(solve({"--q", "1+x"}), 2, {"--q", "'x'", "called t"});
    expect_error(solve({"--interval", "0", "two"}), 2, {"--interval", "'two'"});
    expect_error(solve({"--w", ""}), 2, {"--w", "empty"});
    expect_error(solve({"--w", "  "}), 2, {"--w", "empty"});
    expect_error(solve({"--q", "1+"}), 2, {"--q", "ends too early"});
    expect_error(solve({"--q", "sin(t"}), 2, {"--q", "')'"});
    expect_error(solve({"--q", "t)"}), 2, {"--q", "')'", "character 2"});
    expect_error(solve({"--q", "2t"}), 2, {"--q", "'t'", "character 2"});
    expect_error(solve({"--q", "1,2"}), 2, {"--q", "list"});
    expect_error(solve({"--q", "t=1"}), 2, {"--q", "'='"});
    expect_error(solve({"--q", "sin t"}), 2, {"--q", "'sin'", "parentheses"});
    expect_error(solve({"--q", "\xcf\x80 * t"}), 2, {"--q", "character 1"});
}

TEST_F(SolveRefuses, PrintsNothingThatATerminalObeys) {
    // Control characters count as blanks in a formula: these would overwrite its beginning.
    const std::string reset = "1+0*\b\b\b\r\ncos(t)";
    const auto file = path("p.svg");
    const auto runs = {solve({"--p", reset, "--interval", "\t0", "1\r", "-n", "2", "--draw"}),
                       solve({"--p", reset, "--plot", file}),
                       solve({"--q", "\033]0;title\007"}),
                       solve({"--q",
                              "t +\033 \xc2\x9b"
                              "31m"}),
                       solve({"--interval", "0", "\xff\033[31m"}),
                       solve({"--tol", "\033[2J"}),
                       solve({"\033[2J"}),
                       solve({"--\033[2J=3"}),
                       solve({"--table", path("\033[2J")}),
                       solve({"--table", write("\033c.csv", "t,p,q,w\n0,\033[2J,0,1\n")}),
                       solve({"--quiet", "--plot", path("none/\033[2J")}),
                       run_program({"\033[2J"})};
    for (const auto& outcome : runs)
        for (const auto& text : {outcome.out, outcome.err}) {
            EXPECT_EQ(text.find_first_of("\033\007\b\r\t\x7f\xff"), std::string::npos) << text;
            EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
        }
    EXPECT_NE(runs.begin()->out.find("p = 1+0*     cos(t)"), std::string::npos)
        << runs.begin()->out;
    EXPECT_EQ(read(file).find('\b'), std::string::npos);
    // JSON escapes: there the formula stays what it was.
    EXPECT_EQ(json::parse(solve({"--p", reset, "--json"}).out)["problem"]["p"], reset);
}

TEST_F(SolveRefuses, RefusesCoefficientsThatAreNoNumbersOrNotPositive) {
    expect_error(solve({"--p", "0.25 - t"}), 3, {"p(t)", "at t = ", "positive"});
    expect_error(solve({"--w", "t > 0.5 ? -1 : 1"}), 3, {"w(t) = -1", "at t = "});
    expect_error(solve({"--p", "t"}), 3, {"p(t) = 0", "at t = 0"});
    expect_error(solve({"--q", "sqrt(t - 0.5)"}), 3, {"q(t) = nan", "at t = 0"});
    expect_error(solve({"--q", "1/(1 - t)"}), 3, {"q(t) = inf", "at t = 1"});
}

TEST_F(SolveRefuses, NamesFileLineAndColumnOfABadTable) {
    const auto refuses = [this](const std::string& content, Words culprits) {
        const auto table = write("bad.csv", content);
        culprits.push_back("bad.csv");
        expect_error(solve({"--table", table}), 3, culprits);
    };
    refuses("t,p,q,w\n0,1,0,1\n0.6,1,0,1\n0.5,1,0,1\n", {"line 4", "column t", "0.5", "sort"});
    refuses("t,p,q,w\n0,1,0,1\n0,1,0,1\n", {"line 3", "column t"});
    refuses("t,p,w\n0,1,1\n1,1,1\n", {"line 1", "column q", "missing"});
    refuses("t,p,q,w,p\n0,1,0,1,1\n", {"line 1", "column p", "twice"});
    refuses("t,p,q,w\n0,1,0,1\n1,1,none,1\n", {"line 3", "column q", "'none'"});
    refuses("t,p,q,w\n0,1,,1\n1,1,0,1\n", {"line 2", "column q", "empty"});
    refuses("t,p,q,w\n0,1,inf,1\n1,1,0,1\n", {"line 2", "column q", "'inf'"});
    refuses("t,p,q,w\n0,1,0,1\n1,1,0\n", {"line 3", "3 cells", "has 4"});
    refuses("t,p,q,w\n0,1,0,1\n1,0,0,1\n", {"line 3", "column p", "positive"});
    refuses("t,p,q,w\n0,1,0,-1\n1,1,0,1\n", {"line 2", "column w", "positive"});
    refuses("t,p,q,w\n0,1,0,1\n", {"1 row", "at least 2"});
    refuses("", {"empty"});
    expect_error(solve({"--table", path("none.csv")}), 3, {"none.csv", "No such file"});
    expect_error(solve({"--table", path(".")}), 3, {"directory"});
}

TEST_F(SolveRefuses, LimitsWhatItReadsOfATable) {
    expect_error(solve({"--table", "/dev/zero"}), 3, {"--table", "'/dev/zero'", "1.0 MB"});
    const auto huge = write("huge.csv", "t,p,q,w\n");
    std::filesystem::resize_file(huge, 100'000'001);
    expect_error(solve({"--table", huge}), 3, {"huge.csv", "more than the 100.0 MB"});
    // Without a line break each comma would cost a text of its own.
    const auto commas = write("commas.csv", "t,p,q,w\n" + std::string(1'000'001, ','));
    expect_error(solve({"--table", commas}), 3, {"commas.csv", "line 2", "longer than 1.0 MB"});
    EXPECT_EQ(solve({"--table", write("wide.csv", "t,p,q,w,x\n0,1,0,1,\n1,1,0,1," +
                                                      std::string(500'000, 'x') + "\n")})
                  .exit_code,
              0);
}

TEST_F(SolveRefuses, ReadsATableFromAPipe) {
    const auto pipe = path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread other([&] { std::ofstream(pipe) << "t,p,q,w\n0,1,0,1\n1,1,0,1\n"; });
    expect_near(eigenvalues({"--table", pipe, "-n", "1"}), {pi * pi});
    other.join();
}

TEST_F(SolveRefuses, SeesThatTwoNamesAreOneFile) {
    namespace fs = std::filesystem;
    fs::create_directory(path("a"));
    fs::create_directory_symlink(path("a"), path("link"));
    fs::create_symlink("a/new.csv", path("dangling"));
    const std::vector<std::pair<std::string, std::string>> pairs = {
        {"new.csv", "new.csv"},        {"new.csv", "./new.csv"},  {"new.csv", "a/../new.csv"},
        {"a/new.csv", "link/new.csv"}, {"a/new.csv", "dangling"}, {"a/new.csv", "a//new.csv"},
    };
    for (const auto& [one, other] : pairs) {
        const auto outcome =
            solve({"--quiet", "--plot", path(one), "--eigenfunctions", path(other)});
        expect_error(outcome, 2, {"--plot", path(one), "name another"});
    }
    const auto table = write("rod.csv", "t,p,q,w\n0,1,0,1\n1,1,0,1\n");
    for (const std::string flag : {"--plot", "--eigenfunctions"})
        expect_error(solve({"--table", table, flag, path("a/../rod.csv")}), 2, {flag, "read"});
    // Relative and absolute names, and files that only look alike.
    expect_error(solve({"--plot", fs::relative(path("x")).string(), "--eigenfunctions", path("x")}),
                 2, {"--plot"});
    EXPECT_EQ(solve({"--quiet", "--plot", path("x"), "--eigenfunctions", path("a/x")}).exit_code,
              0);
}

TEST_F(SolveRefuses, RefusesAFileItCannotWriteBeforeItWorks) {
    const auto outcome = solve({"--plot", path("none/x.svg")});
    expect_error(outcome, 1, {"none/x.svg", "No such"});
}

TEST_F(SolveRefuses, LeavesFilesAloneWhenItCannotWrite) {
    expect_error(solve({"--quiet", "--plot", path("none/x.svg")}), 1, {"none/x.svg", "No such"});
    expect_error(solve({"--quiet", "--eigenfunctions", "/dev/full"}), 1, {"/dev/full", "No space"});
    const auto old = write("old.csv", "precious");
    expect_error(solve({"--p", "-1", "--eigenfunctions", old}), 3, {"p(t)"});
    EXPECT_EQ(read(old), "precious");
    EXPECT_EQ(solve({"--quiet", "--eigenfunctions", old}).exit_code, 0);
    EXPECT_TRUE(read(old).starts_with("t,u1,pu1,u2"));
    EXPECT_EQ(files(), 1u);
    expect_error(run_program_into("/dev/full", {"solve"}), 1, {"standard output", "No space"});
}

}  // namespace
