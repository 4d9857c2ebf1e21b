// What is no table is refused, with a sentence that says where, what, and what to try.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "deepsl/data/table.h"

namespace deepsl::data {
namespace {

void expect_refused(std::string_view text, const std::string& message,
                    const TableOptions& options = {}) {
    try {
        parse_table(text, "data.csv", options);
        ADD_FAILURE() << "not refused; expected: " << message;
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), message);
    }
}

TEST(TableError, NamesFileLineAndColumn) {
    expect_refused("a,b,c\n1,2,3\n4,5\n",
                   "data.csv, line 3: 2 cells instead of 3; is a separator inside a text? put "
                   "quotes around it");
    expect_refused("a,b\n\"x\n\",1\n4,5,6\n",
                   "data.csv, line 4: 3 cells instead of 2; is a separator inside a text? put "
                   "quotes around it");
    expect_refused("a,b\n1,2\n \n3,4\n",
                   "data.csv, line 3: a blank line between the rows; remove it");
    expect_refused("a,b\n1,2\n3,\"x\n\n4,5\n",
                   "data.csv, line 3, column 2: a quote is opened and never closed; close it, or "
                   "remove it");
    expect_refused("a,b\n1,\"x\"y\n",
                   "data.csv, line 2, column 2: text follows the closing quote; write a quote "
                   "inside a text twice, as in \"say \"\"yes\"\"\"");
    expect_refused("a,\"b\nc\"d\n",
                   "data.csv, line 1, column 2: text follows the closing quote; write a quote "
                   "inside a text twice, as in \"say \"\"yes\"\"\"");
    expect_refused("a,b,a\n1,2,3\n",
                   "data.csv, line 1: the columns 1 and 3 are both called 'a'; rename one");
}

TEST(TableError, RefusesWhatHasNoRows) {
    const auto* const none =
        "data.csv: there is no row in it; a table has one line for each sample";
    for (const auto* const text : {"", "\n\n", " \t\r\n", "\xef\xbb\xbf", "|a\n|b", "|"})
        expect_refused(text, none);
    const auto* const header =
        "data.csv, line 1: a header and no row below it; add rows, or say that the first line is a "
        "row";
    expect_refused("a,b,c\n\n", header);
    expect_refused("1,2\n", header, {{}, true, {}});
}

TEST(TableError, RefusesBytesThatAreNotText) {
    const auto expect = [](const std::string& text, const std::string& line,
                           const std::string& what) {
        expect_refused(text, "data.csv, line " + line + ": " + what +
                                 "; is it a CSV file? save it as one, in UTF-8");
    };
    const auto expect_byte = [&](const std::string& text, const std::string& line,
                                 const std::string& byte) {
        expect(text, line, "the byte " + byte + " is not text in UTF-8");
    };
    // Control characters are UTF-8, but no text.
    expect(std::string("a,b\n1,\0\n", 8), "2", "the control character 0x00 is not allowed");
    expect("a\n1\n2\x1b\n", "3", "the control character 0x1b is not allowed");
    expect_byte("a\n\xe9t\xe9\n", "2", "0xe9");  // Latin-1
    expect_byte(std::string("\xff\xfe"
                            "a\0",
                            4),
                "1", "0xff");  // UTF-16
    for (const std::string bad : {"\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                  "\xf0\x80\x80\x80", "\xc3", "\xe2\x82", "\x80"})
        EXPECT_THROW(parse_table("a\n" + bad, "data.csv"), Error) << bad;
    EXPECT_EQ(parse_table("a,n\né€\xf0\x9f\x98\x80,1\n", "data.csv").columns[0].texts[0],
              "é€\xf0\x9f\x98\x80");
}

TEST(TableError, RefusesOptionsThatDoNotFit) {
    expect_refused("age,b\n1,2\n",
                   "data.csv: there is no column 'agee' to be read as texts; did you mean 'age'?",
                   {{}, {}, {"agee"}});
    expect_refused(
        "\"my\nage\",b\n1,2\n",
        "data.csv: there is no column 'myage' to be read as texts; did you mean 'my?age'?",
        {{}, {}, {"myage"}});
    expect_refused("age,b\n1,2\n",
                   "data.csv: there is no column 'income' to be read as texts; name one of its "
                   "columns",
                   {{}, {}, {"income"}});
    expect_refused("a|b\n1|2\n",
                   "data.csv: the separator is given as '|'; choose a comma, a semicolon or a tab",
                   {'|', {}, {}});
}

TEST(TableError, KeepsTheFileNameOnOneLine) {
    try {
        parse_table("", "a\nb", {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).rfind("a?b: ", 0), 0U) << error.what();
    }
}

}  // namespace
}  // namespace deepsl::data
