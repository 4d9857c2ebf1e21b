// What columns become, against closed forms, and what is dropped or refused.
#include "deepsl/data/encoding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tables.h"

namespace deepsl::data {
namespace {

using test::hole, test::numbers, test::refusal, test::table, test::texts;
using Names = std::vector<std::string>;

EncodingOptions scale(ColumnScale scale) {
    EncodingOptions options;
    options.scale = scale;
    return options;
}

std::vector<double> input(const Encoded& encoded, std::size_t index) {
    std::vector<double> values;
    for (std::size_t row = 0; row < encoded.rows; ++row)
        values.push_back(encoded.x[row * encoded.inputs + index]);
    return values;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance = 1e-14) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], tolerance) << "at " << i;
}

void expect_standard(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (const double value : values) sum += value, squares += value * value;
    EXPECT_NEAR(sum / count, 0, 1e-13);
    EXPECT_NEAR(squares / count, 1, 1e-13);
}

const Table& people() {
    static const auto made =
        table({numbers("age", {20, 40, 60, hole}), texts("job", {"smith", "baker", "smith", ""}),
               texts("town", {"Ulm", "Ulm", "Bern", "Ulm"}), numbers("pay", {1, 2, 3, 4})});
    return made;
}

TEST(Encoding, ZscoreIsDistanceFromTheMeanInDeviations) {
    const auto training = table({numbers("a", {1, 3, 5, 7})});
    const auto encoded = Encoding::fit(training, "", scale(ColumnScale::zscore)).apply(training);
    const double unit = std::sqrt(5.0);
    expect_near(encoded.x, {-3 / unit, -1 / unit, 1 / unit, 3 / unit});
}

// n different values have mid-ranks (i + 1/2) / n, whose variance is (1 - 1/n^2) / 12.
TEST(Encoding, RankIsUniformForDifferentValues) {
    const auto training = table({numbers("a", {1, 1000, 10, 100})});
    const auto encoding = Encoding::fit(training, "", scale(ColumnScale::rank));
    const double deviation = std::sqrt((1 - 1.0 / 16) / 12);
    expect_near(encoding.apply(training).x,
                {-0.375 / deviation, 0.375 / deviation, -0.125 / deviation, 0.125 / deviation});
    const auto later = table({numbers("a", {55, 0, 5000})});
    const auto encoded = encoding.apply(later);
    expect_near(encoded.x, {0, -0.375 / deviation, 0.375 / deviation});
    EXPECT_EQ(encoded.notes.out_of_range.at("a"), 2U);
}

// Mid-ranks 3/8, 3/8, 3/8 and 7/8: mean 1/2, deviation sqrt(3)/8.
TEST(Encoding, RankPutsTiesInTheMiddleAndIsStandardAllTheSame) {
    const auto training = table({numbers("a", {0, 0, 9, 0})});
    const auto encoded = Encoding::fit(training, "", scale(ColumnScale::rank)).apply(training);
    const double third = 1 / std::sqrt(3.0);
    expect_near(encoded.x, {-third, -third, 3 * third, -third});
}

// The quantiles of a normal distribution at 1/8, 3/8, 5/8 and 7/8, from a table.
TEST(Encoding, NormalPutsRanksWhereNormalNumbersLie) {
    const auto training = table({numbers("a", {1, 1000, 10, 100})});
    const auto encoding = Encoding::fit(training, "", scale(ColumnScale::normal));
    const double outer = 1.1503493803760079, inner = 0.3186393639643752;
    const double deviation = std::sqrt((outer * outer + inner * inner) / 2);
    expect_near(encoding.apply(training).x,
                {-outer / deviation, outer / deviation, -inner / deviation, inner / deviation});
    const auto far = encoding.apply(table({numbers("a", {-1e9, 1e9})}));
    expect_near(far.x, {-outer / deviation, outer / deviation});
}

TEST(Encoding, NormalHasAccurateTails) {
    std::vector<double> values(100'000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::exp(1e-4 * static_cast<double>(i));
    const auto training = table({numbers("a", values)});
    const auto x = Encoding::fit(training, "", scale(ColumnScale::normal)).apply(training).x;
    expect_standard(x);
    EXPECT_NEAR(x.front(), -4.417, 0.02) << "the quantile at 5e-6";
    EXPECT_NEAR(x[15'866], -1.0, 0.01);
    EXPECT_NEAR(x[50'000], 0.0, 0.01);
}

// Scores of one value in k that stands apart have the mean fourth power k - 2 + 1 / (k - 1).
TEST(Encoding, AutoDrawsInHeavyTails) {
    const auto scale_of = [](std::size_t k) {
        std::vector<double> values(k, 0.0);
        values.back() = 1.0;
        return Encoding::fit(table({numbers("a", values)}), "").columns()[0].scale;
    };
    EXPECT_EQ(scale_of(7), ColumnScale::zscore) << "5.17";
    EXPECT_EQ(scale_of(8), ColumnScale::normal) << "6.14";
}

TEST(Encoding, RankOfManyValuesNeedsFewKnots) {
    std::vector<double> values(20'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto place = static_cast<double>(7919 * i % values.size()) / 20'000;
        values[i] = i % 10 == 0 ? 0.5 : std::exp(10 * place);
    }
    const auto training = table({numbers("a", values)});
    const auto encoding = Encoding::fit(training, "", scale(ColumnScale::rank));
    EXPECT_LE(encoding.columns()[0].knots.size(), 1000U);
    EXPECT_GE(encoding.columns()[0].knots.size(), 800U);
    EXPECT_EQ(encoding.columns()[0].knots.front(), 0.5);
    const auto x = encoding.apply(training).x;
    expect_standard(x);
    // Below the ties lies nothing: their mid-rank is 0.05; the largest value's is nearly 1.
    const double unit = std::sqrt((1 - 1e-3) / 12);  // 1 - sum of (ties/n)^3
    EXPECT_NEAR(x[0], (0.05 - 0.5) / unit, 2e-3);
    EXPECT_NEAR(*std::max_element(x.begin(), x.end()), 0.5 / unit, 2e-3);
}

TEST(Encoding, MinMaxMapsTheTrainingRange) {
    const auto encoding =
        Encoding::fit(table({numbers("a", {1, 3, 9})}), "", scale(ColumnScale::minmax));
    const auto encoded = encoding.apply(table({numbers("a", {1, 5, 9, 13, hole})}));
    expect_near(encoded.x, {-1, 0, 1, 2, -0.5}, 1e-15);
    EXPECT_EQ(encoded.notes.out_of_range.at("a"), 1U);
}

TEST(Encoding, NoneLeavesNumbersButCountsThoseOutOfRange) {
    const auto encoding =
        Encoding::fit(table({numbers("a", {1, 3, 5})}), "", scale(ColumnScale::none));
    const auto encoded = encoding.apply(table({numbers("a", {0.5, 5, 6, hole})}));
    expect_near(encoded.x, {0.5, 5, 6, 3}, 0);
    EXPECT_EQ(encoded.notes.out_of_range.at("a"), 2U);
    EXPECT_EQ(encoded.notes.holes.at("a"), 1U);
}

TEST(Encoding, SurvivesNumbersOfAnySize) {
    for (const auto chosen : {ColumnScale::zscore, ColumnScale::rank, ColumnScale::normal}) {
        const auto training = table({numbers("a", {-1.7e308, 1.7e308}), numbers("b", {0, 5e-324}),
                                     numbers("c", {1e15, 1e15 + 1})});
        const auto encoding = Encoding::fit(training, "", scale(chosen));
        expect_near(input(encoding.apply(training), 0), {-1, 1}, 1e-14);
        expect_near(input(encoding.apply(training), 2), {-1, 1}, 1e-14);
        const auto later = table(
            {numbers("a", {0, 0}), numbers("b", {-1e308, 1e308}), numbers("c", {-1e308, 1e308})});
        const auto far = encoding.apply(later);
        for (const double x : far.x) EXPECT_LE(std::fabs(x), 1e6);
        EXPECT_EQ(input(far, 2)[1],
                  chosen == ColumnScale::zscore ? 1e6 : input(encoding.apply(training), 2)[1]);
    }
}

TEST(Encoding, HolesBecomeTheMedian) {
    const auto training = table({numbers("a", {hole, 1, 2, 30, 4})});
    const auto encoding = Encoding::fit(training, "", scale(ColumnScale::zscore));
    EXPECT_EQ(encoding.columns()[0].median, 3);
    EXPECT_EQ(encoding.columns()[0].missing_share, 0.2);
    const auto x = encoding.apply(training).x;
    EXPECT_EQ(x[0], (3 - encoding.columns()[0].mean) / encoding.columns()[0].deviation);
    expect_standard({x[1], x[2], x[3], x[4]});
}

TEST(Encoding, CategoriesAreCentredAndHolesAreOne) {
    const auto encoding = Encoding::fit(people(), "pay");
    EXPECT_EQ(encoding.input_names(),
              (Names{"age", "job=baker", "job=smith", "job is missing", "town=Bern", "town=Ulm"}));
    EXPECT_EQ(encoding.inputs(), 6U);
    EXPECT_EQ(encoding.columns()[0].scale, ColumnScale::zscore);
    const auto encoded = encoding.apply(people());
    expect_near(input(encoded, 1), {-0.25, 0.75, -0.25, -0.25});
    expect_near(input(encoded, 2), {0.5, -0.5, 0.5, -0.5});
    expect_near(input(encoded, 3), {-0.25, -0.25, -0.25, 0.75});
    EXPECT_EQ(encoded.notes.holes, (std::map<std::string, std::size_t>{{"age", 1}, {"job", 1}}));
    EXPECT_TRUE(encoded.notes.unseen.empty());
    EXPECT_TRUE(encoded.notes.ignored.empty());
}

TEST(Encoding, UnseenTextsAndNewHolesAreZerosMinusTheShares) {
    const auto later = table(
        {texts("town", {"Graz", ""}), numbers("age", {20, 20}), texts("job", {"smith", "pilot"})});
    const auto encoded = Encoding::fit(people(), "pay").apply(later);
    expect_near(input(encoded, 1), {-0.25, -0.25});
    expect_near(input(encoded, 2), {0.5, -0.5});
    expect_near(input(encoded, 3), {-0.25, -0.25});
    expect_near(input(encoded, 4), {-0.25, -0.25});
    expect_near(input(encoded, 5), {-0.75, -0.75});
    EXPECT_EQ(encoded.notes.unseen, (std::map<std::string, std::size_t>{{"job", 1}, {"town", 1}}));
    EXPECT_EQ(encoded.notes.holes.at("town"), 1U);
}

TEST(Encoding, FindsColumnsByNameAndNotesTheOthers) {
    auto later = people();
    std::swap(later.columns[0], later.columns[2]);
    later.columns.insert(later.columns.begin(), numbers("shoe", {1, 2, 3, 4}));
    const auto encoding = Encoding::fit(people(), "pay");
    const auto encoded = encoding.apply(later);
    EXPECT_EQ(encoded.x, encoding.apply(people()).x);
    EXPECT_EQ(encoded.notes.ignored, Names{"shoe"});
}

TEST(Encoding, TakesColumnsByPlaceWithoutAHeader) {
    const auto renamed = [](Table made) {
        for (std::size_t i = 0; i < made.columns.size(); ++i)
            made.columns[i].name = "column" + std::to_string(i + 1);
        made.header = false;
        return made;
    };
    auto target_first = people();
    std::rotate(target_first.columns.begin(), target_first.columns.begin() + 3,
                target_first.columns.end());
    const auto full = renamed(target_first);
    auto inputs_only = target_first;
    inputs_only.columns.erase(inputs_only.columns.begin());
    const auto x = Encoding::fit(people(), "pay").apply(people()).x;
    for (const auto& training : {target_first, full}) {
        const auto encoding = Encoding::fit(training, training.columns[0].name);
        for (const auto& later : {full, renamed(inputs_only)}) {
            EXPECT_EQ(encoding.apply(later).x, x);
            EXPECT_TRUE(encoding.apply(later).notes.ignored.empty());
            EXPECT_EQ(encoding.apply(later).notes.by_place, training.header);
        }
    }
    EXPECT_EQ(Encoding::fit(full, "column1").apply(inputs_only).x, x);
    auto short_one = inputs_only;
    short_one.columns.pop_back();
    EXPECT_EQ(refusal([&] { Encoding::fit(target_first, "pay").apply(renamed(short_one)); }),
              "'people.csv' has 2 columns, which have to be taken by their places because it has "
              "no header, but the model was trained on 4, its target among them; bring the same "
              "columns");
    EXPECT_NE(refusal([&] {
                  Encoding::fit(full, "column1").apply(short_one);
              }).find("because the training file has no header"),
              std::string::npos);
    EXPECT_NE(refusal([&] {
                  Encoding::fit(full, "").apply(renamed(inputs_only));
              }).find("trained on 4; bring"),
              std::string::npos);
}

TEST(Encoding, NumbersCanBeCategoriesInAnyNotation) {
    EncodingOptions options;
    options.roles["a"] = Role::category;
    const auto encoding = Encoding::fit(table({numbers("a", {10, 2.5, 2.5, 2})}), "", options);
    EXPECT_EQ(encoding.input_names(), (Names{"a=2", "a=2.5", "a=10"}));
    const auto later = encoding.apply(table({texts("a", {"10.0", "x"})}));
    expect_near(later.x, {-0.25, -0.5, 0.75, -0.25, -0.5, -0.25});
    EXPECT_EQ(later.notes.unseen.at("a"), 1U);
    // And the other way round: texts in training, numbers later; two notations are no number's.
    const auto zip = Encoding::fit(table({texts("a", {"01", "02", "2", "03"})}), "");
    expect_near(zip.apply(table({numbers("a", {3})})).x, {-0.25, -0.25, 0.75, -0.25});
    EXPECT_EQ(zip.apply(table({texts("a", {"2.0"})})).notes.unseen.at("a"), 1U);
}

TEST(Encoding, TextsThatAreNumbersCanBeNumbers) {
    EncodingOptions options = scale(ColumnScale::none);
    options.roles["a"] = Role::number;
    const auto encoding = Encoding::fit(table({texts("a", {"1", "", "3"})}), "", options);
    expect_near(encoding.apply(table({texts("a", {"2e0", ""})})).x, {2, 2}, 0);
    EXPECT_EQ(refusal([&] {
                  Encoding::fit(table({texts("a", {"1", "b"})}), "", options);
              }),
              "'people.csv', line 3, column 'a': 'b' is not a number, though its column holds "
              "numbers; correct it or leave it empty");
}

}  // namespace
}  // namespace deepsl::data
