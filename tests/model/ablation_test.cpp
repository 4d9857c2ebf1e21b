// The ablation: constant coefficients in closed form, the equation itself by small steps, and the
// scale of its basis.
#include "deepsl/model/ablation.h"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

std::unique_ptr<Ablation> made(const ModelOptions& options, std::uint64_t seed = 1) {
    auto model = make_ablation(2, 1, options, seed);
    model->calibrate(samples(20, options.domain, 2, seed), Matrix<double>(20, 1));
    shake(*model, seed + 1);
    return model;
}

// Constant coefficients: lambda_i = (q + (i pi)^2 / P) / w, u_i(t) = sin(i pi t) / (i pi).
TEST(Ablation, OfConstantCoefficientsIsKnown) {
    for (const auto scheme : {Scheme::magnus4, Scheme::midpoint}) {
        auto o = small_options();
        o.scheme = scheme;
        o.heads = HeadKind::paper;
        o.basis_scale = BasisScale::none;
        o.eigenfunctions = 6;
        const auto model = make_ablation(2, 1, o, 1);
        auto values = model->parameters().values();
        for (const auto& p : model->parameters().list())
            if (p.role != network::Role::measured)
                std::ranges::fill(part(*model, values, p.name), 0.0);
        part(*model, values, "q.bias3")[0] = 0.3;
        std::ranges::fill(part(*model, values, "L.weight"), 1.0);
        std::ranges::fill(part(*model, values, "L.bias"), 1.0);
        model->set_values(values);
        const double pi = std::numbers::pi, P = 1.0 + 9.0 * 0.5, w = 0.1 + 9.9 * 0.5;
        const double q = 10.0 * std::tanh(0.3);
        const auto x = random_matrix(3, 2, 1);
        const auto found = model->spectrum(x);
        const auto prediction = model->predict(x);
        for (std::size_t b = 0; b < 3; ++b) {
            for (std::size_t i = 1; i <= 6; ++i) {
                const double n = static_cast<double>(i) * pi;
                EXPECT_NEAR(found.lambda(b, i - 1), (q + n * n / P) / w, 1e-10);
                EXPECT_NEAR(found.u(b, i - 1), std::sin(n / 2.0) / n, 1e-11);
            }
            EXPECT_NEAR(prediction.y(b, 0), 1.0 + (1.0 - 1.0 / 3.0 + 1.0 / 5.0) / pi, 1e-10);
        }
        EXPECT_EQ(prediction.lambda, found.lambda);
    }
}

TEST(Ablation, DependsOnTimeAndOnTheSample) {
    const auto model = made(small_options());
    const auto found = model->spectrum(samples(2, DomainKind::ball, 2));
    double largest = 0.0;
    for (std::size_t i = 0; i < 4; ++i)
        largest = std::max(largest, std::fabs(found.lambda(0, i) - found.lambda(1, i)));
    EXPECT_GT(largest, 1e-3);
    // Odd functions do not vanish half way unless the coefficients are symmetric in time.
    EXPECT_GT(std::fabs(found.u(0, 1)), 1e-4);
}

// The equation itself, integrated from t = 0 in many small steps with the eigenvalues found.
TEST(Ablation, SolvesItsEquationFromZeroToOne) {
    for (const auto domain : {DomainKind::ball, DomainKind::box}) {
        Case c;
        c.domain = domain;
        auto o = small_options(c);
        o.cells = 32;
        const auto model = made(o, 8);
        const double middle = domain == DomainKind::box ? 0.5 : 0.0;
        const auto coefficients = make_coefficients<double>(3, o, middle);
        network::Parameters parameters;
        Random random(1);
        coefficients->enrol(parameters, "", random);
        coefficients->load(model->parameters().values());  // they stand first
        const Matrix<double> x(1, 2, {0.3, 0.6});
        const auto found = model->spectrum(x);
        const auto at = [&](double t) {
            const double row[]{x(0, 0), x(0, 1), t - 0.5 + middle};
            std::array<double, 3> result{};
            coefficients->forward(row, 1, {&result[0], &result[1], &result[2]}, nullptr);
            return result;
        };
        const int steps = 1000;
        const double h = 1.0 / steps;
        for (std::size_t i = 0; i < 4; ++i) {
            double u = 0.0, f = 1.0 / at(0.0)[0], half = 0.0;
            for (int s = 0; s < steps; ++s) {
                const auto [P, q, w] = at((s + 0.5) * h);
                const double g = q - found.lambda(0, i) * w;
                const double u1 = u + 0.5 * h * P * f, f1 = f + 0.5 * h * g * u;
                u += h * P * f1, f += h * g * u1;
                if (2 * (s + 1) == steps) half = u;
            }
            EXPECT_NEAR(found.u(0, i), half, 5e-4 * 0.3);
            EXPECT_NEAR(u, 0.0, 5e-4 * 0.3);
        }
    }
}

TEST(Ablation, CalibrationScalesTheBasis) {
    const auto model = make_ablation(2, 1, small_options(), 6);
    auto x = samples(200, DomainKind::ball, 2, 6);
    model->calibrate(x, Matrix<double>(200, 1));
    auto values = model->parameters().values();
    const auto found = model->spectrum(x);
    for (std::size_t i = 0; i < 4; ++i) {
        double sum = 0.0;
        for (std::size_t b = 0; b < 200; ++b) sum += found.u(b, i);
        EXPECT_NEAR(part(*model, values, "u_mean")[i], sum / 200.0, 1e-12);
        EXPECT_LT(part(*model, values, "u_scale")[i], 0.5);
    }
    // Rows that are not finite are as if they were not there.
    const auto other = make_ablation(2, 1, small_options(), 6);
    std::vector<double> more(x.values());
    more.insert(more.begin(), {std::nan(""), 0.0, 0.1, std::numeric_limits<double>::infinity()});
    other->calibrate(Matrix<double>(202, 2, more), Matrix<double>(202, 1));
    EXPECT_EQ(other->parameters().values(), values);
    other->calibrate(Matrix<double>(0, 2), Matrix<double>(0, 1));
    EXPECT_EQ(other->parameters().values(), values);
}

TEST(Ablation, NamesItsTensorsAsFilesDo) {
    const auto names_of = [](const ModelOptions& options) {
        std::vector<std::string> names;
        const auto model = make_ablation(2, 1, options, 1);
        for (const auto& p : model->parameters().list()) names.push_back(p.name);
        return names;
    };
    auto o = small_options();
    o.hidden = {3};
    EXPECT_EQ(names_of(o), (std::vector<std::string>{"P.weight1", "P.bias1", "P.weight2", "P.bias2",
                                                     "q.weight1", "q.bias1", "q.weight2", "q.bias2",
                                                     "w.weight1", "w.bias1", "w.weight2", "w.bias2",
                                                     "u_mean", "u_scale", "L.weight", "L.bias"}));
    o.coefficients = CoefficientKind::trunk;
    EXPECT_EQ(names_of(o).size(), 8U);
}

/// P = 2, w = 1, q = x_1 + 20 t, and 1e5 x_2 more in the first half: nothing to learn.
class RampCoefficients final : public Coefficients<double> {
public:
    void enrol(network::Parameters&, const std::string&, Random&) override {}
    void load(std::span<const double>) override {}
    void forward(const double* z, std::size_t rows, CoefficientRows<double> out,
                 network::Tape*) const override {
        for (std::size_t r = 0; r < rows; ++r) {
            out.P[r] = 2.0, out.w[r] = 1.0;
            out.q[r] = z[3 * r] + 20.0 * z[3 * r + 2];
            if (z[3 * r + 2] < 0.0) out.q[r] += 1e5 * z[3 * r + 1];
        }
    }
    void pullback(const double* z, std::size_t rows, CoefficientRows<const double> seeds,
                  network::Tape&, double* dz, double*) const override {
        for (std::size_t r = 0; dz != nullptr && r < rows; ++r) {
            dz[3 * r] = seeds.q[r];
            dz[3 * r + 1] = z[3 * r + 2] < 0.0 ? 1e5 * seeds.q[r] : 0.0;
            dz[3 * r + 2] = 20.0 * seeds.q[r];
        }
    }
};

// A constant added to q is added to every eigenvalue, and changes no eigenfunction.
TEST(Ablation, MayHaveCoefficientsOfOnesOwn) {
    const auto model =
        make_ablation<double>(2, 1, std::make_unique<RampCoefficients>(), small_options(), 1);
    EXPECT_FALSE(model->built_in());
    const Matrix<double> x(2, 2, {0.1, 0.0, 0.4, 0.0});
    const auto found = model->spectrum(x);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(found.lambda(1, i) - found.lambda(0, i), 0.3, 1e-10);
        EXPECT_NEAR(found.u(0, i), found.u(1, i), 1e-11);
    }
    Seeds seeds(*model, 2, 1);
    std::ranges::fill(seeds.y.values(), 0.0);
    const auto got = gradients(*model, x, seeds);
    for (std::size_t b = 0; b < 2; ++b) {
        double sum = 0.0;
        for (const double c : seeds.lambda.row(b)) sum += c;
        EXPECT_NEAR(got.x(b, 0), sum, 1e-10);
    }
    EXPECT_THROW(make_ablation<double>(2, 1, nullptr, small_options(), 1), Error);
}

// Behind a barrier u grows by exp(integral of sqrt(P q)) before it oscillates: exp(223) here.
TEST(Ablation, ABasisThatIsTooLargeFailsAlone) {
    const auto model =
        make_ablation<double>(2, 1, std::make_unique<RampCoefficients>(), small_options(), 1);
    shake(*model, 2);
    const Matrix<double> x(3, 2, {0.1, 0.0, 0.2, 1.0, 0.4, 0.0});
    const auto prediction = model->predict(x);
    EXPECT_EQ(prediction.outcomes[1].name(), "overflow");
    EXPECT_EQ(prediction.failed(), 1U);
    EXPECT_EQ(prediction.y(1, 0), 0.0);
    EXPECT_EQ(prediction.lambda(1, 0), 0.0);
    Seeds seeds(*model, 3, 1);
    const auto all = gradients(*model, x, seeds);
    const std::vector<std::size_t> good{0, 2};
    seeds.y = seeds.y.rows_at(good), seeds.lambda = seeds.lambda.rows_at(good);
    const auto without = gradients(*model, x.rows_at(good), seeds);
    EXPECT_EQ(all.parameters, without.parameters);
    EXPECT_EQ(all.x(2, 0), without.x(1, 0));
    EXPECT_EQ(all.x(1, 0), 0.0);
    EXPECT_EQ(all.x(1, 1), 0.0);
}

}  // namespace
}  // namespace deepsl::model::test
