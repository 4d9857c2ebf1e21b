// Fields, samples and lines to test with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "tensors.h"

namespace deepsl::field {

using sturm::Scheme;
using torch::Tensor;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Tensor table(const std::vector<std::vector<double>>& rows) {
    std::vector<double> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    return torch::tensor(flat, torch::kFloat64)
        .reshape({static_cast<std::int64_t>(rows.size()), -1});
}

inline std::vector<double> numbers(const Tensor& t) {
    const auto wide = t.detach().to(torch::kFloat64).contiguous();
    return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}

inline VectorFieldPointer field_of(FunctionFieldImpl::Function f) {
    return std::make_shared<FunctionFieldImpl>(std::move(f));
}

/// The field a for all z.
inline VectorFieldPointer constant(const Tensor& a) {
    return field_of([a](const Tensor& z) { return a.to(z.scalar_type()).expand_as(z); });
}

/// z' = M (z - c)
inline VectorFieldPointer linear_field(const Tensor& M, const Tensor& c) {
    return field_of([M, c](const Tensor& z) { return (z - c).matmul(M.t()); });
}

enum class Kind { positive, directional, straight };

inline VectorFieldPointer network_field(Kind kind, std::int64_t n, torch::ScalarType type,
                                        double gain, double centre,
                                        std::vector<std::int64_t> hidden = {7}) {
    network::MlpOptions o;
    o.inputs = o.outputs = n;
    o.hidden = std::move(hidden);
    o.activation = network::Activation::tanh;
    o.last_gain = gain;
    o.shift = centre;
    o.scale = 4.0;
    VectorFieldPointer field;
    if (kind == Kind::positive) {
        field = std::make_shared<PositiveFieldImpl>(o);
    } else {
        field = std::make_shared<DirectionalFieldImpl>(o, kind == Kind::directional);
    }
    field->to(type);
    return field;
}

/// Samples well inside, random.
inline Tensor samples(const Domain& domain, std::int64_t count, torch::ScalarType type) {
    const auto n = domain.dimensions();
    if (domain.name() == "box")
        return (0.1 + 0.8 * torch::rand({count, n}, torch::kFloat64)).to(type);
    const auto direction = torch::randn({count, n}, torch::kFloat64);
    const auto radius = 0.9 * torch::rand({count, 1}, torch::kFloat64);
    return (direction / direction.norm(2, 1, true) * radius).to(type);
}

struct Traced {
    FieldLines lines;
    LineGrid grid;
};

inline Traced follow(const VectorFieldPointer& field, const DomainPointer& domain, const Tensor& x,
                     const TraceOptions& options = {}, std::int64_t cells = 4,
                     Scheme scheme = Scheme::magnus4) {
    auto lines = trace(*field, domain, x, options);
    auto cut = grid(lines, cells, scheme);
    return {std::move(lines), std::move(cut)};
}

inline TraceOptions with(const Method& method, int steps = 6, double tolerance = 1e-5) {
    TraceOptions o;
    o.method = &method;
    o.steps = steps;
    o.tolerance = tolerance;
    return o;
}

inline void expect_ok(const FieldLines& lines) {
    for (const auto status : lines.status()) EXPECT_EQ(name(status), "ok");
}

/// A point of a piece and its velocity by s, from the method's table.
struct Point {
    std::vector<double> z, slope;
};

inline Point point_of(const FieldLines& lines, FieldLines::Place place, double s) {
    const auto& step = lines.steps[static_cast<std::size_t>(place.step)];
    Point p{numbers(step.z[place.row]), {}};
    p.slope.assign(p.z.size(), 0.0);
    const double h = step.h[place.row].item<double>();
    for (std::size_t i = 0; i < step.k.size(); ++i) {
        const auto k = numbers(step.k[i][place.row]);
        double b = 0.0, db = 0.0;
        for (std::size_t j = 0; j < lines.method->degree(); ++j) {
            const double power = static_cast<double>(j + 1);
            b += lines.method->dense[i][j] * std::pow(s, power);
            db += lines.method->dense[i][j] * power * std::pow(s, power - 1.0);
        }
        for (std::size_t c = 0; c < k.size(); ++c) {
            p.z[c] += h * b * k[c];
            p.slope[c] += h * db * k[c];
        }
    }
    return p;
}

/// The polynomials' coefficients of a piece, for quick dense evaluation: [power][coordinate].
inline std::vector<std::vector<double>> polynomial(const FieldLines& lines,
                                                   FieldLines::Place place) {
    const auto& step = lines.steps[static_cast<std::size_t>(place.step)];
    std::vector<std::vector<double>> c{numbers(step.z[place.row])};
    const double h = step.h[place.row].item<double>();
    for (std::size_t j = 0; j < lines.method->degree(); ++j) {
        auto& row = c.emplace_back(c[0].size(), 0.0);
        for (std::size_t i = 0; i < step.k.size(); ++i) {
            const auto k = numbers(step.k[i][place.row]);
            for (std::size_t d = 0; d < k.size(); ++d)
                row[d] += h * lines.method->dense[i][j] * k[d];
        }
    }
    return c;
}

/// Where x + t a leaves, for the sign of t.
inline double straight_exit(const Domain& domain, const std::vector<double>& x,
                            const std::vector<double>& a, double sign) {
    if (domain.name() == "box") {
        double t = infinity;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double v = sign * a[i];
            if (v != 0.0) t = std::min(t, (v > 0.0 ? 1.0 - x[i] : -x[i]) / v);
        }
        return sign * t;
    }
    double aa = 0.0, ax = 0.0, xx = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        aa += a[i] * a[i];
        ax += a[i] * x[i];
        xx += x[i] * x[i];
    }
    // aa t^2 + 2 ax t - (1 - xx) = 0, without cancellation
    const double root = std::sqrt(ax * ax + aa * (1.0 - xx));
    const double far = -(ax + std::copysign(root, ax)) / aa;
    const double near = (1.0 - xx) / (ax + std::copysign(root, ax));
    return (far > 0.0) == (sign > 0.0) ? far : near;
}

}  // namespace deepsl::field
