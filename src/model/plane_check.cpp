#include "model/plane_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "deepsl/parallel.h"
#include "model/line_check.h"

namespace deepsl::model {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Matrix<double> moved(MatrixView<const double> x, std::size_t axis, double by) {
    Matrix<double> to(x);
    for (std::size_t b = 0; b < to.rows(); ++b) to(b, axis) += by;
    return to;
}

double width_of(const Model& model) {
    const auto bounds = model.domain()->bounds();
    return bounds[1] - bounds[0];
}

/// Points of a convex domain on rays from its centre, dense at the boundary, where functions
/// vanish, and the area that each stands for: midpoints in the angle and in s, with the share 1 -
/// (1 - s)^2 of the ray.
struct Rays {
    static constexpr std::size_t rays = 96, rings = 48;
    Matrix<double> x{rays * rings, 2};
    std::vector<double> area;

    explicit Rays(const field::Domain& domain) {
        const std::array<double, 2> centre{domain.centre(), domain.centre()};
        for (std::size_t i = 0; i < rays; ++i) {
            const double angle = (static_cast<double>(i) + 0.5) * (2.0 * std::numbers::pi / rays);
            const std::array<double, 2> direction{std::cos(angle), std::sin(angle)};
            const double length = domain.straight_exit(centre, direction);
            for (std::size_t j = 0; j < rings; ++j) {
                const double rest = 1.0 - (static_cast<double>(j) + 0.5) / rings;
                const double share = 1.0 - rest * rest;
                for (std::size_t axis = 0; axis < 2; ++axis)
                    x(area.size(), axis) = centre[axis] + share * length * direction[axis];
                area.push_back(length * length * share * rest);
            }
        }
    }
};

/// rho for each line of an inspection.
std::vector<double> density(const Model& model, std::size_t field, const Inspection& seen) {
    const auto before = seen.cells / 2 * seen.nodes;  // nodes from the entry to the sample
    Matrix<double> nodes(seen.samples * before, 2);
    for (std::size_t r = 0; r < nodes.rows(); ++r) {
        const auto from = seen.node(r / before, r % before);
        std::copy(from.begin(), from.end(), nodes.row(r).begin());
    }
    // Wide enough for the rounding of float32.
    const double h = 1e-3 * width_of(model);
    std::vector<double> rho(seen.samples, 0.0);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto ahead = model.field_at(moved(nodes, axis, h), field);
        const auto behind = model.field_at(moved(nodes, axis, -h), field);
        for (std::size_t r = 0; r < nodes.rows(); ++r) {
            const auto b = r / before, cell = r % before / seen.nodes;
            const double time = seen.length(b, cell) / static_cast<double>(seen.nodes);
            rho[b] -= time * (ahead(r, axis) - behind(r, axis)) / (2.0 * h);
        }
    }
    for (auto& value : rho) value = std::exp(value);
    return rho;
}

/// The sums rho w u_i u_j over some of the points  [d, d]. Those whose lines fail are left out.
Matrix<double> gram_of(const Model& model, std::size_t field, MatrixView<const double> x,
                       const double* area, const Numerics& numerics) {
    const auto seen = model.inspect(x, field, numerics);
    const auto rho = density(model, field, seen);
    const auto w = model.coefficients_at(x, field).w;
    Matrix<double> gram(seen.d, seen.d);
    for (std::size_t b = 0; b < x.rows(); ++b) {
        if (!seen.outcomes[b].ok()) continue;
        const double weight = area[b] * rho[b] * w[b];
        for (std::size_t i = 0; i < seen.d; ++i)
            for (std::size_t j = 0; j <= i; ++j) gram(i, j) += weight * seen.u(b, i) * seen.u(b, j);
    }
    return gram;
}

/// A sample and its neighbours x + h e_j and x - h e_j, two for each axis.
struct Neighbours {
    Inspection at;
    std::array<Inspection, 4> seen;
    std::array<Matrix<double>, 4> a;
    double h;

    Neighbours(const Model& model, std::size_t field, MatrixView<const double> x,
               const Numerics& numerics)
        : at(model.inspect(x, field, numerics)), h(5e-4 * width_of(model)) {
        for (std::size_t k = 0; k < 4; ++k) {
            const auto there = moved(x, k / 2, k % 2 == 0 ? h : -h);
            seen[k] = model.inspect(there, field, numerics);
            a[k] = model.field_at(there, field);
        }
    }

    bool ok(std::size_t b) const {
        return at.outcomes[b].ok() && std::all_of(seen.begin(), seen.end(), [&](const auto& each) {
                   return each.outcomes[b].ok();
               });
    }
    /// The derivative by an axis of what k-th neighbours have.
    template <class Value>
    double slope(std::size_t axis, const Value& value) const {
        return (value(2 * axis) - value(2 * axis + 1)) / (2.0 * h);
    }
};

/// p u' at the samples of an inspection, which lie on the middle edge.
double flux(const Inspection& seen, std::size_t b, std::size_t i) {
    return seen.f_along(b, i)[seen.cells / 2];
}

/// The terms of both equations of first order, f = p a.grad u and
/// -div(a f) + f div a + q u = lambda w u, for one function at one sample.
struct Terms {
    double slope_off, slope;           // a.grad u - P f, and P f
    double off, flow, qu, wu, lambda;  // what is left of the second one, and its terms
};

/// Of one function at those samples of a chunk that are well  [function][sample]
std::vector<std::vector<Terms>> terms_of(const Model& model, std::size_t field,
                                         MatrixView<const double> x, const Numerics& numerics) {
    const Neighbours near(model, field, x, numerics);
    const auto a = model.field_at(x, field);
    const auto c = model.coefficients_at(x, field);
    std::vector<std::vector<Terms>> all(near.at.d);
    for (std::size_t b = 0; b < x.rows(); ++b) {
        if (!near.ok(b)) continue;
        for (std::size_t i = 0; i < near.at.d; ++i) {
            const double u = near.at.u(b, i), f = flux(near.at, b, i);
            double along = 0.0, flow = 0.0;
            for (std::size_t axis = 0; axis < 2; ++axis) {
                along += a(b, axis) *
                         near.slope(axis, [&](std::size_t k) { return near.seen[k].u(b, i); });
                // div(a f) - f div a
                flow += near.slope(axis, [&](std::size_t k) {
                    return near.a[k](b, axis) * (flux(near.seen[k], b, i) - f);
                });
            }
            const double lambda = near.at.lambda(b, i), wu = c.w[b] * u, qu = c.q[b] * u;
            all[i].push_back(
                {along - c.P[b] * f, c.P[b] * f, -flow + qu - lambda * wu, flow, qu, wu, lambda});
        }
    }
    return all;
}

template <class Of>
double root_mean_square(const std::vector<Terms>& terms, const Of& of) {
    double sum = 0.0;
    for (const auto& t : terms) sum += of(t) * of(t);
    return std::sqrt(sum / static_cast<double>(terms.size()));
}

/// What nine of ten do not exceed: the others may lie where u has a kink, along lines that come
/// from a corner of the domain or through those of leaky ReLUs.
template <class Of>
double most(const std::vector<Terms>& terms, const Of& of) {
    std::vector<double> values;
    values.reserve(terms.size());
    for (const auto& t : terms)
        values.push_back(std::isfinite(of(t)) ? std::fabs(of(t)) : infinity);
    const auto place = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * 9 / 10);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

RankOneResidual residual_of(const std::vector<Terms>& terms) {
    double mean = 0.0;
    for (const auto& t : terms) mean += t.lambda / static_cast<double>(terms.size());
    const double size = root_mean_square(terms, [](const Terms& t) { return t.flow; }) +
                        root_mean_square(terms, [](const Terms& t) { return t.qu; }) +
                        root_mean_square(terms, [](const Terms& t) { return t.lambda * t.wu; });
    const double first = most(terms, [](const Terms& t) { return t.slope_off; }) /
                         root_mean_square(terms, [](const Terms& t) { return t.slope; });
    const double second = most(terms, [](const Terms& t) { return t.off; }) / size;
    const double with_mean =
        most(terms, [&](const Terms& t) { return t.off + (t.lambda - mean) * t.wu; }) / size;
    return {worse(first, second), worse(first, with_mean)};
}

}  // namespace

double orthogonality_over_domain(const Model& model, std::size_t field, const Numerics& numerics) {
    const Rays points(*model.domain());
    const auto total = points.area.size(), chunks = (total + chunk_rows - 1) / chunk_rows;
    std::vector<Matrix<double>> parts(chunks);
    for_each(chunks, [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows;
        const auto part =
            MatrixView<const double>(points.x).part(first, std::min(chunk_rows, total - first));
        parts[chunk] = gram_of(model, field, part, points.area.data() + first, numerics);
    });
    auto gram = parts.front();
    for (std::size_t k = 1; k < chunks; ++k)
        for (std::size_t i = 0; i < gram.rows(); ++i)
            for (std::size_t j = 0; j <= i; ++j) gram(i, j) += parts[k](i, j);
    double result = 0.0;
    for (std::size_t i = 0; i < gram.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            result = worse(result,
                           std::fabs(gram(i, j)) / std::sqrt(gram(i, i)) / std::sqrt(gram(j, j)));
    return std::isnan(result) ? infinity : result;
}

RankOneResidual rank_one_residual(const Model& model, std::size_t field, MatrixView<const double> x,
                                  const Numerics& numerics) {
    const auto chunks = (x.rows() + chunk_rows - 1) / chunk_rows;
    std::vector<std::vector<std::vector<Terms>>> parts(chunks);
    for_each(chunks, [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows;
        parts[chunk] =
            terms_of(model, field, x.part(first, std::min(chunk_rows, x.rows() - first)), numerics);
    });
    RankOneResidual result;
    for (std::size_t i = 0; i < parts.front().size(); ++i) {
        std::vector<Terms> terms;
        for (const auto& part : parts) terms.insert(terms.end(), part[i].begin(), part[i].end());
        if (terms.empty()) return {infinity, infinity};
        const auto own = residual_of(terms);
        result.own_lambda = worse(result.own_lambda, own.own_lambda);
        result.one_lambda = worse(result.one_lambda, own.one_lambda);
    }
    return result;
}

}  // namespace deepsl::model
