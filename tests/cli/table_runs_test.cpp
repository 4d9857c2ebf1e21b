// Trainings as processes: folds, checkpoints, Ctrl-C and SIGKILL.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "table_fixture.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;

class TableRuns : public TableVerbs {
protected:
    /// A training that keeps its state after every epoch; `way` is --checkpoint or --resume.
    Words keeping(const std::string& way, const std::string& checkpoint, const Words& more) const {
        Words words{"train", data(), "--target", "kind", "--threads", "1"};
        words.insert(words.end(), {"--checkpoint-epochs", "1", way, path(checkpoint)});
        words.insert(words.end(), {"-o", path(checkpoint + ".deepsl")});
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(TableRuns, ABrokenRunGoesOnToTheSameBits) {
    const Words settings{"--target", "kind", "--quiet", "--checkpoint-seconds", "0"};
    auto whole = settings;
    whole.insert(whole.end(), {"--checkpoint", path("a.ckpt")});
    ASSERT_EQ(train(data(), whole).exit_code, 0);
    const auto expected = read(path("m.deepsl"));
    // A finished run that is resumed ends as it did.
    auto resumed = settings;
    resumed.insert(resumed.end(), {"--resume", path("a.ckpt")});
    const auto outcome = train(data(), resumed);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(read(path("m.deepsl")), expected);
    resumed.insert(resumed.end(), {"--weight-decay", "0.5"});
    expect_error(train(data(), resumed), 2, {"weight-decay"});
}

TEST_F(TableRuns, KilledAtAnyMomentARunGoesOnToTheSameBits) {
    const auto words = [&](const std::string& way, const std::string& checkpoint) {
        return keeping(way, checkpoint,
                       {"--validation", "0.25", "--patience", "0", "--epochs", "60"});
    };
    ASSERT_EQ(run_program(words("--checkpoint", "whole")).exit_code, 0);
    auto way = "--checkpoint";
    for (const auto* moment : {"epoch  3/60", "epoch 17/60", "epoch 41/60"}) {
        const auto killed = interrupt_program(words(way, "broken"), moment, SIGKILL);
        EXPECT_EQ(killed.exit_code, -1) << moment << killed.err;
        way = "--resume";
    }
    const auto last = run_program(words(way, "broken"));
    ASSERT_EQ(last.exit_code, 0) << last.err;
    EXPECT_EQ(last.err.find("epoch 40/60"), std::string::npos) << "it began again:\n" << last.err;
    EXPECT_EQ(read(path("broken.deepsl")), read(path("whole.deepsl")));
}

TEST_F(TableRuns, CtrlCKeepsTheBestModelSoFar) {
    for (const Words& way : {Words{"--validation", "0.25"}, Words{"--epoch-folds", "2"}}) {
        Words words{"train",      data(), "--target", "kind",           "--epochs",  "100000",
                    "--patience", "0",    "-o",       path("m.deepsl"), "--threads", "1"};
        words.insert(words.end(), way.begin(), way.end());
        const auto outcome =
            interrupt_program(words, way[0] == "--validation" ? "epoch " : "from 3 inputs");
        EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
        EXPECT_NE(outcome.out.find("Ctrl-C"), std::string::npos) << outcome.out;
        const auto predicted = run_program({"predict", path("m.deepsl"), data(), "--quiet"});
        EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
        std::filesystem::remove(path("m.deepsl"));
    }
}

TEST_F(TableRuns, FewRowsAreAllLearnedFrom) {
    const auto alone = [&](const std::string& threads) {
        return run_program({"train", data(), "--target", "kind", "--json", "--epochs", "20",
                            "--threads", threads, "-o", path("m.deepsl")});
    };
    const auto trained = alone("1");
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto result = json::parse(trained.out);
    EXPECT_EQ(result["folds"], 5);
    EXPECT_EQ(result["training_rows"], 80);
    EXPECT_EQ(result["validation_rows"], 0);
    EXPECT_GT(result["fold_accuracy"], 0.6);
    EXPECT_EQ(result["voters"], 15) << "three settings";
    EXPECT_NE(trained.err.find("fold 15/15"), std::string::npos) << trained.err;
    EXPECT_NE(trained.err.find("setting 3"), std::string::npos) << trained.err;
    EXPECT_NE(trained.err.find(" these settings\n"), std::string::npos) << trained.err;
    // Each fold has one thread: the choice is the same on any number of them.
    EXPECT_EQ(json::parse(alone("2").out)["fold_accuracy"], result["fold_accuracy"]);
    // Whoever asks for validation rows gets them.
    const auto held = train(data(), {"--target", "kind", "--json", "--validation", "0.25"});
    EXPECT_EQ(json::parse(held.out)["validation_rows"], 20);
    expect_error(train(data(), {"--target", "kind", "--epoch-folds", "1"}), 2, {"--epoch-folds"});
    expect_error(train(data(), {"--target", "kind", "--epoch-folds", "41"}), 3,
                 {"41", "80 rows", "40 at most"});
}

TEST_F(TableRuns, ARateThatFallsTakesLongerToTheSameEnd) {
    // A coin: nothing but the first epochs is worth learning.
    std::mt19937 random(3);
    std::string coins = "x,coin\n";
    for (int i = 0; i < 60; ++i) {
        coins += std::to_string(random() % 1000);
        coins += random() % 2 == 0 ? ",a\n" : ",b\n";
    }
    const auto file = write("coins.csv", coins);
    const auto trained = [&](const std::string& cool_down, const Words& more = {}) {
        Words words{"train",     file, "--target",       "coin",     "--model",  "mlp",
                    "--threads", "1",  "--cool-down",    cool_down,  "--epochs", "400",
                    "--json",    "-o", path("m.deepsl"), "--effort", "quick"};
        words.insert(words.end(), more.begin(), more.end());
        const auto outcome = run_program(words);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return json::parse(outcome.out);
    };
    const double chosen = trained("0")["epochs"];
    ASSERT_GT(chosen, 4.0);
    ASSERT_LT(chosen, 200.0);
    const auto cooled = trained("0.4");
    EXPECT_EQ(cooled["fold_epoch"], chosen);
    EXPECT_EQ(cooled["epochs"], std::round(chosen / 0.8));
    EXPECT_EQ(trained("1")["epochs"], 2.0 * chosen);
    // But never longer than was asked.
    const auto named = trained("1", {"--stop-epoch", "3"});
    EXPECT_EQ(named["epochs"], std::min(3.0, 2.0 * named["fold_epoch"].get<double>()));
}

TEST_F(TableRuns, RelevanceIsThatOfTheRowsThatAreLearnedFrom) {
    for (const auto* wrong : {"-1", "2.5", "nan", "much"})
        expect_error(train(data(), {"--target", "kind", "--relevance", wrong}), 2, {"--relevance"});
    const auto loss = [&](const std::string& power) {
        const auto trained = run_program({"train", data(), "--target", "kind", "--epochs", "3",
                                          "--relevance", power, "-o", path("m.deepsl")});
        EXPECT_EQ(trained.exit_code, 0) << trained.err;
        const auto measured = run_program({"evaluate", path("m.deepsl"), data(), "--json"});
        return json::parse(measured.out).at("log_loss").get<double>();
    };
    EXPECT_NE(loss("0"), loss("1"));
    // 300 columns of noise and a coin as target: whoever sees the rows left out finds them in it.
    std::mt19937 random(5);
    std::string noise = "coin";
    for (int j = 0; j < 300; ++j) noise.append(",x").append(std::to_string(j));
    for (int i = 0; i < 60; ++i) {
        noise += i % 2 == 0 ? "\na" : "\nb";
        for (int j = 0; j < 300; ++j) noise.append(",").append(std::to_string(random() % 1000));
    }
    const auto file = write("noise.csv", noise + "\n");
    const auto accuracy = [&](const std::string& name, const Words& way) {
        Words words{"train",       file, "--target", "coin", "--json", "--quiet",
                    "--relevance", "2",  "--epochs", "20",   "-o",     path("m.deepsl")};
        words.insert(words.end(), way.begin(), way.end());
        const auto trained = run_program(words);
        EXPECT_EQ(trained.exit_code, 0) << trained.err;
        return json::parse(trained.out).at(name).get<double>();
    };
    EXPECT_LT(accuracy("fold_accuracy", {}), 0.65);
    double sum = 0.0;
    for (const auto* seed : {"1", "2", "3", "4"})
        sum += accuracy("validation_accuracy", {"--validation", "0.5", "--seed", seed});
    EXPECT_LT(sum / 4.0, 0.7);
}

TEST_F(TableRuns, AnEarlierRunDoesNotStandInTheWay) {
    const auto words = [&](const std::string& way, const std::string& seed) {
        return keeping(way, "run", {"--epoch-folds", "3", "--epochs", "40", "--seed", seed});
    };
    ASSERT_EQ(run_program(words("--checkpoint", "5")).exit_code, 0);
    EXPECT_EQ(interrupt_program(words("--checkpoint", "6"), "fold 1/9", SIGKILL).exit_code, -1);
    const auto resumed = run_program(words("--resume", "6"));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(TableRuns, ConfigurationsServeAllVerbs) {
    const auto printed = run_program({"train", data(), "--target", "kind", "--epochs", "2", "-o",
                                      path("m.deepsl"), "--hidden", "8-4", "--print-config"});
    ASSERT_EQ(printed.exit_code, 0) << printed.err;
    const auto measured =
        run_program({"cv", "--config", write("run.toml", printed.out), "--folds", "2", "--quiet"});
    EXPECT_EQ(measured.exit_code, 0) << measured.err;
    // A list of numbers is a list of names, unless it is one of sizes.
    std::string years = "2019,2020,kind\n";
    for (int i = 0; i < 40; ++i)
        years += std::to_string(i * 7 % 11) + "," + std::to_string(i % 5) +
                 (i % 2 == 0 ? ",b\n" : ",a\n");
    const auto config = write("years.toml", "target = \"kind\"\ndrop = [2019]\nhidden = [8, 4]\n");
    const auto trained = train(write("years.csv", years), {"--config", config, "--json"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_EQ(json::parse(trained.out)["inputs"], 1);
    const auto bare = write("bare.toml", "header = false\n");
    expect_error(train(data(), {"--config", bare, "--quiet"}), 3, {"line 1", "not a number"});
}

TEST_F(TableRuns, KilledAmongTheFoldsARunGoesOnToTheSameBits) {
    const auto words = [&](const std::string& way, const std::string& checkpoint) {
        return keeping(way, checkpoint, {"--epoch-folds", "3", "--epochs", "40"});
    };
    ASSERT_EQ(run_program(words("--checkpoint", "whole")).exit_code, 0);
    EXPECT_EQ(interrupt_program(words("--checkpoint", "broken"), "fold 1/9", SIGKILL).exit_code,
              -1);
    const auto last = run_program(words("--resume", "broken"));
    ASSERT_EQ(last.exit_code, 0) << last.err;
    EXPECT_EQ(read(path("broken.deepsl")), read(path("whole.deepsl")));
    for (int fold = 1; fold <= 9; ++fold)
        EXPECT_FALSE(std::filesystem::exists(path("broken.fold" + std::to_string(fold))))
            << fold << " is of no use any more";
    auto lost = words("--resume", "none");
    lost.push_back("--quiet");
    expect_error(run_program(lost), 3, {"none"});
}

TEST_F(TableRuns, FoldsAndRowsHeldOutExcludeEachOther) {
    const auto held = data();
    expect_error(run_program({"train", held, "--epoch-folds", "3", "--validation", "0.2"}), 2,
                 {"--epoch-folds", "leave out validation"});
    expect_error(run_program({"train", held, "--epoch-folds", "3", "--validation-data", held}), 2,
                 {"--epoch-folds"});
    // The command line wins over the file, also of a printed configuration.
    const auto printed = run_program(
        {"train", held, "--target", "kind", "--header", "--separator", "comma", "--print-config"});
    for (const auto* line : {"epoch-folds = 5", "validation = 0\n", "relevance = 1\n",
                             "warm-up = 0.4\n", "header = true", "separator = \"comma\""})
        EXPECT_NE(printed.out.find(line), std::string::npos) << line << "\n" << printed.out;
    const auto config = write("run.toml", printed.out + "quiet = true\njson = true\n");
    const auto trained = run_program({"train", "--config", config, "--validation", "0.25",
                                      "--epochs", "2", "-o", path("m.deepsl")});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_EQ(trained.err, "");
    EXPECT_EQ(json::parse(trained.out)["validation_rows"], 20);
    const auto rows = run_program(
        {"train", held, "--target", "kind", "--validation-data", held, "--print-config"});
    EXPECT_NE(rows.out.find("validation-data = "), std::string::npos) << rows.out;
    EXPECT_NE(rows.out.find("epoch-folds = 0"), std::string::npos) << rows.out;
    expect_error(run_program({"train", held, "--config", write("b.toml", "header = \"maybe\"\n")}),
                 2, {"header", "maybe"});
    expect_error(run_program({"train", held, "--config", write("c.toml", "epoks = 3\n")}), 2,
                 {"epoks", "epochs"});
}

}  // namespace
