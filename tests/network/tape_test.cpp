// The tape: a stack, aligned, whose memory is kept.
#include "deepsl/network/tape.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/random.h"

namespace deepsl::network {
namespace {

/// Pushes pieces of these sizes, each filled with its number; then takes them off again.
void up_and_down(Tape& tape, const std::vector<std::size_t>& sizes) {
    std::vector<std::pair<double*, std::size_t>> pieces;
    for (const auto size : sizes) {
        auto* const piece = tape.push<double>(size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0U);
        for (std::size_t i = 0; i < size; ++i) piece[i] = static_cast<double>(pieces.size());
        pieces.emplace_back(piece, size);
    }
    while (!pieces.empty()) {
        const auto [piece, size] = pieces.back();
        pieces.pop_back();
        auto* const back = tape.pop<double>(size);
        if (size > 0) {
            ASSERT_EQ(back, piece) << "last in, first out";
        }
        for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(back[i], static_cast<double>(pieces.size())) << "nobody else wrote there";
    }
}

TEST(Tape, WhatIsPushedLastComesOffFirst) {
    Random random(1);
    for (int trial = 0; trial < 50; ++trial) {
        Tape tape;
        std::vector<std::size_t> sizes(1 + below(30, random));
        // Some pieces are larger than a block, some are empty.
        for (auto& size : sizes)
            size = below(10, random) == 0 ? below(200000, random) : below(5000, random);
        sizes[below(sizes.size(), random)] = 0;
        up_and_down(tape, sizes);
        up_and_down(tape, sizes);
    }
}

TEST(Tape, PushesAndPopsMayAlternate) {
    Random random(2);
    Tape tape;
    std::vector<std::pair<int*, std::size_t>> stack;
    int number = 0;
    for (int step = 0; step < 20000; ++step) {
        if (stack.empty() || below(100, random) < 52) {
            const auto size = 1 + below(below(20, random) == 0 ? 100000 : 2000, random);
            auto* const piece = tape.push<int>(size);
            piece[0] = piece[size - 1] = number++;
            stack.emplace_back(piece, size);
        } else {
            const auto [piece, size] = stack.back();
            stack.pop_back();
            const int expected = piece[0];
            auto* const back = tape.pop<int>(size);
            ASSERT_EQ(back, piece);
            ASSERT_EQ(back[size - 1], expected);
        }
    }
}

TEST(Tape, MemoryDoesNotGrowAfterTheFirstPass) {
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
        Tape tape;
        EXPECT_EQ(tape.capacity(), 0U);
        std::vector<std::size_t> sizes(1 + below(100, random));
        for (auto& size : sizes) size = below(20000, random);
        up_and_down(tape, sizes);
        const auto bytes = tape.capacity();
        EXPECT_GT(bytes, 0U);
        for (int pass = 0; pass < 5; ++pass) {
            tape.clear();
            up_and_down(tape, sizes);
            ASSERT_EQ(tape.capacity(), bytes);
        }
        // What was left on it is forgotten, the memory is kept.
        tape.push<double>(1000);
        tape.clear();
        up_and_down(tape, sizes);
        EXPECT_EQ(tape.capacity(), bytes);
    }
}

TEST(Tape, ObjectsAreAStackOfTheirOwnBesideNumbers) {
    Tape tape;
    auto* const first = tape.push<int>(3);
    tape.push_object(std::make_shared<int>(1));
    auto* const second = tape.push<int>(3);
    tape.push_object(std::make_shared<double>(2.5));
    EXPECT_EQ(tape.pop<int>(3), second);
    EXPECT_EQ(tape.pop<int>(3), first);
    EXPECT_EQ(*tape.pop_object<double>(), 2.5);
    EXPECT_EQ(*tape.pop_object<int>(), 1);
}

TEST(Tape, ObjectsAreReleasedWhenTheyArePoppedOrForgotten) {
    Tape tape;
    const auto object = std::make_shared<int>(7);
    tape.push_object(object);
    tape.push_object(object);
    EXPECT_EQ(object.use_count(), 3);
    tape.pop_object<int>();
    EXPECT_EQ(object.use_count(), 2);
    tape.clear();
    EXPECT_EQ(object.use_count(), 1);
}

}  // namespace
}  // namespace deepsl::network
