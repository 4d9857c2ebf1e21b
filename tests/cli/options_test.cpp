// The verb `options`, and that flags, help and docs come from one source.
#include "deepsl/model/options.h"

#include <string>

#include <gtest/gtest.h>

#include "deepsl/train/options.h"
#include "directory.h"
#include "expect.h"
#include "process.h"

namespace {

using namespace deepsl::test;

class Options : public InDirectory {};

TEST_F(Options, TheDocumentIsWhatTheProgramPrints) {
    const auto printed = run_program({"options", "--markdown"});
    EXPECT_EQ(printed.exit_code, 0);
    EXPECT_TRUE(printed.out == read(std::string(DEEPSL_SOURCE_DIR) + "/docs/options.md"))
        << "run: deepsl options --markdown > docs/options.md";
}

TEST_F(Options, EveryOptionIsListedAndIsAFlagOfTheDemo) {
    const auto list = run_program({"options"}), help = run_program({"demo", "--help"});
    EXPECT_EQ(list.exit_code, 0);
    EXPECT_EQ(help.exit_code, 0);
    const auto look = [&](const deepsl::Option& option, const auto&) {
        const auto name = "--" + std::string(option.name) + " ";
        EXPECT_NE(list.out.find(name), std::string::npos) << name;
        EXPECT_NE(help.out.find(name), std::string::npos) << name;
    };
    const deepsl::model::ModelOptions model;
    const deepsl::train::TrainOptions train;
    deepsl::model::visit_model(model, look);
    deepsl::train::visit_train(train, look);
    for (const auto* part : {"default", "paper", "directional", "a whole number from 1 to 64"})
        EXPECT_NE(list.out.find(part), std::string::npos) << part;
}

TEST_F(Options, TakesNoArguments) {
    expect_error(run_program({"options", "cells"}), 2, {"'cells'"});
    expect_error(run_program({"options", "--markdwon"}), 2, {"'--markdwon'", "'--markdown'"});
}

}  // namespace
