// The verb `check`, run as a process on models that `demo` wrote, and on what is no model.
#include <set>
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

class Check : public InDirectory {
protected:
    std::string model(const Words& more = {}) const {
        auto words = small_demo(path("m.deepsl"), path("r.html"), more);
        words.push_back("--quiet");
        const auto outcome = run_program(words);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return path("m.deepsl");
    }
};

TEST_F(Check, FindsATrainedModelAsTheTheoryPromises) {
    const auto file = model();
    const auto outcome = run_program({"check", file, "--samples", "64"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_EQ(outcome.err, "");
    for (const auto* part : {"3 eigenfunctions", "64 lines", "✓ failed lines", "✓ orthogonality",
                             "✓ orthogonality over domain", "✓ rank-1 equation",
                             "· with one lambda for all", "All is as the theory promises."})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
    EXPECT_EQ(outcome.out.find("✗"), std::string::npos);

    const auto result = json::parse(run_program({"check", file, "--json"}).out);
    EXPECT_EQ(result["ok"], true);
    std::set<std::string> names;
    for (const auto& figure : result["figures"]) {
        names.insert(figure["name"]);
        if (figure["name"] == "uniform")
            EXPECT_TRUE(figure["ok"].is_null() && figure["bound"].is_null()) << figure;
        else
            EXPECT_EQ(figure["ok"], true) << figure;
    }
    EXPECT_EQ(names, (std::set<std::string>{"failed_lines", "exit", "ends", "H", "zeros", "gap",
                                            "orthogonality", "same_line", "prediction", "classes",
                                            "lambda", "orthogonality_over_domain", "rank_one",
                                            "uniform"}));
}

TEST_F(Check, HoldsInDoublePrecisionInABoxAndOnTheMidpointScheme) {
    for (const Words& options :
         {Words{"--precision", "float64", "--preset", "paper"},
          Words{"--scheme", "midpoint", "--cells", "24", "--fields", "2", "--set", "moons"},
          Words{"--set", "wave", "--method", "dormand_prince", "--start-network", "true"}}) {
        const auto outcome = run_program({"check", model(options), "--samples", "64"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    }
}

TEST_F(Check, NoticesAGridThatIsTooCoarse) {
    const auto file = model({"--cells", "1", "--steps", "1", "--last-gain", "6"});
    const auto outcome = run_program({"check", file});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
    EXPECT_NE(outcome.out.find("✗ change of lambda"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("raise steps and cells"), std::string::npos) << outcome.out;
    EXPECT_EQ(json::parse(run_program({"check", file, "--json"}).out)["ok"], false);
}

TEST_F(Check, RefusesWhatIsNoModelInOneSentence) {
    const auto whole = read(model());
    const auto cut = write("cut.deepsl", whole.substr(0, whole.size() / 2));
    const auto begun = write("begun.deepsl", whole.substr(0, 5));
    const auto text = write("text.deepsl", "t,p,q,w\n0,1,0,1\n");
    const auto foreign = write("foreign.deepsl", std::string("\x02\0\0\0\0\0\0\0{}", 10));
    for (const auto& file : {cut, begun, text, foreign, path("missing.deepsl"), path("")})
        expect_error(run_program({"check", file}), 3, {file});
}

TEST_F(Check, RefusesMalformedCommands) {
    const auto file = write("m.deepsl", "");
    expect_error(run_program({"check"}), 2, {"model file is missing"});
    expect_error(run_program({"check", file, "other"}), 2, {"'other'"});
    expect_error(run_program({"check", file, "--samples", "0"}), 2, {"--samples", "'0'"});
    expect_error(run_program({"check", file, "--finer", "0"}), 2, {"--finer", "'0'"});
    expect_error(run_program({"check", file, "--fines", "2"}), 2, {"'--fines'", "'--finer'"});
}

}  // namespace
