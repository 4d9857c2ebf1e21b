#include "deepsl/model/kinds.h"

#include "deepsl/model/ablation.h"
#include "deepsl/model/baseline.h"
#include "deepsl/model/model.h"
#include "deepsl/model/node.h"
#include "deepsl/text.h"
#include "model/networks.h"

namespace deepsl::model {
namespace {

std::shared_ptr<PredictorImpl> mlp(std::int64_t inputs, std::int64_t outputs,
                                   const ModelOptions& options, double centre) {
    auto network = network_options(inputs, outputs, options, centre);
    network.last_gain = 1.0;
    return std::make_shared<MlpModelImpl>(inputs, outputs, network);
}

std::shared_ptr<PredictorImpl> node(std::int64_t inputs, std::int64_t outputs,
                                    const ModelOptions& options, double centre) {
    NodeOptions own;
    own.f = network_options(inputs, inputs, options, centre);
    own.f.hidden = options.field_hidden;
    own.f.activation = activation_of(options.field_activation);
    own.method = &method_of(options);
    own.steps = options.steps;
    own.tolerance = options.tolerance;
    own.max_steps = options.max_steps;
    return std::make_shared<NodeImpl>(inputs, outputs, own);
}

}  // namespace

const std::vector<std::string>& kinds() {
    static const std::vector<std::string> all{"dsl", "ablation", "mlp", "node"};
    return all;
}

std::shared_ptr<PredictorImpl> make_predictor(std::string_view kind, std::int64_t inputs,
                                              std::int64_t outputs, const ModelOptions& options) {
    check_model(options);
    if (inputs < 1 || outputs < 1)
        throw OptionError("a model needs inputs and outputs, but " + std::to_string(inputs) +
                          " and " + std::to_string(outputs) + " were given");
    if (kind == "dsl") return std::make_shared<ModelImpl>(inputs, outputs, options);
    if (kind == "ablation") return std::make_shared<AblationImpl>(inputs, outputs, options);
    if (kind != "mlp" && kind != "node")
        throw OptionError("there is no kind of model " + in_quotes(kind) + "; " +
                          did_you_mean(kind, kinds(), "use dsl, ablation, mlp or node"));
    const auto centre = domain_of(inputs, options)->centre();
    const auto model = (kind == "mlp" ? mlp : node)(inputs, outputs, options, centre);
    set_precision(*model, options);
    return model;
}

}  // namespace deepsl::model
