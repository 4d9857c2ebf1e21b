// The options of a model: one place for names, defaults, ranges and explanations. Flags, model
// files and docs/options.md are made from `visit_model`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "deepsl/field/domain.h"
#include "deepsl/field/method.h"
#include "deepsl/field/vector_field.h"
#include "deepsl/network/mlp.h"
#include "deepsl/option.h"
#include "deepsl/sturm/cells.h"

namespace deepsl::sturm {
constexpr std::array<std::string_view, 2> names(Scheme) { return {"midpoint", "magnus4"}; }
}  // namespace deepsl::sturm

namespace deepsl::model {

/// Deep Sturm-Liouville and the models to compare it with.
enum class Kind { dsl, ablation, mlp, node, linear };
constexpr std::array<std::string_view, 5> names(Kind) {
    return {"dsl", "ablation", "mlp", "node", "linear"};
}

enum class Preset { standard, paper };
constexpr std::array<std::string_view, 2> names(Preset) { return {"default", "paper"}; }

enum class CoefficientKind { networks, trunk };
constexpr std::array<std::string_view, 2> names(CoefficientKind) { return {"networks", "trunk"}; }

enum class HeadKind { calm, paper };
constexpr std::array<std::string_view, 2> names(HeadKind) { return {"calm", "paper"}; }

/// Less its mean, and over its deviation or root mean square; or one of the two, or neither.
enum class BasisScale { centred, rms, mean, none };
constexpr std::array<std::string_view, 4> names(BasisScale) {
    return {"centred", "rms", "mean", "none"};
}

/// How convolutions halve an image: every other pixel, or the largest of four.
enum class Halving { stride, max };
constexpr std::array<std::string_view, 2> names(Halving) { return {"stride", "max"}; }

enum class Precision { float32, float64 };
constexpr std::array<std::string_view, 2> names(Precision) { return {"float32", "float64"}; }

/// Where fields start: along the directions in which a ridge regression of the target changes, or a
/// kernel ridge regression.
enum class Directions { ridge, kernel };
constexpr std::array<std::string_view, 2> names(Directions) { return {"ridge", "kernel"}; }

struct ModelOptions {
    field::DomainKind domain = field::DomainKind::ball;
    field::FieldKind field = field::FieldKind::directional;
    std::int64_t fields = 1;
    Directions directions = Directions::ridge;
    std::int64_t eigenfunctions = 10;
    CoefficientKind coefficients = CoefficientKind::networks;
    std::vector<std::int64_t> hidden{64, 32};
    network::Activation activation = network::Activation::tanh;
    std::vector<std::int64_t> field_hidden{32, 16};
    network::Activation field_activation = network::Activation::tanh;
    network::Initialiser initialiser = network::Initialiser::glorot;
    double last_gain = 0.1;
    double linear_gain = 0.0;
    HeadKind heads = HeadKind::calm;
    bool start_network = false;
    bool normalise = false;
    BasisScale basis_scale = BasisScale::centred;
    double input_scale = 4.0;
    field::MethodKind method = field::MethodKind::rk4;
    std::int64_t steps = 6;
    double tolerance = 1e-5;
    std::int64_t max_steps = 1000;
    std::int64_t cells = 8;
    sturm::Scheme scheme = sturm::Scheme::magnus4;
    Precision precision = Precision::float32;
    /// Of images: height, width and channels of a row. None: rows are just numbers.
    std::vector<std::int64_t> image;
    std::vector<std::int64_t> convolutions;        // features
    std::vector<std::int64_t> field_convolutions;  // features; the field is an auto-encoder
    std::int64_t kernel = 3;
    Halving halving = Halving::stride;
    /// In front of the model: convolutions, layers and the latent numbers, 0 for no encoder.
    std::vector<std::int64_t> encoder, encoder_hidden;
    std::int64_t latent = 0;
    network::Activation encoder_activation = network::Activation::leaky_relu;
    network::Initialiser encoder_initialiser = network::Initialiser::he;
};

/// Calls visitor(option, value) for each option, in the order of the method.
template <class Options, class Visitor>
void visit_model(Options& o, Visitor&& visitor) {
    visitor(choice<field::DomainKind>("domain", "where the lines live: the unit ball, or ]0,1[^n"),
            o.domain);
    visitor(choice<field::FieldKind>(
                "field",
                "the vector field: d + 0.8 h(z) with a learnable direction d; d alone; every "
                "coordinate between 0.01 and 1, the paper's; or the gradient of a potential, d + "
                "0.8 W^T (s tanh(W z + b)) / N"),
            o.field);
    visitor(whole_number("fields", 1, 64, "independent fields whose predictions add up"), o.fields);
    visitor(choice<Directions>("directions",
                               "in which fields start: those of a ridge regression of the target, "
                               "or of a kernel ridge regression"),
            o.directions);
    visitor(whole_number("eigenfunctions", 1, 200, "d, how many eigenfunctions make the basis"),
            o.eigenfunctions);
    visitor(choice<CoefficientKind>("coefficients",
                                    "1/p, q and w: a network each, or one trunk with three heads"),
            o.coefficients);
    visitor(sizes("hidden", "hidden layers of the networks for 1/p, q, w and v"), o.hidden);
    visitor(choice<network::Activation>("activation", "between these layers"), o.activation);
    visitor(sizes("field-hidden",
                  "hidden layers of the field's network; a gradient field has the first alone"),
            o.field_hidden);
    visitor(choice<network::Activation>("field-activation",
                                        "between the field's layers; tanh in a gradient field"),
            o.field_activation);
    visitor(choice<network::Initialiser>("initialiser", "of all weight matrices"), o.initialiser);
    visitor(
        number("last-gain", 0.0, 100.0, "factor on the initial last layers of a, 1/p, q, w and v"),
        o.last_gain);
    visitor(number("linear-gain", 0.0, 100.0,
                   "factor on the initial linear map of the eigenfunctions; 0 = it starts at 0"),
            o.linear_gain);
    visitor(choice<HeadKind>(
                "heads", "how outputs are bounded: calm heads start near 1/p = 2, q = 0, w = 2"),
            o.heads);
    visitor(flag("start-network", "learn v, the slope at the entry, instead of v = 1"),
            o.start_network);
    visitor(flag("normalise",
                 "divide each eigenfunction by its root mean square along the line, weighted by w"),
            o.normalise);
    visitor(choice<BasisScale>("basis-scale",
                               "how u_i(x) is scaled, by figures measured once on training data: "
                               "less its mean and over its deviation; over its root mean square; "
                               "less its mean; or not"),
            o.basis_scale);
    visitor(number("input-scale", 1e-3, 1e3, "networks see (z - centre) times this"),
            o.input_scale);
    visitor(choice<field::MethodKind>("method", "how lines are followed"), o.method);
    visitor(whole_number("steps", 1, 10000, "Runge-Kutta steps from the centre to the boundary"),
            o.steps);
    visitor(number("tolerance", 1e-13, 0.1,
                   "of an adaptive method, per step; at least 1e-6 in float32"),
            o.tolerance);
    visitor(whole_number("max-steps", 1, 1000000, "steps a side before a line is given up"),
            o.max_steps);
    visitor(whole_number("cells", 1, 10000, "cells on each side of the sample"), o.cells);
    visitor(choice<sturm::Scheme>("scheme", "order 2 or order 4 on a cell"), o.scheme);
    visitor(choice<Precision>("precision", "of the networks; the rest is in float64"), o.precision);
    visitor(sizes("image", "height, width and channels of images; known from the data"), o.image);
    visitor(sizes("convolutions",
                  "features of convolutions on images, before the hidden layers; the last of equal "
                  "neighbours halves the image"),
            o.convolutions);
    visitor(sizes("field-convolutions",
                  "the same for the field: an auto-encoder, with field-hidden in its middle"),
            o.field_convolutions);
    visitor(whole_number("kernel", 1, 31, "side of the convolutions' windows, odd"), o.kernel);
    visitor(choice<Halving>("halving", "how images are halved: every other pixel, or the largest"),
            o.halving);
    visitor(sizes("encoder", "features of convolutions in front of the model"), o.encoder);
    visitor(sizes("encoder-hidden", "hidden layers behind them"), o.encoder_hidden);
    visitor(whole_number("latent", 0, 65536,
                         "numbers that the encoder gives, which the model sees instead of the "
                         "inputs; 0 = no encoder"),
            o.latent);
    visitor(choice<network::Activation>("encoder-activation", "between the encoder's layers"),
            o.encoder_activation);
    visitor(choice<network::Initialiser>("encoder-initialiser",
                                         "of the encoder's convolutions; its layers begin "
                                         "orthogonal"),
            o.encoder_initialiser);
}

/// Whether a model of this kind reads the option of this name; it keeps the others, but nothing
/// depends on them. A name that is no option of a model is read by none.
bool reads(Kind kind, std::string_view option);

/// Throws Error that names the option, its value and what it may be.
void check_model(const ModelOptions& options);

/// "default", what learns best by measurement, or "paper", the paper's settings.
ModelOptions model_preset(Preset preset);

}  // namespace deepsl::model
