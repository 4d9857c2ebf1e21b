// Configuration files as text: what is read, what is refused, and what is written back.
#include "../../cli/config.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "config_check.h"

namespace deepsl::cli {
namespace {

std::string said(const std::string& text) {
    try {
        parse_config(text, "run.toml", fuzz::known_keys());
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::argument);
        return error.what();
    }
    return "no exception";
}

std::string repeated(std::size_t times, const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

TEST(Config, ReadsFlagsAsTheyWouldBeTyped) {
    const auto config = parse_config(
        "data = \"bank.csv\"\nlearning-rate = 2e-3\nhidden = [64, 32]\ndrop = [\"a\", 3]\n"
        "quiet = true\n",
        "run.toml", fuzz::known_keys());
    const std::map<std::string, std::string> expected = {{"data", "bank.csv"},
                                                         {"learning-rate", "0.002"},
                                                         {"hidden", "64-32"},
                                                         {"drop", "a,3"},
                                                         {"quiet", "true"}};
    EXPECT_EQ(config.values, expected);
    EXPECT_EQ(config.lines.at("drop"), 4u);
}

TEST(Config, ReadsTheNotationsOfToml) {
    const struct {
        std::string written, value;
    } cases[] = {
        {R"("a\tb\"\\\u00e4\U0001F600")", "a\tb\"\\ä😀"},
        {R"('a\tb')", R"(a\tb)"},
        {"\"\"\"\na\n\"\"b\\\n   \t c\"\"\"\"\"", "a\n\"\"bc\"\""},
        {"'''a\n'b''''", "a\n'b'"},
        {"\"\"", ""},
        {"1_000", "1000"},
        {"-17", "-17"},
        {"+5", "5"},
        {"0x1F", "31"},
        {"0o17", "15"},
        {"0b101", "5"},
        {"1_0.5e-1", "1.05"},
        {"-inf", "-inf"},
        {"nan", "nan"},
        {"false", "false"},
        {"[]", ""},
        {"[ 1, # one\r\n 'b,',\r\n ]", "1,b,"},
    };
    for (const auto& [written, value] : cases) {
        const auto text = "\xef\xbb\xbf# first\r\n'data' = " + written + " # ä\n";
        ASSERT_EQ(said(text), "no exception") << written;
        const auto config = parse_config(text, "run.toml", fuzz::known_keys());
        EXPECT_EQ(config.values.at("data"), value) << written;
        EXPECT_EQ(config.lines.at("data"), 2u);
    }
}

TEST(Config, SaysWhatIsWrongWhereAndWhatToWrite) {
    const struct {
        std::string text, what;
    } cases[] = {
        {"[data]", "line 1: a [table] begins here"},
        {"\n [[[", "line 2: a [table] begins here"},
        {"data.x = 1", "line 1: the key 'data' goes on with a dot"},
        {"data", "line 1: '=' is missing after the key 'data'"},
        {"= 1", "line 1: '=' stands where a key is expected"},
        {"ä = 1", "stands where a key is expected"},
        {"\"\"\"data\"\"\" = 1", "a key cannot go over several lines"},
        {"data =\n1", "line 1: a value is missing"},
        {"data = = 1", "line 1: a value is missing"},
        {"data = {a = 1}", "line 1: a value is missing"},
        {"drop = [}", "line 1: a value is missing"},
        {"drop = [1,\n,2]", "line 2: a value is missing"},
        {"drop = [1", "a comma or ']' is missing in the list of 'drop'"},
        {"drop = [1 2]", "a comma or ']' is missing in the list of 'drop'"},
        {"drop = [1,\n[2]]", "line 2: there is a list within the list of 'drop'"},
        {"data = 1 2", "'2' follows the value of 'data'"},
        {"data = \"a\"\"b\"", "'\"' follows the value of 'data'"},
        {"data = bank.csv", "'bank.csv' is neither a text in quotes nor a number"},
        {"data = 1979-05-27", "'1979-05-27' is neither"},
        {"data = \"a\n\"", "line 1: the quote \" is never closed"},
        {"\ndata = '''a\n\n", "line 2: the quote ''' is never closed"},
        {R"(data = "a\q")", "a backslash stands before 'q'; write it twice"},
        {R"(data = "\ud800")", "'d800' is not the number of a character"},
        {R"(data = "\U00110000")", "'00110000' is not the number of a character"},
        {R"(data = "\u12")", "is not the number of a character"},
        {"data = 1\n\nb\xff", "line 3: the byte 0xff is not text in UTF-8"},
        {"data = \"\x01\"", "line 1: the control character 0x01"},
        {"data = 1\rdrop = 2", "the control character 0x0d"},
        {"data = 1\ndrop = 3\ndata = 2", "line 3: 'data' is given a second time, after line 1"},
    };
    for (const auto& [text, what] : cases) {
        const auto answer = said(text);
        EXPECT_NE(answer.find(what), std::string::npos) << answer;
        EXPECT_NE(answer.find("; "), std::string::npos) << answer;
    }
    for (const std::string number : {"01",
                                     "1__0",
                                     "_1",
                                     "1_",
                                     "1.",
                                     ".5",
                                     "1.e5",
                                     "1e",
                                     "0x",
                                     "0x_1",
                                     "+0x1",
                                     "0b2",
                                     "1_.5",
                                     "99999999999999999999",
                                     "0xffffffffffffffff",
                                     "1e999",
                                     "--1",
                                     "infinity",
                                     "True",
                                     "0x-1"})
        EXPECT_NE(said("data = " + number).find("is neither a text"), std::string::npos) << number;
}

// These ended the stack of a parser that calls itself for each level.
TEST(Config, TakesNoStackForWhatIsNestedDeeply) {
    for (const std::size_t depth : {std::size_t{2}, std::size_t{50'000}}) {
        EXPECT_NE(said("data" + repeated(depth, ".a") + " = 1\n").find("goes on with a dot"),
                  std::string::npos);
        EXPECT_NE(said("[a" + repeated(depth, ".a") + "]\n").find("a [table]"), std::string::npos);
        EXPECT_NE(
            said("drop = " + repeated(depth, "[") + repeated(depth, "]")).find("a list within"),
            std::string::npos);
        EXPECT_NE(said("data = " + repeated(depth, "{a = ")).find("a value is missing"),
                  std::string::npos);
    }
}

TEST(Config, ShowsNothingThatATerminalObeys) {
    EXPECT_EQ(said("\"\\u001b[2J\" = 1\n").find("run.toml, line 1: there is no option '?[2J'"), 0u);
    for (const std::string text : {"data = \033[2J\n", "\033 = 1", "data = \"\033[2J\"\n"})
        EXPECT_EQ(printable(said(text)), said(text));
    try {
        parse_config("a = = 1", "\033[2J", {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("?[2J, line 1: ")) << error.what();
    }
}

TEST(Config, WritesNumbersThatTomlHasAndTheRestAsTexts) {
    const auto written = [](const std::string& value) { return config_text({{"data", value}}); };
    for (const std::string number : {"0", "-7", "0.5", "1e3", "1.5E-3", "-2e+10", "true"})
        EXPECT_EQ(written(number), "data = " + number + "\n");
    for (const std::string text : {"",
                                   "01",
                                   "-01",
                                   "+1",
                                   ".5",
                                   "-.5",
                                   "1.",
                                   "1.e5",
                                   "1e",
                                   "1e+",
                                   "inf",
                                   "nan",
                                   "infinity",
                                   "nan(1)",
                                   "0x1f",
                                   " 1",
                                   "99999999999999999999",
                                   "1e999",
                                   "1-2",
                                   "True"})
        EXPECT_EQ(written(text), "data = \"" + text + "\"\n");
    EXPECT_EQ(written("a\"\\\n\x7f"), "data = \"a\\\"\\\\\\u000a\\u007f\"\n");
}

TEST(Config, KeepsTheFuzzersPromises) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(DEEPSL_FUZZ_DIR "/corpus/config")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        EXPECT_NO_THROW(fuzz::check_config(text)) << entry.path();
        ++files;
    }
    EXPECT_GT(files, 10u);
}

}  // namespace
}  // namespace deepsl::cli
