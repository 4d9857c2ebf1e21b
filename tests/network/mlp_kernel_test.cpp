// The kernels behind the network against a slow one and against each other, and their tanh.
#include "network/mlp_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "network/slow_mlp.h"

namespace deepsl::network::test {
namespace {

template <class Real>
Packed<Real> packed_by(const Kernel<Real>& kernel, const MlpOptions& o,
                       const std::vector<double>& values) {
    Packed<Real> packed;
    packed.sizes = sizes_of(o);
    packed.tanh = o.activation == Activation::tanh;
    packed.shift = static_cast<Real>(o.shift);
    packed.scale = static_cast<Real>(o.scale);
    for (std::size_t j = 0; !o.heads.empty() && j < o.outputs; ++j) {
        const auto& head = o.heads[o.heads.size() > 1 ? j : 0];
        packed.heads.push_back({static_cast<Real>(head.centre), static_cast<Real>(head.radius),
                                static_cast<Real>(head.shift), static_cast<Real>(head.slope)});
    }
    kernel.shape(packed);
    kernel.pack(packed, values.data());
    return packed;
}

template <class Real>
struct KernelRun {
    std::vector<Real> y, dx, gradient;
};

template <class Real>
KernelRun<Real> run(const Kernel<Real>& kernel, const SlowCase<Real>& c, std::size_t first,
                    std::size_t rows) {
    const auto packed = packed_by(kernel, c.options, c.values);
    EXPECT_EQ(packed.parameters(), c.values.size());
    const auto* const x = c.x.data() + first * c.options.inputs;
    const auto* const dy = c.dy.data() + first * c.options.outputs;
    KernelRun<Real> r{std::vector<Real>(rows * c.options.outputs),
                      std::vector<Real>(rows * c.options.inputs),
                      std::vector<Real>(c.values.size())};
    std::vector<Real> saved(packed.saved_per_row() * rows), y(r.y);
    kernel.forward(packed, x, rows, y.data(), nullptr);
    kernel.forward(packed, x, rows, r.y.data(), saved.data());
    EXPECT_EQ(y, r.y) << "keeping what the backward sweep needs must change nothing";
    kernel.backward(packed, x, saved.data(), dy, rows, r.dx.data(), r.gradient.data());
    return r;
}

template <class Real>
KernelRun<Real> run(const Kernel<Real>& kernel, const SlowCase<Real>& c) {
    return run(kernel, c, 0, c.rows);
}

/// Few outputs and many, no hidden layers and several, sizes that fill no vector, no heads, one
/// and one for each output.
std::vector<MlpOptions> all_shapes() {
    std::vector<MlpOptions> shapes;
    const std::vector<std::vector<std::size_t>> hidden{{},       {1},      {13},
                                                       {32, 16}, {130, 5}, {7, 7, 7}};
    for (const auto activation : {Activation::tanh, Activation::leaky_relu})
        for (const auto& layers : hidden)
            for (const std::size_t outputs : {1U, 2U, 3U, 4U, 5U, 17U, 130U}) {
                const std::size_t inputs[] = {1, 5, 16, 33, 130};
                auto o = shape(inputs[shapes.size() % 5], layers, outputs, activation);
                o.shift = 0.3;
                o.scale = 1.7;
                shapes.push_back(o);
                o.heads = {{0.5, 3.0, 0.2, 0.5}};
                shapes.push_back(o);
                o.heads = different_heads(outputs);
                shapes.push_back(o);
            }
    return shapes;
}

template <class Real>
class MlpKernel : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(MlpKernel, Reals);

TYPED_TEST(MlpKernel, EveryKernelAgreesWithTheSlowNetwork) {
    using Real = TypeParam;
    Random random(1);
    const double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
    const auto all = kernels<Real>();
    ASSERT_FALSE(all.empty());
    const std::size_t counts[] = {1, 2, 3, 4, 5, 11, 12, 13, block_rows - 1, block_rows};
    std::size_t turn = 0;
    for (const auto& options : all_shapes())
        for (int i = 0; i < 2; ++i) {
            const SlowCase<Real> c(options, counts[turn++ % 10], random);
            for (const auto& [name, kernel] : all) {
                SCOPED_TRACE(testing::Message()
                             << name << ", " << options.inputs << " inputs, "
                             << options.hidden.size() << " hidden layers, " << options.outputs
                             << " outputs, " << options.heads.size() << " heads, " << c.rows
                             << " rows");
                const auto r = run(kernel, c);
                EXPECT_LE(difference(r.y, c.expected.y), tolerance);
                EXPECT_LE(difference(r.dx, c.expected.dx, 0.3), tolerance) << "by the inputs";
                EXPECT_LE(difference(r.gradient, c.expected.gradient, 0.3), tolerance);
            }
        }
}

TYPED_TEST(MlpKernel, ARowHasTheSameBitsInAnyBlock) {
    using Real = TypeParam;
    Random random(2);
    for (const auto& options : all_shapes()) {
        if (options.hidden.size() == 3) continue;
        const SlowCase<Real> c(options, 128, random);
        const auto in = options.inputs, out = options.outputs;
        for (const auto& [name, kernel] : kernels<Real>()) {
            const auto all = run(kernel, c);
            for (const auto& [first, rows] : {std::pair<std::size_t, std::size_t>{0, 1},
                                              {5, 1},
                                              {13, 1},
                                              {127, 1},
                                              {9, 2},
                                              {30, 3},
                                              {64, 5},
                                              {3, 13},
                                              {1, 127}}) {
                const auto part = run(kernel, c, first, rows);
                const auto same = [&](const std::vector<Real>& own, const std::vector<Real>& whole,
                                      std::size_t width) {
                    return std::memcmp(own.data(), whole.data() + first * width,
                                       rows * width * sizeof(Real)) == 0;
                };
                EXPECT_TRUE(same(part.y, all.y, out)) << name << ", " << rows << " rows";
                EXPECT_TRUE(same(part.dx, all.dx, in)) << name << ", " << rows << " rows, dx";
            }
        }
    }
}

TYPED_TEST(MlpKernel, EachGradientMayBeLeftOutAndIsAdded) {
    using Real = TypeParam;
    Random random(3);
    for (const auto& options :
         {shape(5, {13}, 3, Activation::tanh), shape(5, {13}, 9, Activation::tanh),
          shape(5, {}, 1, Activation::tanh)}) {
        const SlowCase<Real> c(options, 11, random);
        for (const auto& [name, kernel] : kernels<Real>()) {
            SCOPED_TRACE(name);
            const auto all = run(kernel, c);
            const auto packed = packed_by(kernel, options, c.values);
            std::vector<Real> y(all.y.size()), saved(packed.saved_per_row() * c.rows);
            kernel.forward(packed, c.x.data(), c.rows, y.data(), saved.data());
            std::vector<Real> dx(all.dx.size()), gradient(all.gradient.size(), Real(1));
            kernel.backward(packed, c.x.data(), saved.data(), c.dy.data(), c.rows, dx.data(),
                            nullptr);
            EXPECT_EQ(dx, all.dx);
            kernel.backward(packed, c.x.data(), saved.data(), c.dy.data(), c.rows, nullptr,
                            gradient.data());
            for (std::size_t i = 0; i < gradient.size(); ++i)
                EXPECT_NEAR(gradient[i], Real(1) + all.gradient[i], 1e-5);
        }
    }
}

// With fused multiply-adds the width of the registers makes no difference at all, where nothing is
// summed up along a register.
TEST(MlpKernel, FusedKernelsGiveTheSameBitsInFloat64) {
    Random random(4);
    const auto all = kernels<double>();
    for (const auto& options : all_shapes()) {
        if (options.outputs <= narrow_outputs) continue;
        const SlowCase<double> c(options, 37, random);
        for (std::size_t k = 2; k < all.size(); ++k) {
            const auto a = run(all[1].kernel, c), b = run(all[k].kernel, c);
            EXPECT_EQ(a.y, b.y);
            EXPECT_EQ(a.dx, b.dx);
            EXPECT_EQ(a.gradient, b.gradient);
        }
    }
}

/// tanh of each x, through a network with one hidden unit, or through a head.
template <class Real>
std::vector<Real> tanh_by(const Kernel<Real>& kernel, const std::vector<Real>& x, bool by_head) {
    auto options = shape(1, {}, 1, Activation::tanh);
    if (by_head)
        options.heads = {BoundedHead{}};
    else
        options.hidden = {1};
    const auto packed = packed_by(
        kernel, options,
        by_head ? std::vector<double>{1.0, 0.0} : std::vector<double>{1.0, 0.0, 1.0, 0.0});
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
        float value = 0.0f;
        std::memcpy(&value, &bits, sizeof value);
        x.push_back(value);
        x.push_back(-value);
    }
    for (const auto& [name, kernel] : kernels<float>())
        for (const bool by_head : {false, true}) {
            const auto y = tanh_by(kernel, x, by_head);
            double worst = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double exact = std::tanh(static_cast<double>(x[i]));
                // Below the normal numbers one unit in the last place is all that can be asked.
                const double error = std::fabs(static_cast<double>(y[i]) - exact);
                worst = std::max(worst, error / std::max(std::fabs(exact), 1e-37));
                ASSERT_LE(std::fabs(y[i]), 1.0f) << name << " at " << x[i];
            }
            EXPECT_LE(worst, 5e-7) << name;
        }
}

TYPED_TEST(MlpKernel, TanhAtInfinityAndNaN) {
    using Real = TypeParam;
    const Real inf = std::numeric_limits<Real>::infinity();
    for (const auto& [name, kernel] : kernels<Real>())
        for (const bool by_head : {false, true}) {
            SCOPED_TRACE(name);
            const auto y = tanh_by<Real>(kernel,
                                         {inf, -inf, std::numeric_limits<Real>::quiet_NaN(),
                                          std::numeric_limits<Real>::max(), Real(0.5)},
                                         by_head);
            EXPECT_EQ(y[0], Real(1));
            EXPECT_EQ(y[1], Real(-1));
            EXPECT_TRUE(std::isnan(y[2]));
            EXPECT_EQ(y[3], Real(1));
            EXPECT_NEAR(y[4], std::tanh(0.5), 1e-6);
        }
}

}  // namespace
}  // namespace deepsl::network::test
