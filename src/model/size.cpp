#include "deepsl/model/size.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/model/predictor.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "memory.h"
#include "model/networks.h"

namespace deepsl::model {
namespace {

/// Networks for 1/p, q and w, and outputs of each.
struct CoefficientShape {
    double networks;
    std::size_t outputs;
};

CoefficientShape shape_of(CoefficientKind kind) {
    switch (kind) {
        case CoefficientKind::networks: return {3.0, 1};
        case CoefficientKind::trunk: return {1.0, 3};
    }
    return {};
}

double coefficient_count(std::size_t inputs, const ModelOptions& o) {
    const auto shape = shape_of(o.coefficients);
    return shape.networks * parameter_count(coefficient_plan(inputs, shape.outputs, o, 0.0));
}

/// As a field reads them: one that is a gradient has its first layer alone.
ModelOptions of_field(ModelOptions o) {
    if (o.field == field::FieldKind::gradient && !o.field_hidden.empty())
        o.field_hidden = {o.field_hidden.front()};
    return o;
}

double field_count(std::size_t inputs, const ModelOptions& o) {
    const auto n = static_cast<double>(inputs);
    switch (o.field) {
        case field::FieldKind::directional: return n + parameter_count(field_plan(inputs, o, 0.0));
        case field::FieldKind::straight: return n;
        case field::FieldKind::positive: return parameter_count(field_plan(inputs, o, 0.0));
        case field::FieldKind::gradient: {  // W, b and s, and the direction
            double count = n;
            for (const auto units : of_field(o).field_hidden)
                count += (n + 2.0) * static_cast<double>(units);
            return count;
        }
    }
    return 0.0;
}

/// Means and scales of the eigenfunctions, and the linear map.
double basis_count(double outputs, const ModelOptions& o) {
    const auto d = static_cast<double>(o.eigenfunctions);
    return 2.0 * d + (d + 1.0) * outputs;
}

double real_bytes(const ModelOptions& o) {
    switch (o.precision) {
        case Precision::float32: return sizeof(float);
        case Precision::float64: return sizeof(double);
    }
    return 0.0;
}

/// The passes of a use: all of them have their chunk's numbers, in a training a tape, too.
struct Passes {
    double all, with_tape, lanes;

    explicit Passes(const Use& use) {
        const auto chunks = use.rows / chunk_rows + (use.rows % chunk_rows == 0 ? 0 : 1);
        const auto most = std::min(std::max<std::size_t>(chunks, 1), training_lanes);
        const auto count = static_cast<std::size_t>(threads());
        all = static_cast<double>(use.training ? std::min(count, most) : count);
        with_tape = use.training ? all : 0.0;
        lanes = use.training ? static_cast<double>(most) : 0.0;
    }
};

/// Of all chunks at the nodes of their cells: points, coefficients, and the problems in double;
/// derivatives of them all; on a tape, what the networks keep.
double node_bytes(std::size_t inputs, const Passes& passes, const ModelOptions& o) {
    const auto shape = shape_of(o.coefficients);
    const auto nodes =
        static_cast<double>(2 * o.cells) * static_cast<double>(sturm::nodes_per_cell(o.scheme));
    const double taped =
        shape.networks * taped_per_row(coefficient_plan(inputs, shape.outputs, o, 0.0));
    const double others =
        real_bytes(o) * (2.0 * static_cast<double>(inputs) + 6.0) + sizeof(double) * 8.0;
    // Functions that are normalised, with their derivatives at all edges.
    const double edges = o.normalise ? 3.0 * static_cast<double>(2 * o.cells + 1) *
                                           static_cast<double>(o.eigenfunctions) * sizeof(double)
                                     : 0.0;
    return passes.all * static_cast<double>(chunk_rows) * edges +
           static_cast<double>(chunk_rows) * nodes *
               (passes.with_tape * real_bytes(o) * taped + passes.all * others);
}

/// Of all chunks, if each sample takes so many Runge-Kutta steps.
double step_bytes(std::size_t inputs, double steps, const Passes& passes, const ModelOptions& o) {
    const auto stages = static_cast<double>(field::method_of(o.method).stages());
    const double reals = passes.with_tape * taped_per_row(field_plan(inputs, o, 0.0)) +
                         passes.all * 4.0 * static_cast<double>(inputs);
    return static_cast<double>(chunk_rows) * steps * stages * real_bytes(o) * reals;
}

/// Of all chunks through a network once.
double row_bytes(const NetworkPlan& plan, const Passes& passes, const ModelOptions& o) {
    return passes.with_tape * static_cast<double>(chunk_rows) * real_bytes(o) * taped_per_row(plan);
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

/// Of the networks at work: at the nodes of cells, and at the stages of steps.
void add_work(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o,
              const Passes& passes, Need& need) {
    const auto fields = static_cast<double>(o.fields), steps = static_cast<double>(o.steps);
    switch (kind) {
        case Kind::dsl:
            need.nodes += fields * node_bytes(inputs, passes, o);
            if (o.field != field::FieldKind::straight)
                need.steps += fields * step_bytes(inputs, step_count(2.0 * steps + 2.0, o), passes,
                                                  of_field(o));
            break;
        case Kind::ablation:
            need.nodes += node_bytes(inputs + 1, passes, without_convolutions(o));
            break;
        case Kind::mlp:
            need.nodes += row_bytes(coefficient_plan(inputs, outputs, o, 0.0), passes, o);
            break;
        case Kind::node: need.steps += step_bytes(inputs, step_count(steps, o), passes, o); break;
        case Kind::linear: break;
    }
}

Need need_of(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o,
             const Use& use) {
    const Passes passes(use);
    Need need;
    // Values, and for training gradient, two moments and the best so far, and each lane's gradient,
    // in double; weights in the order of each sweep, and a gradient for each pass, in the model's
    // precision.
    need.numbers = parameter_count(kind, inputs, outputs, o) *
                   ((use.training ? 5.0 + passes.lanes : 1.0) * sizeof(double) +
                    (2.0 + passes.all) * real_bytes(o));
    if (o.latent > 0) {
        need.nodes += row_bytes(encoder_plan(inputs, o), passes, o);
        add_work(kind, static_cast<std::size_t>(o.latent), outputs, behind_encoder(o), passes,
                 need);
    } else {
        add_work(kind, inputs, outputs, o, passes, need);
    }
    return need;
}

/// The options that make the layers of a kind.
std::string_view layers_of(Kind kind) {
    switch (kind) {
        case Kind::dsl: return "hidden or field-hidden";
        case Kind::ablation:
        case Kind::mlp: return "hidden";
        case Kind::node: return "field-hidden";
        case Kind::linear: return "latent";
    }
    return "";
}

}  // namespace

double parameter_count(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o) {
    if (o.latent > 0)
        return parameter_count(encoder_plan(inputs, o)) +
               parameter_count(kind, static_cast<std::size_t>(o.latent), outputs,
                               behind_encoder(o));
    const auto n = static_cast<double>(inputs), m = static_cast<double>(outputs);
    switch (kind) {
        case Kind::dsl: {
            const auto d = static_cast<std::size_t>(o.eigenfunctions);
            const double start =
                o.start_network ? parameter_count(coefficient_plan(inputs, d, o, 0.0)) : 0.0;
            return static_cast<double>(o.fields) *
                   (field_count(inputs, o) + coefficient_count(inputs, o) + start +
                    basis_count(m, o));
        }
        case Kind::ablation:
            return coefficient_count(inputs + 1, without_convolutions(o)) + basis_count(m, o);
        case Kind::mlp: return parameter_count(coefficient_plan(inputs, outputs, o, 0.0));
        case Kind::node: return parameter_count(field_plan(inputs, o, 0.0)) + (n + 1.0) * m;
        case Kind::linear: return (n + 1.0) * m;
    }
    return 0.0;
}

double memory_needed(Kind kind, std::size_t inputs, std::size_t outputs,
                     const ModelOptions& options, const Use& use) {
    return need_of(kind, inputs, outputs, options, use).all();
}

void check_size(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& o,
                const Use& use) {
    const auto need = need_of(kind, inputs, outputs, o, use);
    const auto available = available_memory();
    if (need.all() <= static_cast<double>(available)) return;
    const auto shown = [](double bytes) {
        return bytes < 1e18 ? shown_size(static_cast<std::uint64_t>(bytes))
                            : fmt::format("{:.1e} bytes", bytes);
    };
    std::string most, lower(layers_of(kind));
    const auto lines = chunk_rows * static_cast<std::size_t>(Passes(use).all);
    if (need.numbers >= std::max(need.nodes, need.steps)) {
        most = fmt::format("the {:.3g} numbers of its networks",
                           parameter_count(kind, inputs, outputs, o));
    } else if (need.nodes >= need.steps) {
        most = fmt::format("its networks on {} lines", lines);
        lower = "cells or " + lower;
    } else {
        most = fmt::format("the steps of {} lines", lines);
        lower = "steps or " + lower;
    }
    if (kind == Kind::dsl && o.fields > 1) lower = "fields, " + lower;
    if (o.latent > 0 &&
        2.0 * parameter_count(encoder_plan(inputs, o)) > parameter_count(kind, inputs, outputs, o))
        lower = "encoder, encoder-hidden or latent";
    if (threads() > 1 && need.numbers < std::max(need.nodes, need.steps)) lower += ", or threads";
    const auto sentence = fmt::format(
        "this model would take about {} of memory, most of it for {}, but {} are available",
        shown(need.all()), most, shown(static_cast<double>(available)));
    throw argument_error(use.training ? fmt::format("training {}; lower {}", sentence, lower)
                                      : fmt::format("predicting with {}", sentence));
}

}  // namespace deepsl::model
