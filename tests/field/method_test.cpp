// The methods' tables: order conditions, dense output, and what is wrong with a table.
#include "deepsl/field/method.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/option.h"

namespace deepsl::field {
namespace {

constexpr MethodKind kinds[] = {MethodKind::rk4, MethodKind::dormand_prince};

struct Tree {
    std::vector<Tree> children;
    int order() const {
        int sum = 1;
        for (const auto& c : children) sum += c.order();
        return sum;
    }
    double density() const {
        double product = order();
        for (const auto& c : children) product *= c.density();
        return product;
    }
    /// The elementary weight of each stage.
    std::vector<double> weights(const Method& m) const {
        std::vector<double> w(m.stages(), 1.0);
        for (const auto& child : children) {
            const auto inner = child.weights(m);
            for (std::size_t i = 0; i < m.stages(); ++i) {
                double sum = 0.0;
                for (std::size_t j = 0; j < m.a[i].size(); ++j) sum += m.a[i][j] * inner[j];
                w[i] *= sum;
            }
        }
        return w;
    }
};

/// All trees of an order, some of them more than once.
std::vector<Tree> trees(int order) {
    if (order == 1) return {Tree{}};
    std::vector<Tree> result;
    // Hang one child of each size on every smaller tree.
    for (int size = 1; size < order; ++size)
        for (const auto& base : trees(order - size))
            for (const auto& child : trees(size)) {
                Tree t = base;
                t.children.push_back(child);
                result.push_back(t);
            }
    return result;
}

double weighted(const std::vector<double>& weights, const std::vector<double>& values) {
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * values[i];
    return sum;
}

TEST(Method, TablesMeetTheirOrderConditions) {
    for (const auto kind : kinds) {
        SCOPED_TRACE(name(kind));
        const auto& m = method_of(kind);
        ASSERT_EQ(m.dense.size(), m.stages());
        const int dense_order = m.order - 1;
        for (int order = 1; order <= m.order; ++order) {
            for (const auto& tree : trees(order)) {
                ASSERT_EQ(tree.order(), order);
                const auto w = tree.weights(m);
                for (const double s : {0.2, 0.5, 0.9, 1.0}) {
                    if (order > dense_order && s < 1.0) continue;
                    const DenseWeights dense(m, s);
                    double sum = 0.0;
                    for (std::size_t i = 0; i < w.size(); ++i) sum += dense.b[i] * w[i];
                    EXPECT_NEAR(sum, std::pow(s, order) / tree.density(), 1e-14)
                        << "order " << order << " at " << s;
                }
                EXPECT_NEAR(weighted(m.a.back(), w), 1.0 / tree.density(), 1e-14)
                    << "order " << order;
                if (m.adaptive() && order < m.order) {
                    EXPECT_NEAR(weighted(m.error, w), 0.0, 1e-14) << "order " << order;
                }
            }
        }
        // And not by accident: one order more fails.
        double worst = 0.0, worst_error = 0.0;
        for (const auto& tree : trees(m.order + 1))
            worst = std::max(
                worst, std::fabs(weighted(m.a.back(), tree.weights(m)) - 1.0 / tree.density()));
        for (const auto& tree : trees(m.order))
            worst_error = std::max(worst_error, std::fabs(weighted(m.error, tree.weights(m))));
        EXPECT_GT(worst, 1e-5);
        if (m.adaptive()) {
            EXPECT_GT(worst_error, 1e-6);
        }
    }
}

TEST(Method, DenseWeightsAreThePolynomialsOfTheTable) {
    for (const auto* m : {&rk4(), &dormand_prince(), &straight()})
        for (const double s : {0.0, 0.3, 1.0}) {
            const DenseWeights dense(*m, s);
            for (std::size_t i = 0; i < m->stages(); ++i) {
                double b = 0.0, slope = 0.0;
                for (std::size_t j = 0; j < m->degree(); ++j) {
                    const auto power = static_cast<double>(j + 1);
                    b += m->dense[i][j] * std::pow(s, power);
                    slope += m->dense[i][j] * power * std::pow(s, power - 1.0);
                }
                EXPECT_NEAR(dense.b[i], b, 1e-15);
                EXPECT_NEAR(dense.slope[i], slope, 1e-14);
            }
        }
}

// Both ends of the step with the field's slope there: the first stage's and the last one's.
TEST(Method, DenseOutputPassesThroughStepEndsWithTheFieldsSlope) {
    for (const auto kind : kinds) {
        SCOPED_TRACE(name(kind));
        const auto& m = method_of(kind);
        const DenseWeights begin(m, 0.0), end(m, 1.0);
        for (std::size_t i = 0; i < m.stages(); ++i) {
            const bool last = i + 1 == m.stages();
            EXPECT_EQ(begin.b[i], 0.0);
            EXPECT_EQ(begin.slope[i], i == 0 ? 1.0 : 0.0);
            EXPECT_NEAR(end.b[i], last ? 0.0 : m.a.back()[i], 1e-14);
            EXPECT_NEAR(end.slope[i], last ? 1.0 : 0.0, 1e-14);
        }
    }
}

TEST(Method, StraightLinesHaveOneSlope) {
    const DenseWeights at(straight(), 0.7);
    EXPECT_EQ(straight().stages(), 1U);
    EXPECT_EQ(straight().degree(), 1U);
    EXPECT_EQ(straight().order, 1);
    EXPECT_FALSE(straight().adaptive());
    EXPECT_EQ(at.b[0], 0.7);
    EXPECT_EQ(at.slope[0], 1.0);
}

TEST(Method, BuiltInTablesAreInOrder) {
    for (const auto* m : {&rk4(), &dormand_prince(), &straight()})
        EXPECT_NO_THROW(check_method(*m));
}

TEST(Method, TablesThatDoNotFitAreRefusedWithASentence) {
    const auto expect_refused = [](auto&& spoil, const std::string& part) {
        auto m = dormand_prince();
        spoil(m);
        try {
            check_method(m);
            ADD_FAILURE() << "was taken, in spite of: " << part;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::argument);
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    expect_refused([](Method& m) { m.order = 0; }, "order");
    expect_refused([](Method& m) { m.a.clear(); }, "1 to 8 stages, but 0");
    expect_refused(
        [](Method& m) {
            m.a.resize(9);
            m.dense.resize(9);
        },
        "1 to 8 stages, but 9");
    expect_refused([](Method& m) { m.a[2].pop_back(); }, "row 3 of a");
    expect_refused([](Method& m) { m.a[3][0] = NAN; }, "row 4 of a");
    expect_refused([](Method& m) { m.dense.pop_back(); }, "each of its 7 stages, but has 6");
    expect_refused([](Method& m) { m.dense.clear(); }, "each of its 7 stages, but has 0");
    expect_refused([](Method& m) { m.dense[3].pop_back(); }, "one length");
    expect_refused([](Method& m) { m.dense[0].clear(); }, "one length");
    expect_refused([](Method& m) { m.dense[5][1] = INFINITY; }, "finite");
    expect_refused([](Method& m) { m.error.pop_back(); }, "weight of the error");
    expect_refused([](Method& m) { m.dense[4][0] += 0.1; }, "where the last stage lies");
}

}  // namespace
}  // namespace deepsl::field
