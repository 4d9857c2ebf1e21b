#include "deepsl/error.h"
#include "deepsl/model/ablation.h"
#include "deepsl/model/encoded.h"
#include "deepsl/model/mlp_model.h"
#include "deepsl/model/model.h"
#include "deepsl/model/node.h"
#include "deepsl/model/predictor.h"

namespace deepsl::model {

std::unique_ptr<Predictor> make_predictor(Kind kind, std::size_t inputs, std::size_t outputs,
                                          const ModelOptions& options, std::uint64_t seed,
                                          const Use& use) {
    check_model(options);
    check_size(kind, inputs, outputs, options, use);
    if (options.latent > 0) return make_encoded(kind, inputs, outputs, options, seed);
    return make_behind_encoder(kind, inputs, outputs, options, seed);
}

std::unique_ptr<Predictor> make_behind_encoder(Kind kind, std::size_t inputs, std::size_t outputs,
                                               const ModelOptions& options, std::uint64_t seed) {
    switch (kind) {
        case Kind::dsl: return make_model(inputs, outputs, options, seed);
        case Kind::ablation: return make_ablation(inputs, outputs, options, seed);
        case Kind::mlp: return make_mlp_model(inputs, outputs, options, seed);
        case Kind::node: return make_node(inputs, outputs, options, seed);
        case Kind::linear: return make_linear_model(inputs, outputs, options, seed);
    }
    throw argument_error("there is no such kind of model");
}

}  // namespace deepsl::model
