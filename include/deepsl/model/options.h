// The options of a model: one place for names, defaults, ranges and explanations. Flags, model
// files and docs/options.md are made from `visit`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/option.h"

namespace deepsl::model {

struct ModelOptions {
    std::string domain = "ball";
    std::string field = "directional";
    std::int64_t fields = 1;
    std::int64_t eigenfunctions = 10;
    std::vector<std::int64_t> hidden{64, 32};
    std::string activation = "tanh";
    std::vector<std::int64_t> field_hidden{32, 16};
    std::string field_activation = "tanh";
    std::string initialiser = "glorot";
    double last_gain = 0.1;
    std::string heads = "calm";
    bool start_network = false;
    std::string basis_scale = "centred";
    double input_scale = 4.0;
    std::string method = "rk4";
    std::int64_t steps = 6;
    double tolerance = 1e-5;
    std::int64_t max_steps = 1000;
    std::int64_t cells = 8;
    std::string scheme = "magnus4";
    std::string precision = "float32";
};

/// Calls visitor(option, value) for each option, in the order of the method.
template <class Options, class Visitor>
void visit_model(Options& o, Visitor&& visitor) {
    visitor(choice("domain", {"ball", "box"}, "where the lines live: the unit ball, or ]0,1[^n"),
            o.domain);
    visitor(choice("field", {"directional", "straight", "positive"},
                   "the vector field: d + 0.8 h(z) with a learnable direction d; d alone; or "
                   "every coordinate between 0.01 and 1, the paper's"),
            o.field);
    visitor(whole("fields", 1, 64, "independent fields whose predictions add up"), o.fields);
    visitor(whole("eigenfunctions", 1, 200, "d, how many eigenfunctions make the basis"),
            o.eigenfunctions);
    visitor(sizes("hidden", "hidden layers of the networks for 1/p, q, w and v"), o.hidden);
    visitor(choice("activation", {"leaky_relu", "tanh"}, "between these layers"), o.activation);
    visitor(sizes("field-hidden", "hidden layers of the field's network"), o.field_hidden);
    visitor(choice("field-activation", {"leaky_relu", "tanh"}, "between the field's layers"),
            o.field_activation);
    visitor(choice("initialiser", {"glorot", "orthogonal"}, "of all weight matrices"),
            o.initialiser);
    visitor(
        number("last-gain", 0.0, 100.0, "factor on the initial last layers of a, 1/p, q, w and v"),
        o.last_gain);
    visitor(choice("heads", {"calm", "paper"},
                   "how outputs are bounded: calm heads start near 1/p = 2, q = 0, w = 2"),
            o.heads);
    visitor(flag("start-network", "learn v, the slope at the entry, instead of v = 1"),
            o.start_network);
    visitor(choice("basis-scale", {"centred", "rms", "none"},
                   "how u_i(x) is scaled, by figures measured once on training data"),
            o.basis_scale);
    visitor(number("input-scale", 1e-3, 1e3, "networks see (z - centre) times this"),
            o.input_scale);
    visitor(choice("method", {"rk4", "dormand_prince"}, "how lines are followed"), o.method);
    visitor(whole("steps", 1, 10000, "Runge-Kutta steps from the centre to the boundary"), o.steps);
    visitor(number("tolerance", 1e-13, 0.1,
                   "of an adaptive method, per step; at least 1e-6 in float32"),
            o.tolerance);
    visitor(whole("max-steps", 1, 1000000, "steps a side before a line is given up"), o.max_steps);
    visitor(whole("cells", 1, 10000, "cells on each side of the sample"), o.cells);
    visitor(choice("scheme", {"magnus4", "midpoint"}, "order 4 or order 2 on a cell"), o.scheme);
    visitor(choice("precision", {"float32", "float64"}, "of the networks; the rest is in float64"),
            o.precision);
}

/// Throws OptionError that names the option, its value and what it may be.
void check_model(const ModelOptions& options);

/// "default", what learns best by measurement, or "paper", the paper's settings.
ModelOptions model_preset(std::string_view name);

}  // namespace deepsl::model
