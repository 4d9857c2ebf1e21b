// The check as programs offer it: samples, rows, verdict, and the table of H against tolerances.
#include "deepsl/model/check.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "model/cases.h"

namespace deepsl::model::test {
namespace {

std::unique_ptr<Model> trained(std::int64_t cells = 8, double last_gain = 0.5,
                               Precision precision = Precision::float64) {
    auto options = small_options({.fields = 2});
    options.cells = options.steps = cells;
    options.last_gain = last_gain;
    options.precision = precision;
    auto model = make_model(2, 2, options, 1);
    const auto x = samples(32, DomainKind::ball, 2);
    model->calibrate(x, x);
    shake(*model, 2);
    return model;
}

TEST(Check, GivesRowsAndAVerdict) {
    const auto x = samples(40, DomainKind::ball, 2);
    const auto model = trained();
    const auto result = check(*model, x);
    EXPECT_EQ(result.lines, 40u);
    ASSERT_EQ(result.figures.size(), 14u);
    for (const auto& row : result.figures) {
        EXPECT_TRUE(row.ok()) << row.name << " " << row.value;
        EXPECT_FALSE(row.title.empty() || row.meaning.empty()) << row.name;
    }
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.verdict(), "All is as the theory promises.");
}

TEST(Check, OneFigureOutOfBoundsIsEnough) {
    Check result{
        1, {{"a", "", 0.0, 1.0, Promise::at_most, ""}, {"b", "", 2.0, 1.0, Promise::at_most, ""}}};
    EXPECT_FALSE(result.ok());
    EXPECT_NE(result.verdict().find("raise steps and cells"), std::string::npos);
    result.figures.back().value = 1.0;
    EXPECT_TRUE(result.ok());
}

TEST(Check, NoticesACoarseGrid) {
    const auto model = trained(1, 4.0);
    EXPECT_FALSE(check(*model, samples(40, DomainKind::ball, 2)).ok());
}

TEST(Check, DrawsSamplesLikeTheTrainingData) {
    const auto domain = field::ball(2);
    CheckOptions options;
    options.samples = 20000;
    const auto x = check_samples(*domain, 0.2, options);
    ASSERT_EQ(x.rows(), 20000u);
    double mean = 0.0, square = 0.0;
    for (const double value : x.values()) mean += value / 40000.0, square += value * value;
    EXPECT_NEAR(mean, 0.0, 0.005);
    EXPECT_NEAR(std::sqrt(square / 40000.0), 0.2, 0.005);
    EXPECT_EQ(check_samples(*domain, 0.2, options), x) << "the same seed";
    options.seed = 1;
    EXPECT_NE(check_samples(*domain, 0.2, options), x);
    // However wide, all of them lie inside.
    const auto wide = check_samples(*domain, 5.0, options);
    for (std::size_t b = 0; b < wide.rows(); ++b) EXPECT_LT(domain->level(wide.row(b)), 0.0);
}

TEST(Check, RefusesOptionsOutOfRange) {
    EXPECT_THROW(check_samples(*field::ball(2), 0.2, {.samples = 31}), Error);
    EXPECT_THROW(check(*trained(), samples(4, DomainKind::ball, 2), {.finer = 65}), Error);
}

TEST(Check, OnlyModelsWithLinesCanBeChecked) {
    const auto model = trained();
    EXPECT_EQ(&checkable(*model), model.get());
    const auto mlp = make_predictor(Kind::mlp, 2, 1, small_options(), 1);
    EXPECT_THROW(checkable(*mlp), Error);
}

TEST(Check, HFallsWithTheTolerance) {
    const auto model = trained(8, 2.0);
    const auto x = samples(8, DomainKind::ball, 2);
    const std::vector<double> tolerances{1e-2, 1e-5, 1e-8};
    const auto rows = check_mapping(*model, x, tolerances);
    ASSERT_EQ(rows.size(), 3u);
    // 8 (1e-2 / tolerance)^(1/4)
    const std::vector<std::size_t> cells{8, 45, 253};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(rows[i].tolerance, tolerances[i]);
        EXPECT_EQ(rows[i].cells, cells[i]);
        EXPECT_EQ(rows[i].failed, 0u);
        EXPECT_LE(rows[i].exit_median, rows[i].exit_worst);
        EXPECT_LE(rows[i].end_median, rows[i].end_worst);
        if (i == 0) continue;
        EXPECT_LT(rows[i].exit_worst, 0.1 * rows[i - 1].exit_worst);
        EXPECT_LT(rows[i].end_worst, 0.1 * rows[i - 1].end_worst);
    }
    EXPECT_EQ(model->numerics().cells, 8u) << "the model is left as it was";
}

TEST(Check, FailedLinesAreCountedAndLeftOutOfTheSizeOfH) {
    auto x = samples(8, DomainKind::ball, 2);
    x(3, 0) = NAN;
    x(5, 0) = 2.0;
    const auto rows = check_mapping(*trained(), x, std::vector<double>{1e-3});
    EXPECT_EQ(rows.front().failed, 4u);  // along each of two fields
    EXPECT_LT(rows.front().exit_worst, 0.1);
}

TEST(Check, RefusesTolerancesThatThePrecisionCannotHold) {
    const auto x = samples(2, DomainKind::ball, 2);
    const auto single = trained(8, 0.5, Precision::float32);
    for (const double tolerance : {1e-7, 0.2, -1.0, static_cast<double>(NAN)})
        EXPECT_THROW(check_mapping(*single, x, std::vector<double>{tolerance}), Error) << tolerance;
    EXPECT_NO_THROW(check_mapping(*trained(), x, std::vector<double>{1e-7}));
}

}  // namespace
}  // namespace deepsl::model::test
