#include "deepsl/model/options.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "deepsl/model/predictor.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "memory.h"

namespace deepsl::model {
namespace {

constexpr double least_float_tolerance = 1e-6;  // of an adaptive method, per step

using Layers = std::vector<std::int64_t>;

double mlp_count(double inputs, const Layers& hidden, double outputs) {
    double count = 0.0, before = inputs;
    for (const auto units : hidden) {
        count += (before + 1.0) * static_cast<double>(units);
        before = static_cast<double>(units);
    }
    return count + (before + 1.0) * outputs;
}

/// Numbers that a row leaves on the tape: layers are padded to whole vectors.
double kept(const Layers& hidden, double outputs) {
    const auto padded = [](double units) { return 16.0 * std::ceil(units / 16.0); };
    double count = padded(outputs);
    for (const auto units : hidden) count += padded(static_cast<double>(units));
    return count;
}

/// Networks for 1/p, q and w, and outputs of each.
struct CoefficientShape {
    double networks, outputs;

    explicit CoefficientShape(CoefficientKind kind)
        : networks(kind == CoefficientKind::networks ? 3.0 : 1.0), outputs(3.0 / networks) {}
};

double coefficient_count(double inputs, const ModelOptions& o) {
    const CoefficientShape shape(o.coefficients);
    return shape.networks * mlp_count(inputs, o.hidden, shape.outputs);
}

double field_count(double inputs, const ModelOptions& o) {
    switch (o.field) {
        case field::FieldKind::directional:
            return inputs + mlp_count(inputs, o.field_hidden, inputs);
        case field::FieldKind::straight: return inputs;
        case field::FieldKind::positive: return mlp_count(inputs, o.field_hidden, inputs);
    }
    return 0.0;
}

/// Means and scales of the eigenfunctions, and the linear map.
double basis_count(double outputs, const ModelOptions& o) {
    const auto d = static_cast<double>(o.eigenfunctions);
    return 2.0 * d + (d + 1.0) * outputs;
}

double real_bytes(const ModelOptions& o) {
    return o.precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

/// Of a chunk at the nodes of its cells: what the networks keep, points, coefficients, and the
/// problems in double; derivatives of them all.
double node_bytes(double inputs, const ModelOptions& o) {
    const CoefficientShape shape(o.coefficients);
    const auto nodes =
        static_cast<double>(2 * o.cells) * static_cast<double>(sturm::nodes_per_cell(o.scheme));
    const double reals = shape.networks * kept(o.hidden, shape.outputs) + 2.0 * inputs + 6.0;
    return static_cast<double>(chunk_rows) * nodes * (real_bytes(o) * reals + sizeof(double) * 8.0);
}

/// Of a chunk, if each sample takes so many Runge-Kutta steps.
double step_bytes(double inputs, double steps, const ModelOptions& o) {
    const auto stages = static_cast<double>(field::method_of(o.method).stages());
    const double reals = kept(o.field_hidden, inputs) + 4.0 * inputs;
    return static_cast<double>(chunk_rows) * steps * stages * real_bytes(o) * reals;
}

/// Through the whole domain, or from t = 0 to 1 for a neural ODE, about.
double step_count(double fixed, const ModelOptions& o) {
    const auto most = 2.0 * static_cast<double>(o.max_steps);
    if (!field::method_of(o.method).adaptive()) return std::min(fixed, most);
    return std::min(2.0 * std::pow(o.tolerance, -0.2), most);
}

struct Need {
    double numbers = 0.0, nodes = 0.0, steps = 0.0;  // bytes

    double all() const { return numbers + nodes + steps; }
};

Need need_of(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o) {
    const auto n = static_cast<double>(inputs), at_once = static_cast<double>(threads());
    const auto fields = static_cast<double>(o.fields), steps = static_cast<double>(o.steps);
    Need need;
    // Values, gradient, two moments and the best so far in double; weights in the order of each
    // sweep, and a gradient for each thread, in the model's precision.
    need.numbers = parameter_count(kind, inputs, outputs, o) *
                   (5.0 * sizeof(double) + (2.0 + at_once) * real_bytes(o));
    switch (kind) {
        case Kind::dsl:
            need.nodes = at_once * fields * node_bytes(n, o);
            if (o.field != field::FieldKind::straight)
                need.steps = at_once * fields * step_bytes(n, step_count(2.0 * steps + 2.0, o), o);
            break;
        case Kind::ablation: need.nodes = at_once * node_bytes(n + 1.0, o); break;
        case Kind::mlp:
            need.nodes = at_once * static_cast<double>(chunk_rows) * real_bytes(o) *
                         kept(o.hidden, static_cast<double>(outputs));
            break;
        case Kind::node: need.steps = at_once * step_bytes(n, step_count(steps, o), o); break;
    }
    return need;
}

/// The options that make the layers of a kind.
std::string_view layers_of(Kind kind) {
    switch (kind) {
        case Kind::dsl: return "hidden or field-hidden";
        case Kind::ablation: return "hidden";
        case Kind::mlp: return "hidden";
        case Kind::node: return "field-hidden";
    }
    return "";
}

}  // namespace

void check_model(const ModelOptions& options) {
    visit_model(options, CheckOption{});
    const bool narrow = options.precision == Precision::float32;
    if (field::method_of(options.method).adaptive() && narrow &&
        options.tolerance < least_float_tolerance)
        throw argument_error(
            fmt::format("tolerance must be 1e-06 or more where the networks are of precision "
                        "float32, but is {}; raise it, or use precision float64",
                        option_text(options.tolerance)));
}

double parameter_count(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o) {
    const auto n = static_cast<double>(inputs), m = static_cast<double>(outputs);
    switch (kind) {
        case Kind::dsl: {
            const double start = o.start_network
                                     ? mlp_count(n, o.hidden, static_cast<double>(o.eigenfunctions))
                                     : 0.0;
            return static_cast<double>(o.fields) *
                   (field_count(n, o) + coefficient_count(n, o) + start + basis_count(m, o));
        }
        case Kind::ablation: return coefficient_count(n + 1.0, o) + basis_count(m, o);
        case Kind::mlp: return mlp_count(n, o.hidden, m);
        case Kind::node: return mlp_count(n, o.field_hidden, n) + (n + 1.0) * m;
    }
    return 0.0;
}

double memory_needed(Kind kind, std::size_t inputs, std::size_t outputs,
                     const ModelOptions& options) {
    return need_of(kind, inputs, outputs, options).all();
}

void check_size(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o) {
    const auto need = need_of(kind, inputs, outputs, o);
    const auto available = available_memory();
    if (need.all() <= static_cast<double>(available)) return;
    const auto shown = [](double bytes) {
        return bytes < 1e18 ? shown_size(static_cast<std::uint64_t>(bytes))
                            : fmt::format("{:.1e} bytes", bytes);
    };
    std::string most, lower(layers_of(kind));
    if (need.numbers >= std::max(need.nodes, need.steps)) {
        most = fmt::format("the {:.3g} numbers of its networks",
                           parameter_count(kind, inputs, outputs, o));
    } else if (need.nodes >= need.steps) {
        most = fmt::format("its networks on {} lines", chunk_rows);
        lower = "cells or " + lower;
    } else {
        most = fmt::format("the steps of {} lines", chunk_rows);
        lower = "steps or " + lower;
    }
    if (kind == Kind::dsl && o.fields > 1) lower = "fields, " + lower;
    throw argument_error(
        fmt::format("training this model would take about {} of memory, most of it for {}, but {} "
                    "are available; lower {}",
                    shown(need.all()), most, shown(static_cast<double>(available)), lower));
}

ModelOptions model_preset(Preset preset) {
    ModelOptions options;
    switch (preset) {
        case Preset::standard: break;
        case Preset::paper:
            options.domain = field::DomainKind::box;
            options.field = field::FieldKind::positive;
            options.eigenfunctions = 10;
            options.hidden = {128, 64, 32};
            options.activation = network::Activation::leaky_relu;
            options.field_hidden = {128, 64, 32};
            options.field_activation = network::Activation::tanh;
            options.last_gain = 1.0;
            options.heads = HeadKind::paper;
            options.input_scale = 4.0;
            break;
    }
    return options;
}

}  // namespace deepsl::model
