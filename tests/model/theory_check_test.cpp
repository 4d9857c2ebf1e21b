// The check of the theory passes a model that is as it should be.
#include "deepsl/model/theory_check.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/parallel.h"
#include "model/theory_check_fixture.h"

namespace deepsl::model::test {
namespace {

TEST_F(TheoryCheck, PassesAModelAsItShouldBe) {
    for (const auto precision : {Precision::float32, Precision::float64}) {
        for (const auto scheme : {Scheme::magnus4, Scheme::midpoint}) {
            SCOPED_TRACE(std::string(name(precision)) + ", " + std::string(name(scheme)));
            auto options = small(precision);
            options.scheme = scheme;
            options.fields = 2;
            const auto x = points(16);
            check(*calibrated(options, x), x);
            EXPECT_EQ(figures_.size(), 14u);
            EXPECT_EQ(names(false), none_);
        }
    }
}

TEST_F(TheoryCheck, DoesNotDependOnThreads) {
    const auto x = points(70);
    const auto model = calibrated(coarse(), x);
    const auto count = threads();
    set_threads(1);
    check(*model, x);
    const auto one = figures_;
    set_threads(3);
    check(*model, x);
    set_threads(count);
    ASSERT_EQ(figures_.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(figures_[i].value, one[i].value);
}

TEST_F(TheoryCheck, LeavesTheModelAsItWas) {
    const auto x = points(4);
    const auto model = calibrated(small(), x);
    const auto y = model->predict(x).y;
    check(*model, x);
    EXPECT_EQ(model->options().cells, small().cells);
    EXPECT_EQ(model->options().steps, small().steps);
    EXPECT_EQ(model->predict(x).y, y);
}

TEST_F(TheoryCheck, RefusesWhatItCannotLookAt) {
    const auto model = calibrated(small(), points(4));
    EXPECT_THROW(check(*model, Matrix<double>(4, 3)), Error);
    EXPECT_THROW(check(*model, Matrix<double>(0, 2)), Error);
    EXPECT_THROW(check(*model, Matrix<double>(4, 2), 0), Error);
}

// With the paper's heads, weights of zero mean 1/p = 5.5, q = 0 and w = 5.05.
TEST_F(TheoryCheck, AgreesWithConstantCoefficients) {
    auto options = model_preset(Preset::paper);
    options.precision = Precision::float64;
    options.eigenfunctions = 4;
    std::vector<BranchParts<double>> parts;
    parts.push_back(make_parts<double>(1, options));
    parts.front().field = std::make_unique<FunctionField>(
        1, [](std::span<const double>, std::span<double> a) { a[0] = 0.5; });
    const auto model = make_model<double>(1, std::move(parts), options, 1);
    auto values = model->parameters().values();
    for (const auto& p : model->parameters().list())
        if (p.role != network::Role::measured) std::fill_n(values.data() + p.offset, p.size(), 0.0);
    for (auto& value : part(*model, values, "field1.L.weight")) value = 1.0;
    model->set_values(values);
    check(*model, Matrix<double>(2, 1, std::vector<double>{0.2, 0.7}));
    EXPECT_EQ(names(false), none_);
    const double k = std::numbers::pi / 2.0;  // lines take a time of 2
    EXPECT_NEAR(value("gap"), (4.0 - 1.0) * k * k / (5.5 * 5.05), 1e-10);
    // No grid resolves a constant better than another.
    for (const auto* name : {"H", "prediction", "lambda"}) EXPECT_LT(value(name), 1e-9) << name;
}

TEST_F(TheoryCheck, LooksAtTheWholeDomainInTwoDimensionsOnly) {
    for (const std::size_t n : {1U, 2U, 3U}) {
        const auto x = samples(8, DomainKind::ball, n, 1, 0.4);
        const auto model = make_model(n, 2, small(), 1);
        model->calibrate(x, random_matrix(8, 2, 1));
        draw_maps(*model);
        check(*model, x);
        for (const auto* name : {"orthogonality_over_domain", "rank_one", "uniform"})
            EXPECT_EQ(std::any_of(figures_.begin(), figures_.end(),
                                  [&](const Figure& f) { return f.name == name; }),
                      n == 2)
                << name;
    }
}

TEST_F(TheoryCheck, AFigureThatIsNaNIsNotInBounds) {
    EXPECT_FALSE((Figure{"", "", NAN, 1.0, Promise::at_most, ""}.ok()));
    EXPECT_FALSE((Figure{"", "", NAN, 0.0, Promise::above, ""}.ok()));
    EXPECT_TRUE((Figure{"", "", 1.0, 1.0, Promise::at_most, ""}.ok()));
    EXPECT_FALSE((Figure{"", "", 0.0, 0.0, Promise::above, ""}.ok()));
    EXPECT_TRUE((Figure{"", "", NAN, 0.0, Promise::nothing, ""}.ok())) << "nothing is promised";
}

}  // namespace
}  // namespace deepsl::model::test
