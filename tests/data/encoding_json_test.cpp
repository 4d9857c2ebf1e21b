// Encodings written as JSON and read back, to the same bits, and texts that are no encoding.
#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "deepsl/data/encoding.h"
#include "deepsl/io/file.h"
#include "encoding_check.h"
#include "tables.h"

namespace deepsl::data {
namespace {

using test::hole, test::numbers, test::refusal, test::table, test::texts;

Table training(bool header = true) {
    auto made = table({numbers("age", {0.1, 1.0 / 3, 1e-310, hole, 7e22}),
                       texts("job", {"a \"b\"", "\xc3\xa4", "", "x", "x"}),
                       numbers("same", {1, 1, 1, 1, 1}), texts("pay", {"u", "v", "u", "v", "u"})},
                      header);
    return made;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
    std::vector<std::uint64_t> all;
    for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
    return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in " << text;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string said(const std::string& text) {
    return refusal([&] { Encoding::from_json(text); });
}

TEST(EncodingJson, ComesBackToTheBit) {
    for (const bool header : {true, false})
        for (const std::string target : {"", "pay", "age"})
            for (const auto scale : {ColumnScale::rank, ColumnScale::zscore, ColumnScale::minmax,
                                     ColumnScale::none, ColumnScale::normal}) {
                EncodingOptions options;
                options.scale = scale;
                const auto encoding = Encoding::fit(training(header), target, options);
                const auto written = encoding.to_json();
                const auto back = Encoding::from_json(written);
                EXPECT_EQ(back.to_json(), written);
                EXPECT_EQ(back.input_names(), encoding.input_names());
                const auto x = encoding.apply(training()), again = back.apply(training());
                EXPECT_EQ(bits(again.x), bits(x.x));
                EXPECT_EQ(again.notes.ignored, x.notes.ignored);
                EXPECT_EQ(again.notes.holes, x.notes.holes);
                for (std::size_t i = 0; i < encoding.columns().size(); ++i) {
                    const auto &one = encoding.columns()[i], &other = back.columns()[i];
                    EXPECT_EQ(one.why, other.why);
                    EXPECT_EQ(one.scale, other.scale);
                    EXPECT_EQ(
                        bits({one.median, one.mean, one.deviation, one.low, one.high}),
                        bits({other.median, other.mean, other.deviation, other.low, other.high}));
                    EXPECT_EQ(bits(one.knots), bits(other.knots));
                    EXPECT_EQ(bits(one.ranks), bits(other.ranks));
                }
            }
}

// Files are read by other versions, too.
TEST(EncodingJson, NamesScalesAndRolesAsItAlwaysHas) {
    const std::pair<ColumnScale, const char*> scales[] = {{ColumnScale::rank, "rank"},
                                                          {ColumnScale::zscore, "zscore"},
                                                          {ColumnScale::minmax, "minmax"},
                                                          {ColumnScale::none, "none"},
                                                          {ColumnScale::normal, "normal"}};
    for (const auto& [scale, name] : scales) {
        EncodingOptions options;
        options.scale = scale;
        options.dropped = {"pay"};
        const auto text = Encoding::fit(training(), "", options).to_json();
        EXPECT_NE(text.find(fmt::format(R"("scale":"{}")", name)), std::string::npos) << text;
        for (const auto* role : {"number", "category", "constant", "dropped"})
            EXPECT_NE(text.find(fmt::format(R"("role":"{}")", role)), std::string::npos) << text;
    }
}

TEST(EncodingJson, KeepsThePlaceOfTheTarget) {
    auto later = training(false);
    const auto back = Encoding::from_json(Encoding::fit(training(), "age").to_json());
    const auto x = back.apply(later).x;
    later.columns.erase(later.columns.begin());
    EXPECT_EQ(back.apply(later).x, x);
}

TEST(EncodingJson, RefusesWhatMakesNoSense) {
    const auto good = R"({"version":1,"by_place":false,"target":{"name":"y","place":2},"columns":[
        {"name":"a","role":"number","missing_share":0,"scale":"rank","median":1,"mean":1,
         "deviation":1,"low":0,"high":2,"knots":[0,1,2],"ranks":[-1,0,1]},
        {"name":"b","role":"category","missing_share":0.5,"levels":["u","v"],"shares":[0.25,0.25]},
        {"name":"c","role":"constant","why":"has no values"}]})";
    EXPECT_EQ(said(good), "no exception");
    struct Change {
        const char *from, *to, *what;
    };
    const Change changes[] = {
        {"[0,1,2]", "[0,2,1]", "column 'a' has knots that do not increase"},
        {"[0,1,2]", "[0,1,1]", "column 'a' has knots that do not increase"},
        {"[0,1,2]", "[0,1]", "column 'a' has knots without their ranks"},
        {"[-1,0,1]", "[0,-1,1]", "column 'a' has ranks that decrease"},
        {"[-1,0,1]", "[-1,0,1e300]", "column 'a' has ranks too large for so few values"},
        {"\"rank\"", "\"rang\"", "column 'a' has an unknown scale"},
        {"\"rank\"", "\"auto\"", "column 'a' has an unknown scale"},
        {"\"deviation\":1", "\"deviation\":0", "column 'a' has a deviation that is not positive"},
        {"\"low\":0", "\"low\":3", "column 'a' has a range that ends before it begins"},
        {"[0.25,0.25]", "[0.25,-1]", "column 'b' has a share that is not between 0 and 1"},
        {"\"median\":1", "\"median\":2.5", "column 'a' has a median outside its range"},
        {"[0,1,2]", "[-1,1,2]", "column 'a' has knots outside its range"},
        {"[0,1,2]", "[0,1,3]", "column 'a' has knots outside its range"},
        {"[0.25,0.25]", "[0.25,0.26]", "column 'b' has shares of more than all rows"},
        {"[0.25,0.25]", "[0.25]", "column 'b' has categories without shares"},
        {"[\"u\",\"v\"]", "[\"u\",\"u\"]", "column 'b' has a category twice"},
        {"0.5", "1.5", "column 'b' has a share that is not between 0 and 1"},
        {"\"constant\"", "\"boss\"", "there is no role 'boss'"},
        {"\"name\":\"b\"", "\"name\":\"a\"", "column 'a' is there twice"},
        {"\"name\":\"y\"", "\"name\":\"b\"", "its target 'b' is among its inputs"},
        {"\"place\":2", "\"place\":4", "its target has no place among its columns"},
        {"\"place\":2", "\"place\":-1", "its target has no place among its columns"},
        {"\"place\":2", "\"place\":1.5", "its target has no place among its columns"},
        {"\"version\":1", "\"version\":2", "its version is not 1"},
        {"\"median\":1", "\"median\":1e999", "it is not the JSON text that is expected"},
        {"\"median\":1", "\"median\":null", "it is not the JSON text that is expected"},
        {"\"median\":1", "\"medium\":1", "it is not the JSON text that is expected"},
        {"[0,1,2]", "[0,[1],2]", "it is nested too deeply"},
        {"[0,1,2]", "{\"0\":1}", "it is not the JSON text that is expected"},
        {"[\"u\",\"v\"]", "[1,2]", "it is not the JSON text that is expected"},
        {"false", "0", "it is not the JSON text that is expected"},
    };
    for (const auto& [from, to, what] : changes)
        EXPECT_EQ(said(replaced(good, from, to)),
                  std::string("the model's encoding makes no sense: ") + what +
                      "; train again or restore the model's file");
    EXPECT_NE(said(R"({"version":1,"by_place":true,"columns":[]})").find("has no inputs"),
              std::string::npos);
}

/// `count` times what `item` gives for a number, between commas.
std::string list(std::size_t count, const std::function<std::string(std::size_t)>& item) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) text += ',';
        text += item(i);
    }
    return text;
}

TEST(EncodingJson, LimitsItsSize) {
    const auto with_knots = [](std::size_t count) {
        const auto numbers = list(count, [](std::size_t i) { return std::to_string(i); });
        return R"({"version":1,"by_place":false,"columns":[{"name":"a","role":"number",
            "missing_share":0,"scale":"rank","median":1,"mean":1,"deviation":1,"low":0,
            "high":2000,"knots":[)" +
               numbers + R"(],"ranks":[)" + numbers + "]}]}";
    };
    EXPECT_EQ(said(with_knots(1000)), "no exception");
    EXPECT_NE(said(with_knots(1001)).find("column 'a' has too many knots"), std::string::npos);

    const auto columns = list(1'000'001, [](std::size_t) { return "0"; });
    EXPECT_NE(said(R"({"version":1,"by_place":false,"columns":[)" + columns + "]}")
                  .find("too many columns"),
              std::string::npos);
    const auto levels = list(1'000'001, [](std::size_t i) { return fmt::format("\"{}\"", i); });
    const auto shares = list(1'000'001, [](std::size_t) { return "0"; });
    EXPECT_NE(said(R"({"version":1,"by_place":false,"columns":[{"name":"a","role":"category",)"
                   R"("missing_share":0,"levels":[)" +
                   levels + R"(],"shares":[)" + shares + "]}]}")
                  .find("too many inputs"),
              std::string::npos);
    EXPECT_NE(
        said("[" + list(10'000'001, [](std::size_t) { return "0"; }) + "]").find("too many values"),
        std::string::npos);
    EXPECT_NE(said(std::string(100'000'001, ' ')).find("too long"), std::string::npos);
}

TEST(EncodingJson, RefusesAnyOtherText) {
    const auto good = Encoding::fit(training(), "pay").to_json();
    const std::string start = "the model's encoding makes no sense: ";
    for (const std::string text : {"", "null", "[]", "{}", "7", "\"x\"", "{\"columns\":3}", "\xff"})
        EXPECT_TRUE(said(text).starts_with(start)) << text;
    EXPECT_TRUE(said(std::string(10'000'000, '[')).starts_with(start));
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_TRUE(said(good.substr(0, length)).starts_with(start)) << length;
    // A changed byte is refused or harmless, but never another exception.
    for (std::size_t place = 0; place < good.size(); ++place)
        for (const char byte : {'"', '0', '-', '[', '}', ',', 'e', '\\', '\xff'}) {
            auto text = good;
            text[place] = byte;
            const auto answer = said(text);
            EXPECT_TRUE(answer == "no exception" || answer.starts_with(start)) << answer;
        }
}

// What the fuzzer starts from, and what it once found, also where there is no fuzzer.
TEST(EncodingJson, KeepsItsPromisesOnTheCorpus) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(DEEPSL_FUZZ_DIR "/corpus/encoding")) {
        const auto path = entry.path().string();
        EXPECT_NO_THROW(fuzz::check_encoding(io::read_file(path, 1 << 20))) << path;
        ++files;
    }
    EXPECT_GE(files, 7U);
}

TEST(EncodingJson, RefusesToWriteWhatIsNotText) {
    const auto encoding = Encoding::fit(table({texts("a", {"\xff", "b"})}), "");
    EXPECT_EQ(refusal([&] { (void)encoding.to_json(); }),
              "a column's name or text is not UTF-8; convert the training file first");
}

}  // namespace
}  // namespace deepsl::data
