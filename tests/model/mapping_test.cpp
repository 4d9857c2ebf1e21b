// The size of the paper's mapping H, by a solver that shares nothing with the model's.
#include "deepsl/model/mapping.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/parallel.h"
#include "model/cases.h"

namespace deepsl::model::test {
namespace {

std::unique_ptr<Model> bent_model(DomainKind domain, Precision precision = Precision::float64) {
    ModelOptions options;
    options.domain = domain;
    options.field = domain == DomainKind::box ? FieldKind::positive : FieldKind::directional;
    options.hidden = options.field_hidden = {8, 8};
    options.last_gain = 2.0;
    options.eigenfunctions = 5;
    options.precision = precision;
    return make_model(3, 1, options, 4);
}

double size_of_H(const Model& model, const Matrix<double>& x, double tolerance, std::size_t cells) {
    auto numerics = model.numerics();
    numerics.trace.method = &field::dormand_prince();
    numerics.trace.tolerance = tolerance;
    numerics.cells = cells;
    const auto H = mapping_error(model, x, 0, numerics, 600);
    return std::max(*std::max_element(H.exits.values().begin(), H.exits.values().end()),
                    *std::max_element(H.ends.values().begin(), H.ends.values().end()));
}

TEST(Mapping, VanishesAtWhatAFineGridFinds) {
    for (const auto domain : {DomainKind::ball, DomainKind::box}) {
        const auto model = bent_model(domain);
        const auto x = samples(20, domain, 3);
        const double coarse = size_of_H(*model, x, 1e-1, 2);
        const double middle = size_of_H(*model, x, 1e-4, 16);
        const double fine = size_of_H(*model, x, 1e-10, 200);
        EXPECT_GT(coarse, 1e-2) << name(domain);
        EXPECT_LT(middle, 0.1 * coarse) << name(domain);
        EXPECT_LT(fine, 1e-5) << name(domain);
    }
}

TEST(Mapping, IsSmallInSinglePrecision) {
    const auto model = bent_model(DomainKind::ball, Precision::float32);
    EXPECT_LT(size_of_H(*model, samples(20, DomainKind::ball, 3), 1e-6, 100), 1e-3);
}

TEST(Mapping, IsNotANumberForASampleThatFailed) {
    const auto model = bent_model(DomainKind::ball);
    auto x = samples(40, DomainKind::ball, 3);
    x(3, 0) = std::nan("");
    const auto H = mapping_error(*model, x, 0, model->numerics(), 100);
    for (std::size_t b = 0; b < 40; ++b) {
        EXPECT_EQ(H.outcomes[b].ok(), b != 3);
        for (const double value : H.exits.row(b)) EXPECT_EQ(std::isnan(value), b == 3);
        for (const double value : H.ends.row(b)) EXPECT_EQ(std::isnan(value), b == 3);
    }
}

TEST(Mapping, IsTheSameAloneAndOnAnyNumberOfThreads) {
    const auto model = bent_model(DomainKind::ball);
    const auto x = samples(70, DomainKind::ball, 3);
    const auto count = threads();
    set_threads(1);
    const auto one = mapping_error(*model, x, 0, model->numerics(), 20);
    set_threads(3);
    const auto three = mapping_error(*model, x, 0, model->numerics(), 20);
    const auto alone = mapping_error(*model, x.part(50, 1), 0, model->numerics(), 20);
    set_threads(count);
    EXPECT_EQ(one.exits, three.exits);
    EXPECT_EQ(one.ends, three.ends);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(alone.ends(0, i), one.ends(50, i));
}

TEST(Mapping, RefusesWhatItCannotMeasure) {
    const auto model = bent_model(DomainKind::ball);
    const auto x = samples(2, DomainKind::ball, 3);
    EXPECT_THROW(mapping_error(*model, x, 1), Error);
    EXPECT_THROW(mapping_error(*model, x, 0, model->numerics(), 0), Error);
    EXPECT_THROW(mapping_error(*model, samples(2, DomainKind::ball, 2)), Error);
}

}  // namespace
}  // namespace deepsl::model::test
