// Fields, samples and lines to test with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/field/grid.h"
#include "deepsl/random.h"

namespace deepsl::field::test {

using sturm::Scheme;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline const auto methods = {&rk4(), &dormand_prince()};

inline const char* name_of(const Method& method) {
    return method.adaptive() ? "dormand_prince" : "rk4";
}

/// A number and its derivative by one other.
struct Dual {
    double v = 0.0, d = 0.0;
    Dual() = default;
    Dual(double value, double derivative = 0.0)  // NOLINT(google-explicit-constructor)
        : v(value), d(derivative) {}
    friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
    friend Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
    friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
    friend bool operator<(Dual a, Dual b) { return a.v < b.v; }
    friend bool operator>(Dual a, Dual b) { return a.v > b.v; }
    friend Dual sin(Dual a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
    friend Dual cos(Dual a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
};

/// A field by formula: f(p, z, a) for spans of double or of Dual, which gives its derivatives.
template <class Real, class Formula>
class FormulaField final : public VectorField<Real> {
public:
    FormulaField(std::size_t inputs, std::vector<double> p, Formula f)
        : inputs_(inputs), p_(std::move(p)), f_(std::move(f)) {}

    std::size_t inputs() const override { return inputs_; }
    void enrol(network::Parameters& parameters, const std::string& name, Random&) override {
        offset_ = parameters.add(network::joined(name, "p"), {p_.size()}, network::Role::vector);
        std::copy(p_.begin(), p_.end(),
                  parameters.values().begin() + static_cast<std::ptrdiff_t>(offset_));
    }
    void load(std::span<const double> values) override {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(offset_), p_.size(), p_.begin());
    }
    void forward(const Real* z, std::size_t rows, Real* a, network::Tape*) const override {
        std::vector<double> wide(inputs_), slope(inputs_);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(z + r * inputs_, inputs_, wide.begin());
            f_(std::span<const double>(p_), std::span<const double>(wide),
               std::span<double>(slope));
            std::transform(slope.begin(), slope.end(), a + r * inputs_,
                           [](double c) { return static_cast<Real>(c); });
        }
    }
    void pullback(const Real* z, std::size_t rows, const Real* da, network::Tape&, Real* dz,
                  Real* gradient) const override {
        std::vector<Dual> wide(inputs_), p(p_.begin(), p_.end()), slope(inputs_);
        for (std::size_t r = 0; r < rows; ++r) {
            const Real* const seed = da + r * inputs_;
            if (dz != nullptr) std::fill_n(dz + r * inputs_, inputs_, Real(0));
            // Nothing is wanted of this row; its slopes may be infinite.
            if (std::all_of(seed, seed + inputs_, [](Real c) { return c == Real(0); })) continue;
            for (std::size_t i = 0; i < inputs_; ++i)
                wide[i] = static_cast<double>(z[r * inputs_ + i]);
            const auto along = [&](Dual& number) {
                number.d = 1.0;
                f_(std::span<const Dual>(p), std::span<const Dual>(wide), std::span<Dual>(slope));
                number.d = 0.0;
                double sum = 0.0;
                for (std::size_t i = 0; i < inputs_; ++i)
                    sum += static_cast<double>(seed[i]) * slope[i].d;
                return static_cast<Real>(sum);
            };
            for (std::size_t i = 0; dz != nullptr && i < inputs_; ++i)
                dz[r * inputs_ + i] = along(wide[i]);
            for (std::size_t i = 0; i < p.size(); ++i) gradient[offset_ + i] += along(p[i]);
        }
    }

private:
    std::size_t inputs_, offset_ = 0;
    std::vector<double> p_;
    Formula f_;
};

/// A field and the flat vector of its numbers.
template <class Real>
struct Field {
    std::unique_ptr<VectorField<Real>> own;
    network::Parameters parameters;

    Field(std::unique_ptr<VectorField<Real>> field, std::uint64_t seed) : own(std::move(field)) {
        Random random(seed);
        own->enrol(parameters, "field", random);
        load();
    }
    void load() { own->load(parameters.values()); }
    const VectorField<Real>& operator*() const { return *own; }
};

template <class Real, class Formula>
Field<Real> formula(std::size_t n, std::vector<double> p, Formula f) {
    return {std::make_unique<FormulaField<Real, Formula>>(n, std::move(p), std::move(f)), 1};
}

/// The field a for all z, followed as any other.
template <class Real = double>
Field<Real> constant(const std::vector<double>& a) {
    return formula<Real>(
        a.size(), a, [](auto p, auto, auto out) { std::copy(p.begin(), p.end(), out.begin()); });
}

/// z' = M (z - c), M [n, n] by rows
inline Field<double> linear_field(const std::vector<double>& M, const std::vector<double>& c) {
    return formula<double>(c.size(), M, [c](auto p, auto z, auto a) {
        for (std::size_t i = 0; i < c.size(); ++i) {
            a[i] = 0.0;
            for (std::size_t j = 0; j < c.size(); ++j)
                a[i] = a[i] + p[i * c.size() + j] * (z[j] - c[j]);
        }
    });
}

template <class Real>
Field<Real> network_field(FieldKind kind, std::size_t n, double gain, double centre,
                          std::uint64_t seed, std::vector<std::size_t> hidden = {7}) {
    network::MlpOptions o;
    o.hidden = std::move(hidden);
    o.activation = network::Activation::tanh;
    o.last_gain = gain;
    o.shift = centre;
    o.scale = 4.0;
    return {make_field<Real>(kind, o, n), seed};
}

inline bool is_box(const Domain& domain) { return domain.centre() > 0.0; }

/// Samples well inside, random.
template <class Real>
std::vector<Real> samples(const Domain& domain, std::size_t count, Random& random) {
    const auto n = domain.dimensions();
    std::vector<Real> x(count * n);
    for (std::size_t b = 0; b < count; ++b) {
        if (is_box(domain)) {
            for (std::size_t i = 0; i < n; ++i)
                x[b * n + i] = static_cast<Real>(uniform(random, 0.1, 0.9));
            continue;
        }
        std::vector<double> direction(n);
        double square = 0.0;
        for (auto& c : direction) {
            c = normal(random);
            square += c * c;
        }
        const double factor = 0.9 * uniform(random) / std::sqrt(square);
        for (std::size_t i = 0; i < n; ++i) x[b * n + i] = static_cast<Real>(factor * direction[i]);
    }
    return x;
}

inline TraceOptions with(const Method& method, int steps = 6, double tolerance = 1e-5) {
    TraceOptions o;
    o.method = &method;
    o.steps = steps;
    o.tolerance = tolerance;
    return o;
}

template <class Real>
struct Traced {
    DomainPointer domain;  // which the lines only point to
    Lines<Real> lines;
    Grid<Real> grid;
    network::Tape tape;

    double t_plus(std::size_t b = 0) const { return grid.t_plus[b]; }
    double t_minus(std::size_t b = 0) const { return grid.t_minus[b]; }
    std::span<const Real> exit(std::size_t b = 0) const {
        return {grid.exit.data() + b * grid.n, grid.n};
    }
    std::span<const Real> entry(std::size_t b = 0) const {
        return {grid.entry() + b * grid.n, grid.n};
    }
    std::span<const double> lengths(std::size_t b = 0) const {
        return {grid.length.data() + b * grid.cells, grid.cells};
    }
    std::span<const Real> node(std::size_t b, std::size_t cell, std::size_t i) const {
        return {grid.z.data() + ((b * grid.cells + cell) * grid.nodes + i) * grid.n, grid.n};
    }
};

template <class Real>
Lines<Real> lines_of(const Field<Real>& field, const DomainPointer& domain,
                     const std::vector<Real>& x, const TraceOptions& options = {}) {
    Lines<Real> lines;
    trace(*field, *domain, x.data(), x.size() / domain->dimensions(), options, lines, nullptr);
    return lines;
}

template <class Real>
Traced<Real> follow(const Field<Real>& field, const DomainPointer& domain,
                    const std::vector<Real>& x, const TraceOptions& options = {},
                    std::size_t cells = 4, Scheme scheme = Scheme::magnus4) {
    Traced<Real> traced;
    traced.domain = domain;
    trace(*field, *domain, x.data(), x.size() / domain->dimensions(), options, traced.lines,
          &traced.tape);
    grid(traced.lines, cells, scheme, traced.grid);
    return traced;
}

template <class Real>
struct LineGradient {
    std::vector<Real> x, parameters;
};

/// Back from seeds on the grid. The lines must come from `follow`.
template <class Real>
LineGradient<Real> pull_back(const Field<Real>& field, Traced<Real>& traced, Scheme scheme,
                             const GridSeeds<Real>& seeds) {
    LineGradient<Real> result{std::vector<Real>(traced.lines.x.size()),
                              std::vector<Real>(field.parameters.size())};
    grid_pullback(traced.lines, traced.grid, scheme, seeds);
    trace_pullback(*field, traced.lines, traced.tape, result.x.data(), result.parameters.data());
    return result;
}

template <class Real>
void expect_ok(const Lines<Real>& lines) {
    for (std::size_t b = 0; b < lines.samples; ++b) EXPECT_EQ(name(lines.status(b)), "ok") << b;
}

/// The polynomials' coefficients of a piece: [power][coordinate].
template <class Real>
std::vector<std::vector<double>> polynomial(const Lines<Real>& lines,
                                            const typename Lines<Real>::Place& place) {
    const auto& round = lines.rounds[place.round];
    const auto n = lines.n;
    const Real* const z = round.points.data() + place.row * n;
    std::vector<std::vector<double>> c{std::vector<double>(z, z + n)};
    for (std::size_t j = 0; j < lines.method->degree(); ++j) {
        auto& row = c.emplace_back(n, 0.0);
        for (std::size_t s = 0; s < lines.method->stages(); ++s)
            for (std::size_t i = 0; i < n; ++i)
                row[i] += round.h[place.row] * lines.method->dense[s][j] *
                          static_cast<double>(round.k[(s * round.rows + place.row) * n + i]);
    }
    return c;
}

inline std::vector<double> evaluate(const std::vector<std::vector<double>>& c, double s) {
    std::vector<double> z(c[0].size(), 0.0);
    for (std::size_t k = c.size(); k-- > 0;)
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = z[i] * s + c[k][i];
    return z;
}

/// Where x + t a leaves, for the sign of t.
inline double straight_exit(const Domain& domain, const std::vector<double>& x,
                            const std::vector<double>& a, double sign) {
    if (is_box(domain)) {
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

template <class T>
std::vector<double> numbers(std::span<const T> from) {
    return {from.begin(), from.end()};
}

template <class T>
double largest(const std::vector<T>& values) {
    double most = 0.0;
    for (const T c : values)
        if (!(std::fabs(c) <= most)) most = std::fabs(c);
    return most;
}

template <class T>
bool finite(const std::vector<T>& values) {
    return std::all_of(values.begin(), values.end(), [](T c) { return std::isfinite(c); });
}

/// Whether `part` is what `whole` has from `first` on, bit by bit.
template <class T>
bool same_bits(const std::vector<T>& part, const std::vector<T>& whole, std::size_t first = 0) {
    return first + part.size() <= whole.size() &&
           std::memcmp(part.data(), whole.data() + first, part.size() * sizeof(T)) == 0;
}

}  // namespace deepsl::field::test
