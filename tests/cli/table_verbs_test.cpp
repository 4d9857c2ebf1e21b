// The verbs about tables, run as processes: from a CSV file to predictions, and what is refused.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "directory.h"
#include "expect.h"
#include "process.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;

/// Class b where x + (colour is red) > 1; every seventh size is missing.
std::string small_table(bool with_target = true, int rows = 80) {
    std::string text = with_target ? "id,size,colour,kind\n" : "colour,extra,size\n";
    for (int i = 0; i < rows; ++i) {
        const double size = (i * 37 % 100) / 50.0;
        const bool red = i % 3 == 0;
        const auto cell = i % 7 == 0 ? std::string("?") : std::to_string(size);
        const std::string colour = red ? "red" : "blue";
        const std::string kind = size + (red ? 1.0 : 0.0) > 1.0 ? "b" : "a";
        text += with_target ? std::to_string(i + 1) + "," + cell + ", " + colour + "," + kind + "\n"
                            : colour + ",7," + cell + "\n";
    }
    return text;
}

class TableVerbs : public InDirectory {
protected:
    std::string data() const { return write("data.csv", small_table()); }

    Outcome train(const std::string& table, const Words& more = {}) const {
        const std::pair<const char*, std::string> usual[] = {{"--output", path("m.deepsl")},
                                                             {"--epochs", "8"},
                                                             {"--threads", "1"},
                                                             {"--validation", "0.2"}};
        Words words{"train", table};
        for (const auto& [flag, value] : usual)
            if (std::find(more.begin(), more.end(), flag) == more.end() &&
                !(std::string(flag) == "--validation" &&
                  std::find(more.begin(), more.end(), "--epoch-folds") != more.end()))
                words.insert(words.end(), {flag, value});
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words);
    }
};

TEST_F(TableVerbs, FromATableToPredictionsAndMetrics) {
    const auto trained = train(data(), {"--target", "kind", "--json"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto result = json::parse(trained.out);
    EXPECT_EQ(result["classes"], (json{"a", "b"}));
    EXPECT_EQ(result["inputs"], 3) << "the size and two colours; the identifier is left out";
    EXPECT_NE(trained.err.find("left out: id"), std::string::npos) << trained.err;

    const auto evaluated = run_program({"evaluate", path("m.deepsl"), data(), "--json"});
    ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
    const auto metrics = json::parse(evaluated.out);
    for (const auto* name : {"accuracy", "balanced_accuracy", "log_loss", "auc", "f1"})
        EXPECT_TRUE(metrics[name].is_number()) << name;
    EXPECT_GT(metrics["accuracy"], 0.8);
    EXPECT_EQ(metrics["confusion"].size(), 2U);

    const auto fresh = write("new.csv", small_table(false));
    const auto predicted =
        run_program({"predict", path("m.deepsl"), fresh, "--proba", "-o", path("out.csv")});
    ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
    EXPECT_NE(predicted.err.find("columns not used: extra"), std::string::npos) << predicted.err;
    const auto out = read(path("out.csv"));
    EXPECT_TRUE(out.starts_with("kind,p(a),p(b)\n")) << out;
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 81);

    const auto row = run_program({"inspect", path("m.deepsl"), data(), "--row", "7", "--json"});
    ASSERT_EQ(row.exit_code, 0) << row.err;
    const auto seen = json::parse(row.out);
    EXPECT_EQ(seen["fields"][0]["status"], "ok");
    EXPECT_EQ(seen["fields"][0]["lambda"].size(), seen["fields"][0]["basis"].size());
    const auto fine =
        run_program({"inspect", path("m.deepsl"), data(), "--row", "7", "--json", "--finer", "4"});
    ASSERT_EQ(fine.exit_code, 0) << fine.err;
    const auto finely = json::parse(fine.out)["fields"][0];
    EXPECT_EQ(finely["t_nodes"].size(), 4 * seen["fields"][0]["t_nodes"].size());
    EXPECT_NEAR(finely["lambda"][0], seen["fields"][0]["lambda"][0], 1e-2);
    const auto about = run_program({"inspect", path("m.deepsl")});
    EXPECT_NE(about.out.find("predicts kind: a, b"), std::string::npos) << about.out;
    const auto page =
        run_program({"inspect", path("m.deepsl"), data(), "--report", path("page.html")});
    ASSERT_EQ(page.exit_code, 0) << page.err;
    EXPECT_NE(read(path("page.html")).find("<svg"), std::string::npos);
}

TEST_F(TableVerbs, EveryKindOfModelLearnsAndIsRead) {
    for (const auto* kind : {"dsl", "ablation", "mlp", "node"}) {
        const auto trained =
            train(data(), {"--model", kind, "--epochs", "40", "--json", "--quiet"});
        ASSERT_EQ(trained.exit_code, 0) << kind << trained.err;
        EXPECT_EQ(trained.err, "");
        const auto evaluated =
            run_program({"evaluate", path("m.deepsl"), data(), "--json", "--quiet"});
        ASSERT_EQ(evaluated.exit_code, 0) << kind << evaluated.err;
        EXPECT_GT(json::parse(evaluated.out)["accuracy"], 0.75) << kind;
    }
}

TEST_F(TableVerbs, NumbersAreARegression) {
    std::string text = "x;y\n";
    for (int i = 0; i < 60; ++i)
        text += std::to_string(0.1 * i) + ";" + std::to_string(5.0 + 3.0 * 0.1 * i) + "\n";
    const auto table = write("line.csv", text);
    ASSERT_EQ(train(table, {"--epochs", "300", "--quiet"}).exit_code, 0);
    const auto evaluated = run_program({"evaluate", path("m.deepsl"), table, "--json"});
    const auto metrics = json::parse(evaluated.out);
    EXPECT_GT(metrics["r2"], 0.9) << evaluated.out;
    EXPECT_TRUE(metrics.contains("mae") && metrics.contains("rmse"));
    const auto predicted = run_program({"predict", path("m.deepsl"), table});
    EXPECT_TRUE(predicted.out.starts_with("y\n")) << predicted.out;
    expect_error(run_program({"predict", path("m.deepsl"), table, "--proba"}), 2, {"--proba"});
}

TEST_F(TableVerbs, FoldsAreMeasuredOneByOne) {
    const auto outcome = run_program(
        {"cv", data(), "--folds", "3", "--epochs", "3", "--json", "--quiet", "--threads", "1"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto result = json::parse(outcome.out);
    ASSERT_EQ(result["accuracy_folds"].size(), 3U);
    double sum = 0.0;
    for (const double value : result["accuracy_folds"]) sum += value;
    EXPECT_NEAR(result["accuracy"], sum / 3.0, 1e-12);
}

TEST_F(TableVerbs, FlagsWinOverTheFileWhichWinsOverDefaults) {
    const auto config = write("run.toml", "data = \"" + data() +
                                              "\"\ntarget = \"kind\"\nhidden = [7, 5]\n"
                                              "epochs = 3\nlearning-rate = 1e-3\n");
    const auto printed =
        run_program({"train", "--config", config, "--epochs", "4", "--print-config"});
    ASSERT_EQ(printed.exit_code, 0) << printed.err;
    for (const auto* line : {"hidden = \"7-5\"", "epochs = 4", "learning-rate = 0.001"})
        EXPECT_NE(printed.out.find(line), std::string::npos) << line << "\n" << printed.out;
    // What was printed is a configuration file that says the same.
    const auto again =
        run_program({"train", "--config", write("again.toml", printed.out), "--print-config"});
    EXPECT_EQ(again.out, printed.out) << again.err;
    expect_error(run_program({"train", "--config", write("bad.toml", "learning-rat = 1\n")}), 2,
                 {"bad.toml, line 1", "learning-rat", "learning-rate"});
    expect_error(run_program({"train", "--config", write("bad.toml", "a = = 1\n")}), 2,
                 {"bad.toml, line 1"});
    expect_error(run_program({"train", "--config", path("none.toml")}), 3, {"none.toml"});
}

TEST_F(TableVerbs, ABrokenRunGoesOnToTheSameBits) {
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

TEST_F(TableVerbs, BadTablesAreNamed) {
    expect_error(train(path("none.csv")), 3, {"none.csv"});
    expect_error(train(write("e.csv", "")), 3, {"e.csv"});
    expect_error(train(write("h.csv", "a,b\n"), {"--header"}), 3, {"h.csv"});
    expect_error(train(write("r.csv", "a,b\n1,x\n2\n")), 3, {"r.csv", "line 3"});
    expect_error(train(write("one.csv", "a,b\n1,x\n2,x\n3,x\n")), 3, {"one.csv", "b"});
    expect_error(train(write("c.csv", "a,b\n1,0.5\n2,0.5\n3,0.5\n")), 3, {"c.csv", "b"});
    expect_error(train(data(), {"--target", "knid"}), 3, {"knid", "kind"});
    expect_error(train(write("inf.csv", "a,b\n1,x\ninf,y\n3,x\n")), 3, {"inf.csv", "line 3"});
    expect_error(train(data(), {"--target", "kind", "--drop", "size,colour,id"}), 3, {"data.csv"});
    EXPECT_EQ(files(), 7U) << "no model was left behind";
}

TEST_F(TableVerbs, WhatDoesNotFitTheModelIsNamed) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet"}).exit_code, 0);
    const auto predict = [&](const std::string& text) {
        return run_program({"predict", path("m.deepsl"), write("new.csv", text), "--quiet"});
    };
    expect_error(predict("size\n1\n2\n"), 3, {"new.csv", "colour"});
    expect_error(predict("size,colour\nlarge,red\n1,blue\n"), 3, {"new.csv", "line 2", "size"});
    const auto strict =
        run_program({"predict", path("m.deepsl"),
                     write("new.csv", "size,colour\n1,green\n1.5,red\n"), "--strict"});
    expect_error(strict, 3, {"new.csv", "green"});
    EXPECT_EQ(predict("size,colour\n1,green\n2,red\n").exit_code, 0);
    expect_error(run_program({"predict", write("x.deepsl", "no model"), data()}), 3, {"x.deepsl"});
    expect_error(run_program({"evaluate", path("m.deepsl"), write("n.csv", small_table(false))}), 3,
                 {"kind"});
    expect_error(run_program({"inspect", path("m.deepsl"), data(), "--row", "999"}), 3, {"999"});
    expect_error(train(data(), {"--model", "tree"}), 2, {"--model", "tree"});
    expect_error(train(data(), {"--output", path("no/such/m.deepsl")}), 1, {"no/such"});
}

TEST_F(TableVerbs, CellsThatSayNothingAreLeftOutOrNamed) {
    // A column without values is left out; NaN is a hole.
    std::string text = "empty,size,kind\n";
    for (int i = 0; i < 40; ++i) {
        text += "?,";
        text += i % 5 == 0 ? "NaN" : std::to_string(i);
        text += i < 20 ? ",a\n" : ",b\n";
    }
    const auto trained = train(write("holes.csv", text), {"--target", "kind", "--json"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_NE(trained.err.find("left out: empty"), std::string::npos) << trained.err;
    EXPECT_EQ(json::parse(trained.out)["inputs"], 1);
    expect_error(train(write("none.csv", "empty,kind\n?,a\nNA,b\n,a\n"), {"--target", "kind"}), 3,
                 {"none.csv", "empty"});
    expect_error(train(write("y.csv", "size,kind\n1,a\n2,?\n3,b\n"), {"--target", "kind"}), 3,
                 {"y.csv", "kind", "line 3"});
    // A hundred thousand categories, each of them twice: no name of a row, and no use.
    text = "word,kind\n";
    for (int i = 0; i < 200000; ++i) {
        text += "w";
        text += std::to_string(i / 2);
        text += i % 4 < 2 ? ",a\n" : ",b\n";
    }
    expect_error(train(write("many.csv", text), {"--target", "kind"}), 3,
                 {"many.csv", "word", "100000", "--drop"});
}

TEST_F(TableVerbs, AModelOfAnotherVersionIsRefused) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet"}).exit_code, 0);
    auto bytes = read(path("m.deepsl"));
    const auto place = bytes.find("\"version\":\"1\"");
    ASSERT_NE(place, std::string::npos);
    bytes[place + 11] = '7';
    expect_error(run_program({"predict", write("other.deepsl", bytes), data()}), 3,
                 {"other.deepsl", "version '7'", "version 1"});
}

TEST_F(TableVerbs, AFullDiskLosesNothing) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet"}).exit_code, 0);
    const auto before = read(path("m.deepsl"));
    const Words words{"train",  data(), "--target",  "kind", "--quiet", "--epochs",      "2",
                      "--seed", "5",    "--threads", "1",    "-o",      path("m.deepsl")};
    expect_error(run_program_on_full_disk(4096, words), 1, {"m.deepsl"});
    EXPECT_EQ(read(path("m.deepsl")), before);
    EXPECT_EQ(files(), 2U) << "the table and the model, nothing half-written";
    expect_error(run_program_on_full_disk(
                     100, {"predict", path("m.deepsl"), data(), "--quiet", "-o", path("out.csv")}),
                 1, {"out.csv"});
    EXPECT_EQ(files(), 2U);
}

TEST_F(TableVerbs, AConfigurationThatCannotBeReadIsNamed) {
    expect_error(run_program({"train", "--config", path("")}), 3, {path("")});
    expect_error(run_program({"train", "--config", write("b.toml", std::string("\0\xff\x01", 3))}),
                 2, {"b.toml"});
    expect_error(run_program({"train", data(), "--config", write("t.toml", "epochs = \"many\"\n")}),
                 2, {"epochs", "many"});
}

TEST_F(TableVerbs, KilledAtAnyMomentARunGoesOnToTheSameBits) {
    const auto table = data();
    const auto words = [&](const std::string& way, const std::string& checkpoint) {
        return Words{"train",
                     table,
                     "--target",
                     "kind",
                     "--validation",
                     "0.25",
                     "--epochs",
                     "60",
                     "--threads",
                     "1",
                     "--patience",
                     "0",
                     "--checkpoint-epochs",
                     "1",
                     way,
                     path(checkpoint),
                     "-o",
                     path(checkpoint + ".deepsl")};
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

TEST_F(TableVerbs, CtrlCKeepsTheBestModelSoFar) {
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

TEST_F(TableVerbs, FewRowsAreAllLearnedFrom) {
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
    EXPECT_NE(trained.err.find("fold 5/5"), std::string::npos) << trained.err;
    // Each fold has one thread: the choice is the same on any number of them.
    EXPECT_EQ(json::parse(alone("2").out)["fold_accuracy"], result["fold_accuracy"]);
    // Whoever asks for validation rows gets them.
    const auto held = train(data(), {"--target", "kind", "--json", "--validation", "0.25"});
    EXPECT_EQ(json::parse(held.out)["validation_rows"], 20);
    expect_error(train(data(), {"--target", "kind", "--epoch-folds", "1"}), 2, {"--epoch-folds"});
    expect_error(train(data(), {"--target", "kind", "--epoch-folds", "81"}), 3, {"81", "80 rows"});
}

TEST_F(TableVerbs, KilledAmongTheFoldsARunGoesOnToTheSameBits) {
    const auto words = [&](const std::string& way, const std::string& checkpoint) {
        return Words{"train",
                     data(),
                     "--target",
                     "kind",
                     "--epoch-folds",
                     "3",
                     "--epochs",
                     "40",
                     "--threads",
                     "1",
                     "--checkpoint-epochs",
                     "1",
                     way,
                     path(checkpoint),
                     "-o",
                     path(checkpoint + ".deepsl")};
    };
    ASSERT_EQ(run_program(words("--checkpoint", "whole")).exit_code, 0);
    EXPECT_EQ(interrupt_program(words("--checkpoint", "broken"), "fold 1/3", SIGKILL).exit_code,
              -1);
    const auto last = run_program(words("--resume", "broken"));
    ASSERT_EQ(last.exit_code, 0) << last.err;
    EXPECT_EQ(read(path("broken.deepsl")), read(path("whole.deepsl")));
    for (const auto* fold : {"broken.fold1", "broken.fold2", "broken.fold3"})
        EXPECT_FALSE(std::filesystem::exists(path(fold))) << fold << " is of no use any more";
    auto lost = words("--resume", "none");
    lost.push_back("--quiet");
    expect_error(run_program(lost), 1, {"none"});
}

TEST_F(TableVerbs, CategoriesThatLookLikeNumbersStayCategories) {
    std::string text = "zip,kind\n";
    for (int i = 0; i < 80; ++i) text += i % 2 == 0 ? "01,a\n" : "1,b\n";
    const auto table = write("zip.csv", text);
    ASSERT_EQ(train(table, {"--target", "kind", "--categories", "zip", "--quiet", "--epochs", "40",
                            "--validation-data", table})
                  .exit_code,
              0);
    const auto outcome = run_program({"evaluate", path("m.deepsl"), table, "--json", "--quiet"});
    EXPECT_EQ(json::parse(outcome.out)["accuracy"], 1.0) << outcome.out;
}

TEST_F(TableVerbs, WhatIsReadIsNotReplaced) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet"}).exit_code, 0);
    const auto table = read(data()), model = read(path("m.deepsl"));
    expect_error(train(data(), {"--output", data()}), 2, {"--output", "data.csv"});
    expect_error(train(data(), {"--checkpoint", data()}), 2, {"--checkpoint", "data.csv"});
    expect_error(train(data(), {"--checkpoint", path("m.deepsl")}), 2, {"m.deepsl"});
    for (const auto& output : {data(), path("m.deepsl"), path("./m.deepsl")})
        expect_error(run_program({"predict", path("m.deepsl"), data(), "-o", output}), 2,
                     {"--output"});
    EXPECT_EQ(read(data()), table);
    EXPECT_EQ(read(path("m.deepsl")), model);
}

TEST_F(TableVerbs, NumbersTooLargeToBeSquaredAreRefused) {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i) {
        text += i % 7 == 0 ? "0.5," : "0.25,";
        text += std::to_string(i);
        text += "\n";
    }
    expect_error(train(write("large.csv", text + "0.75,1e200\n"), {"--task", "numbers", "--quiet"}),
                 3, {"large.csv", "'y'", "1e+200"});
}

TEST_F(TableVerbs, AFoldNeedsTwoRowsOfAClass) {
    expect_error(run_program({"cv", write("rare.csv", small_table() + "90,1,red,maybe\n"),
                              "--target", "kind", "--quiet"}),
                 3, {"rare.csv", "'maybe'"});
}

TEST_F(TableVerbs, FoldsAndRowsHeldOutExcludeEachOther) {
    const auto held = data();
    expect_error(run_program({"train", held, "--epoch-folds", "3", "--validation", "0.2"}), 2,
                 {"--epoch-folds", "--validation"});
    expect_error(run_program({"train", held, "--epoch-folds", "3", "--validation-data", held}), 2,
                 {"--epoch-folds"});
    // The command line wins over the file, also of a printed configuration.
    const auto printed = run_program(
        {"train", held, "--target", "kind", "--header", "--separator", "comma", "--print-config"});
    for (const auto* line :
         {"epoch-folds = 5", "validation = 0\n", "header = true", "separator = \"comma\""})
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

TEST_F(TableVerbs, OneRowIsEnoughToMeasureARegression) {
    std::string text = "x;y\n";
    for (int i = 0; i < 40; ++i) {
        text += std::to_string(0.1 * i);
        text += ";";
        text += std::to_string(3.5 * i);
        text += "\n";
    }
    ASSERT_EQ(train(write("line.csv", text), {"--quiet"}).exit_code, 0);
    const auto outcome = run_program(
        {"evaluate", path("m.deepsl"), write("row.csv", "x;y\n0.5;17.5\n"), "--json", "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(json::parse(outcome.out)["mae"].is_number()) << outcome.out;
}

TEST_F(TableVerbs, CheckLooksAtRowsOfATableAndAtTheMapping) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet", "--precision", "float64"}).exit_code,
              0);
    const auto checked =
        run_program({"check", path("m.deepsl"), "--data", data(), "--samples", "40", "--json"});
    EXPECT_TRUE(checked.exit_code == 0 || checked.exit_code == 1) << checked.err;
    EXPECT_TRUE(json::parse(checked.out).contains("figures"));
    const auto mapping = run_program({"check", path("m.deepsl"), "--data", data(), "--samples",
                                      "32", "--json", "--tolerances", "1e-2,1e-7"});
    ASSERT_EQ(mapping.exit_code, 0) << mapping.err;
    const auto lines = json::parse(mapping.out);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_LT(lines[1]["end_worst"], lines[0]["end_worst"]);
    EXPECT_LT(lines[1]["end_worst"], 1e-4);
    expect_error(run_program({"check", path("m.deepsl"), "--tolerances", "5"}), 2,
                 {"--tolerances", "5"});
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet", "--model", "mlp"}).exit_code, 0);
    expect_error(run_program({"check", path("m.deepsl")}), 3, {"m.deepsl", "mlp"});
}

}  // namespace
