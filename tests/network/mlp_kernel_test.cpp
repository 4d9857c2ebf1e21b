// The kernels behind the network against each other, and their tanh.
#include "network/mlp_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl::network {
namespace {

template <class Real>
struct KernelRun {
    std::vector<Real> y, dx, gradient;
};

/// A random network and batch; the same for each kernel.
template <class Real>
struct KernelCase {
    Layers<Real> layers;
    std::vector<std::vector<Real>> numbers;
    std::vector<Real> x, dy;
    std::size_t rows;

    KernelCase(std::vector<std::size_t> sizes, std::size_t row_count, bool tanh, unsigned seed)
        : rows(row_count) {
        std::mt19937 random(seed);
        const auto fill = [&](std::size_t count, double scale) {
            std::normal_distribution<double> normal(0.0, scale);
            std::vector<Real> v(count);
            for (auto& c : v) c = static_cast<Real>(normal(random));
            return v;
        };
        layers.sizes = std::move(sizes);
        layers.tanh = tanh;
        layers.shift = static_cast<Real>(0.3);
        layers.scale = static_cast<Real>(1.7);
        layers.head.bounded = seed % 2 == 0;
        layers.head.centre = Real(0.5);
        layers.head.radius = Real(3);
        layers.head.slope = Real(0.5);
        layers.head.shift = Real(0.2);
        for (std::size_t l = 0; l + 1 < layers.sizes.size(); ++l) {
            const auto in = layers.sizes[l], out = layers.sizes[l + 1];
            numbers.push_back(fill(in * out, 1.0 / std::sqrt(static_cast<double>(in))));
            numbers.push_back(fill(out, 0.3));
        }
        for (std::size_t i = 0; i < numbers.size(); i += 2) {
            layers.weight.push_back(numbers[i].data());
            layers.bias.push_back(numbers[i + 1].data());
        }
        x = fill(rows * layers.inputs(), 1.0);
        dy = fill(rows * layers.outputs(), 1.0);
    }

    KernelRun<Real> run(const Kernel<Real>& kernel) const {
        const auto packed = kernel.pack(layers);
        KernelRun<Real> r{std::vector<Real>(rows * layers.outputs()),
                          std::vector<Real>(rows * layers.inputs()),
                          std::vector<Real>(layers.parameters())};
        std::vector<Real> saved(packed.saved_per_row() * rows), y(r.y);
        kernel.forward(packed, x.data(), rows, y.data(), nullptr);
        kernel.forward(packed, x.data(), rows, r.y.data(), saved.data());
        EXPECT_EQ(y, r.y) << "keeping what the backward sweep needs must change nothing";
        kernel.backward(packed, x.data(), saved.data(), dy.data(), rows, r.dx.data(),
                        r.gradient.data());
        return r;
    }
};

template <class Real>
double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
    double error = 0.0, largest = 1e-300;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error = std::max(error, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        largest = std::max(largest, std::fabs(static_cast<double>(b[i])));
    }
    return error / largest;
}

template <class Real>
void kernels_agree() {
    const auto all = kernels<Real>();
    ASSERT_FALSE(all.empty());
    const double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-13;
    unsigned seed = 0;
    for (const auto& sizes : {std::vector<std::size_t>{1, 1},
                              {5, 13, 3},
                              {130, 5, 130, 1},
                              {16, 32, 32, 16},
                              {33, 130, 13, 17},
                              {3, 7, 7, 7, 2}}) {
        for (const std::size_t rows : {1u, 4u, 11u, 12u, 13u, 127u, 128u}) {
            const KernelCase<Real> tanh(sizes, rows, true, ++seed);
            const KernelCase<Real> leaky(sizes, rows, false, seed);
            const auto smooth = tanh.run(all.front().kernel);
            std::vector<KernelRun<Real>> fused;
            for (std::size_t k = 1; k < all.size(); ++k) {
                SCOPED_TRACE(testing::Message() << all[k].name << ", " << rows << " rows, "
                                                << sizes.size() - 1 << " layers");
                const auto run = tanh.run(all[k].kernel);
                EXPECT_LE(difference(run.y, smooth.y), tolerance);
                EXPECT_LE(difference(run.dx, smooth.dx), tolerance);
                EXPECT_LE(difference(run.gradient, smooth.gradient), tolerance);
                // Slopes of a leaky ReLU jump, so only its values are compared.
                EXPECT_LE(difference(leaky.run(all[k].kernel).y, leaky.run(all[0].kernel).y),
                          tolerance);
                fused.push_back(run);
                fused.push_back(leaky.run(all[k].kernel));
            }
            // With fused multiply-adds the width of the registers makes no difference at all.
            for (std::size_t k = 2; k < fused.size(); ++k) {
                EXPECT_EQ(fused[k].y, fused[k % 2].y);
                EXPECT_EQ(fused[k].dx, fused[k % 2].dx);
                EXPECT_EQ(fused[k].gradient, fused[k % 2].gradient);
            }
        }
    }
}

TEST(MlpKernel, AllKernelsAgreeInFloat32) { kernels_agree<float>(); }
TEST(MlpKernel, AllKernelsAgreeInFloat64) { kernels_agree<double>(); }

template <class Real>
void partial_results() {
    const KernelCase<Real> c({5, 13, 3}, 11, true, 1);
    for (const auto& [name, kernel] : kernels<Real>()) {
        SCOPED_TRACE(name);
        const auto all = c.run(kernel);
        const auto packed = kernel.pack(c.layers);
        std::vector<Real> y(all.y.size()), saved(packed.saved_per_row() * c.rows);
        kernel.forward(packed, c.x.data(), c.rows, y.data(), saved.data());
        std::vector<Real> dx(all.dx.size()), gradient(all.gradient.size(), Real(1));
        kernel.backward(packed, c.x.data(), saved.data(), c.dy.data(), c.rows, dx.data(), nullptr);
        EXPECT_EQ(dx, all.dx);
        kernel.backward(packed, c.x.data(), saved.data(), c.dy.data(), c.rows, nullptr,
                        gradient.data());
        for (std::size_t i = 0; i < gradient.size(); ++i)
            EXPECT_NEAR(gradient[i], Real(1) + all.gradient[i], 1e-5) << "gradients are added";
    }
}

TEST(MlpKernel, EachGradientMayBeLeftOut) {
    partial_results<float>();
    partial_results<double>();
}

/// tanh of each x, through a network with one unit.
template <class Real>
std::vector<Real> tanh_by(const Kernel<Real>& kernel, const std::vector<Real>& x) {
    const Real one = 1, zero = 0;
    Layers<Real> layers;
    layers.sizes = {1, 1, 1};
    layers.weight = {&one, &one};
    layers.bias = {&zero, &zero};
    layers.tanh = true;
    const auto packed = kernel.pack(layers);
    std::vector<Real> y(x.size());
    for (std::size_t i = 0; i < x.size(); i += block_rows)
        kernel.forward(packed, x.data() + i, std::min(block_rows, x.size() - i), y.data() + i,
                       nullptr);
    return y;
}

TEST(MlpKernel, TanhIsAccurateOverTheWholeRangeOfFloat) {
    std::vector<float> x{0.0f,
                         -0.0f,
                         std::numeric_limits<float>::max(),
                         std::numeric_limits<float>::lowest(),
                         8.99f,
                         9.0f,
                         9.01f,
                         9.02f,
                         1e-45f};
    for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 7919) {
        float value;
        std::memcpy(&value, &bits, sizeof value);
        x.push_back(value);
        x.push_back(-value);
    }
    for (const auto& [name, kernel] : kernels<float>()) {
        const auto y = tanh_by(kernel, x);
        double worst = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double exact = std::tanh(static_cast<double>(x[i]));
            // Below the normal numbers one unit in the last place is all that can be asked.
            const double error = std::fabs(static_cast<double>(y[i]) - exact);
            worst = std::max(worst, error / std::max(std::fabs(exact), 1e-37));
            ASSERT_LE(std::fabs(y[i]), 1.0f) << name << " at " << x[i];
        }
        EXPECT_LE(worst, 3.5e-7) << name;
    }
}

template <class Real>
void tanh_at_infinity() {
    const Real inf = std::numeric_limits<Real>::infinity();
    for (const auto& [name, kernel] : kernels<Real>()) {
        SCOPED_TRACE(name);
        const auto y = tanh_by<Real>(kernel, {inf, -inf, std::numeric_limits<Real>::quiet_NaN(),
                                              std::numeric_limits<Real>::max(), Real(0.5)});
        EXPECT_EQ(y[0], Real(1));
        EXPECT_EQ(y[1], Real(-1));
        EXPECT_TRUE(std::isnan(y[2]));
        EXPECT_EQ(y[3], Real(1));
        EXPECT_NEAR(y[4], std::tanh(0.5), 1e-6);
    }
}

TEST(MlpKernel, TanhAtInfinityAndNaNInFloat32) { tanh_at_infinity<float>(); }
TEST(MlpKernel, TanhAtInfinityAndNaNInFloat64) { tanh_at_infinity<double>(); }

}  // namespace
}  // namespace deepsl::network
