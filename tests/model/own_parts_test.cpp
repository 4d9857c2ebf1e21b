// A network, a field, coefficients and a domain that come from outside: the code that
// docs/engine.md shows, with its gradients against differences.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/model/model.h"
#include "deepsl/train/trainer.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

/// y = sin(W x + b), W [outputs, inputs].
class SineNetwork final : public network::Network<double> {
public:
    SineNetwork(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}

    std::size_t inputs() const override { return inputs_; }
    std::size_t outputs() const override { return outputs_; }

    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override {
        using network::joined, network::Role;
        weight_ = parameters.add(joined(name, "weight"), {outputs_, inputs_}, Role::matrix);
        bias_ = parameters.add(joined(name, "bias"), {outputs_}, Role::vector);
        const std::span<double> weight(parameters.values().data() + weight_, outputs_ * inputs_);
        for (double& value : weight) value = normal(random);
    }
    void load(std::span<const double> values) override { values_ = values; }

    void forward(const double* x, std::size_t rows, double* y, network::Tape* tape) const override {
        // What the pullback needs: cos(W x + b).
        double* const slope = tape != nullptr ? tape->push<double>(rows * outputs_) : nullptr;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t o = 0; o < outputs_; ++o) {
                double sum = values_[bias_ + o];
                for (std::size_t i = 0; i < inputs_; ++i)
                    sum += values_[weight_ + o * inputs_ + i] * x[r * inputs_ + i];
                y[r * outputs_ + o] = std::sin(sum);
                if (slope != nullptr) slope[r * outputs_ + o] = std::cos(sum);
            }
    }
    void pullback(const double* x, std::size_t rows, const double* dy, network::Tape& tape,
                  double* dx, double* gradient) const override {
        const double* const slope = tape.pop<double>(rows * outputs_);
        for (std::size_t i = 0; dx != nullptr && i < rows * inputs_; ++i) dx[i] = 0.0;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t o = 0; o < outputs_; ++o) {
                const double seed = dy[r * outputs_ + o] * slope[r * outputs_ + o];
                gradient[bias_ + o] += seed;
                for (std::size_t i = 0; i < inputs_; ++i) {
                    gradient[weight_ + o * inputs_ + i] += seed * x[r * inputs_ + i];
                    if (dx != nullptr)
                        dx[r * inputs_ + i] += seed * values_[weight_ + o * inputs_ + i];
                }
            }
    }

private:
    std::size_t inputs_, outputs_;
    std::size_t weight_ = 0, bias_ = 0;  // offsets in the flat vector
    std::span<const double> values_;     // the model's flat vector
};

/// a = (1, c z_0), c learned: every line advances along the first axis.
class ShearField final : public field::VectorField<double> {
public:
    std::size_t inputs() const override { return 2; }

    void enrol(network::Parameters& parameters, const std::string& name, Random&) override {
        shear_ = parameters.add(network::joined(name, "shear"), {1}, network::Role::vector);
        parameters.values()[shear_] = 0.5;
    }
    void load(std::span<const double> values) override { c_ = values[shear_]; }

    void forward(const double* z, std::size_t rows, double* a, network::Tape*) const override {
        for (std::size_t r = 0; r < rows; ++r) {
            a[2 * r] = 1.0;
            a[2 * r + 1] = c_ * z[2 * r];
        }
    }
    void pullback(const double* z, std::size_t rows, const double* da, network::Tape&, double* dz,
                  double* gradient) const override {
        for (std::size_t r = 0; r < rows; ++r) {
            gradient[shear_] += da[2 * r + 1] * z[2 * r];
            if (dz == nullptr) continue;
            dz[2 * r] = c_ * da[2 * r + 1];
            dz[2 * r + 1] = 0.0;
        }
    }

private:
    std::size_t shear_ = 0;
    double c_ = 0.0;
};

/// P = 1 and w = 1, and q by a network.
class PotentialOnly final : public Coefficients<double> {
public:
    explicit PotentialOnly(std::unique_ptr<network::Network<double>> q) : q_(std::move(q)) {}

    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override {
        q_->enrol(parameters, network::joined(name, "q"), random);
    }
    void load(std::span<const double> values) override { q_->load(values); }

    void forward(const double* z, std::size_t rows, CoefficientRows<double> out,
                 network::Tape* tape) const override {
        std::fill_n(out.P, rows, 1.0);
        std::fill_n(out.w, rows, 1.0);
        q_->forward(z, rows, out.q, tape);
    }
    void pullback(const double* z, std::size_t rows, CoefficientRows<const double> seeds,
                  network::Tape& tape, double* dz, double* gradient) const override {
        q_->pullback(z, rows, seeds.q, tape, dz, gradient);
    }

private:
    std::unique_ptr<network::Network<double>> q_;
};

/// x^2 + (y / b)^2 < 1 in the plane, given by g = (x^2 + (y / b)^2 - 1) / 2.
class Ellipse final : public field::Domain {
public:
    explicit Ellipse(double b) : Domain(2), b_(b) {}

    double level(std::span<const double> z) const override {
        return 0.5 * (z[0] * z[0] + z[1] * z[1] / (b_ * b_) - 1.0);
    }
    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        gradient[0] = z[0];
        gradient[1] = z[1] / (b_ * b_);
    }
    double centre() const override { return 0.0; }
    double pace(std::span<const double> a) const override {
        return 0.5 * std::hypot(a[0], a[1] / b_);
    }
    void pace_gradient(std::span<const double> a, std::span<double> gradient) const override {
        const double length = std::hypot(a[0], a[1] / b_);
        gradient[0] = length > 0.0 ? 0.5 * a[0] / length : 0.0;
        gradient[1] = length > 0.0 ? 0.5 * a[1] / (b_ * b_ * length) : 0.0;
    }
    bool pull_in(std::span<double> z) const override {
        const double length = std::hypot(z[0], z[1] / b_);
        if (!(length > 0.9)) return false;
        for (double& c : z) c *= 0.9 / length;
        return true;
    }
    /// As in the ball, with the second axis b times as long.
    field::Placement place(MatrixView<const double> x, bool by_column,
                           std::span<const double> stretch) const override {
        auto placement = field::ball(2)->place(x, by_column, stretch);
        placement.factor[1] *= b_;
        return placement;
    }
    Matrix<double> outline() const override {
        auto corners = field::ball(2)->outline();
        for (std::size_t i = 0; i < corners.rows(); ++i) corners(i, 1) *= b_;
        return corners;
    }
    std::array<double, 2> bounds() const override {
        return {-std::max(1.0, b_), std::max(1.0, b_)};
    }

private:
    double b_;
};

std::unique_ptr<Model> own_model(const ModelOptions& options) {
    BranchParts<double> parts;
    parts.domain = std::make_shared<Ellipse>(0.5);
    parts.field = std::make_unique<ShearField>();
    parts.coefficients = std::make_unique<PotentialOnly>(std::make_unique<SineNetwork>(2, 1));
    parts.eigenfunctions = 3;
    std::vector<BranchParts<double>> branches;
    branches.push_back(std::move(parts));
    return make_model<double>(2, std::move(branches), options, 1);
}

Matrix<double> points(std::size_t count) {
    auto x = samples(count, DomainKind::ball, 2);
    for (std::size_t b = 0; b < count; ++b) x(b, 1) *= 0.5;
    return x;
}

TEST(OwnParts, HaveExactGradients) {
    const auto x = points(5);
    auto model = own_model(small_options());
    model->calibrate(x, x);
    shake(*model, 2);
    expect_gradients_match(*model, x);
}

TEST(OwnParts, AreTrainedLikeBuiltInOnes) {
    train::Dataset data;
    data.x = points(200);
    for (std::size_t b = 0; b < data.x.rows(); ++b)
        data.labels.push_back(data.x(b, 0) > 0.0 ? 1 : 0);
    auto model = own_model(small_options());
    train::TrainOptions options;
    options.learning_rate = 1e-2;
    const auto record = train::train(*model, data, data, options);
    EXPECT_GT(record.best_metric, 0.95);
    EXPECT_EQ(record.failed_lines, 0);
}

/// As the heads of the built-in coefficients are, with other networks in them.
TEST(OwnParts, ThreeNetworksMakeCoefficients) {
    const auto mlp = [](network::BoundedHead head) {
        network::MlpOptions options;
        options.inputs = 2;
        options.hidden = {5};
        options.activation = Activation::tanh;
        options.heads = {head};
        return std::make_unique<network::Mlp<double>>(options);
    };
    auto parts = make_parts<double>(2, small_options());
    parts.coefficients =
        make_coefficients<double>(mlp({2.0, 1.0, 0.0, 1.0}), mlp({}), mlp({3.0, 2.0, 0.0, 1.0}));
    std::vector<BranchParts<double>> branches;
    branches.push_back(std::move(parts));
    auto model = make_model<double>(2, std::move(branches), small_options(), 1);
    const auto x = points(5);
    model->calibrate(x, x);
    shake(*model, 2);
    expect_gradients_match(*model, x);

    EXPECT_THROW(make_coefficients<double>(mlp({}), nullptr, mlp({})), Error);
    EXPECT_THROW(make_coefficients<double>(mlp({}), mlp({}), std::make_unique<SineNetwork>(3, 1)),
                 Error);
    EXPECT_THROW(make_coefficients<double>(mlp({}), mlp({}), std::make_unique<SineNetwork>(2, 2)),
                 Error);
}

TEST(OwnParts, LinesEndOnTheirDomainsBoundary) {
    const auto model = own_model(small_options());
    const auto inspection = model->inspect(points(5));
    for (std::size_t b = 0; b < 5; ++b) {
        EXPECT_TRUE(inspection.outcomes[b].ok());
        EXPECT_LT(inspection.residual[b], 1e-12);
    }
}

}  // namespace
}  // namespace deepsl::model::test
