// Texts from outside made fit for a message and harmless on a terminal.
#include "deepsl/text.h"

#include <string>

#include <gtest/gtest.h>

namespace deepsl {
namespace {

TEST(Text, KeepsWhatIsHarmless) {
    for (const std::string text : {"", "plain", "'", "λ = 3, ü, 漢字", "\xf0\x9f\x98\x80"})
        EXPECT_EQ(printable(text), text);
}

TEST(Text, ShowsNothingThatATerminalObeys) {
    EXPECT_EQ(printable("a\033[31mb\007"), "a?[31mb?");
    EXPECT_EQ(printable("1\n2\r3\t4\x7f"), "1?2?3?4?");
    EXPECT_EQ(printable(std::string_view("\0x", 2)), "?x");
    // The C1 controls: U+009B begins a sequence as ESC [ does, also as the bare byte.
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "?31m");
    EXPECT_EQ(printable("\x9b"
                        "31m"),
              "?31m");
    // Line and paragraph separators, and marks that turn the direction of what follows.
    for (const char* mark :
         {"\u2028", "\u2029", "\u200e", "\u200f", "\u061c", "\u202a", "\u202e", "\u2066", "\u2069"})
        EXPECT_EQ(printable(std::string("a") + mark + "b"), "a?b");
}

TEST(Text, ShowsBytesThatAreNoTextOneByOne) {
    EXPECT_EQ(printable("\xff"), "?");
    EXPECT_EQ(printable("caf\xe9"), "caf?");
    EXPECT_EQ(printable("\xc3("), "?(");
    EXPECT_EQ(printable("\xe2\x82"), "??");            // cut off
    EXPECT_EQ(printable("\xc0\x9b"), "??");            // overlong
    EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
}

TEST(Text, KeepsLineBreaksThatAreOurs) {
    EXPECT_EQ(printable_lines("one\n    two\033c\r\n"), "one\n    two?c?\n");
}

TEST(Text, IsQuotedPrintableAndCutBetweenCharacters) {
    EXPECT_EQ(in_quotes("a\nb\x7f\xc2\x9bz"), "'a?b??z'");
    EXPECT_EQ(in_quotes("ab\xc3\xa9", 4), "'ab\xc3\xa9'");
    EXPECT_EQ(in_quotes("ab\xc3\xa9", 3), "'ab...'");
    EXPECT_EQ(in_quotes("\xa9\xa9\xa9", 2), "'...'");
}

TEST(Text, CountsInWords) {
    EXPECT_EQ(counted(std::int64_t{1}, "epoch"), "1 epoch");
    EXPECT_EQ(counted(2, "epoch"), "2 epochs");
    EXPECT_EQ(counted(2, "row"), "2 rows");
    EXPECT_EQ(counted(std::size_t{0}, "class"), "0 classes");
    EXPECT_EQ(counted(std::size_t{1}, "class"), "1 class");
    EXPECT_EQ(counted(std::size_t{12345}, "category"), "12,345 categories");
}

TEST(Text, SuggestsHarmlessNames) {
    EXPECT_EQ(did_you_mean("agee", {"age\033", "pay"}, "-"), "did you mean 'age?'?");
}

}  // namespace
}  // namespace deepsl
