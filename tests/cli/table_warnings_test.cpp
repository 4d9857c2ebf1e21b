// What the user has to know, however quiet the program is asked to be; and what must never happen
// to a terminal or a machine. As processes.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "deepsl/io/checksum.h"
#include "deepsl/io/tensor_file.h"
#include "small_demo.h"
#include "table_fixture.h"

namespace {

using namespace deepsl::test;
namespace io = deepsl::io;
using nlohmann::json;

class TableWarnings : public TableVerbs {
protected:
    /// Its sizes have decimal commas.
    std::string comma_table() const {
        std::string text = "size;kind\n";
        for (int i = 0; i < 40; ++i) text += i < 20 ? "1,5;a\n" : i < 30 ? "2,25;b\n" : "3;b\n";
        return write("commas.csv", text);
    }

    /// A model whose lines take more steps than they may: every row fails.
    Outcome train_without_lines() const {
        return train(data(), {"--target", "kind", "--quiet", "--epochs", "1", "--method",
                              "dormand_prince", "--tolerance", "1e-6", "--max-steps", "1"});
    }
};

TEST_F(TableWarnings, PredictAndEvaluateFailIfEveryRowFails) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet", "--epochs", "1"}).exit_code, 0);
    // A field without a direction leads nowhere.
    auto file = io::read_tensor_file(path("m.deepsl"));
    for (auto& tensor : file.tensors)
        if (tensor.name.ends_with("direction"))
            std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{0});
    file.metadata[io::checksum_key] = io::checksum_of(file);
    io::write_tensor_file(path("m.deepsl"), file);
    const auto measured = run_program({"evaluate", path("m.deepsl"), data(), "--quiet"});
    EXPECT_EQ(measured.exit_code, 1) << measured.out;
    EXPECT_NE(measured.err.find("deepsl: error: no row could be predicted: all 80 failed ("),
              std::string::npos)
        << measured.err;
    const auto predicted =
        run_program({"predict", path("m.deepsl"), data(), "--quiet", "-o", path("out.csv")});
    EXPECT_EQ(predicted.exit_code, 1);
    EXPECT_NE(predicted.err.find("deepsl: error: no row could be predicted: all 80 failed ("),
              std::string::npos)
        << predicted.err;
    EXPECT_TRUE(read(path("out.csv")).starts_with("kind\n\n\n")) << "cells of rows that fail";
}

TEST_F(TableWarnings, TrainingThatComesToNothingIsReported) {
    write("m.deepsl", "an older model");
    const auto lost = train_without_lines();
    EXPECT_EQ(lost.exit_code, 1);
    EXPECT_EQ(lost.err,
              "deepsl: error: nothing was learned, since every line failed (step_limit); "
              "docs/failures.md explains what that means; no model was written\n");
    EXPECT_EQ(read(path("m.deepsl")), "an older model");
    std::string text = "x,y\n";
    for (int i = 0; i < 60; ++i)
        text += std::to_string(i * 7 % 60) + "," + std::to_string(0.5 + i * 7 % 60) + "\n";
    const auto diverged = train(
        write("line.csv", text),
        {"--quiet", "--batch", "4", "--learning-rate", "10", "--linear-rate", "1000", "--clip", "0",
         "--schedule", "constant", "--activation", "leaky_relu", "--heads", "paper"});
    EXPECT_TRUE(diverged.err.starts_with("deepsl: warning: training diverges: "))
        << diverged.err << diverged.out;
    EXPECT_EQ(train(data(), {"--target", "kind", "--quiet"}).err, "");
}

TEST_F(TableWarnings, FlagsThatTheModelDoesNotReadAreNamed) {
    const auto warnings = [&](Words words) {
        words.insert(words.end(), {"--target", "kind", "--quiet", "--epochs", "1"});
        const auto outcome = train(data(), words);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return outcome.err;
    };
    EXPECT_EQ(warnings({"--model", "node", "--hidden", "7"}),
              "deepsl: warning: --hidden has no effect with --model node\n");
    EXPECT_EQ(
        warnings({"--model", "mlp", "--cells", "7", "--hidden", "7", "--eigenfunctions", "9"}),
        "deepsl: warning: --eigenfunctions and --cells have no effect with --model mlp\n");
    EXPECT_EQ(warnings({"--model", "node", "--field-hidden", "7", "--steps", "3"}), "");
    EXPECT_EQ(warnings({"--model", "dsl", "--hidden", "7", "--cells", "4"}), "");
    const auto config = write("run.toml", "hidden = \"7\"\ncells = 7\n");
    EXPECT_EQ(warnings({"--model", "node", "--config", config}), "");
    EXPECT_EQ(warnings({"--model", "node", "--config", config, "--fields", "2", "--cells", "5",
                        "--scheme", "midpoint"}),
              "deepsl: warning: --fields, --cells and --scheme have no effect with --model node\n");
    const auto folds = run_program({"cv", data(), "--target", "kind", "--folds", "2", "--epochs",
                                    "1", "--quiet", "--model", "mlp", "--steps", "3"});
    EXPECT_EQ(folds.err, "deepsl: warning: --steps has no effect with --model mlp\n");
}

TEST_F(TableWarnings, QuietHidesRemarksButNoWarnings) {
    for (const Words& verb : {Words{"train", comma_table(), "-o", path("m.deepsl")},
                              Words{"cv", comma_table(), "--folds", "2"}}) {
        auto words = verb;
        words.insert(words.end(), {"--target", "kind", "--epochs", "1", "--quiet"});
        const auto outcome = run_program(words);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(outcome.err,
                  "deepsl: warning: 'size' seems to hold numbers with decimal commas, which are "
                  "read as texts; write points, such as 1.5\n");
    }
}

TEST_F(TableWarnings, SigtermSavesWhatCtrlCSaves) {
    for (const Words& way : {Words{"--validation", "0.25"}, Words{"--epoch-folds", "2"}}) {
        Words words{"train",      data(), "--target", "kind",           "--epochs",  "100000",
                    "--patience", "0",    "-o",       path("m.deepsl"), "--threads", "1"};
        words.insert(words.end(), way.begin(), way.end());
        const auto outcome = interrupt_program(
            words, way[0] == "--validation" ? "epoch " : "from 3 inputs", SIGTERM);
        EXPECT_EQ(outcome.exit_code, 143) << outcome.err;
        EXPECT_NE(outcome.out.find("stopped by SIGTERM"), std::string::npos) << outcome.out;
        const auto predicted = run_program({"predict", path("m.deepsl"), data(), "--quiet"});
        EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
        std::filesystem::remove(path("m.deepsl"));
    }
    const auto demo = interrupt_program(
        small_demo(path("d.deepsl"), path("d.html"), {"--epochs", "1000000", "--json"}), "epoch ",
        SIGTERM);
    EXPECT_EQ(demo.exit_code, 143) << demo.err;
    EXPECT_EQ(json::parse(demo.out)["interrupted"], true);
    EXPECT_TRUE(read(path("d.html")).ends_with("</html>\n"));
    const auto measured = interrupt_program(
        {"cv", data(), "--target", "kind", "--epochs", "1000000", "--patience", "0"},
        "data.csv: ", SIGTERM);
    EXPECT_EQ(measured.exit_code, 143) << measured.err;
}

TEST_F(TableWarnings, AccuracyIsReportedNextToThatOfTheLargerClass) {
    std::string text = "x,kind\n";
    for (int i = 0; i < 100; ++i)
        text += std::to_string(i * 7 % 100) + (i % 10 == 3 ? ",rare\n" : ",usual\n");
    const auto table = write("rare.csv", text);
    const Words settings{"--target", "kind", "--epochs", "2", "--validation", "0.2"};
    const auto told = train(table, settings);
    ASSERT_EQ(told.exit_code, 0) << told.err;
    EXPECT_NE(told.out.find("on 20 validation rows"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("always guessing the most frequent class: 90.0 %"), std::string::npos)
        << told.out;
    auto as_json = settings;
    as_json.push_back("--json");
    EXPECT_DOUBLE_EQ(json::parse(train(table, as_json).out)["majority_share"], 0.9);

    const auto evaluated = run_program({"evaluate", path("m.deepsl"), table, "--json"});
    EXPECT_DOUBLE_EQ(json::parse(evaluated.out)["majority_share"], 0.9);
    const auto text_of = run_program({"evaluate", path("m.deepsl"), table}).out;
    EXPECT_NE(text_of.find("Always guessing the most frequent class has the accuracy 0.9000."),
              std::string::npos)
        << text_of;
    const auto folds = run_program(
        {"cv", table, "--target", "kind", "--epochs", "1", "--folds", "2", "--json", "--quiet"});
    EXPECT_DOUBLE_EQ(json::parse(folds.out)["majority_share"], 0.9);
}

TEST_F(TableWarnings, NumbersHaveNoLargerClass) {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i)
        text += std::to_string(i * 7 % 40) + "," + std::to_string(0.5 + i * 3) + "\n";
    const auto trained = train(write("line.csv", text), {"--epochs", "1", "--json"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_FALSE(json::parse(trained.out).contains("majority_share"));
}

TEST_F(TableWarnings, AModelThatDoesNotFitIntoMemoryIsRefusedAtOnce) {
    const auto table = data();
    const Words huge{"--hidden", "65536-65536-65536", "--quiet"};
    for (const Words& verb :
         {Words{"train", table, "--target", "kind", "-o", path("m.deepsl")},
          Words{"cv", table, "--target", "kind"},
          Words{"demo", "--output", path("d.deepsl"), "--report", path("d.html")}}) {
        auto words = verb;
        words.insert(words.end(), huge.begin(), huge.end());
        expect_error(run_program(words), 2, {"memory", "lower", "hidden"});
    }
    expect_error(
        train(table, {"--target", "kind", "--cells", "10000", "--steps", "10000", "--max-steps",
                      "10000", "--fields", "64", "--hidden", "4096", "--quiet"}),
        2, {"memory", "cells"});
    EXPECT_EQ(files(), 1U) << "the table alone";
}

TEST_F(TableWarnings, NothingThatATerminalObeysIsPrinted) {
    // U+009B begins a command as ESC [ does, which tables must not hold; U+202E turns a line round.
    const std::string command = "\xc2\x9b", turn = "\xe2\x80\xae";
    std::string text = "size" + command + "2J,col" + turn + "our,kind\n";
    for (int i = 0; i < 60; ++i)
        text += std::to_string(i * 7 % 60) + (i % 2 == 0 ? ",red" + command + "m" : ",blue") +
                (i * 7 % 60 < 30 ? "," + turn + "a\n" : ",b\n");
    const auto table = write("raw.csv", text);
    const auto harmless = [&](const std::string& verb, const Outcome& outcome) {
        EXPECT_EQ(outcome.exit_code, 0) << verb << outcome.err;
        for (const auto& printed : {outcome.out, outcome.err})
            for (const auto& bad : {command, turn})
                EXPECT_EQ(printed.find(bad), std::string::npos) << verb << printed;
    };
    harmless("train", train(table, {"--target", "kind", "--epochs", "1"}));
    harmless("evaluate", run_program({"evaluate", path("m.deepsl"), table}));
    harmless("inspect", run_program({"inspect", path("m.deepsl")}));
    harmless("inspect --row", run_program({"inspect", path("m.deepsl"), table, "--row", "1"}));
    harmless("cv", run_program({"cv", table, "--target", "kind", "--epochs", "1", "--folds", "2"}));
    // A file says what the classes are called.
    const auto predicted =
        run_program({"predict", path("m.deepsl"), table, "-o", path("out.csv"), "--proba"});
    harmless("predict", predicted);
    EXPECT_TRUE(read(path("out.csv")).starts_with("kind,p(b),p(" + turn + "a)\n"));
    expect_error(train(table, {"--target", "k\033[2Jind"}), 3, {"'k?[2Jind'"});
}

TEST_F(TableWarnings, TwoSpellingsOfOneNewPathAreOneFile) {
    std::filesystem::create_directory(path("sub"));
    expect_error(train(data(), {"--target", "kind", "--output", path("new"), "--checkpoint",
                                path("sub/../new")}),
                 2, {"--checkpoint", "sub/../new"});
    expect_error(run_program({"demo", "--output", path("new"), "--report", path("./new")}), 2,
                 {"--output"});
    EXPECT_FALSE(std::filesystem::exists(path("new")));
}

}  // namespace
