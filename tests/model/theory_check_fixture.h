// Models for tests of the check, good ones and spoilt ones, and its figures by name.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/theory_check.h"
#include "model/cases.h"

namespace deepsl::model::test {

inline ModelOptions small(Precision precision = Precision::float64) {
    ModelOptions options;
    options.hidden = options.field_hidden = {8, 8};
    options.precision = precision;
    return options;
}

/// Coefficients that change much along a line, on the coarsest grid there is.
inline ModelOptions coarse() {
    auto options = small();
    options.last_gain = 4.0;
    options.cells = options.steps = 1;
    return options;
}

inline Matrix<double> points(std::size_t count) {
    return samples(count, DomainKind::ball, 2, 1, 0.4);
}

/// Linear maps that are not zero.
inline void draw_maps(Model& model) {
    Random random(2);
    auto values = model.parameters().values();
    for (const auto& p : model.parameters().list())
        if (p.role == network::Role::linear && p.shape.size() == 2)
            for (std::size_t i = 0; i < p.size(); ++i) values[p.offset + i] = normal(random);
    model.set_values(values);
}

inline std::unique_ptr<Model> calibrated(const ModelOptions& options, const Matrix<double>& x) {
    auto model = make_model(2, 2, options, 1);
    model->calibrate(x, x);
    draw_maps(*model);
    return model;
}

using Slope = std::function<double(std::span<const double> z)>;

/// A model whose last field is (1, slope(z)).
inline std::unique_ptr<Model> bent(const ModelOptions& options, const Slope& slope) {
    std::vector<BranchParts<double>> parts;
    for (std::int64_t m = 0; m < options.fields; ++m)
        parts.push_back(make_parts<double>(2, options));
    parts.back().field =
        std::make_unique<FunctionField>(2, [slope](std::span<const double> z, std::span<double> a) {
            a[0] = 1.0;
            a[1] = slope(z);
        });
    auto model = make_model<double>(2, std::move(parts), options, 1);
    draw_maps(*model);
    return model;
}

class TheoryCheck : public ::testing::Test {
protected:
    void check(const Model& model, const Matrix<double>& x, int finer = 8) {
        figures_ = check_theory(model, x, finer);
    }
    const Figure& figure(std::string_view name) const {
        static const Figure missing{"", "", NAN, NAN, Promise::at_most, ""};
        const auto found = std::find_if(figures_.begin(), figures_.end(),
                                        [&](const Figure& f) { return f.name == name; });
        EXPECT_NE(found, figures_.end()) << name;
        return found == figures_.end() ? missing : *found;
    }
    double value(std::string_view name) const { return figure(name).value; }
    std::vector<std::string_view> names(bool ok) const {
        std::vector<std::string_view> result;
        for (const auto& f : figures_)
            if (f.ok() == ok) result.push_back(f.name);
        return result;
    }

    std::vector<Figure> figures_;
    const std::vector<std::string_view> none_;
};

}  // namespace deepsl::model::test
