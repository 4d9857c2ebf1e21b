// Models of all kinds to test with: small ones of random weights, samples inside their domains, and
// fields by formula.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"
#include "deepsl/model/options.h"
#include "deepsl/model/predictor.h"
#include "deepsl/option.h"
#include "deepsl/random.h"

namespace deepsl::model::test {

using field::DomainKind;
using field::FieldKind;
using field::MethodKind;
using network::Activation;
using sturm::Scheme;

/// One choice of everything that takes another way through the code.
struct Case {
    Preset preset = Preset::standard;
    DomainKind domain = DomainKind::ball;
    FieldKind field = FieldKind::directional;
    Scheme scheme = Scheme::magnus4;
    Activation activation = Activation::tanh;
    MethodKind method = MethodKind::rk4;
    CoefficientKind coefficients = CoefficientKind::networks;
    HeadKind heads = HeadKind::calm;
    std::size_t n = 2;
    std::int64_t fields = 1;
    bool start_network = true, normalise = false;
    std::int64_t d = 4;

    friend std::ostream& operator<<(std::ostream& out, const Case& c) {
        return out << name(c.domain) << " of " << c.n << ", " << c.fields << " x " << name(c.field)
                   << ", " << name(c.scheme) << ", " << name(c.activation) << ", " << name(c.method)
                   << ", " << name(c.coefficients) << ", heads " << name(c.heads)
                   << (c.normalise ? ", normalised" : "");
    }
};

/// Small networks, coarse grids, float64.
inline ModelOptions small_options(const Case& c = {}) {
    auto o = model_preset(c.preset);
    o.domain = c.domain;
    o.field = c.field;
    o.scheme = c.scheme;
    o.activation = c.activation;
    // A gradient field has no other.
    o.field_activation = c.field == FieldKind::gradient ? Activation::tanh : c.activation;
    o.method = c.method;
    o.coefficients = c.coefficients;
    o.heads = c.heads;
    o.fields = c.fields;
    o.start_network = c.start_network;
    o.normalise = c.normalise;
    o.precision = Precision::float64;
    o.eigenfunctions = c.normalise ? c.d / 2 : c.d;  // it needs two cells for each
    o.hidden = {6, 5};
    o.field_hidden = {5};
    o.last_gain = 1.5;
    o.steps = 4;
    o.cells = 4;
    return o;
}

/// Every domain with every field, scheme, kind of coefficients and heads; one or two fields,
/// methods and activations by turns.
inline std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto domain : {DomainKind::ball, DomainKind::box})
        for (const auto field : {FieldKind::directional, FieldKind::straight, FieldKind::positive,
                                 FieldKind::gradient})
            for (const auto scheme : {Scheme::magnus4, Scheme::midpoint})
                for (const auto coefficients : {CoefficientKind::networks, CoefficientKind::trunk})
                    for (const auto heads : {HeadKind::calm, HeadKind::paper}) {
                        Case c;
                        const auto turn = cases.size();
                        c.domain = domain;
                        c.field = field;
                        c.scheme = scheme;
                        c.coefficients = coefficients;
                        c.heads = heads;
                        c.method = turn % 3 == 1 ? MethodKind::dormand_prince : MethodKind::rk4;
                        c.activation = turn % 5 == 2 ? Activation::leaky_relu : Activation::tanh;
                        c.fields = turn % 4 == 3 ? 2 : 1;
                        c.start_network = turn % 2 == 0;
                        c.normalise = turn % 4 == 1;
                        c.n = 1 + turn % 3;
                        cases.push_back(c);
                    }
    return cases;
}

/// Well inside the domain, in all directions from its centre, and representable in float.
inline Matrix<double> samples(std::size_t count, DomainKind domain, std::size_t n,
                              std::uint64_t seed = 1, double size = 0.7) {
    Random random(seed);
    Matrix<double> x(count, n);
    for (std::size_t b = 0; b < count; ++b) {
        double square = 0.0;
        for (auto& value : x.row(b)) {
            value = normal(random);
            square += value * value;
        }
        for (auto& value : x.row(b)) {
            value *= size / (1.0 + std::sqrt(square));
            if (domain == DomainKind::box) value = 0.5 + 0.5 * value;
            value = static_cast<float>(value);
        }
    }
    return x;
}

inline Matrix<double> samples(std::size_t count, const Case& c, std::uint64_t seed = 1) {
    return samples(count, c.domain, c.n, seed);
}

inline Matrix<double> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    Random random(seed);
    Matrix<double> result(rows, columns);
    for (auto& value : result.values()) value = normal(random);
    return result;
}

/// As after some training: biases and linear maps that are not zero. Matrices and directions stay
/// as they are; all values become representable in float.
inline void shake(Predictor& model, std::uint64_t seed) {
    Random random(seed);
    auto values = model.parameters().values();
    for (const auto& p : model.parameters().list()) {
        const bool bias = p.shape.size() == 1 && p.role != network::Role::measured &&
                          p.name.find("direction") == std::string::npos;
        const bool map = p.role == network::Role::linear && p.shape.size() == 2;
        for (std::size_t i = p.offset; i < p.offset + p.size(); ++i) {
            if (bias) values[i] = 0.2 * normal(random);
            if (map) values[i] = normal(random);
            values[i] = static_cast<float>(values[i]);
        }
    }
    model.set_values(values);
}

/// The numbers of the parameter of this name; throws if there is none.
inline std::span<double> part(const Predictor& model, std::vector<double>& values,
                              const std::string& name) {
    for (const auto& p : model.parameters().list())
        if (p.name == name) return {values.data() + p.offset, p.size()};
    throw std::invalid_argument("no parameter " + name);
}

/// A calibrated model with random weights.
inline std::unique_ptr<Model> make(const Case& c, MatrixView<const double> x,
                                   MatrixView<const double> y, std::uint64_t seed = 1) {
    auto model = make_model(c.n, y.columns(), small_options(c), seed);
    model->calibrate(x, y);
    shake(*model, seed + 1);
    return model;
}

/// A field by formula, for models that are looked at and not trained.
class FunctionField final : public field::VectorField<double> {
public:
    using Function = std::function<void(std::span<const double> z, std::span<double> a)>;

    FunctionField(std::size_t inputs, Function function)
        : inputs_(inputs), function_(std::move(function)) {}

    std::size_t inputs() const override { return inputs_; }
    void forward(const double* z, std::size_t rows, double* a, network::Tape*) const override {
        for (std::size_t r = 0; r < rows; ++r)
            function_({z + r * inputs_, inputs_}, {a + r * inputs_, inputs_});
    }
    void pullback(const double*, std::size_t, const double*, network::Tape&, double*,
                  double*) const override {
        throw std::logic_error("a field by formula has no gradients");
    }

private:
    std::size_t inputs_;
    Function function_;
};

}  // namespace deepsl::model::test
