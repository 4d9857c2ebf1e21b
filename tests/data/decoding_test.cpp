// The way back from inputs to cells: what was encoded is found again.
#include "deepsl/data/decoding.h"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tables.h"

namespace deepsl::data {
namespace {

using test::hole, test::numbers, test::table, test::texts;

Encoding fitted(const Table& training, ColumnScale scale) {
    EncodingOptions options;
    options.scale = scale;
    return Encoding::fit(training, "", options);
}

TEST(Decoding, NumbersComeBackWithEveryScale) {
    const auto training = table({numbers("a", {1, 3, 3, 5, 70, -2, 8, 4})});
    for (const auto scale : {ColumnScale::rank, ColumnScale::zscore, ColumnScale::minmax,
                             ColumnScale::none, ColumnScale::normal}) {
        const auto encoding = fitted(training, scale);
        const auto x = encoding.apply(training).x;
        for (std::size_t row = 0; row < x.size(); ++row)
            EXPECT_NEAR(number_at(encoding.columns()[0], x[row]), training.columns[0].numbers[row],
                        1e-12)
                << name(scale);
        // Between two numbers, and beyond them all.
        const auto between = encoding.apply(table({numbers("a", {6.25})})).x[0];
        EXPECT_NEAR(number_at(encoding.columns()[0], between), 6.25, 1e-12) << name(scale);
        EXPECT_EQ(number_at(encoding.columns()[0], -1e9), -2.0) << name(scale);
        EXPECT_EQ(number_at(encoding.columns()[0], 1e9), 70.0) << name(scale);
    }
}

TEST(Decoding, CellsHaveTheTextsTheyHad) {
    const auto training =
        table({numbers("age", {20, 40, 60, hole}), texts("job", {"smith", "baker", "smith", ""}),
               texts("town", {"Ulm", "Ulm", "Bern", "Ulm"})});
    const auto encoding = fitted(training, ColumnScale::zscore);
    const auto encoded = encoding.apply(
        table({numbers("age", {60, hole, 20, 20}), texts("job", {"baker", "", "smith", "miller"}),
               texts("town", {"Bern", "", "Ulm", "Ulm"})}));
    const auto cell = [&](std::size_t row, std::size_t column) {
        std::size_t first = 0;
        for (std::size_t c = 0; c < column; ++c) first += encoding.columns()[c].width();
        const auto& one = encoding.columns()[column];
        return cell_text(one,
                         std::span(encoded.x).subspan(row * encoded.inputs + first, one.width()));
    };
    EXPECT_EQ(cell(0, 0), "60");
    EXPECT_EQ(cell(1, 0), "40") << "a hole is the median";
    EXPECT_EQ(cell(0, 1), "baker");
    EXPECT_EQ(cell(1, 1), "missing");
    EXPECT_EQ(cell(2, 1), "smith");
    EXPECT_EQ(cell(3, 1), "another text");
    EXPECT_EQ(cell(0, 2), "Bern");
    EXPECT_EQ(cell(1, 2), "another text") << "training had no hole there";
}

TEST(Decoding, UsualCellsAreTheMedianAndTheMostFrequentText) {
    const auto training =
        table({numbers("age", {20, 40, 90}), texts("job", {"smith", "baker", "smith"}),
               texts("pet", {"", "", "cat"})});
    const auto encoding = fitted(training, ColumnScale::rank);
    std::vector<std::string> texts;
    std::vector<double> row;
    for (const auto& column : encoding.columns()) {
        if (!column.used()) continue;
        const auto inputs = usual_inputs(column);
        texts.push_back(cell_text(column, inputs));
        row.insert(row.end(), inputs.begin(), inputs.end());
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"40", "smith", "missing"}));
    const auto same = encoding.apply(
        table({numbers("age", {40}), test::texts("job", {"smith"}), test::texts("pet", {""})}));
    EXPECT_EQ(row, same.x);
}

}  // namespace
}  // namespace deepsl::data
