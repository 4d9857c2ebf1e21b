#include "deepsl/model/options.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "deepsl/error.h"

namespace deepsl::model {
namespace {

constexpr double least_float_tolerance = 1e-6;  // of an adaptive method, per step

/// Which kinds beside dsl, that reads all, read an option.
struct Readers {
    std::string_view option;
    bool ablation, mlp, node, linear;
};

constexpr Readers readers[] = {
    {"domain", true, true, true, true},
    {"field", false, false, false, false},
    {"fields", false, false, false, false},
    {"directions", false, false, false, false},
    {"eigenfunctions", true, false, false, false},
    {"coefficients", true, false, false, false},
    {"hidden", true, true, false, false},
    {"activation", true, true, false, false},
    {"field-hidden", false, false, true, false},
    {"field-activation", false, false, true, false},
    {"initialiser", true, true, true, true},
    {"last-gain", true, false, true, false},
    {"linear-gain", true, false, false, false},
    {"heads", true, false, false, false},
    {"start-network", false, false, false, false},
    {"normalise", true, false, false, false},
    {"basis-scale", true, false, false, false},
    {"input-scale", true, true, true, true},
    {"method", false, false, true, false},
    {"steps", false, false, true, false},
    {"tolerance", false, false, true, false},
    {"max-steps", false, false, true, false},
    {"cells", true, false, false, false},
    {"scheme", true, false, false, false},
    {"precision", true, true, true, true},
    {"image", true, true, true, true},
    {"convolutions", false, true, false, false},
    {"field-convolutions", false, false, true, false},
    {"kernel", true, true, true, true},
    {"halving", true, true, true, true},
    {"encoder", true, true, true, true},
    {"encoder-hidden", true, true, true, true},
    {"latent", true, true, true, true},
    {"encoder-activation", true, true, true, true},
    {"encoder-initialiser", true, true, true, true},
};

}  // namespace

bool reads(Kind kind, std::string_view option) {
    const auto found = std::find_if(std::begin(readers), std::end(readers),
                                    [&](const Readers& each) { return each.option == option; });
    if (found == std::end(readers)) return false;
    switch (kind) {
        case Kind::dsl: return true;
        case Kind::ablation: return found->ablation;
        case Kind::mlp: return found->mlp;
        case Kind::node: return found->node;
        case Kind::linear: return found->linear;
    }
    return false;
}

void check_model(const ModelOptions& options) {
    visit_model(options, CheckOption{});
    const bool narrow = options.precision == Precision::float32;
    if (field::method_of(options.method).adaptive() && narrow &&
        options.tolerance < least_float_tolerance)
        throw argument_error(
            fmt::format("tolerance must be 1e-06 or more where the networks are of precision "
                        "float32, but is {}; raise it, or use precision float64",
                        option_text(options.tolerance)));
    if (options.kernel % 2 == 0)
        throw argument_error(
            fmt::format("kernel must be odd, so that a window has a middle, but is {}; take {}",
                        options.kernel, options.kernel + 1));
    if (!options.image.empty() && options.image.size() != 3)
        throw argument_error(fmt::format(
            "image takes height, width and channels, as in 28-28-1, but {} {} given",
            options.image.size(), options.image.size() == 1 ? "number was" : "numbers were"));
    if (options.latent == 0 && !(options.encoder.empty() && options.encoder_hidden.empty()))
        throw argument_error(
            "an encoder needs to know how many numbers it gives; set latent, for instance to 64");
    if (options.latent > 0 && !(options.convolutions.empty() && options.field_convolutions.empty()))
        throw argument_error(
            "behind an encoder there are no images for convolutions and field-convolutions; leave "
            "them out, or the encoder (latent 0)");
    if (options.field == field::FieldKind::gradient &&
        options.field_activation != network::Activation::tanh)
        throw argument_error(
            fmt::format("field-activation must be tanh where the field is gradient, but is {}; its "
                        "lines leave because tanh is bounded",
                        name(options.field_activation)));
    if (options.field == field::FieldKind::gradient && !options.field_convolutions.empty())
        throw argument_error(
            "a gradient field has no field-convolutions; leave them out, or take another field");
    if (options.field == field::FieldKind::gradient && options.field_hidden.empty())
        throw argument_error(
            "field-hidden must name a layer where the field is gradient; without one its lines are "
            "those of the field straight");
    if (options.normalise && options.start_network)
        throw argument_error(
            "start-network and normalise exclude each other: a slope at the entry only scales "
            "eigenfunctions; take normalise false, or start-network false");
    // A function with zeros at nearly all edges has no norm that edges could tell, and one side of
    // a sample may be nearly all of its line.
    if (options.normalise && 2 * options.eigenfunctions > options.cells)
        throw argument_error(
            fmt::format("normalise needs two cells for each eigenfunction, but there are {} and "
                        "{}; raise cells, or take normalise false",
                        options.cells, options.eigenfunctions));
    // From the middle of the domain a line takes so many steps to each side.
    if (!field::method_of(options.method).adaptive() && options.steps > options.max_steps)
        throw argument_error(fmt::format(
            "no line can end: it takes {} steps a side, but is given up after {}; lower "
            "steps, or raise max-steps",
            options.steps, options.max_steps));
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
