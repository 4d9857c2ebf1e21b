// The verb `options`, and that flags, help and docs come from one source.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/learner/task.h"
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

TEST_F(Options, EveryOptionIsListedAndIsAFlag) {
    const auto list = run_program({"options"}), demo = run_program({"demo", "--help"}),
               train = run_program({"train", "--help"}), cv = run_program({"cv", "--help"});
    EXPECT_EQ(list.exit_code, 0);
    const auto look = [&](const deepsl::Option& option, std::vector<const Outcome*> helps) {
        const auto name = "--" + std::string(option.name) + " ";
        helps.push_back(&list);
        for (const auto* printed : helps)
            EXPECT_NE(printed->out.find(name), std::string::npos) << name;
    };
    const deepsl::learner::Task task;
    deepsl::learner::visit_task(task, [&](const deepsl::Option& option, const auto&) {
        look(option, {&train, &cv});
    });
    const auto everywhere = [&](const deepsl::Option& option, const auto&) {
        look(option, {&train, &cv, &demo});
    };
    deepsl::model::visit_model(task.model, everywhere);
    deepsl::train::visit_train(task.train, everywhere);
    for (const auto* part : {"default", "paper", "directional", "a whole number from 1 to 64"})
        EXPECT_NE(list.out.find(part), std::string::npos) << part;
}

TEST_F(Options, TakesNoArguments) {
    expect_error(run_program({"options", "cells"}), 2, {"'cells'"});
    expect_error(run_program({"options", "--markdwon"}), 2, {"'--markdwon'", "'--markdown'"});
}

}  // namespace
