// The verb `demo`, run as a process: what it prints, what it writes, how it fails and ends.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "directory.h"
#include "expect.h"
#include "process.h"
#include "small_demo.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;

class Demo : public InDirectory {
protected:
    Outcome demo(const Words& more) const {
        return run_program(small_demo(path("m.deepsl"), path("r.html"), more));
    }
};

TEST_F(Demo, PrintsItsResultAsJsonAndWritesModelAndReport) {
    const auto outcome = demo({"--json", "--quiet", "--seed", "7"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const auto result = json::parse(outcome.out);
    for (const auto* key : {"accuracy", "mlp_accuracy"}) {
        EXPECT_GE(result[key].get<double>(), 0.0) << key;
        EXPECT_LE(result[key].get<double>(), 1.0) << key;
    }
    EXPECT_GT(result["seconds"].get<double>(), 0.0);
    EXPECT_EQ(result["set"], "spirals");
    EXPECT_EQ(result["samples"], 40);
    EXPECT_EQ(result["seed"], 7);
    EXPECT_EQ(result["epochs"], 2);
    EXPECT_EQ(result["failed_lines"], 0);
    EXPECT_EQ(result["interrupted"], false);
    EXPECT_EQ(result["model"], path("m.deepsl"));
    EXPECT_EQ(result["report"], path("r.html"));
    const auto parameters = result["parameters"].get<double>();
    EXPECT_NEAR(result["mlp_parameters"].get<double>(), parameters, 0.15 * parameters);
    EXPECT_EQ(files(), 2U);
    const auto page = read(path("r.html"));
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    for (const auto* part : {"Two spirals", "test accuracy", "The plane", "From a point to",
                             "The spectra", "The training", "eigenfunctions", "</html>"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find(path("")), std::string::npos) << "the page names its directory";
}

TEST_F(Demo, TellsEachEpochAndWhatToDoNext) {
    const auto outcome = demo({});
    EXPECT_EQ(outcome.exit_code, 0);
    for (const auto* part : {"epoch 1/2  loss ", "epoch 2/2  loss ", "failed 0", "MLP"})
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\r'), std::string::npos) << "a bar, but this is no terminal";
    for (const auto* part :
         {"test accuracy ", "(MLP of the same size ", "m.deepsl", "r.html", "deepsl check"})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
}

TEST_F(Demo, SameSeedSameBytes) {
    const auto model = [this](const std::string& seed) {
        EXPECT_EQ(demo({"--quiet", "--seed", seed}).exit_code, 0);
        return read(path("m.deepsl"));
    };
    const auto first = model("3");
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, model("3"));
    EXPECT_NE(first, model("4"));
}

TEST_F(Demo, LearnsARegressionAndThePaperPreset) {
    const auto wave = demo({"--set", "wave", "--json", "--quiet"});
    ASSERT_EQ(wave.exit_code, 0) << wave.err;
    EXPECT_LE(json::parse(wave.out)["r2"].get<double>(), 1.0);
    EXPECT_LE(json::parse(wave.out)["mlp_r2"].get<double>(), 1.0);
    EXPECT_NE(read(path("r.html")).find("The curve"), std::string::npos);
    const auto paper = demo({"--preset", "paper", "--set", "checkerboard", "--json", "--quiet"});
    ASSERT_EQ(paper.exit_code, 0) << paper.err;
    EXPECT_EQ(json::parse(paper.out)["preset"], "paper");
    EXPECT_EQ(json::parse(paper.out)["set"], "checkerboard");
}

TEST_F(Demo, LearnsMoonsInASecondOrTwo) {
    const auto outcome =
        demo({"--set", "moons", "--samples", "200", "--epochs", "20", "--batch", "10", "--hidden",
              "16", "--eigenfunctions", "6", "--learning-rate", "0.01", "--quiet", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    // Guessing gives 0.5, a straight line 0.88.
    EXPECT_GT(json::parse(outcome.out)["accuracy"].get<double>(), 0.95);
}

TEST_F(Demo, RefusesMalformedCommands) {
    const struct {
        Words words;
        Words culprits;
    } cases[] = {
        {{"--set", "spiral"}, {"--set", "'spiral'", "'spirals'"}},
        {{"spirals"}, {"'spirals'", "--set spirals"}},
        {{"--samples", "0"}, {"--samples", "'0'", "from 10"}},
        {{"--noise", "-1"}, {"--noise", "'-1'", "from 0"}},
        {{"--threads", "many"}, {"--threads", "'many'", "whole number"}},
        {{"--preset", "papre"}, {"--preset", "'papre'", "'paper'"}},
        {{"--cells", "0"}, {"--cells", "'0'", "from 1 to 10000"}},
        {{"--field", "postive"}, {"--field", "'postive'", "'positive'", "directional"}},
        {{"--hidden", "64x32"}, {"--hidden", "'64x32'", "joined by dashes"}},
        {{"--loss", "squared"}, {"squared"}},
        {{"--cell", "3"}, {"'--cell'", "'--cells'"}},
        {{"--batch", "8", "--batch", "9"}, {"--batch", "2 times"}},
        {{"--output", path("r.html"), "--report", path("r.html")}, {"--output", "would replace"}},
    };
    for (const auto& [words, culprits] : cases) {
        auto all = words;
        all.insert(all.begin(), "demo");
        all.push_back("--quiet");
        expect_error(run_program(all), 2, culprits);
    }
    expect_error(run_program({"dmeo"}), 2, {"'dmeo'", "'demo'"});
    EXPECT_EQ(files(), 0U);
}

// With the usual size, a minute's work: an error that comes at once comes before it.
TEST_F(Demo, FindsOutFirstWhetherItsFilesCanBeWritten) {
    const auto nowhere = path("no/such/directory/m.deepsl");
    expect_error(run_program({"demo", "--output", nowhere, "--report", path("r.html")}), 1,
                 {"cannot write", "no/such/directory/m.deepsl", "a directory that exists"});
    expect_error(run_program({"demo", "--output", path("m.deepsl"), "--report", path("")}), 1,
                 {"cannot write", "Is a directory"});
    EXPECT_EQ(files(), 0U);
}

TEST_F(Demo, KeepsWhatItHasWhenInterrupted) {
    const auto outcome = interrupt_program(
        small_demo(path("m.deepsl"), path("r.html"), {"--epochs", "1000000", "--json"}), "epoch ");
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    const auto result = json::parse(outcome.out);
    EXPECT_EQ(result["interrupted"], true);
    EXPECT_TRUE(result["mlp_accuracy"].is_null());
    EXPECT_TRUE(read(path("r.html")).ends_with("</html>\n"));
    EXPECT_NE(run_program({"check", path("m.deepsl")}).exit_code, 3);
}

}  // namespace
