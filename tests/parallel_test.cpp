// Work on several threads: each piece once, the same results on any number of threads, exceptions.
#include "deepsl/parallel.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl {
namespace {

class Parallel : public testing::TestWithParam<int> {
protected:
    void SetUp() override { set_threads(GetParam()); }
    void TearDown() override { set_threads(1); }
};

TEST(Threads, AreOneUntilSetAndNeverFewer) {
    EXPECT_EQ(threads(), 1);
    for (const int bad : {0, -3}) {
        set_threads(bad);
        EXPECT_EQ(threads(), 1);
    }
    EXPECT_GE(available_threads(), 1);
}

TEST_P(Parallel, EveryPieceIsDoneOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 64U, 1000U}) {
        std::vector<std::atomic<int>> calls(count);
        for_each(count, [&](std::size_t i) { calls.at(i).fetch_add(1); });
        for (const auto& c : calls) EXPECT_EQ(c.load(), 1) << count;
    }
}

TEST_P(Parallel, ManySmallJobsOneAfterAnother) {
    // Plain numbers: what the pieces wrote must be seen here without further ado.
    std::vector<double> sums(5, 0.0);
    for (int job = 0; job < 3000; ++job)
        for_each(sums.size(), [&](std::size_t i) { sums[i] += static_cast<double>(i); });
    for (std::size_t i = 0; i < sums.size(); ++i)
        EXPECT_EQ(sums[i], 3000.0 * static_cast<double>(i));
}

TEST_P(Parallel, CallsInsideAPieceRunOnItsThread) {
    std::vector<std::vector<int>> seen(6, std::vector<int>(50, 0));
    std::atomic<int> elsewhere{0};
    for_each(seen.size(), [&](std::size_t i) {
        const auto own = std::this_thread::get_id();
        for_each(50, [&](std::size_t j) {
            ++seen[i][j];
            if (std::this_thread::get_id() != own) ++elsewhere;
        });
    });
    for (const auto& row : seen)
        for (const int count : row) EXPECT_EQ(count, 1);
    EXPECT_EQ(elsewhere, 0);
}

TEST_P(Parallel, TheFirstPieceThatFailsIsTheOneThatIsHeardOf) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<std::atomic<int>> calls(40);
        try {
            for_each(40, [&](std::size_t i) {
                ++calls[i];
                if (i == 7 || i == 9 || i == 30) throw std::runtime_error(std::to_string(i));
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "7");
        }
        for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_LE(calls[i], 1);
        for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(calls[i], 1);
        // The pool is as good as new.
        std::atomic<int> after{0};
        for_each(10, [&](std::size_t) { ++after; });
        EXPECT_EQ(after, 10);
    }
}

TEST_P(Parallel, ResultsDoNotDependOnTheNumberOfThreads) {
    const auto run = [] {
        std::vector<double> result(200);
        for_each(result.size(), [&](std::size_t i) {
            double sum = 0.0;
            for (std::size_t k = 1; k < 500; ++k) sum += std::sin(static_cast<double>(i * k));
            result[i] = sum;
        });
        return std::accumulate(result.begin(), result.end(), 0.0);
    };
    const double here = run();
    set_threads(1);
    EXPECT_EQ(here, run());
}

TEST_P(Parallel, CallersDoNotDisturbEachOther) {
    std::vector<std::thread> callers;
    std::vector<long> totals(3, 0);
    for (std::size_t c = 0; c < totals.size(); ++c)
        callers.emplace_back([&, c] {
            for (int job = 0; job < 200; ++job) {
                std::vector<long> parts(20, 0);
                for_each(parts.size(), [&](std::size_t i) { parts[i] = static_cast<long>(i); });
                totals[c] += std::accumulate(parts.begin(), parts.end(), 0L);
            }
        });
    for (auto& caller : callers) caller.join();
    for (const auto total : totals) EXPECT_EQ(total, 200 * 190);
}

TEST_P(Parallel, TheNumberOfThreadsMayChange) {
    for (const int count : {3, 1, 2, 5, 2}) {
        set_threads(count);
        std::atomic<int> calls{0};
        for_each(100, [&](std::size_t) { ++calls; });
        EXPECT_EQ(calls, 100);
    }
}

// One of them waits for the other, so they must be on two threads.
TEST(Threads, AreUsed) {
    set_threads(2);
    std::atomic<int> there{0};
    for_each(2, [&](std::size_t) {
        ++there;
        while (there < 2) std::this_thread::yield();
    });
    EXPECT_EQ(there, 2);
    set_threads(1);
}

INSTANTIATE_TEST_SUITE_P(On, Parallel, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace deepsl
