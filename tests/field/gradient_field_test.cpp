// Fields that are gradients of a potential: of which one, that they have no rotation, and that
// their direction always wins.
#include "deepsl/field/gradient_field.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "field/lines.h"

namespace deepsl::field::test {
namespace {

std::vector<double> field_at(const Field<double>& field, const std::vector<double>& z) {
    std::vector<double> a(z.size());
    (*field).forward(z.data(), 1, a.data(), nullptr);
    return a;
}

/// As after some training: biases that are not zero, and everything larger.
Field<double> random_gradient_field(std::size_t n, double size, Random& random,
                                    std::size_t units = 7) {
    auto field = network_field<double>(FieldKind::gradient, n, 1.0, 0.3, random(), {units});
    for (auto& value : field.parameters.values()) value = size * (value + 0.1 * normal(random));
    field.load();
    return field;
}

/// V = d.z + 0.8 sum_k s_k log cosh(W_k.x + b_k) / (4 N), x = 4 (z - 0.3).
double potential(const Field<double>& field, const std::vector<double>& z) {
    const auto part = [&](const std::string& name) {
        for (const auto& p : field.parameters.list())
            if (p.name == "field." + name)
                return std::span(field.parameters.values()).subspan(p.offset, p.size());
        throw std::invalid_argument(name);
    };
    const auto d = part("direction"), W = part("weight"), b = part("bias"), s = part("strength");
    const auto n = z.size(), m = s.size();
    double length = 0.0, along = 0.0, sum = 0.0, N = 0.0;
    for (std::size_t i = 0; i < n; ++i) length += d[i] * d[i], along += d[i] * z[i];
    for (std::size_t k = 0; k < m; ++k) {
        double at = b[k], square = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            at += W[k * n + i] * 4.0 * (z[i] - 0.3);
            square += W[k * n + i] * W[k * n + i];
        }
        sum += s[k] * std::log(std::cosh(at));
        N += std::sqrt(1.0 / static_cast<double>(m * m) + s[k] * s[k] * square);
    }
    return along / std::sqrt(length) + 0.8 * sum / (4.0 * N);
}

TEST(GradientField, IsTheGradientOfItsPotential) {
    Random random(31);
    const double h = 1e-4;
    for (const std::size_t n : {1U, 2U, 3U, 9U})
        for (const double size : {0.3, 1.0, 2.0}) {
            const auto field = random_gradient_field(n, size, random);
            std::vector<double> z(n);
            for (auto& c : z) c = normal(random);
            const auto a = field_at(field, z);
            for (std::size_t i = 0; i < n; ++i) {
                const auto at = [&](double by) {
                    auto moved = z;
                    moved[i] += by;
                    return potential(field, moved);
                };
                const double wide = (at(2.0 * h) - at(-2.0 * h)) / (4.0 * h);
                const double narrow = (at(h) - at(-h)) / (2.0 * h);
                EXPECT_NEAR(a[i], (4.0 * narrow - wide) / 3.0, 1e-9) << n << " " << size;
            }
        }
}

/// The largest difference between da_i/dz_j and da_j/dz_i, against the largest derivative.
double rotation(const Field<double>& field, const std::vector<double>& z) {
    const auto n = z.size();
    const double h = 1e-5;
    std::vector<double> J(n * n);
    double size = 0.0, result = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        auto ahead = z, behind = z;
        ahead[j] += h, behind[j] -= h;
        const auto plus = field_at(field, ahead), minus = field_at(field, behind);
        for (std::size_t i = 0; i < n; ++i) {
            J[i * n + j] = (plus[i] - minus[i]) / (2.0 * h);
            size = std::max(size, std::fabs(J[i * n + j]));
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            result = std::max(result, std::fabs(J[i * n + j] - J[j * n + i]) / size);
    return result;
}

TEST(GradientField, HasNoRotation) {
    Random random(32);
    for (const std::size_t n : {2U, 3U, 9U})
        for (int trial = 0; trial < 10; ++trial) {
            const auto gradient = random_gradient_field(n, 1.0, random);
            const auto other =
                network_field<double>(FieldKind::directional, n, 2.0, 0.3, random(), {7});
            std::vector<double> z(n);
            for (auto& c : z) c = 0.5 * normal(random);
            EXPECT_LT(rotation(gradient, z), 1e-7);
            EXPECT_GT(rotation(other, z), 1e-2) << "directional fields have some";
        }
}

template <class Real>
void gradient_fields_advance() {
    Random random(33);
    for (const std::size_t n : {1U, 2U, 5U, 40U})
        for (const double size : {0.1, 10.0, 1e6}) {
            auto field = network_field<Real>(FieldKind::gradient, n, size, 0.0, random(), {9});
            for (auto& value : field.parameters.values())
                value = static_cast<float>(size * (value + 0.1 * normal(random)));
            field.load();
            const auto d = dynamic_cast<const GradientField<Real>&>(*field).direction(
                field.parameters.values());
            std::vector<Real> z(1000 * n), a(1000 * n);
            for (auto& c : z) c = static_cast<Real>(normal(random));
            (*field).forward(z.data(), 1000, a.data(), nullptr);
            ASSERT_TRUE(finite(a));
            double least = infinity, longest = 0.0, furthest = 0.0;
            for (std::size_t r = 0; r < 1000; ++r) {
                double along = 0.0, square = 0.0, off = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    const auto c = static_cast<double>(a[r * n + i]);
                    along += c * d[i];
                    square += c * c;
                    off += (c - d[i]) * (c - d[i]);
                }
                least = std::min(least, along);
                longest = std::max(longest, std::sqrt(square));
                furthest = std::max(furthest, std::sqrt(off));
            }
            EXPECT_GE(least, 0.2 - 1e-6);
            EXPECT_LE(longest, 1.8 + 1e-6);
            // Large numbers saturate the units, and lines do bend.
            if (n == 1 && size > 1.0) {
                EXPECT_GT(furthest, 0.2);
            }
            for (const auto& domain : {box(n), ball(n)})
                expect_ok(lines_of(field, domain, samples<Real>(*domain, 20, random)));
        }
}

TEST(GradientField, AdvancesAlongItsDirectionAndLeaves) {
    gradient_fields_advance<float>();
    gradient_fields_advance<double>();
}

// One unit alone can bend lines as far as is allowed.
TEST(GradientField, OneUnitBendsByNearlyAll) {
    Random random(34);
    auto field = network_field<double>(FieldKind::gradient, 2, 1.0, 0.0, 1, {1});
    field.parameters.values() = {1.0, 0.0, 0.0, 3.0, 0.0, 50.0};  // d, W, b, s
    field.load();
    const auto a = field_at(field, {0.0, 1.0});
    EXPECT_NEAR(a[0], 1.0, 1e-15);
    EXPECT_NEAR(a[1], 0.8 * 150.0 / std::hypot(1.0, 150.0), 1e-9);
    // Without strength lines are straight.
    field.parameters.values().back() = 0.0;
    field.load();
    EXPECT_EQ(field_at(field, {0.3, 0.7}), (std::vector<double>{1.0, 0.0}));
}

TEST(GradientField, TakesADirection) {
    auto field = network_field<double>(FieldKind::gradient, 3, 0.0, 0.0, 1);
    auto& values = field.parameters.values();
    field.own->set_direction(std::vector<double>{3.0, 0.0, 4.0}, values);
    field.load();
    const auto a = field_at(field, {0.1, 0.2, 0.3});
    const double expected[] = {0.6, 0.0, 0.8};
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], expected[i], 1e-15);
    EXPECT_THROW(field.own->set_direction(std::vector<double>(3, 0.0), values), Error);
    EXPECT_THROW(field.own->set_direction(std::vector<double>(4, 1.0), values), Error);
}

TEST(GradientField, IsRefusedWithoutALayerOrABoundedActivation) {
    network::MlpOptions o;
    o.inputs = 2;
    o.hidden = {};
    o.activation = network::Activation::tanh;
    EXPECT_THROW(GradientField<double>{o}, Error);
    o.hidden = {5, 3};  // of which the first counts
    GradientField<double> field(o);
    network::Parameters parameters;
    Random random(1);
    field.enrol(parameters, "", random);
    EXPECT_EQ(parameters.size(), 2U + 5U * (2U + 2U));
    o.activation = network::Activation::leaky_relu;
    EXPECT_THROW(GradientField<double>{o}, Error);
}

}  // namespace
}  // namespace deepsl::field::test
