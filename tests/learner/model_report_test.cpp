// From models to pages: what is drawn is what the model predicts.
#include "deepsl/learner/model_report.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/generated.h"
#include "deepsl/learner/learn.h"
#include "learner/tables.h"
#include "learner/trained.h"

namespace deepsl::learner {
namespace {

ReportOptions small_report() {
    ReportOptions options;
    options.map_cells = 24;
    options.lines = 10;
    options.test_points = 50;
    return options;
}

struct Demo {
    Samples training, test;
    Learned learned;
};

Demo demo(GeneratedSet set, field::DomainKind domain) {
    data::GenerateOptions options;
    options.samples = 120;
    auto task = generated_task(set, model::Preset::standard);
    task.model.domain = domain;
    task.model.hidden = task.model.field_hidden = {8};
    task.model.eigenfunctions = 4;
    task.train.epochs = 5;
    Demo result{generated_samples(set, options), generated_test_samples(set, options, 80), {}};
    result.learned = learn(prepare(result.training, {}, task), task);
    return result;
}

class PlaneReport : public ::testing::TestWithParam<field::DomainKind> {};

TEST_P(PlaneReport, ShowsThePlane) {
    const auto [training, test, learned] = demo(GeneratedSet::circles, GetParam());
    const auto& model = learned.model;
    auto report = model_report(model, training.rows, test.rows, small_report());
    EXPECT_EQ(report.points.size(), 120u + 50u);
    EXPECT_EQ(report.classes, model.classes);
    ASSERT_EQ(report.lines.size(), 2u) << "one for each field";
    EXPECT_EQ(report.spectra.size(), 2u);
    EXPECT_EQ(report.spectra[0].size(), 2u) << "one for each class";
    // Lines run from boundary to boundary.
    for (const auto& field : report.lines) {
        EXPECT_FALSE(field.empty());
        for (const auto& line : field)
            for (const auto at : {std::size_t{0}, line.x.size() - 1}) {
                const Matrix<double> end(1, 2, std::vector<double>{line.x[at], line.y[at]});
                EXPECT_NEAR(model.scaling.domain->level(model.scaling.unlimited(end).row(0)), 0.0,
                            1e-3);
            }
    }
    // The map is what is predicted in the middle of its cells.
    const auto& map = report.map;
    std::size_t inside = 0;
    for (std::size_t r = 0; r < map.rows; ++r)
        for (std::size_t c = 0; c < map.columns; ++c) {
            const auto at = [&](double low, double high, std::size_t i) {
                return low + (static_cast<double>(i) + 0.5) * (high - low) / 24.0;
            };
            const Matrix<double> x(
                1, 2,
                std::vector<double>{at(map.x_min, map.x_max, c), at(map.y_min, map.y_max, r)});
            const auto winner = map.winner[r * map.columns + c];
            if (winner < 0) continue;
            ++inside;
            const auto seen = predict(model, x);
            EXPECT_EQ(winner, static_cast<int>(seen.label[0]));
            EXPECT_NEAR(static_cast<double>(map.confidence[r * map.columns + c]),
                        std::fabs(seen.probability(0, 0) - seen.probability(0, 1)), 1e-6);
        }
    EXPECT_GT(inside, map.winner.size() / 2);
    report.history = report_history(learned.record);
    EXPECT_EQ(report.history.size(), learned.record.epochs.size());
    report.baseline = baseline_report("the same", model, learned.record, report);
    EXPECT_EQ(report.baseline->map.winner, map.winner);
    const auto page = report::html_report(report);
    EXPECT_NE(page.find("</html>"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Domains, PlaneReport,
                         ::testing::Values(field::DomainKind::ball, field::DomainKind::box),
                         [](const auto& domain) { return std::string(name(domain.param)); });

TEST(Report, SamplesAddUpToTheirScores) {
    const auto [training, test, learned] = demo(GeneratedSet::circles, field::DomainKind::ball);
    const auto report = model_report(learned.model, training.rows, test.rows, small_report());
    ASSERT_GE(report.samples.size(), 2u);
    for (const auto& sample : report.samples) {
        const Matrix<double> x(1, 2, std::vector<double>{sample.x, sample.y});
        const auto y = learned.model.predict(x).y;
        ASSERT_EQ(sample.lines.size(), 2u);
        for (std::size_t k = 0; k < 2; ++k) {
            double sum = sample.constant[k];
            for (const auto& line : sample.lines)
                for (const double part : line.contributions[k]) sum += part;
            EXPECT_NEAR(sum, y(0, k), 1e-9);
        }
        EXPECT_LT(sample.lines[0].t_minus, 0.0);
        EXPECT_GT(sample.lines[0].t_plus, 0.0);
        EXPECT_NEAR(sample.lines[0].u[0].front(), 0.0, 1e-12);
    }
}

TEST(Report, ACurveInOneDimension) {
    const auto [training, test, learned] = demo(GeneratedSet::wave, field::DomainKind::ball);
    const auto report = model_report(learned.model, training.rows, test.rows, small_report());
    EXPECT_TRUE(report.one_dimensional);
    EXPECT_TRUE(report.map.winner.empty());
    ASSERT_EQ(report.predicted.x.size(), 400u);
    const Matrix<double> x(1, 1, std::vector<double>{report.predicted.x[123]});
    EXPECT_EQ(report.predicted.y[123], learned.model.predict(x).y(0, 0));
    EXPECT_EQ(report.samples.size(), 2u);
    EXPECT_EQ(report.metric, "R²");
    EXPECT_FALSE(report::html_report(report).empty());
}

TEST(Report, OfATableWithAndWithoutItsTarget) {
    const auto table = test::round_table(60);
    auto task = test::small_task(table, "kind", 2);
    task.epoch_folds = 0;
    const auto model = std::move(learn(table, {}, task).model);
    const auto known = report_data(model, table);
    EXPECT_EQ(known.labels, data::read_measured_target(table, "kind", model.classes).labels);
    auto without = table;
    without.columns.pop_back();
    EXPECT_EQ(report_data(model, without).labels, predict(model, table).label);
    const auto report = model_report(model, {}, known, small_report());
    EXPECT_TRUE(report.points.empty()) << "there is no plane of six inputs";
    EXPECT_FALSE(report.samples.empty());
    EXPECT_FALSE(report::html_report(report).empty());
}

TEST(Report, OfATableOfNumbers) {
    const auto table = test::round_table(60);
    auto task = test::small_task(table, "size", 2);
    task.epoch_folds = 0;
    const auto model = std::move(learn(table, {}, task).model);
    const auto rows = report_data(model, table);
    EXPECT_EQ(rows.numbers.values(), table.find("size")->numbers);
    const auto report = model_report(model, {}, rows, small_report());
    ASSERT_EQ(report.samples.size(), 2u);
    EXPECT_EQ(report.samples[0].title, "The best prediction on test data");
    ASSERT_EQ(report.spectra.size(), 1u);
    EXPECT_EQ(report.spectra[0][0].name, "all samples");
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LE(report.spectra[0][0].low[i], report.spectra[0][0].middle[i]);
        EXPECT_LE(report.spectra[0][0].middle[i], report.spectra[0][0].high[i]);
    }
}

TEST(Report, BaselinesHaveNoLines) {
    const auto model = test::random_model(2, 1, {}, model::Kind::mlp);
    train::Dataset rows;
    rows.x = test::random_rows(5, 2, 1);
    rows.numbers = test::random_rows(5, 1, 2);
    EXPECT_NE(test::sentence_of(Error::Kind::argument, [&] { model_report(model, {}, rows); })
                  .find("only models of the kind dsl"),
              std::string::npos);
}

}  // namespace
}  // namespace deepsl::learner
