// A program built without LibTorch says so when it is asked to learn.
#include <gtest/gtest.h>

#include "expect.h"
#include "process.h"

namespace {

using namespace deepsl::test;

TEST(WithoutTorch, SaysThatItCannotLearn) {
    for (const auto* verb : {"demo", "check", "options"})
        expect_error(run_program({verb}), 2, {"no LibTorch", verb});
}

}  // namespace
