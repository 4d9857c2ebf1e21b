// Tables from text: what is found in it, and in real files.
#include "deepsl/data/table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../io/scratch.h"
#include "deepsl/io/file.h"
#include "table_check.h"

namespace deepsl::data {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
using Codes = std::vector<std::uint32_t>;

Table parse(std::string_view text, const TableOptions& options = {}) {
    auto table = parse_table(text, "data.csv", options);
    fuzz::check_table(table);
    return table;
}

/// The texts of a column, row by row; "-" where missing.
Names cells(const Column& column) {
    EXPECT_FALSE(column.numeric) << column.name;
    Names result;
    for (const auto code : column.codes)
        result.push_back(code == Column::missing ? "-" : column.texts.at(code));
    return result;
}

TEST(Table, HasNumbersTextsAndHoles) {
    const auto table = parse("age,job,income\n39,clerk,1.5\n?,smith,\n28,clerk,-3e-2\n50,NA,7\n");
    EXPECT_EQ(table.names(), (Names{"age", "job", "income"}));
    EXPECT_TRUE(table.header && table.header_found && table.separator_found);
    EXPECT_EQ(table.separator, ',');
    EXPECT_EQ(table.rows(), 4U);
    EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 3, 4, 5}));
    const auto& age = *table.find("age");
    EXPECT_TRUE(age.numeric);
    EXPECT_EQ(age.numbers[0], 39);
    EXPECT_TRUE(std::isnan(age.numbers[1]));
    EXPECT_EQ(age.holes, 1U);
    const auto& job = *table.find("job");
    EXPECT_EQ(job.texts, (Names{"clerk", "smith"}));
    EXPECT_EQ(job.codes, (Codes{0, 1, 0, Column::missing}));
    EXPECT_EQ(job.holes, 1U);
    EXPECT_EQ(table.find("income")->numbers[2], -0.03);
    EXPECT_EQ(table.find("wage"), nullptr);
}

TEST(Table, FindsTheSeparator) {
    const auto separator = [](std::string_view text) { return parse(text).separator; };
    EXPECT_EQ(separator("a,b\n1,2\n"), ',');
    EXPECT_EQ(separator("a;b\n1;2\n"), ';');
    EXPECT_EQ(separator("a\tb\n1\t2\n"), '\t');
    EXPECT_EQ(separator("1,5;2,5\n3,5;4,5\n"), ';');
    EXPECT_EQ(separator("\"x\",\"y; z\"\n\"u\",\"v; w\"\n"), ',');
    EXPECT_EQ(separator("\"a;b;c\",d\n\"1;2;3\",4\n"), ',');
    EXPECT_EQ(separator("note,n\nx; y,1\nz,2\n"), ',');
    EXPECT_EQ(separator("a\n1\n2\n"), ',');
    EXPECT_EQ(parse("a;b\n1;2\n", {',', {}, {}}).columns.size(), 1U);
    EXPECT_FALSE(parse("a;b\n1;2\n", {',', {}, {}}).separator_found);
    EXPECT_EQ(parse("name\nSmith\nSmith; John\nAnn\n").columns.size(), 1U);
}

TEST(Table, FindsTheHeader) {
    const auto header = [](std::string_view text) { return parse(text).header; };
    EXPECT_TRUE(header("a,b\n1,x\n"));
    EXPECT_FALSE(header("1,x\n2,y\n"));
    EXPECT_FALSE(header("inf ,x\ny,z\n"));
    EXPECT_TRUE(header("colour,size\nred,big\nblue,big\n"));
    EXPECT_FALSE(header("red,big\nblue,small\nred,small\n"));
    EXPECT_FALSE(header("?,big\nblue,small\n"));
    EXPECT_FALSE(header("red,big\n?,small\n?,big\n"));
    EXPECT_TRUE(header(",a,b\n0,1,x\n1,2,y\n"));  // as tables with an index are often written
    EXPECT_FALSE(header("?,a\n?,b\n"));
    EXPECT_EQ(parse(",a\n0,1\n").names(), (Names{"column1", "a"}));
    EXPECT_EQ(parse("1,x\n2,y\n").names(), (Names{"column1", "column2"}));
    EXPECT_EQ(parse("a,b\n1,x\n", {{}, false, {}}).rows(), 2U);
    // A name that is expected settles it.
    EXPECT_TRUE(parse("2019,y\n1,2\n", {{}, {}, {}, {"x", "y"}}).header);
    EXPECT_TRUE(parse(",c,y\n?,c,u\n0,y,v\n", {{}, {}, {}, {"y"}}).header);
    EXPECT_FALSE(parse("2019,y\n1,2\n", {{}, {}, {}, {"x"}}).header);
    EXPECT_FALSE(parse("2019,y\n1,2\n", {{}, false, {}, {"y"}}).header);
    EXPECT_EQ(parse("2019,2020\n1,2\n", {{}, true, {}}).names(), (Names{"2019", "2020"}));
    EXPECT_FALSE(parse("2019,2020\n1,2\n", {{}, true, {}}).header_found);
}

TEST(Table, ReadsQuotes) {
    const auto table = parse(
        "name,\"the \"\"note\"\"\",n\n\"Smith, John\",\"said \"\"yes\"\"\",1\n"
        "Ann,\"two\nlines\",\"2\"\n 5\" pipe , \" kept \" ,\" 3 \"\n");
    EXPECT_EQ(table.names(), (Names{"name", "the \"note\"", "n"}));
    EXPECT_EQ(cells(table.columns[0]), (Names{"Smith, John", "Ann", "5\" pipe"}));
    EXPECT_EQ(cells(table.columns[1]), (Names{"said \"yes\"", "two\nlines", " kept "}));
    EXPECT_EQ(table.columns[2].numbers, (Numbers{1, 2, 3}));
    EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 3, 5}));
}

TEST(Table, CountsLineBreaksInQuotes) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        const auto table = parse("a,b" + end + "1,\"x" + end + end + "y\"" + end + "2,z" + end);
        EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 5}));
        EXPECT_EQ(cells(table.columns[1]), (Names{"x\n\ny", "z"}));
    }
}

TEST(Table, KnowsOneTextInAllItsSpellings) {
    const auto table = parse("a,b\n1,x\"y\n2,\"x\"\"y\"\n3,x\"\"y\n");
    EXPECT_EQ(table.columns[1].texts, (Names{"x\"y", "x\"\"y"}));
    EXPECT_EQ(table.columns[1].codes, (Codes{0, 0, 1}));
}

TEST(Table, SkipsWhatIsNoRow) {
    for (const std::string text : {"a,b\n1,2\n3,4", "a,b\n1,2\n3,4\n",
                                   "\xef\xbb\xbf"
                                   "a,b\n1,2\n3,4\n",
                                   "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r",
                                   "a,b\n1,2\n3,4\n\n \t\n\r\n", "a, b\n 1 ,2\n3,\t4\n"}) {
        const auto table = parse(text);
        EXPECT_EQ(table.names(), (Names{"a", "b"})) << text;
        EXPECT_EQ(table.columns[0].numbers, (Numbers{1, 3})) << text;
        EXPECT_EQ(table.columns[1].numbers, (Numbers{2, 4})) << text;
        EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 3})) << text;
    }
    const auto table = parse("|1x3 Cross validator\n\n25, Private, <=50K.\n38, Local, |\n");
    EXPECT_EQ(table.rows(), 2U);
    EXPECT_EQ(table.lines, (std::vector<std::size_t>{3, 4}));
    EXPECT_EQ(cells(table.columns[2]), (Names{"<=50K.", "|"}));
}

TEST(Table, KeepsHolesAtTheEndOfLines) {
    const auto table = parse("a\tb\n1\t\n\t2\n3\t");
    EXPECT_EQ(table.rows(), 3U);
    EXPECT_EQ(table.columns[0].holes, 1U);
    EXPECT_EQ(table.columns[1].holes, 2U);
}

TEST(Table, KnowsWhatIsMissing) {
    const auto table = parse("n,t\n1,x\n,\n?,?\nNA,na\nNaN,nan\nnull,NULL\n-nan,\" \"\n");
    EXPECT_TRUE(table.columns[0].numeric);
    EXPECT_EQ(table.columns[0].holes, 6U);
    EXPECT_EQ(table.columns[1].holes, 6U);
    EXPECT_EQ(table.columns[1].texts, (Names{"x"}));
    const auto empty = parse("n,m\n1,\n2,\n");
    EXPECT_TRUE(empty.columns[1].numeric);
    EXPECT_EQ(empty.columns[1].holes, 2U);
}

TEST(Table, ReadsNumbersInDecimalNotation) {
    const auto table = parse("a\n+1\n-.5\n1.\n1E+5\n1e-999\n-0.1\n");
    EXPECT_EQ(table.columns[0].numbers, (Numbers{1, -0.5, 1, 1e5, 0, -0.1}));
    for (const std::string text : {"0x10", "+-1", "1_000", "1 000", "--1", "1e", "+", "1,5"})
        EXPECT_FALSE(parse("a;b\n1;1\n\"" + text + "\";2\n").columns[0].numeric) << text;
}

TEST(Table, TellsAStrayCell) {
    const auto table = parse("a,b\n1,x\n2,3\n\"12 \"\"abc\"\"\",4\nyz,v\n4,w\n");
    EXPECT_EQ(table.columns[0].stray, "12 \"abc\"");
    EXPECT_EQ(table.columns[0].stray_line, 4U);
    EXPECT_EQ(table.columns[1].stray_line, 0U);
    EXPECT_EQ(parse("x,1\n2,2\n3,3\ny,4\n5,5\n").columns[0].stray_line, 1U);
    EXPECT_EQ(parse("a\n1\n2\nx\n", {{}, true, {"a"}}).columns[0].stray_line, 0U);
}

TEST(Table, ReadsColumnsAsTextsWhereAsked) {
    const auto table = parse("zip,n\n01,1\n1,2\n01,inf1\n", {{}, {}, {"zip"}});
    EXPECT_EQ(cells(table.columns[0]), (Names{"01", "1", "01"}));
    EXPECT_EQ(cells(parse("zip\ninf\n", {{}, true, {"zip"}}).columns[0]), (Names{"inf"}));
    EXPECT_FALSE(parse("1,2\n", {{}, {}, {"column2"}}).columns[1].numeric);
}

TEST(Table, KeepsWhatIsNotFinite) {
    for (const std::string cell : {"inf", "Infinity", "1e999", "INF", "+inf"})
        EXPECT_EQ(parse("age,b\n1,2\n" + cell + ",3\n").columns[0].numbers,
                  (std::vector<double>{1, HUGE_VAL}))
            << cell;
    for (const std::string cell : {"-inf", "-1e400"})
        EXPECT_EQ(parse("age,b\n1,2\n" + cell + ",3\n").columns[0].numbers,
                  (std::vector<double>{1, -HUGE_VAL}))
            << cell;
}

TEST(Table, LetsTextsBeCalledInfinite) {
    EXPECT_EQ(cells(parse("n,t\n1,inf\n2,finite\n").columns[1]), (Names{"inf", "finite"}));
}

TEST(Table, OfOneColumnHasHolesInBlankLines) {
    const auto table = parse("a\n1\n\n3\n\n");
    EXPECT_EQ(table.rows(), 3U);
    EXPECT_EQ(table.columns[0].holes, 1U);
    EXPECT_EQ(parse("7").rows(), 1U);
}

TEST(Table, GivesSomeOfItsRows) {
    const auto table = parse("n,t\n1,x\n?,y\n3,?\n4,z\n");
    const auto some = table.rows_of(std::vector<std::size_t>{3, 1, 3, 2});
    for (const auto& column : some.columns) fuzz::check_column(column, 4);
    EXPECT_EQ(some.lines, (std::vector<std::size_t>{5, 3, 5, 4}));
    EXPECT_EQ(cells(some.columns[1]), (Names{"z", "y", "z", "-"}));
    EXPECT_EQ(some.columns[1].texts, (Names{"z", "y"}));
    EXPECT_EQ(some.columns[0].holes, 1U);
    EXPECT_EQ(some.columns[0].numbers[3], 3);
    EXPECT_EQ(some.names(), table.names());
    EXPECT_THROW(table.rows_of(std::vector<std::size_t>{4}), std::out_of_range);
    EXPECT_EQ(table.rows_of({}).rows(), 0U);
}

TEST(Table, MayBeWideOrHaveLongLines) {
    std::string wide = "c0";
    for (int i = 1; i < 100'000; ++i) wide += ",c" + std::to_string(i);
    wide += "\n1";
    for (int i = 1; i < 100'000; ++i) wide += i % 2 == 0 ? ",1" : ",x";
    EXPECT_EQ(parse(wide).columns.size(), 100'000U);

    const std::string text(10'000'000, 'x');
    EXPECT_EQ(parse("a,b\n1," + text + "\n2,\"" + text + "\"\n").columns[1].texts, (Names{text}));
}

// Twice the quotes, rows or texts must not take four times as long: far beyond that, it hangs.
TEST(Table, TakesTimeInProportion) {
    const auto begin = std::chrono::steady_clock::now();
    std::string quotes = "a,b\n", unclosed, texts = "a,b\n";
    for (int i = 0; i < 300'000; ++i) {
        quotes += "\"\"\"\"\"\n\",1\n";
        unclosed += "\"x\"y,\"";
        texts += std::to_string(i) + "x,1\n";
    }
    EXPECT_EQ(parse(quotes).columns[0].texts.size(), 1U);
    EXPECT_THROW(parse(unclosed), Error);
    EXPECT_EQ(parse(texts).columns[0].texts.size(), 300'000U);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Table, ComesFromAFile) {
    const test::Scratch scratch;
    test::put(scratch.path("t.csv"), "a;b\n1;x\n");
    const auto table = read_table(scratch.path("t.csv"));
    EXPECT_EQ(table.path, scratch.path("t.csv"));
    EXPECT_EQ(table.names(), (Names{"a", "b"}));
    EXPECT_THROW(read_table(scratch.path("missing.csv")), Error);
}

TEST(Table, NamesItsSeparators) {
    EXPECT_EQ(separator_name(','), "comma");
    EXPECT_EQ(separator_name(';'), "semicolon");
    EXPECT_EQ(separator_name('\t'), "tab");
    EXPECT_EQ(separator_name('|'), "");
}

// What the fuzzer starts from, and what it once found, also where there is no fuzzer.
TEST(Table, KeepsItsPromisesOnTheCorpus) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(DEEPSL_FUZZ_DIR "/corpus/table")) {
        const auto path = entry.path().string();
        EXPECT_NO_THROW(fuzz::check_text(io::read_file(path, 1 << 20))) << path;
        ++files;
    }
    EXPECT_GE(files, 20U);
}

struct RealFile {
    const char* path;
    bool header;
    std::size_t rows, holes;
    std::string types;  // of each column: n or t
};

void PrintTo(const RealFile& file, std::ostream* out) { *out << file.path; }

class RealTable : public testing::TestWithParam<RealFile> {};

TEST_P(RealTable, IsReadAsItIs) {
    const auto& expected = GetParam();
    const auto path = std::string(DEEPSL_SHARED_DIR "/data/") + expected.path;
    if (!std::filesystem::exists(path))
        GTEST_SKIP() << path << " is not there; set DEEPSL_SHARED_DIR to the folder that has it.";
    const auto table = read_table(path);
    fuzz::check_table(table);
    std::string types;
    std::size_t holes = 0;
    for (const auto& column : table.columns) {
        types += column.numeric ? 'n' : 't';
        holes += column.holes;
        EXPECT_EQ(column.stray_line, 0U) << column.name;
    }
    EXPECT_EQ(table.separator, ',');
    EXPECT_EQ(table.header, expected.header);
    EXPECT_EQ(table.rows(), expected.rows);
    EXPECT_EQ(holes, expected.holes);
    EXPECT_EQ(types, expected.types);
}

INSTANTIATE_TEST_SUITE_P(
    , RealTable,
    testing::Values(RealFile{"adult/adult.data", false, 32561, 4262, "ntntntttttnnntt"},
                    RealFile{"adult/adult.test", false, 16281, 2203, "ntntntttttnnntt"},
                    RealFile{"bank/bank.csv", true, 11162, 0, "nttttntttntnnnntt"},
                    RealFile{"dry_bean/Dry_Bean_Dataset.csv", true, 13611, 0,
                             "nnnnnnnnnnnnnnnnt"}));

}  // namespace
}  // namespace deepsl::data
