// Sums of rows: every kernel against plain loops, in any length.
#include "field/row_kernel.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/random.h"

namespace deepsl::field {
namespace {

template <class Real>
class RowKernels : public testing::Test {
protected:
    static constexpr double tolerance = sizeof(Real) == 8 ? 1e-14 : 1e-5;

    static std::vector<Real> random_row(std::size_t n, Random& random) {
        std::vector<Real> row(n);
        for (auto& c : row) c = static_cast<Real>(normal(random));
        return row;
    }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RowKernels, Reals);

/// Every way to fill the last vector, of every width.
std::vector<std::size_t> lengths() {
    std::vector<std::size_t> all;
    for (std::size_t n = 1; n <= 35; ++n) all.push_back(n);
    for (const std::size_t n : {63U, 64U, 65U, 200U}) all.push_back(n);
    return all;
}

TYPED_TEST(RowKernels, AgreeWithPlainLoops) {
    using Real = TypeParam;
    Random random(1);
    ASSERT_FALSE(row_kernels<Real>().empty());
    for (const auto& [name, kernel] : row_kernels<Real>())
        for (const auto n : lengths())
            for (std::size_t count = 0; count <= 7; ++count) {
                SCOPED_TRACE(testing::Message() << name << ", " << n << " numbers, " << count);
                std::vector<std::vector<Real>> k, dk;
                const Real* from[8] = {};
                Real* to[8] = {};
                for (std::size_t j = 0; j < count; ++j) {
                    k.push_back(this->random_row(n, random));
                    dk.push_back(this->random_row(n, random));
                }
                const auto before = dk;
                for (std::size_t j = 0; j < count; ++j) {
                    from[j] = k[j].data();
                    to[j] = dk[j].data();
                }
                const auto factor = this->random_row(count, random);
                const auto start = this->random_row(n, random);
                // One number more, to see that it is left alone.
                std::vector<Real> out(n + 1, Real(77));
                Spread<Real> weights;
                for (std::size_t j = 0; j < count; ++j) {
                    weights.factor[j] = factor[j];
                    weights.first[j] = static_cast<Real>(normal(random));
                    weights.second[j] = static_cast<Real>(normal(random));
                }
                EXPECT_TRUE(
                    kernel.combine(start.data(), from, factor.data(), count, n, out.data()));
                const auto sums = kernel.spread(start.data(), from, weights, count, n, to);
                EXPECT_EQ(out[n], Real(77));
                const double close = this->tolerance * static_cast<double>(count + 1);
                for (std::size_t i = 0; i < n; ++i) {
                    auto sum = static_cast<double>(start[i]);
                    for (std::size_t j = 0; j < count; ++j) {
                        sum += static_cast<double>(factor[j]) * static_cast<double>(k[j][i]);
                        EXPECT_NEAR(
                            dk[j][i],
                            static_cast<double>(before[j][i]) +
                                static_cast<double>(factor[j]) * static_cast<double>(start[i]),
                            close);
                    }
                    EXPECT_NEAR(out[i], sum, close * (1.0 + std::fabs(sum)));
                }
                double first = 0.0, second = 0.0;
                for (std::size_t j = 0; j < count; ++j) {
                    double sum = 0.0;
                    for (std::size_t i = 0; i < n; ++i)
                        sum += static_cast<double>(start[i]) * static_cast<double>(k[j][i]);
                    first += static_cast<double>(weights.first[j]) * sum;
                    second += static_cast<double>(weights.second[j]) * sum;
                    EXPECT_NEAR(kernel.dot(start.data(), k[j].data(), n), sum,
                                this->tolerance * static_cast<double>(n));
                }
                EXPECT_NEAR(sums.first, first, 2.0 * close * static_cast<double>(n));
                EXPECT_NEAR(sums.second, second, 2.0 * close * static_cast<double>(n));
                double squares = 0.0;
                for (const Real c : start)
                    squares += static_cast<double>(c) * static_cast<double>(c);
                EXPECT_NEAR(kernel.squares(start.data(), n), squares, 1e-14 * squares);
                auto added = start;
                added.push_back(Real(77));
                kernel.add(out.data(), n, added.data());
                for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(added[i], start[i] + out[i]);
                EXPECT_EQ(added[n], Real(77));
            }
}

TYPED_TEST(RowKernels, BlendTwoRows) {
    using Real = TypeParam;
    Random random(2);
    for (const auto& [name, kernel] : row_kernels<Real>())
        for (const auto n : lengths()) {
            SCOPED_TRACE(testing::Message() << name << ", " << n << " numbers");
            const auto x = this->random_row(n, random);
            auto y = this->random_row(n, random);
            const auto before = y;
            y.push_back(Real(77));
            kernel.blend(Real(0.5), x.data(), Real(-2), y.data(), n, y.data());
            for (std::size_t i = 0; i < n; ++i)
                EXPECT_NEAR(y[i], Real(0.5) * x[i] - Real(2) * before[i], 10 * this->tolerance);
            EXPECT_EQ(y[n], Real(77));
        }
}

TYPED_TEST(RowKernels, TellNumbersThatAreNotFinite) {
    using Real = TypeParam;
    using Limits = std::numeric_limits<Real>;
    for (const auto& [name, kernel] : row_kernels<Real>())
        for (const auto n : lengths())
            for (const Real bad :
                 {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::max()})
                for (std::size_t at = 0; at < n; ++at) {
                    std::vector<Real> start(n, Real(1)), k(n, Real(1)), out(n);
                    k[at] = bad;
                    const Real* from[] = {k.data()};
                    const Real two = 2, none = 0;
                    EXPECT_FALSE(kernel.combine(start.data(), from, &two, 1, n, out.data()))
                        << name << ", " << n << " numbers, " << at;
                    if (bad == Limits::max()) {
                        EXPECT_TRUE(kernel.combine(start.data(), from, &none, 1, n, out.data()));
                    }
                }
}

}  // namespace
}  // namespace deepsl::field
