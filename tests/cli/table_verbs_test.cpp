// The verbs about tables, run as processes: from a CSV file to predictions.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "table_fixture.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;

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
    EXPECT_TRUE(seen["prediction"] == "a" || seen["prediction"] == "b");
    // Contributions and constant make the scores, and these the probabilities.
    for (std::size_t k = 0; k < 2; ++k) {
        double score = seen["constant"][k];
        for (const double part : seen["fields"][0]["contributions"][k]) score += part;
        EXPECT_NEAR(score, seen["scores"][k], 1e-5);
    }
    const double odds = seen["scores"][1].get<double>() - seen["scores"][0].get<double>();
    EXPECT_NEAR(seen["probabilities"][1], 1.0 / (1.0 + std::exp(-odds)), 1e-6);
    // And what the columns add makes the difference of the scores.
    const auto& columns = seen["contributions"];
    for (std::size_t k = 0; k < 2; ++k) {
        double sum = 0.0;
        for (const auto& column : columns["columns"]) sum += column["adds"][k].get<double>();
        EXPECT_NEAR(sum, columns["here"][k].get<double>() - columns["usual"][k].get<double>(),
                    1e-3);
        EXPECT_NEAR(columns["here"][k], seen["scores"][k], 1e-6);
    }
    EXPECT_TRUE(seen.contains("turning"));
    const auto read_row = run_program({"inspect", path("m.deepsl"), data(), "--row", "7"});
    EXPECT_NE(read_row.out.find("What each column adds to the score of '"), std::string::npos);
    const auto fine =
        run_program({"inspect", path("m.deepsl"), data(), "--row", "7", "--json", "--finer", "4"});
    ASSERT_EQ(fine.exit_code, 0) << fine.err;
    const auto finely = json::parse(fine.out)["fields"][0];
    EXPECT_EQ(finely["t_nodes"].size(), 4 * seen["fields"][0]["t_nodes"].size());
    EXPECT_NEAR(finely["lambda"][0], seen["fields"][0]["lambda"][0], 1e-2);
    const auto about = run_program({"inspect", path("m.deepsl")});
    EXPECT_NE(about.out.find("predicts kind: a, b"), std::string::npos) << about.out;
    // The size alone tells the most about the kind.
    const auto factor = [&](const std::string& input) {
        const auto& names = seen["inputs"];
        const auto place = std::find(names.begin(), names.end(), input) - names.begin();
        return seen["factors"].at(static_cast<std::size_t>(place)).get<double>();
    };
    EXPECT_GT(factor("size"), factor("colour=red"));
    EXPECT_NE(about.out.find("Stretched most by their relevance: size"), std::string::npos)
        << about.out;
    const auto page =
        run_program({"inspect", path("m.deepsl"), data(), "--report", path("page.html")});
    ASSERT_EQ(page.exit_code, 0) << page.err;
    EXPECT_NE(read(path("page.html")).find("<svg"), std::string::npos);
}

TEST_F(TableVerbs, AConfusionMatrixTooWideForATerminalIsInTheJson) {
    std::string text = "x,y\n";
    for (int i = 0; i < 78; ++i) {
        const int letter = i % 13;
        text += std::to_string(letter) + ".5,";
        text += static_cast<char>('a' + letter);
        text += "\n";
    }
    const auto table = write("letters.csv", text);
    const auto trained = train(table, {"--quiet", "--model", "mlp", "--validation", "0"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto told = run_program({"evaluate", path("m.deepsl"), table});
    EXPECT_NE(told.out.find("--json has the 13 x 13 confusion matrix"), std::string::npos)
        << told.out;
    const auto whole = run_program({"evaluate", path("m.deepsl"), table, "--json"});
    EXPECT_EQ(json::parse(whole.out)["confusion"][12].size(), 13U);
}

TEST_F(TableVerbs, CvSeesEveryPartAsTheWhole) {
    // 21 whole numbers are a regression, 20 of them would be classes.
    std::string text = "x,y\n";
    for (int i = 0; i < 80; ++i)
        text += std::to_string(i) + "." + std::to_string(i % 7) + "," +
                std::to_string(i == 40 ? 50 : i % 20) + "\n";
    const auto outcome = run_program({"cv", write("whole.csv", text), "--target", "y", "--folds",
                                      "4", "--epochs", "2", "--json", "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["r2_folds"].size(), 4U);
}

TEST_F(TableVerbs, ContributionsAreInTheUnitsOfTheTarget) {
    std::string text = "x,y\n";
    for (int i = 0; i < 60; ++i)
        text += std::to_string(i * 7 % 60) + "," + std::to_string(1000.5 + 3 * (i * 7 % 60)) + "\n";
    const auto table = write("numbers.csv", text);
    ASSERT_EQ(train(table, {"--quiet", "--fields", "2"}).exit_code, 0);
    const auto row = run_program({"inspect", path("m.deepsl"), table, "--row", "9", "--json"});
    const auto seen = json::parse(row.out);
    double sum = seen["constant"][0];
    for (const auto& field : seen["fields"])
        for (const double part : field["contributions"][0]) sum += part;
    EXPECT_NEAR(sum, seen["prediction"], 1e-3);
    EXPECT_GT(seen["prediction"], 900.0);
}

TEST_F(TableVerbs, TablesWithAndWithoutAHeaderMeet) {
    const auto named = small_table();
    const auto with = write("with.csv", named),
               without = write("without.csv", named.substr(named.find('\n') + 1));
    const auto accuracy = [&](const std::string& table) {
        const auto outcome =
            run_program({"evaluate", path("m.deepsl"), table, "--json", "--quiet"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return outcome.out;
    };
    ASSERT_EQ(train(with, {"--target", "kind", "--quiet"}).exit_code, 0);
    EXPECT_EQ(accuracy(without), accuracy(with));
    ASSERT_EQ(train(without, {"--target", "column4", "--quiet"}).exit_code, 0);
    EXPECT_EQ(accuracy(with), accuracy(without));
    // The target's name makes the first line a header, whatever else stands there.
    std::string years = "2019,2020,kind\n";
    for (int i = 0; i < 40; ++i)
        years += std::to_string(i * 7 % 11) + "," + std::to_string(i % 5) +
                 (i * 7 % 11 > 5 ? ",b\n" : ",a\n");
    const auto trained = train(write("years.csv", years), {"--target", "kind", "--json"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_EQ(json::parse(trained.out)["rows"], 40);
    expect_error(train(write("years.csv", years), {"--target", "kinds"}), 3, {"--header"});
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

TEST_F(TableVerbs, CoefficientsMayShareATrunk) {
    const auto parameters = [&](const std::string& way) {
        const auto trained =
            train(data(), {"--target", "kind", "--coefficients", way, "--json", "--quiet"});
        EXPECT_EQ(trained.exit_code, 0) << trained.err;
        EXPECT_EQ(run_program({"predict", path("m.deepsl"), data(), "--quiet"}).exit_code, 0);
        const auto about = run_program({"inspect", path("m.deepsl"), "--json"});
        EXPECT_EQ(json::parse(about.out)["architecture"]["coefficients"], way);
        return json::parse(trained.out)["parameters"].get<int>();
    };
    EXPECT_LT(parameters("trunk"), parameters("networks"));
    expect_error(train(data(), {"--coefficients", "trunks"}), 2, {"--coefficients", "'trunk'"});
}

TEST_F(TableVerbs, WhatIsNotGivenIsDetected) {
    const auto trained = train(data(), {"--target", "kind", "--epochs", "1"});
    EXPECT_NE(trained.err.find(
                  "80 rows, 4 columns, separated by commas (detected), with a header (detected)"),
              std::string::npos)
        << trained.err;
    EXPECT_NE(trained.err.find("at most 1 epoch"), std::string::npos) << trained.err;
}

TEST_F(TableVerbs, OneOfAKindIsToldAsOne) {
    std::string text = "x,kind\n";
    for (int i = 0; i < 10; ++i) text += std::to_string(0.1 * i) + (i < 5 ? ",a\n" : ",b\n");
    const auto table = write("small.csv", text);
    const auto expect = [](const std::string& told, const std::string& part) {
        EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
    };
    const auto held_out = train(table, {"--epochs", "1"});
    ASSERT_EQ(held_out.exit_code, 0) << held_out.err;
    expect(held_out.err, "  1 number, by zscore: x\n");
    expect(held_out.err, "kind (2 classes) from 1 input by 'dsl'\n");
    expect(held_out.err, "at most 1 epoch, the best one");
    expect(held_out.err, "\n1 epoch in ");
    const auto impatient = train(table, {"--epochs", "2", "--patience", "1"});
    expect(impatient.err, "; stops after 1 epoch without improvement");
    const auto folds = train(table, {"--epochs", "1", "--epoch-folds", "2", "--effort", "quick"});
    expect(folds.out, "all 10 rows were learned from for 1 epoch (");
    const auto one = write("one.csv", "x,kind\n0.3,a\n");
    const auto other =
        train(table, {"--epochs", "2", "--validation-data", one, "--validation", "0"});
    expect(other.out, "on 1 validation row, epoch ");
    const auto about = run_program({"inspect", path("m.deepsl")});
    expect(about.out, "'dsl', 1 input, ");
}

TEST_F(TableVerbs, MetricsHaveOneNameForPeople) {
    const auto folds = run_program(
        {"cv", data(), "--target", "kind", "--folds", "2", "--epochs", "1", "--model", "mlp"});
    ASSERT_EQ(folds.exit_code, 0) << folds.err;
    for (const auto* text : {"\n  balanced accuracy  0.", "\n  log loss           0."})
        EXPECT_NE(folds.out.find(text), std::string::npos) << folds.out;
    EXPECT_NE(folds.err.find("  balanced accuracy 0."), std::string::npos) << folds.err;
    EXPECT_EQ((folds.out + folds.err).find('_'), std::string::npos) << folds.out << folds.err;
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
    // One name for people, another for programs.
    for (const auto& [words, title] :
         {std::pair{Words{"evaluate", path("m.deepsl"), table}, "\n  R²                 0."},
          std::pair{Words{"cv", table, "--folds", "2", "--epochs", "1"}, "\n  R²                 "},
          std::pair{Words{"inspect", path("m.deepsl")}, "\n  validation R² "}}) {
        const auto outcome = run_program(words);
        EXPECT_NE(outcome.out.find(title), std::string::npos) << outcome.out;
        EXPECT_EQ((outcome.out + outcome.err).find("r2"), std::string::npos) << outcome.out;
    }
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

TEST_F(TableVerbs, ImportanceOfColumnsIsMeasuredOnRowsWithTheTarget) {
    ASSERT_EQ(train(data(), {"--target", "kind"}).exit_code, 0);
    const auto read = run_program(
        {"inspect", path("m.deepsl"), data(), "--importance", "--repeats", "3", "--json"});
    ASSERT_EQ(read.exit_code, 0) << read.err;
    const auto importance = json::parse(read.out)["importance"];
    EXPECT_EQ(importance["rows"], 80);
    ASSERT_EQ(importance["columns"].size(), 2U);
    for (const auto& column : importance["columns"])
        EXPECT_GT(column["log_loss_gained"], 0.0) << column["column"];
    const auto text = run_program({"inspect", path("m.deepsl"), data(), "--importance"});
    EXPECT_NE(text.out.find("accuracy, points"), std::string::npos) << text.out;
    const auto fresh = write("new.csv", small_table(false));
    const auto refused = run_program({"inspect", path("m.deepsl"), fresh, "--importance"});
    EXPECT_EQ(refused.exit_code, 3) << refused.out;
    EXPECT_NE(refused.err.find("kind"), std::string::npos) << refused.err;
    const auto alone = run_program({"inspect", path("m.deepsl"), "--importance"});
    EXPECT_EQ(alone.exit_code, 2);
    EXPECT_NE(alone.err.find("--importance"), std::string::npos) << alone.err;
}

}  // namespace
