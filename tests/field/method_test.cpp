// The methods' tables: order conditions, dense output.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "field/lines.h"

namespace deepsl::field {
namespace {

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

TEST(Method, TablesMeetTheirOrderConditions) {
    for (const auto* m : methods()) {
        SCOPED_TRACE(m->name);
        ASSERT_EQ(m->dense.size(), m->stages());
        const int dense_order = m->order - 1;
        for (int order = 1; order <= m->order; ++order) {
            for (const auto& tree : trees(order)) {
                ASSERT_EQ(tree.order(), order);
                const auto w = tree.weights(*m);
                for (const double s : {0.2, 0.5, 0.9, 1.0}) {
                    if (order > dense_order && s < 1.0) continue;
                    double sum = 0.0;
                    for (std::size_t i = 0; i < w.size(); ++i)
                        for (std::size_t j = 0; j < m->degree(); ++j)
                            sum += m->dense[i][j] * std::pow(s, static_cast<double>(j + 1)) * w[i];
                    EXPECT_NEAR(sum, std::pow(s, order) / tree.density(), 1e-14)
                        << "order " << order << " at " << s;
                }
                double end = 0.0, error = 0.0;
                for (std::size_t i = 0; i < m->a.back().size(); ++i) end += m->a.back()[i] * w[i];
                EXPECT_NEAR(end, 1.0 / tree.density(), 1e-14) << "order " << order;
                for (std::size_t i = 0; i < m->error.size(); ++i) error += m->error[i] * w[i];
                if (m->adaptive() && order < m->order) {
                    EXPECT_NEAR(error, 0.0, 1e-14) << "order " << order;
                }
            }
        }
        // And not by accident: one order more fails.
        double worst = 0.0, worst_error = 0.0;
        for (const auto& tree : trees(m->order + 1)) {
            const auto w = tree.weights(*m);
            double end = 0.0;
            for (std::size_t i = 0; i < m->a.back().size(); ++i) end += m->a.back()[i] * w[i];
            worst = std::max(worst, std::fabs(end - 1.0 / tree.density()));
        }
        for (const auto& tree : trees(m->order)) {
            const auto w = tree.weights(*m);
            double error = 0.0;
            for (std::size_t i = 0; i < m->error.size(); ++i) error += m->error[i] * w[i];
            worst_error = std::max(worst_error, std::fabs(error));
        }
        EXPECT_GT(worst, 1e-5);
        if (m->adaptive()) {
            EXPECT_GT(worst_error, 1e-6);
        }
    }
}

TEST(Method, DenseOutputPassesThroughStepEndsWithTheFieldsSlope) {
    torch::manual_seed(1);
    for (const auto* m : methods()) {
        SCOPED_TRACE(m->name);
        const auto field = network_field(Kind::directional, 3, torch::kFloat64, 3.0, 0.0);
        const auto domain = ball(3);
        const auto lines =
            trace(*field, domain, samples(*domain, 6, torch::kFloat64), with(*m, 6, 1e-6));
        expect_ok(lines);
        for (std::size_t line = 0; line < lines.pieces.size(); ++line) {
            const auto& pieces = lines.pieces[line];
            ASSERT_FALSE(pieces.empty());
            EXPECT_EQ(point_of(lines, pieces[0], 0.0).z,
                      numbers(lines.x[static_cast<std::int64_t>(line % 6)]));
            for (std::size_t j = 0; j < pieces.size(); ++j) {
                const double h = lines.steps[static_cast<std::size_t>(pieces[j].step)]
                                     .h[pieces[j].row]
                                     .item<double>();
                EXPECT_EQ(h > 0.0, line < 6) << "forwards first, then backwards";
                const auto begin = point_of(lines, pieces[j], 0.0);
                const auto end = point_of(lines, pieces[j], 1.0);
                const torch::NoGradGuard no_grad;
                const auto a = numbers(field->forward(table({begin.z, end.z})));
                for (std::size_t i = 0; i < 3; ++i) {
                    EXPECT_NEAR(begin.slope[i], h * a[i], 1e-14);
                    EXPECT_NEAR(end.slope[i], h * a[3 + i], 1e-14);
                }
                if (j + 1 == pieces.size()) continue;
                const auto next = point_of(lines, pieces[j + 1], 0.0);
                for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(end.z[i], next.z[i], 1e-14);
            }
        }
    }
}

}  // namespace
}  // namespace deepsl::field
