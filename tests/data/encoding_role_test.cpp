// Which columns an encoding drops and why, and the sentences of its refusals.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/data/encoding.h"
#include "tables.h"

namespace deepsl::data {
namespace {

using test::hole, test::numbers, test::refusal, test::table, test::texts;

/// All of 0, 1, .. in an order that counts nothing; `count` is no multiple of 7.
std::vector<double> mixed(std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<double>(7 * i % count));
    return values;
}

std::vector<std::string> words(std::size_t count, std::size_t different) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < count; ++i) cells.push_back(std::to_string(i % different) + "w");
    return cells;
}

/// Beside a column that is always of use.
EncodedColumn judged(Column column, const EncodingOptions& options = {},
                     std::vector<std::size_t> lines = {}) {
    const auto rows = column.size();
    std::vector<double> useful;
    for (std::size_t i = 0; i < rows; ++i) useful.push_back(static_cast<double>(i * i));
    auto training = table({std::move(column), numbers("useful", std::move(useful))});
    if (!lines.empty()) training.lines = std::move(lines);
    return Encoding::fit(training, "", options).columns()[0];
}

void expect_dropped(const EncodedColumn& column, Role role, const std::string& why) {
    EXPECT_EQ(name(column.role), name(role));
    EXPECT_EQ(column.why, why);
    EXPECT_FALSE(column.used());
    EXPECT_EQ(column.width(), 0U);
}

std::vector<double> counting(std::size_t count, double first, double step) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(first + step * static_cast<double>(i));
    return values;
}

TEST(EncodingRole, DropsConstants) {
    expect_dropped(judged(numbers("a", {3, 3, hole})), Role::constant, "has only the value 3");
    expect_dropped(judged(texts("a", {"x", "x", "x"})), Role::constant, "has only the value 'x'");
    expect_dropped(judged(numbers("a", {hole, hole})), Role::constant, "has no values");
    expect_dropped(judged(texts("a", {"", ""})), Role::constant, "has no values");
    EncodingOptions options;
    options.roles["a"] = Role::number;
    expect_dropped(judged(numbers("a", {hole, hole}), options), Role::constant, "has no values");
    // Whether it is missing may matter.
    EXPECT_EQ(judged(texts("a", {"x", "", "x"})).width(), 2U);
}

TEST(EncodingRole, ALevelThatNoRowHasDoesNotCount) {
    auto column = texts("a", {"x", "x"});
    column.texts.push_back("elsewhere");
    expect_dropped(judged(column), Role::constant, "has only the value 'x'");
}

TEST(EncodingRole, DropsWhatOnlyCountsTheRows) {
    const std::string why = "only counts the rows";
    expect_dropped(judged(numbers("a", counting(20, 5, 1))), Role::identifier, why);
    expect_dropped(judged(numbers("a", counting(20, 5, -1))), Role::identifier, why);
    EXPECT_TRUE(judged(numbers("a", counting(19, 5, 1))).used());
    EXPECT_TRUE(judged(numbers("a", counting(20, 5, 2))).used());
    EXPECT_TRUE(judged(numbers("a", counting(20, 0.5, 1))).used());
    EXPECT_TRUE(judged(numbers("a", mixed(20))).used());
    auto with_hole = counting(20, 5, 1);
    with_hole[3] = hole;
    EXPECT_TRUE(judged(numbers("a", with_hole)).used());
    // Rows picked from a file, in any order: the number moves with the line.
    std::vector<std::size_t> lines;
    std::vector<double> values;
    for (const double value : mixed(25)) {
        lines.push_back(static_cast<std::size_t>(3 * value) + 2);
        values.push_back(3 * value);
    }
    expect_dropped(judged(numbers("a", values), {}, lines), Role::identifier, why);
    values[7] += 1;
    EXPECT_TRUE(judged(numbers("a", values), {}, lines).used());
}

TEST(EncodingRole, DropsWhatIsNamedAsAnIdentifierAndIsOne) {
    const std::string why = "has a different value in every row, as its name suggests";
    for (const std::string name : {"id", "ID", "Index"}) {
        expect_dropped(judged(numbers(name, {9, 4, 7})), Role::identifier, why);
        expect_dropped(judged(texts(name, {"u", "v", "w"})), Role::identifier, why);
        EXPECT_TRUE(judged(numbers(name, {9, 4, 9})).used());
        EXPECT_TRUE(judged(numbers(name, {9, 4.5, 7})).used());
    }
    EXPECT_TRUE(judged(numbers("idle", {9, 4, 7})).used());
}

TEST(EncodingRole, DropsTextsThatAreNearlyAllDifferent) {
    expect_dropped(judged(texts("a", words(100, 95))), Role::identifier,
                   "has 95 different texts in 100 rows");
    EXPECT_EQ(judged(texts("a", words(100, 94))).width(), 94U);
    EXPECT_EQ(judged(texts("a", words(50, 50))).width(), 50U);
    EXPECT_FALSE(judged(texts("a", words(51, 51))).used());
    EXPECT_EQ(judged(numbers("a", {1, 2, 1, 1})).role, Role::number);
}

TEST(EncodingRole, FollowsTheCaller) {
    EncodingOptions options;
    options.roles = {{"a", Role::category}};
    EXPECT_EQ(judged(texts("a", words(100, 100)), options).width(), 100U);
    options.roles = {{"a", Role::number}};
    const auto constant = judged(numbers("a", {3, 3}), options);
    EXPECT_EQ(constant.width(), 1U);
    EXPECT_EQ(constant.deviation, 1);
    options.roles = {{"a", Role::identifier}};
    expect_dropped(judged(numbers("a", {3, 4}), options), Role::identifier,
                   "is left out on request");
    options.dropped = {"a"};
    options.roles = {{"a", Role::number}};
    expect_dropped(judged(numbers("a", {3, 4}), options), Role::dropped, "is left out on request");
}

TEST(EncodingRole, RefusesInOneSentence) {
    const auto training = table({numbers("age", {1, 5, 2}), texts("job", {"x", "y", "x"})});
    const auto said = [&](const EncodingOptions& options, std::string_view target = "") {
        return refusal([&] { Encoding::fit(training, target, options); });
    };
    EncodingOptions options;
    options.roles["agee"] = Role::number;
    EXPECT_EQ(said(options),
              "'people.csv' has no column 'agee' to give a role to; did you mean 'age'?");
    options = {};
    options.dropped = {"height"};
    EXPECT_EQ(said(options),
              "'people.csv' has no column 'height' to leave out; it has 'age', 'job'");
    options.dropped = {"age"};
    EXPECT_EQ(said(options, "age"),
              "'people.csv', column 'age' is the target, which is no input to leave out; name "
              "another column");
    EXPECT_EQ(said(options, "jobs"),
              "'people.csv' has no column 'jobs' to be the target; did you mean 'job'?");
    EXPECT_EQ(said(options, "job"),
              "'people.csv' has no column to learn from: 'age' is left out on request; give one of "
              "them a role");
    options = {};
    options.most_categories = 1;
    EXPECT_EQ(said(options),
              "'people.csv', column 'job' has 2 different texts, more than the 1 that are allowed; "
              "leave out the column (--drop job)");
    EXPECT_EQ(refusal([] {
                  Encoding::fit(table({numbers("y", {1, 2})}), "y");
              }),
              "'people.csv' has no column to learn from; add columns beside the target");
    EXPECT_EQ(refusal([] { Encoding::fit(table({numbers("y", {})}), ""); }),
              "'people.csv' has no rows to learn from below its header; add some");
    EXPECT_EQ(refusal([] {
                  Encoding::fit(table({numbers("y", {1, HUGE_VAL})}), "");
              }),
              "'people.csv', line 3, column 'y': 'inf' is not a finite number, though its column "
              "holds numbers; correct it or leave it empty");
}

TEST(EncodingRole, ATextAmongManyNumbersIsAMistake) {
    const std::string sentence =
        "'people.csv', line 7, column 'a': '12 abc' is not a number, though most cells of the "
        "column are; correct it or leave it empty, or leave out the column";
    auto cells = words(100, 100);
    cells[5] = "12 abc";
    auto column = texts("a", cells);
    column.stray = "12 abc";
    column.stray_line = 7;
    EXPECT_EQ(refusal([&] { judged(column); }), sentence);
    EncodingOptions options;
    options.roles["a"] = Role::category;
    options.most_categories = 99;
    EXPECT_EQ(refusal([&] { judged(column, options); }), sentence);
}

TEST(EncodingRole, RefusesTablesThatDoNotFit) {
    const auto training = table(
        {numbers("age", {1, 5, 2}), texts("job", {"x", "y", "x"}), numbers("pay", {2, hole, 1})});
    const auto encoding = Encoding::fit(training, "");
    const auto said = [&](std::vector<Column> columns, bool strict) {
        return refusal([&] { encoding.apply(table(std::move(columns)), strict); });
    };
    const auto job = texts("job", {"x", "y"});
    const auto pay = numbers("pay", {1, hole});
    EXPECT_EQ(said({numbers("Age", {1, 2}), job, pay}, false),
              "'people.csv' has no column 'age', which the model needs; did you mean 'Age'?");
    EXPECT_EQ(said({texts("age", {"1", "old"}), job, pay}, false),
              "'people.csv', line 3, column 'age': 'old' is not a number, as the cells were in "
              "training; correct it or leave it empty");
    EXPECT_EQ(said({numbers("age", {1, 2}), job, pay}, true), "no exception");
    EXPECT_EQ(said({numbers("age", {1, 5.5}), job, pay}, true),
              "'people.csv', line 3, column 'age': 5.5 is beyond the training range, 1 to 5; "
              "correct it, or leave out --strict");
    EXPECT_EQ(said({numbers("age", {hole, 5}), job, pay}, true),
              "'people.csv', line 2, column 'age': the cell is missing, and training had none that "
              "was; correct it, or leave out --strict");
    EXPECT_EQ(said({numbers("age", {1, 5}), texts("job", {"x", "z"}), pay}, true),
              "'people.csv', line 3, column 'job': training did not have 'z'; correct it, or leave "
              "out --strict");
    EXPECT_EQ(said({numbers("age", {1, 5.5}), texts("job", {"x", "z"}), pay}, false),
              "no exception");
}

}  // namespace
}  // namespace deepsl::data
