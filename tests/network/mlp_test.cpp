// The network as models use it: against a slow one, its bits in any batch, its tape and its
// parameters.
#include "deepsl/network/mlp.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/network/parameters.h"
#include "deepsl/network/tape.h"
#include "network/mlp_kernel.h"
#include "network/slow_mlp.h"

namespace deepsl::network::test {
namespace {

/// A network that stands behind `before` other numbers in the flat vector.
template <class Real>
struct Enrolled {
    Mlp<Real> mlp;
    Parameters parameters;
    std::size_t before;

    Enrolled(const MlpOptions& options, const std::vector<double>& values, std::size_t others = 3)
        : mlp(options), before(others) {
        Random random(1);
        parameters.add("others", {others}, Role::vector);
        mlp.enrol(parameters, "net", random);
        EXPECT_EQ(parameters.size(), before + values.size());
        EXPECT_EQ(parameter_count(options), static_cast<double>(values.size()));
        std::copy(values.begin(), values.end(),
                  parameters.values().begin() + static_cast<std::ptrdiff_t>(before));
        mlp.load(parameters.values());
    }

    struct Result {
        std::vector<Real> y, dx, gradient;
    };
    Result run(const Real* x, std::size_t rows, const Real* dy, Tape& tape) const {
        Result r{std::vector<Real>(rows * mlp.outputs()), std::vector<Real>(rows * mlp.inputs()),
                 std::vector<Real>(parameters.size())};
        mlp.forward(x, rows, r.y.data(), &tape);
        mlp.pullback(x, rows, dy, tape, r.dx.data(), r.gradient.data());
        return r;
    }
};

template <class Real>
void compare(const MlpOptions& options, std::size_t rows, Random& random) {
    SCOPED_TRACE(testing::Message()
                 << options.inputs << " -> " << options.hidden.size() << " hidden -> "
                 << options.outputs << ", " << rows << " rows, " << sizeof(Real) << " bytes");
    const double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
    const SlowCase<Real> c(options, rows, random);
    const Enrolled<Real> own(options, c.values);
    Tape tape;
    auto r = own.run(c.x.data(), rows, c.dy.data(), tape);
    EXPECT_LE(difference(r.y, c.expected.y), tolerance);
    EXPECT_LE(difference(r.dx, c.expected.dx, 0.3), tolerance) << "by the inputs";
    for (std::size_t i = 0; i < own.before; ++i) EXPECT_EQ(r.gradient[i], Real(0));
    r.gradient.erase(r.gradient.begin(),
                     r.gradient.begin() + static_cast<std::ptrdiff_t>(own.before));
    EXPECT_LE(difference(r.gradient, c.expected.gradient, 0.3), tolerance);
    // Without a tape the same comes out.
    std::vector<Real> y(r.y.size());
    own.mlp.forward(c.x.data(), rows, y.data(), nullptr);
    EXPECT_EQ(y, r.y);
}

template <class Real>
class Mlps : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Mlps, Reals);

const auto activations = {Activation::leaky_relu, Activation::tanh};

TYPED_TEST(Mlps, AgreeWithTheSlowNetworkInEverySizeAndDepth) {
    Random random(1);
    const std::vector<std::vector<std::size_t>> hidden{
        {}, {1}, {5}, {13}, {130}, {5, 13}, {130, 1, 5}, {13, 130, 13}, {8, 16, 32}};
    for (const auto activation : activations)
        for (const auto& layers : hidden)
            for (const std::size_t inputs : {1U, 5U, 130U})
                for (const std::size_t outputs : {1U, 2U, 3U, 4U, 5U, 13U})
                    compare<TypeParam>(shape(inputs, layers, outputs, activation), 7, random);
}

TYPED_TEST(Mlps, AgreeWithTheSlowNetworkForEveryNumberOfRows) {
    Random random(2);
    for (const auto activation : activations)
        for (const std::size_t outputs : {3U, 6U})
            for (const std::size_t rows :
                 {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4},
                  std::size_t{5}, std::size_t{11}, std::size_t{12}, std::size_t{13}, block_rows - 1,
                  block_rows, block_rows + 1, std::size_t{300}})
                compare<TypeParam>(shape(5, {13, 6}, outputs, activation), rows, random);
}

TYPED_TEST(Mlps, ShiftAndScaleTheirInputs) {
    Random random(3);
    auto options = shape(5, {13}, 2, Activation::tanh);
    options.shift = 0.5;
    options.scale = 4.0;
    compare<TypeParam>(options, 130, random);
    options.hidden = {};
    compare<TypeParam>(options, 130, random);
}

TYPED_TEST(Mlps, HeadsBoundTheOutputs) {
    using Real = TypeParam;
    Random random(12);
    for (const auto& head : {BoundedHead::sigmoid(0.01, 1.0), BoundedHead::sigmoid(1.0, 10.0, 2.0),
                             BoundedHead{0.0, 10.0, 0.0, 0.1}}) {
        for (const auto& hidden : {std::vector<std::size_t>{}, {5}, {13, 130}})
            for (const std::size_t outputs : {1U, 2U, 3U, 4U, 5U, 13U, 130U}) {
                auto options = shape(7, hidden, outputs, Activation::tanh);
                options.heads = {head};
                for (const std::size_t rows : {1U, 13U, 130U}) compare<Real>(options, rows, random);
                options.heads = different_heads(outputs);
                compare<Real>(options, 13, random);
            }
        // Whatever comes in, even infinity, stays within the bounds.
        for (const auto& hidden : {std::vector<std::size_t>{}, {5}, {13, 6}})
            for (const std::size_t outputs : {1U, 5U}) {
                auto options = shape(2, hidden, outputs, Activation::tanh);
                options.heads = {head};
                const Enrolled<Real> own(options, random_values<Real>(options, random));
                const auto inf = std::numeric_limits<Real>::infinity();
                const std::vector<Real> z{1, 2, Real(1e30), 1, Real(-1e30), 1, inf, 1, -inf, 1};
                std::vector<Real> y(5 * outputs);
                own.mlp.forward(z.data(), 5, y.data(), nullptr);
                for (const auto value : y) {
                    EXPECT_GE(value, head.centre - head.radius - 1e-6);
                    EXPECT_LE(value, head.centre + head.radius + 1e-6);
                }
            }
    }
}

// low + (high - low) sigmoid(r - shift)
TYPED_TEST(Mlps, ASigmoidIsAHead) {
    using Real = TypeParam;
    Random random(13);
    auto options = shape(3, {4}, 2, Activation::tanh);
    const auto values = random_values<Real>(options, random);
    const Enrolled<Real> plain(options, values);
    options.heads = {BoundedHead::sigmoid(0.1, 10.0, 1.5)};
    const Enrolled<Real> bounded(options, values);
    const auto z = random_reals<Real>(150, 1.0, random);
    std::vector<Real> r(100), y(100);
    plain.mlp.forward(z.data(), 50, r.data(), nullptr);
    bounded.mlp.forward(z.data(), 50, y.data(), nullptr);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_NEAR(y[i], 0.1 + 9.9 / (1.0 + std::exp(1.5 - static_cast<double>(r[i]))),
                    sizeof(Real) == 4 ? 1e-5 : 1e-13);
}

TYPED_TEST(Mlps, ARowHasTheSameBitsInAnyBatch) {
    using Real = TypeParam;
    Random random(8);
    for (const auto activation : activations)
        for (const auto& hidden : {std::vector<std::size_t>{}, {13}, {130, 33, 5}})
            for (const std::size_t outputs : {1U, 3U, 5U, 17U}) {
                auto options = shape(7, hidden, outputs, activation);
                if (hidden.size() != 1) options.heads = {BoundedHead::sigmoid(0.01, 1.0)};
                const SlowCase<Real> c(options, 300, random);
                const Enrolled<Real> own(options, c.values);
                Tape tape;
                const auto all = own.run(c.x.data(), 300, c.dy.data(), tape);
                const auto check = [&](std::size_t first, std::size_t rows) {
                    const auto part =
                        own.run(c.x.data() + first * 7, rows, c.dy.data() + first * outputs, tape);
                    EXPECT_EQ(std::memcmp(part.y.data(), all.y.data() + first * outputs,
                                          rows * outputs * sizeof(Real)),
                              0)
                        << first << " " << rows;
                    EXPECT_EQ(std::memcmp(part.dx.data(), all.dx.data() + first * 7,
                                          rows * 7 * sizeof(Real)),
                              0)
                        << first << " " << rows << ", dx";
                };
                for (const std::size_t row :
                     {std::size_t{0}, std::size_t{1}, std::size_t{11}, std::size_t{12},
                      block_rows - 1, block_rows, block_rows + 1, 2 * block_rows - 1,
                      2 * block_rows, std::size_t{299}})
                    check(row, 1);
                for (const std::size_t rows : {2U, 3U, 4U, 5U, 13U, 131U, 133U}) check(100, rows);
            }
}

TYPED_TEST(Mlps, TheInputsNeedNoGradientAndGradientsAddUp) {
    using Real = TypeParam;
    Random random(7);
    const SlowCase<Real> c(shape(5, {13, 6}, 2, Activation::tanh), 140, random);
    const Enrolled<Real> own(c.options, c.values);
    Tape tape;
    const auto once = own.run(c.x.data(), c.rows, c.dy.data(), tape);
    auto twice = once.gradient;
    std::vector<Real> y(once.y.size());
    own.mlp.forward(c.x.data(), c.rows, y.data(), &tape);
    own.mlp.pullback(c.x.data(), c.rows, c.dy.data(), tape, nullptr, twice.data());
    for (std::size_t i = 0; i < twice.size(); ++i)
        EXPECT_NEAR(twice[i], 2 * once.gradient[i],
                    (sizeof(Real) == 4 ? 1e-5 : 1e-13) * (1.0 + std::fabs(once.gradient[i])));
}

TEST(Mlp, LayersWithoutUnitsAndHeadsThatDoNotFitAreRefused) {
    EXPECT_THROW(Mlp<float>(shape(0, {4}, 2, Activation::tanh)), Error);
    EXPECT_THROW(Mlp<float>(shape(3, {4, 0}, 2, Activation::tanh)), Error);
    EXPECT_THROW(Mlp<double>(shape(3, {4}, 0, Activation::tanh)), Error);
    auto options = shape(3, {4}, 3, Activation::tanh);
    options.heads = different_heads(2);
    try {
        Mlp<double> mlp(options);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::argument);
        EXPECT_NE(std::string(error.what()).find("3 outputs"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("2 were given"), std::string::npos)
            << error.what();
    }
    options.heads = different_heads(3);
    EXPECT_NO_THROW(Mlp<double>{options});
}

TEST(Mlp, CountsItsOperations) {
    EXPECT_EQ(Mlp<float>(shape(5, {7, 3}, 2, Activation::tanh)).flops_per_row(),
              2U * (5 * 7 + 7 * 3 + 3 * 2));
}

TEST(Mlp, NamesItsTensorsAndTheSeedDecides) {
    const auto made = [](std::uint64_t seed, double gain) {
        auto options = shape(40, {60}, 50, Activation::tanh);
        options.last_gain = gain;
        Mlp<double> mlp(options);
        Parameters parameters;
        Random random(seed);
        mlp.enrol(parameters, "field1.P", random);
        return parameters;
    };
    const auto a = made(1, 0.1);
    ASSERT_EQ(a.list().size(), 4U);
    const std::vector<std::string> expected{"field1.P.weight1", "field1.P.bias1",
                                            "field1.P.weight2", "field1.P.bias2"};
    const std::vector<std::vector<std::size_t>> shapes{{60, 40}, {60}, {50, 60}, {50}};
    const double bounds[] = {std::sqrt(6.0 / 100.0), 0.0, 0.1 * std::sqrt(6.0 / 110.0), 0.0};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto& p = a.list()[i];
        EXPECT_EQ(p.name, expected[i]);
        EXPECT_EQ(p.shape, shapes[i]);
        EXPECT_EQ(p.role, i % 2 == 0 ? Role::matrix : Role::vector);
        double largest = 0.0;
        for (std::size_t k = 0; k < p.size(); ++k)
            largest = std::max(largest, std::fabs(a.values()[p.offset + k]));
        EXPECT_LE(largest, bounds[i]);
        EXPECT_GE(largest, 0.98 * bounds[i]) << "weights fill their interval, biases are 0";
    }
    EXPECT_EQ(a.values(), made(1, 0.1).values());
    EXPECT_NE(a.values(), made(2, 0.1).values());
}

}  // namespace
}  // namespace deepsl::network::test
