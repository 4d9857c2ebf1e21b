#include "field/random_lines.h"

#include <gtest/gtest.h>

namespace {

// The same with a million lines is the benchmark `random_lines`.
TEST(RandomLines, EveryLineLeavesAndNothingIsNaN) {
    deepsl::Random random(1);
    deepsl::testing::RandomLines total;
    for (int network = 0; network < 150; ++network)
        deepsl::testing::add_random_lines(total, 40, random);
    EXPECT_EQ(total.lines, 6000U);
    EXPECT_EQ(total.missed_exits, 0U);
    EXPECT_EQ(total.not_finite, 0U);
    EXPECT_EQ(total.out_of_order, 0U);
    EXPECT_EQ(total.other_outcomes(), 0U);
    EXPECT_TRUE(total.overflows_are_rare()) << total.count("overflow");
    EXPECT_TRUE(total.all_well());
}

// In 784 dimensions; a hundred thousand of them are the benchmark's.
TEST(RandomLines, ThroughImagesLeaveToo) {
    deepsl::Random random(2);
    deepsl::testing::RandomLines total;
    for (int network = 0; network < 8; ++network)
        deepsl::testing::add_random_image_lines(total, 16, random);
    EXPECT_EQ(total.lines, 128U);
    EXPECT_EQ(total.missed_exits, 0U);
    EXPECT_EQ(total.not_finite, 0U);
    EXPECT_EQ(total.out_of_order, 0U);
    EXPECT_EQ(total.other_outcomes(), 0U);
    // A positive field may be slow in all of 784 coordinates at once, and its lines are long then.
    EXPECT_LT(total.count("overflow"), 16U);
}

}  // namespace
