// Gradients of any model against central differences. The loss is linear in what the model
// predicts, with random weights: sum c_bo y_bo + sum e_bi lambda_bi.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"
#include "deepsl/random.h"

namespace deepsl::model::test {

/// Derivatives of a loss by everything that a model predicts.
struct Seeds {
    Matrix<double> y, lambda;

    Seeds(const Predictor& model, std::size_t rows, std::uint64_t seed)
        : y(rows, model.outputs()), lambda(rows, model.eigenvalues()) {
        Random random(seed);
        for (auto& c : y.values()) c = normal(random);
        // Eigenvalues are large beside outputs; the d-th would drown everything else.
        for (std::size_t b = 0; b < rows; ++b)
            for (std::size_t i = 0; i < lambda.columns(); ++i)
                lambda(b, i) = 0.1 * normal(random) / static_cast<double>((i + 1) * (i + 1));
    }
};

struct Gradients {
    std::vector<double> parameters;
    Matrix<double> x;
};

inline Gradients gradients(const Predictor& model, MatrixView<const double> x, const Seeds& seeds) {
    const auto pass = model.make_pass();
    Gradients result{std::vector<double>(model.parameters().size()), {}};
    pass->forward(x, true);
    pass->backward(seeds.y, seeds.lambda, &result.x);
    pass->add_gradient(result.parameters);
    return result;
}

/// d loss / d number by Richardson's extrapolation of two central differences. `predict_at` is what
/// the model predicts where the number has another value.
inline double difference(const std::function<Prediction(double)>& predict_at, double number,
                         const Seeds& seeds, double h) {
    const auto central = [&](double step) {
        const auto after = predict_at(number + step), before = predict_at(number - step);
        EXPECT_EQ(after.failed() + before.failed(), 0U);
        double sum = 0.0;  // differences first: the loss itself may be large
        for (std::size_t i = 0; i < seeds.y.values().size(); ++i)
            sum += seeds.y.values()[i] * (after.y.values()[i] - before.y.values()[i]);
        for (std::size_t i = 0; i < seeds.lambda.values().size(); ++i)
            sum +=
                seeds.lambda.values()[i] * (after.lambda.values()[i] - before.lambda.values()[i]);
        return sum / (2.0 * step);
    };
    return (4.0 * central(0.5 * h) - central(h)) / 3.0;
}

/// The derivatives by every number that the model learns, and by every number of x, up to
/// `tolerance` times the largest of their tensor, none of which vanishes. What is measured and not
/// learned has no derivative. The model must be of float64 and all rows of x ok; afterwards it has
/// its values again.
inline void expect_gradients_match(Predictor& model, MatrixView<const double> x,
                                   std::uint64_t seed = 1, double tolerance = 1e-6,
                                   double h = 1e-4) {
    ASSERT_EQ(model.options().precision, Precision::float64);
    const Seeds seeds(model, x.rows(), seed);
    const auto exact = gradients(model, x, seeds);
    const auto pass = model.make_pass();
    const auto compare = [&](const std::string& name, std::span<const double> part,
                             const std::function<double(std::size_t)>& numeric) {
        double size = 0.0;
        for (const double c : part) size = std::max(size, std::fabs(c));
        EXPECT_GT(size, 1e-9) << name;
        for (std::size_t i = 0; i < part.size(); ++i)
            EXPECT_NEAR(part[i], numeric(i), tolerance * size) << name << " " << i;
    };

    const auto values = model.parameters().values();
    auto changed = values;
    for (const auto& p : model.parameters().list()) {
        const std::span<const double> part(exact.parameters.data() + p.offset, p.size());
        if (p.role == network::Role::measured) {
            for (const double c : part) EXPECT_EQ(c, 0.0) << p.name;
            continue;
        }
        compare(p.name, part, [&](std::size_t i) {
            const auto at = p.offset + i;
            const auto predict_at = [&](double number) {
                changed[at] = number;
                model.set_values(changed);
                return pass->forward(x, false);
            };
            const double result = difference(predict_at, values[at], seeds, h);
            changed[at] = values[at];
            return result;
        });
    }
    model.set_values(values);

    Matrix<double> moved(x);
    ASSERT_EQ(exact.x.values().size(), moved.values().size());
    compare("x", exact.x.values(), [&](std::size_t i) {
        const auto predict_at = [&](double number) {
            moved.values()[i] = number;
            return pass->forward(moved, false);
        };
        const double old = moved.values()[i], result = difference(predict_at, old, seeds, h);
        moved.values()[i] = old;
        return result;
    });
}

}  // namespace deepsl::model::test
