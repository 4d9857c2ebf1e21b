// Bad tables, models, disks and configurations, as processes: one sentence, the right exit code,
// nothing lost.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "table_fixture.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;

class TableErrors : public TableVerbs {};

TEST_F(TableErrors, BadTablesAreNamed) {
    expect_error(train(path("none.csv")), 3, {"none.csv"});
    expect_error(train(write("e.csv", "")), 3, {"e.csv"});
    expect_error(train(write("h.csv", "a,b\n"), {"--header"}), 3, {"h.csv", "header"});
    expect_error(train(write("r.csv", "a,b\n1,x\n2\n")), 3, {"r.csv", "line 3"});
    expect_error(train(write("one.csv", "a,b\n1,x\n2,x\n3,x\n")), 3, {"one.csv", "b"});
    expect_error(train(write("c.csv", "a,b\n1,0.5\n2,0.5\n3,0.5\n")), 3, {"c.csv", "b"});
    expect_error(train(data(), {"--target", "knid"}), 3, {"knid", "kind"});
    expect_error(train(write("inf.csv", "a,b\n1,x\ninf,y\n3,x\n")), 3, {"inf.csv", "line 3"});
    expect_error(train(data(), {"--target", "kind", "--drop", "size,colour,id"}), 3, {"data.csv"});
    EXPECT_EQ(files(), 7U) << "no model was left behind";
}

TEST_F(TableErrors, TooManyFoldsAreKnownBeforeTheTableIsDescribed) {
    // expect_error takes no line before that of the error.
    expect_error(run_program({"cv", data(), "--target", "kind", "--folds", "81"}), 3,
                 {"data.csv", "81 folds of 80 rows"});
}

TEST_F(TableErrors, WhatDoesNotFitTheModelIsNamed) {
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

TEST_F(TableErrors, CellsThatSayNothingAreLeftOutOrNamed) {
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

TEST_F(TableErrors, AModelOfAnotherVersionIsRefused) {
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet"}).exit_code, 0);
    auto bytes = read(path("m.deepsl"));
    const auto place = bytes.find("\"version\":\"2\"");
    ASSERT_NE(place, std::string::npos);
    bytes[place + 11] = '7';
    expect_error(run_program({"predict", write("other.deepsl", bytes), data()}), 3,
                 {"other.deepsl", "version '7'", "versions 1 to 3"});
}

TEST_F(TableErrors, AFullDiskLosesNothing) {
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

TEST_F(TableErrors, AModelThatCannotBeSavedWhereItShouldIsSavedElsewhere) {
    const auto gone = path("gone"), spare = path("spare");
    std::filesystem::create_directory(spare);
    setenv("TMPDIR", spare.c_str(), 1);
    const auto train_and_lose_the_folder = [&] {
        std::filesystem::create_directory(gone);
        const auto output = (std::filesystem::path(gone) / "m.deepsl").string();
        return interrupt_program(
            {"train", data(), "--target", "kind", "--epochs", "100000", "--patience", "0",
             "--validation", "0.2", "--threads", "1", "-o", output},
            "epoch ", SIGINT, [&] { std::filesystem::remove_all(gone); });
    };
    for (const auto* name : {"m.deepsl", "m-2.deepsl"}) {
        const auto outcome = train_and_lose_the_folder();
        EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
        const auto kept = (std::filesystem::path(spare) / name).string();
        EXPECT_NE(outcome.err.find("the model was written to '" + kept + "' instead"),
                  std::string::npos)
            << outcome.err;
        EXPECT_EQ(run_program({"predict", kept, data(), "--quiet"}).exit_code, 0);
    }
    unsetenv("TMPDIR");
}

TEST_F(TableErrors, AConfigurationThatCannotBeReadIsNamed) {
    expect_error(run_program({"train", "--config", path("")}), 3, {path("")});
    expect_error(run_program({"train", "--config", write("b.toml", std::string("\0\xff\x01", 3))}),
                 2, {"b.toml"});
    const auto config = write("t.toml", "seed = 3\nepochs = \"many\"\n");
    expect_error(run_program({"train", data(), "--config", config}), 2,
                 {"t.toml, line 2: epochs", "many"});
    // What the command line overrules is not the file's fault.
    const auto flag = run_program({"train", data(), "--config", config, "--epochs", "some"});
    expect_error(flag, 2, {"--epochs", "some"});
    EXPECT_EQ(flag.err.find("t.toml"), std::string::npos) << flag.err;
}

TEST_F(TableErrors, ADamagedCheckpointIsKnownBeforeAnythingIsLearned) {
    const auto resumed = train(data(), {"--target", "kind", "--resume", write("x.ckpt", "half")});
    expect_error(resumed, 3, {"x.ckpt"});
    ASSERT_EQ(train(data(), {"--target", "kind", "--quiet"}).exit_code, 0);
    std::filesystem::rename(path("m.deepsl"), path("other.deepsl"));
    expect_error(train(data(), {"--target", "kind", "--resume", path("other.deepsl")}), 3,
                 {"other.deepsl", "no checkpoint"});
    EXPECT_EQ(resumed.err.find("fold"), std::string::npos) << resumed.err;
}

TEST_F(TableErrors, ACheckpointThatCannotBeReplacedDoesNotEndTheRun) {
    // The first checkpoint fits, later ones, which hold the best weights too, do not.
    const auto whole = train(data(), {"--target", "kind", "--checkpoint", path("a.ckpt"),
                                      "--checkpoint-epochs", "1", "--model", "mlp"});
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    const auto model = read(path("m.deepsl"));
    // Values are kept in double: the best ones take twice as much as in the model.
    const auto room = read(path("a.ckpt")).size() - model.size() / 2;
    ASSERT_LT(model.size(), room);
    const auto outcome = run_program_on_full_disk(
        room, {"train", data(), "--target", "kind", "--checkpoint", path("b.ckpt"),
               "--checkpoint-epochs", "1", "--model", "mlp", "-o", path("n.deepsl"), "--epochs",
               "8", "--threads", "1", "--validation", "0.2", "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("warning: cannot write"), std::string::npos) << outcome.err;
    EXPECT_EQ(read(path("n.deepsl")).size(), model.size());
}

TEST_F(TableErrors, AStrayTextAmongNumbersIsReported) {
    std::string text = "size,kind\n";
    for (int i = 0; i < 60; ++i)
        text +=
            (i == 7 ? std::string("large") : std::to_string(i % 9)) + (i < 30 ? ",a\n" : ",b\n");
    const auto trained = train(write("stray.csv", text), {"--target", "kind", "--epochs", "1"});
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_NE(trained.err.find("because of 'large' in line 9"), std::string::npos) << trained.err;
}

TEST_F(TableErrors, InfinityMattersWhereItIsUsed) {
    std::string text = "junk,size,kind\n";
    for (int i = 0; i < 40; ++i)
        text += (i == 3 ? std::string("inf") : std::to_string(i % 4)) + "," +
                std::to_string(i * 7 % 40) + (i < 20 ? ",a\n" : ",b\n");
    const auto table = write("junk.csv", text);
    expect_error(train(table, {"--target", "kind"}), 3, {"junk.csv", "line 5", "inf"});
    EXPECT_EQ(train(table, {"--target", "kind", "--drop", "junk", "--quiet"}).exit_code, 0);
    EXPECT_EQ(run_program({"predict", path("m.deepsl"), table, "--quiet"}).exit_code, 0);
}

TEST_F(TableErrors, OneColumnHasOneRole) {
    expect_error(train(data(), {"--target", "kind", "--drop", "size", "--categories", "size"}), 2,
                 {"drop", "--categories", "'size'"});
}

TEST_F(TableErrors, DecimalCommasAreReported) {
    std::string text = "size;kind\n";
    for (int i = 0; i < 40; ++i) text += i < 20 ? "1,5;a\n" : i < 30 ? "2,25;b\n" : "3;b\n";
    const auto trained = train(write("commas.csv", text), {"--target", "kind", "--epochs", "1"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_NE(trained.err.find("'size' seems to hold numbers with decimal commas"),
              std::string::npos)
        << trained.err;
    EXPECT_EQ(train(data(), {"--target", "kind", "--epochs", "1"}).err.find("decimal"),
              std::string::npos);
}

TEST_F(TableErrors, WhatIsReadIsNotReplaced) {
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

TEST_F(TableErrors, NumbersTooLargeToBeSquaredAreRefused) {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i) {
        text += i % 7 == 0 ? "0.5," : "0.25,";
        text += std::to_string(i);
        text += "\n";
    }
    expect_error(train(write("large.csv", text + "0.75,1e200\n"), {"--task", "numbers", "--quiet"}),
                 3, {"large.csv", "'y'", "1e+200"});
}

TEST_F(TableErrors, AFoldNeedsTwoRowsOfAClass) {
    expect_error(run_program({"cv", write("rare.csv", small_table() + "90,1,red,maybe\n"),
                              "--target", "kind", "--quiet"}),
                 3, {"rare.csv", "'maybe'"});
    std::string text = "x,y\n";
    for (int i = 0; i < 30; ++i)
        text += std::to_string(i * i % 17) + (i == 4 ? ",2.5\n" : ",1.5\n");
    expect_error(run_program({"cv", write("same.csv", text), "--target", "y", "--task", "numbers",
                              "--epochs", "1", "--quiet"}),
                 3, {"same.csv", "without fold"});
}

}  // namespace
