// Convolutions against their definition, pixel by pixel, and against differences.
#include "deepsl/network/convolutions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/network/parameters.h"
#include "deepsl/network/tape.h"
#include "deepsl/random.h"
#include "network/convolution_kernel.h"

namespace deepsl::network {
namespace {

using Numbers = std::vector<double>;

double activated(const std::optional<Activation>& activation, double r) {
    if (!activation) return r;
    if (*activation == Activation::tanh) return std::tanh(r);
    return r > 0.0 ? r : 0.01 * r;
}

/// One layer of one image by the formula of the header.
Numbers slow_layer(const ImageShape& from, const ImageShape& to, const ConvolutionLayer& layer,
                   const Numbers& x, const double* weight, const double* bias) {
    const auto side = static_cast<std::int64_t>(layer.kernel), margin = (side - 1) / 2;
    const auto stride = static_cast<std::int64_t>(layer.stride);
    Numbers sums(to.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = bias[i % to.channels];
    const bool up = layer.transposed_to.has_value();
    const auto& large = up ? to : from;
    const auto& small = up ? from : to;
    for (std::size_t py = 0; py < small.height; ++py)
        for (std::size_t px = 0; px < small.width; ++px)
            for (std::int64_t ky = 0; ky < side; ++ky)
                for (std::int64_t kx = 0; kx < side; ++kx) {
                    const auto y = static_cast<std::int64_t>(py) * stride + ky - margin;
                    const auto z = static_cast<std::int64_t>(px) * stride + kx - margin;
                    if (y < 0 || z < 0 || y >= static_cast<std::int64_t>(large.height) ||
                        z >= static_cast<std::int64_t>(large.width))
                        continue;
                    const auto at =
                        (static_cast<std::size_t>(y) * large.width + static_cast<std::size_t>(z)) *
                        large.channels;
                    const auto p = (py * small.width + px) * small.channels;
                    for (std::size_t s = 0; s < small.channels; ++s)
                        for (std::size_t c = 0; c < large.channels; ++c) {
                            const auto k = static_cast<std::size_t>(ky * side + kx);
                            const double w =
                                weight[(s * layer.kernel * layer.kernel + k) * large.channels + c];
                            if (up)
                                sums[at + c] += w * x[p + s];
                            else
                                sums[p + s] += w * x[at + c];
                        }
                }
    for (auto& r : sums) r = activated(layer.activation, r);
    return sums;
}

Numbers slow_pool(const ImageShape& from, const ImageShape& to, std::size_t side,
                  const Numbers& x) {
    Numbers result(to.size(), -1e300);
    for (std::size_t y = 0; y < from.height; ++y)
        for (std::size_t z = 0; z < from.width; ++z)
            for (std::size_t c = 0; c < from.channels; ++c) {
                auto& best = result[((y / side) * to.width + z / side) * to.channels + c];
                best = std::max(best, x[(y * from.width + z) * from.channels + c]);
            }
    return result;
}

Numbers slow(const ConvolutionOptions& options, Numbers x, const double* values) {
    const auto shapes = shapes_of(options);
    for (auto& number : x) number = options.scale * (number - options.shift);
    for (std::size_t l = 0; l < options.layers.size(); ++l) {
        const auto& layer = options.layers[l];
        const auto weights = shapes[l].channels * layer.kernel * layer.kernel * layer.features;
        auto full = shapes[l + 1];
        if (layer.pool > 1) {
            full.height = (shapes[l].height + layer.stride - 1) / layer.stride;
            full.width = (shapes[l].width + layer.stride - 1) / layer.stride;
        }
        x = slow_layer(shapes[l], full, layer, x, values, values + weights);
        if (layer.pool > 1) x = slow_pool(full, shapes[l + 1], layer.pool, x);
        values += weights + layer.features;
    }
    if (options.head)
        for (auto& r : x)
            r = options.head->centre +
                options.head->radius * std::tanh(options.head->slope * (r - options.head->shift));
    return x;
}

ConvolutionLayer layer(std::size_t features, std::size_t stride, std::optional<Activation> act) {
    ConvolutionLayer result;
    result.features = features;
    result.stride = stride;
    result.activation = act;
    return result;
}

ConvolutionLayer up(std::size_t features, ImageShape to, std::optional<Activation> act) {
    auto result = layer(features, 2, act);
    result.transposed_to = to;
    return result;
}

std::vector<ConvolutionOptions> cases() {
    const auto tanh = Activation::tanh, leaky = Activation::leaky_relu;
    std::vector<ConvolutionOptions> all;
    all.push_back(
        {{5, 7, 1}, {layer(3, 2, tanh), layer(20, 2, leaky)}, Initialiser::glorot, 0.5, 4.0});
    all.push_back(
        {{6, 6, 3}, {layer(17, 1, leaky), layer(4, 1, std::nullopt)}, Initialiser::he, 0.0, 1.0});
    auto pooling = layer(18, 1, tanh);
    pooling.pool = 2;
    all.push_back({{5, 6, 2}, {pooling, pooling}, Initialiser::orthogonal, 0.5, 2.0});
    auto wide = layer(5, 3, tanh);
    wide.kernel = 5;
    all.push_back({{8, 7, 2}, {wide}, Initialiser::glorot, 0.0, 1.0});
    all.push_back({{3, 2, 9},
                   {up(4, {6, 3, 0}, leaky), up(1, {11, 5, 0}, std::nullopt)},
                   Initialiser::glorot,
                   0.0,
                   1.0});
    all.push_back(
        {{7, 7, 1}, {layer(6, 2, tanh), up(2, {7, 7, 0}, tanh)}, Initialiser::glorot, 0.5, 4.0});
    return all;
}

template <class Real>
struct Enrolled {
    Convolutions<Real> network;
    Parameters parameters;

    explicit Enrolled(const ConvolutionOptions& options) : network(options) {
        Random random(5);
        parameters.add("others", {3}, Role::vector);
        network.enrol(parameters, "net", random);
        for (auto& value : parameters.values()) value += 0.1 * normal(random);
        network.load(parameters.values());
    }
};

template <class Real>
std::vector<Real> samples(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Real> x(count);
    for (auto& number : x) number = static_cast<Real>(uniform(random, 0.0, 1.0));
    return x;
}

template <class Real>
class Convolution : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Convolution, Reals);

TYPED_TEST(Convolution, IsTheSumOverItsWindow) {
    const double tolerance = sizeof(TypeParam) == 4 ? 1e-5 : 1e-13;
    for (const auto& options : cases()) {
        const Enrolled<TypeParam> own(options);
        EXPECT_EQ(parameter_count(options), static_cast<double>(own.parameters.size() - 3));
        const std::size_t rows = 13, n = own.network.inputs(), m = own.network.outputs();
        const auto x = samples<TypeParam>(rows * n, 1);
        std::vector<TypeParam> y(rows * m);
        own.network.forward(x.data(), rows, y.data(), nullptr);
        for (std::size_t r = 0; r < rows; ++r) {
            const auto first = x.begin() + static_cast<std::ptrdiff_t>(r * n);
            const auto expected =
                slow(options, Numbers(first, first + static_cast<std::ptrdiff_t>(n)),
                     own.parameters.values().data() + 3);
            for (std::size_t i = 0; i < m; ++i)
                EXPECT_NEAR(static_cast<double>(y[r * m + i]), expected[i], tolerance * 10.0);
        }
    }
}

TYPED_TEST(Convolution, HasTheSameBitsAloneAndInABatch) {
    for (const auto& options : cases()) {
        const Enrolled<TypeParam> own(options);
        const std::size_t rows = 150, n = own.network.inputs(), m = own.network.outputs();
        const auto x = samples<TypeParam>(rows * n, 2);
        std::vector<TypeParam> y(rows * m), one(m), taped(rows * m);
        own.network.forward(x.data(), rows, y.data(), nullptr);
        Tape tape;
        own.network.forward(x.data(), rows, taped.data(), &tape);
        EXPECT_EQ(y, taped);
        for (const std::size_t r : {0U, 7U, 131U, 149U}) {
            own.network.forward(x.data() + r * n, 1, one.data(), nullptr);
            EXPECT_TRUE(
                std::equal(one.begin(), one.end(), y.begin() + static_cast<std::ptrdiff_t>(r * m)));
        }
    }
}

// Moves each number a little: the sum of dy y, with its gradient.
TEST(ConvolutionGradient, AgreesWithDifferences) {
    for (const auto& options : cases()) {
        Enrolled<double> own(options);
        const std::size_t rows = 3, n = own.network.inputs(), m = own.network.outputs();
        auto x = samples<double>(rows * n, 3);
        const auto dy = samples<double>(rows * m, 4);
        const auto value = [&] {
            std::vector<double> y(rows * m);
            own.network.forward(x.data(), rows, y.data(), nullptr);
            double sum = 0.0;
            for (std::size_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i];
            return sum;
        };
        Tape tape;
        std::vector<double> y(rows * m), dx(rows * n), gradient(own.parameters.size());
        own.network.forward(x.data(), rows, y.data(), &tape);
        own.network.pullback(x.data(), rows, dy.data(), tape, dx.data(), gradient.data());
        // Kinks of leaky ReLU and of maxima are met rarely by so small a step.
        const double step = 1e-6;
        const auto difference = [&](double& number, const auto& changed) {
            const double before = number;
            number = before + step;
            changed();
            const double above = value();
            number = before - step;
            changed();
            const double below = value();
            number = before;
            changed();
            return (above - below) / (2.0 * step);
        };
        double largest = 0.0;
        for (const double g : gradient) largest = std::max(largest, std::fabs(g));
        for (std::size_t i = 0; i < x.size(); i += 5)
            EXPECT_NEAR(dx[i], difference(x[i], [] {}), 1e-7 * largest) << "input " << i;
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(gradient[i], 0.0);
        for (std::size_t i = 3; i < gradient.size(); i += 7)
            EXPECT_NEAR(gradient[i],
                        difference(own.parameters.values()[i],
                                   [&] { own.network.load(own.parameters.values()); }),
                        1e-7 * largest)
                << "parameter " << i;
        // What is not wanted is not made, and gradients add up.
        auto twice = gradient;
        own.network.forward(x.data(), rows, y.data(), &tape);
        own.network.pullback(x.data(), rows, dy.data(), tape, nullptr, twice.data());
        for (std::size_t i = 0; i < gradient.size(); ++i)
            EXPECT_NEAR(twice[i], 2.0 * gradient[i], 1e-12 * largest);
    }
}

TEST(ConvolutionKernels, AgreeWithEachOther) {
    const auto kernels = convolution_kernels<float>();
    PackedConvolution<float> c;
    c.windows = {{9, 8, 20}, {5, 4, 33}, 3, 2, 1};
    c.act = LayerAct::tanh;
    const auto values = samples<double>(c.parameters(), 6);
    const std::size_t images = 11;
    const auto x = samples<float>(images * c.input().size(), 7);
    const auto dy = samples<float>(images * c.output().size(), 8);
    std::vector<float> y0, dx0, g0;
    for (const auto& [name, kernel] : kernels) {
        auto packed = c;
        kernel.pack(packed, values.data());
        for (auto& weight : packed.forward) weight *= 0.05F;
        std::vector<float> y(dy.size()), delta = dy, dx(x.size()), g(c.parameters());
        kernel.forward(packed, x.data(), images, y.data());
        kernel.backward(packed, x.data(), y.data(), images, delta.data(), dx.data(), g.data());
        if (y0.empty()) y0 = y, dx0 = dx, g0 = g;
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], y0[i], 1e-4) << name;
        for (std::size_t i = 0; i < dx.size(); ++i)
            EXPECT_NEAR(dx[i], dx0[i], 1e-3 * (1.0 + std::fabs(dx0[i]))) << name;
        for (std::size_t i = 0; i < g.size(); ++i)
            EXPECT_NEAR(g[i], g0[i], 1e-3 * (1.0 + std::fabs(g0[i]))) << name;
    }
}

TEST(ConvolutionOptions, ThatMakeNoSenseAreRefused) {
    ConvolutionOptions options{{4, 4, 1}, {}, Initialiser::glorot, 0.0, 1.0};
    EXPECT_THROW(Convolutions<float>{options}, Error);
    options.layers = {layer(2, 0, std::nullopt)};
    EXPECT_THROW(Convolutions<float>{options}, Error);
    options.layers = {layer(0, 1, std::nullopt)};
    EXPECT_THROW(Convolutions<float>{options}, Error);
    options.layers = {layer(2, 1, std::nullopt)};
    options.layers[0].kernel = 4;
    EXPECT_THROW(Convolutions<float>{options}, Error);
    options.layers = {up(2, {9, 8, 0}, std::nullopt)};
    EXPECT_THROW(Convolutions<float>{options}, Error);
}

}  // namespace
}  // namespace deepsl::network
