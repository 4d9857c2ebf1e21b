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
    bool ablation, mlp, node;
};

constexpr Readers readers[] = {
    {"domain", true, true, true},
    {"field", false, false, false},
    {"fields", false, false, false},
    {"eigenfunctions", true, false, false},
    {"coefficients", true, false, false},
    {"hidden", true, true, false},
    {"activation", true, true, false},
    {"field-hidden", false, false, true},
    {"field-activation", false, false, true},
    {"initialiser", true, true, true},
    {"last-gain", true, false, true},
    {"heads", true, false, false},
    {"start-network", false, false, false},
    {"basis-scale", true, false, false},
    {"input-scale", true, true, true},
    {"method", false, false, true},
    {"steps", false, false, true},
    {"tolerance", false, false, true},
    {"max-steps", false, false, true},
    {"cells", true, false, false},
    {"scheme", true, false, false},
    {"precision", true, true, true},
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
