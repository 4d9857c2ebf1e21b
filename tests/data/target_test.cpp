// Targets: classes or numbers, a model's classes found again, and the sentences of refusals.
#include "deepsl/data/target.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tables.h"

namespace deepsl::data {
namespace {

using test::hole, test::numbers, test::refusal, test::table, test::texts;
using Names = std::vector<std::string>;
using Labels = std::vector<std::int64_t>;

std::string said(Column column, TargetKind kind = TargetKind::automatic, const Names& known = {}) {
    const auto name = column.name;
    const auto made = table({std::move(column)});
    return refusal([&] { read_target(made, name, kind, known); });
}

TEST(Target, TextsAreClasses) {
    const auto target = read_target(table({texts("y", {"no", "yes", "no"})}), "y");
    EXPECT_EQ(target.name, "y");
    EXPECT_EQ(target.classes, (Names{"no", "yes"}));
    EXPECT_EQ(target.labels, (Labels{0, 1, 0}));
    EXPECT_TRUE(target.numbers.empty());
}

TEST(Target, FewWholeNumbersAreClassesInTheirOrder) {
    const auto target = read_target(table({numbers("y", {10, 2, -1, 2})}), "y");
    EXPECT_EQ(target.classes, (Names{"-1", "2", "10"}));
    EXPECT_EQ(target.labels, (Labels{2, 1, 0, 1}));
    EXPECT_EQ(read_target(table({numbers("y", {-0.0, 1, 0})}), "y").classes, (Names{"0", "1"}));
}

TEST(Target, OtherNumbersAreARegression) {
    const auto halves = table({numbers("y", {0.5, 2, 2})});
    EXPECT_EQ(read_target(halves, "y").numbers, (std::vector<double>{0.5, 2, 2}));
    EXPECT_TRUE(read_target(halves, "y").labels.empty());
    const auto many = table({numbers("y", {1, 2, 3, 4})});
    EXPECT_TRUE(read_target(many, "y", TargetKind::automatic, {}, 3).classes.empty());
    EXPECT_EQ(read_target(many, "y", TargetKind::automatic, {}, 4).classes.size(), 4U);
}

TEST(Target, TheCallerMayChoose) {
    EXPECT_EQ(read_target(table({numbers("y", {1, 2})}), "y", TargetKind::numbers).numbers.size(),
              2U);
    EXPECT_EQ(read_target(table({numbers("y", {1.5, 2})}), "y", TargetKind::classes).classes,
              (Names{"1.5", "2"}));
    EXPECT_EQ(read_target(table({texts("y", {"1e1", "2"})}), "y", TargetKind::numbers).numbers,
              (std::vector<double>{10, 2}));
}

TEST(Target, OfMeasuredRowsMayBeOneValue) {
    const auto same = table({texts("y", {"b", "b"})});
    EXPECT_EQ(read_measured_target(same, "y", {"a", "b"}).labels, (Labels{1, 1}));
    EXPECT_EQ(read_measured_target(table({numbers("y", {2, 2})}), "y", {}).numbers,
              (std::vector<double>{2, 2}));
    EXPECT_NE(refusal([&] { read_measured_target(same, "y", {"a", "c"}); }), "");
}

TEST(Target, OfNamesIsNoClass) {
    Names many;
    for (int i = 0; i < 40; ++i) many.push_back("name " + std::to_string(i));
    const auto names = table({texts("y", many)});
    EXPECT_EQ(said(texts("y", many)),
              "'people.csv', column 'y': the target has 40 different texts in 40 rows, too many to "
              "be learned as classes; name another target, or ask for it with --task classes");
    EXPECT_EQ(read_target(names, "y", TargetKind::classes).classes.size(), 40U);
    EXPECT_EQ(read_measured_target(names, "y", many).labels.size(), 40U);
}

TEST(Target, FindsTheClassesOfAModel) {
    const Names known = {"b", "a"};
    const auto target =
        read_target(table({texts("y", {"a", "a"})}), "y", TargetKind::automatic, known);
    EXPECT_EQ(target.classes, known);
    EXPECT_EQ(target.labels, (Labels{1, 1}));
    EXPECT_EQ(
        read_target(table({texts("y", {"1.0", "3"})}), "y", TargetKind::automatic, {"1", "2", "3"})
            .labels,
        (Labels{0, 2}));
}

TEST(Target, ForgivesOneFullStop) {
    const Names known = {"<=50K", ">50K"};
    EXPECT_EQ(
        read_target(table({texts("y", {">50K.", "<=50K."})}), "y", TargetKind::automatic, known)
            .labels,
        (Labels{1, 0}));
    EXPECT_EQ(said(texts("y", {"<=50K.", ">60K."}), TargetKind::automatic, known),
              "'people.csv', line 3, column 'y': the model does not know the class '>60K.'; it "
              "knows '<=50K', '>50K'");
    EXPECT_NE(said(texts("y", {">50K.."}), TargetKind::automatic, known), "no exception");
    // In training, and where the model has it, a full stop is part of the class.
    EXPECT_EQ(read_target(table({texts("y", {"a", "a."})}), "y").classes, (Names{"a", "a."}));
    EXPECT_EQ(
        read_target(table({texts("y", {"a."})}), "y", TargetKind::automatic, {"a", "a."}).labels,
        Labels{1});
}

TEST(Target, RefusesInOneSentence) {
    EXPECT_EQ(refusal([] {
                  read_target(table({numbers("pay", {1, 2})}), "pax");
              }),
              "'people.csv' has no column 'pax' to be the target; did you mean 'pay'?");
    EXPECT_EQ(said(texts("y", {"a", ""})),
              "'people.csv', column 'y': the target is missing in 1 row (line 3); fill it in or "
              "remove the rows");
    EXPECT_EQ(said(numbers("y", {hole, 1, hole, hole, hole, hole, hole})),
              "'people.csv', column 'y': the target is missing in 6 rows (lines 2, 4, 5, 6, 7, ..);"
              " fill it in or remove the rows");
    EXPECT_EQ(said(texts("y", {"a", "a"})),
              "'people.csv', column 'y': the target has the one class 'a'; bring rows of two "
              "classes or more, or choose another column");
    EXPECT_EQ(said(numbers("y", {1.5, 1.5})),
              "'people.csv', column 'y': the target is 1.5 in every row; bring rows that differ in "
              "it, or choose another column");
    EXPECT_EQ(said(numbers("y", {1, -HUGE_VAL}), TargetKind::numbers),
              "'people.csv', line 3, column 'y': '-inf' is not a finite number, as the target has "
              "to be; correct it or remove the row");
    EXPECT_EQ(said(texts("y", {"1", "b"}), TargetKind::numbers),
              "'people.csv', line 3, column 'y': 'b' is not a number, as the target has to be; "
              "correct it or remove the row");
}

TEST(Target, ATextAmongManyNumbersIsAMistake) {
    Names cells;
    for (int i = 0; i < 30; ++i) cells.push_back(std::to_string(i) + ".5");
    cells[3] = "x";
    auto column = texts("y", cells);
    column.stray = "x";
    column.stray_line = 5;
    EXPECT_EQ(said(column).substr(0, 58),
              "'people.csv', line 5, column 'y': 'x' is not a number, tho");
    EXPECT_EQ(said(column, TargetKind::classes), "no exception");
}

}  // namespace
}  // namespace deepsl::data
