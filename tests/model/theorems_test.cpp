// The paper's two theorems about the functions over the whole domain, in two dimensions.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/model/model.h"
#include "model/cases.h"

namespace deepsl::model::test {
namespace {

ModelOptions options_with(FieldKind field, std::int64_t functions, double last_gain) {
    ModelOptions options;
    options.field = field;
    options.precision = Precision::float64;
    options.hidden = options.field_hidden = {16, 8};
    options.eigenfunctions = functions;
    options.last_gain = last_gain;
    return options;
}

/// All points moved along an axis.
Matrix<double> moved(Matrix<double> x, std::size_t axis, double by) {
    for (std::size_t b = 0; b < x.rows(); ++b) x(b, axis) += by;
    return x;
}

/// Midpoints in angle and in s, with the radius 1 - (1 - s)^2: dense at the boundary, where the
/// functions vanish. `area` is what each point stands for.
struct Disc {
    static constexpr std::size_t rings = 60, rays = 120;
    Matrix<double> x{rings * rays, 2};
    std::vector<double> area;

    Disc() {
        for (std::size_t i = 0; i < rings; ++i) {
            const double s = (static_cast<double>(i) + 0.5) / rings;
            const double r = 1.0 - (1.0 - s) * (1.0 - s);
            for (std::size_t j = 0; j < rays; ++j) {
                const double angle =
                    (static_cast<double>(j) + 0.5) * (2.0 * std::numbers::pi / rays);
                x(area.size(), 0) = r * std::cos(angle);
                x(area.size(), 1) = r * std::sin(angle);
                area.push_back(2.0 * r * (1.0 - s));
            }
        }
    }
};

/// How fast the entry of a line moves along the unit circle when the point does: the length of the
/// gradient of its angle.
std::vector<double> entry_jacobian(const Model& model, const Matrix<double>& x,
                                   const Matrix<double>& entry) {
    const double h = 1e-5;  // less than the distance of the outermost points to the boundary
    auto numerics = model.numerics();
    numerics.cells = 1;  // lines alone are wanted
    std::vector<double> square(x.rows(), 0.0);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto ahead = model.inspect(moved(x, axis, h), 0, numerics).entry;
        const auto behind = model.inspect(moved(x, axis, -h), 0, numerics).entry;
        for (std::size_t b = 0; b < x.rows(); ++b) {
            const double along = entry(b, 0) * (ahead(b, 1) - behind(b, 1)) -
                                 entry(b, 1) * (ahead(b, 0) - behind(b, 0));
            square[b] += along * along / (4.0 * h * h);
        }
    }
    for (auto& value : square) value = std::sqrt(value);
    return square;
}

/// The largest |cosine| between two columns of u with these weights.
double largest_cosine(const Matrix<double>& u, const std::vector<double>& weight) {
    Matrix<double> gram(u.columns(), u.columns());
    for (std::size_t b = 0; b < u.rows(); ++b)
        for (std::size_t i = 0; i < u.columns(); ++i)
            for (std::size_t j = 0; j < u.columns(); ++j)
                gram(i, j) += weight[b] * u(b, i) * u(b, j);
    double result = 0.0;
    for (std::size_t i = 0; i < u.columns(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            result = std::max(result, std::fabs(gram(i, j)) / std::sqrt(gram(i, i) * gram(j, j)));
    return result;
}

// Over the domain, u_i and u_j are orthogonal with the weight w / |a| J, J the Jacobian of the
// projection of a point onto the entry of its line.
TEST(Theorems, FunctionsAreOrthogonalOverTheDisc) {
    // Lines bend, but not so much that neighbours part at once.
    const auto model = make_model(2, 2, options_with(FieldKind::directional, 4, 1.0), 5);
    const Disc disc;
    const auto seen = model->inspect(disc.x);
    const auto jacobian = entry_jacobian(*model, disc.x, seen.entry);
    const auto a = model->field_at(disc.x, 0), a_entry = model->field_at(seen.entry, 0);
    const auto w = model->coefficients_at(disc.x, 0).w;
    std::vector<double> right, wrong;
    for (std::size_t b = 0; b < disc.x.rows(); ++b) {
        ASSERT_TRUE(seen.outcomes[b].ok());
        // The Jacobian is infinite where lines only graze the disc. A factor that depends on the
        // line alone keeps the theorem true and the quadrature accurate: a power of the cosine at
        // entry.
        const double cosine =
            -(seen.entry(b, 0) * a_entry(b, 0) + seen.entry(b, 1) * a_entry(b, 1)) /
            std::hypot(a_entry(b, 0), a_entry(b, 1));
        const double factor = std::pow(std::max(cosine, 0.0), 4);
        wrong.push_back(disc.area[b] * factor * w[b]);
        right.push_back(wrong.back() / std::hypot(a(b, 0), a(b, 1)) * jacobian[b]);
    }
    EXPECT_LT(largest_cosine(seen.u, right), 2e-4);
    EXPECT_GT(largest_cosine(seen.u, wrong), 2e-2) << "without the right weight they are not";
}

/// p a (a . grad u_i) at x, with the gradients of the backward sweep: the outputs of the model are
/// its eigenfunctions.
Matrix<double> flux(const Model& model, const Matrix<double>& x, std::size_t i) {
    const auto pass = model.make_pass();
    pass->forward(x, true);
    Matrix<double> dy(x.rows(), model.outputs()), gradient;
    for (std::size_t b = 0; b < x.rows(); ++b) dy(b, i) = 1.0;
    pass->backward(dy, {}, &gradient);
    const auto a = model.field_at(x, 0);
    const auto P = model.coefficients_at(x, 0).P;
    Matrix<double> result(x.rows(), 2);
    for (std::size_t b = 0; b < x.rows(); ++b) {
        const double along = a(b, 0) * gradient(b, 0) + a(b, 1) * gradient(b, 1);
        for (std::size_t j = 0; j < 2; ++j) result(b, j) = a(b, j) * along / P[b];
    }
    return result;
}

/// The largest |-div(p a a^T grad u_i) + q u_i - lambda_i w u_i| against its terms.
double residual(const Model& model, const Matrix<double>& x, std::size_t i) {
    const double h = 1e-3;
    std::vector<double> divergence(x.rows(), 0.0);
    for (std::size_t j = 0; j < 2; ++j) {
        const auto ahead = flux(model, moved(x, j, h), i), behind = flux(model, moved(x, j, -h), i);
        for (std::size_t b = 0; b < x.rows(); ++b)
            divergence[b] += (ahead(b, j) - behind(b, j)) / (2.0 * h);
    }
    const auto seen = model.inspect(x);
    const auto c = model.coefficients_at(x, 0);
    double result = 0.0;
    for (std::size_t b = 0; b < x.rows(); ++b) {
        const double u = seen.u(b, i), right = seen.lambda(b, i) * c.w[b] * u;
        const double left = -divergence[b] + c.q[b] * u;
        result = std::max(
            result, std::fabs(left - right) / (std::fabs(left) + std::fabs(right) + std::fabs(u)));
    }
    return result;
}

// With a constant field, u solves the rank-1 equation -div(p a a^T grad u) + q u = lambda w u,
// lambda being constant along lines.
TEST(Theorems, ConstantFieldSolvesTheRankOneEquation) {
    const std::size_t d = 3;
    const auto model = make_model(2, d, options_with(FieldKind::straight, d, 4.0), 6);
    auto values = model->parameters().values();
    const auto weight = part(*model, values, "field1.L.weight");  // [output, d]
    for (std::size_t i = 0; i < d; ++i) weight[i * d + i] = 1.0;
    model->set_values(values);
    const auto x = samples(5, DomainKind::ball, 2, 6, 0.5);
    const auto at = [&](std::size_t cells, std::size_t i) {
        auto numerics = model->numerics();
        numerics.cells = cells;
        model->set_numerics(numerics);
        return residual(*model, x, i);
    };
    for (std::size_t i = 0; i < d; ++i) {
        EXPECT_LT(at(64, i), 2e-4) << "function " << i + 1;
        EXPECT_LT(at(64, i), 0.1 * at(4, i) + 1e-6) << "function " << i + 1;
    }
}

}  // namespace
}  // namespace deepsl::model::test
