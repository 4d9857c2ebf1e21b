// Signals that ask the program to end: the first one is noted, the second one ends it.
#include "machine.h"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

namespace deepsl::cli {
namespace {

/// Whoever runs the tests in the background makes them ignore Ctrl-C.
class Interrupts : public testing::Test {
protected:
    void SetUp() override {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
        std::signal(SIGINT, SIG_DFL);
    }
};

TEST_F(Interrupts, TheFirstSignalIsNotedByItsName) {
    const Interrupt interrupt;
    EXPECT_FALSE(Interrupt::asked());
    ASSERT_EQ(std::raise(SIGTERM), 0);
    EXPECT_TRUE(Interrupt::asked());
    EXPECT_EQ(Interrupt::signal(), SIGTERM);
    EXPECT_STREQ(Interrupt::name(), "SIGTERM");
}

TEST_F(Interrupts, EveryOneStartsAfresh) {
    {
        const Interrupt first;
        ASSERT_EQ(std::raise(SIGINT), 0);
        EXPECT_STREQ(Interrupt::name(), "Ctrl-C");
    }
    const Interrupt second;
    EXPECT_FALSE(Interrupt::asked());
}

TEST_F(Interrupts, TheSecondSignalEndsTheProcessWhicheverItIs) {
    for (const int second : {SIGINT, SIGTERM})
        EXPECT_EXIT(
            {
                const Interrupt interrupt;
                std::raise(SIGINT);
                if (!Interrupt::asked()) std::_Exit(9);
                std::raise(second);
                std::_Exit(8);
            },
            testing::KilledBySignal(second), "");
}

TEST_F(Interrupts, WhatIsIgnoredStaysIgnored) {
    EXPECT_EXIT(
        {
            std::signal(SIGINT, SIG_IGN);
            const Interrupt interrupt;
            std::raise(SIGINT);
            std::raise(SIGTERM);
            std::raise(SIGINT);
            std::_Exit(Interrupt::signal() == SIGTERM ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace deepsl::cli
