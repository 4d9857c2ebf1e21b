// Every kind of model by its name, with one set of options. All read domain (its centre) and
// input_scale for what their networks see, initialiser and precision; and beside these
//
//     dsl       everything
//     ablation  eigenfunctions, hidden, activation, last_gain, heads, basis_scale, cells, scheme
//     mlp       hidden, activation
//     node      field_hidden, field_activation, last_gain, method, steps, tolerance, max_steps
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/model/options.h"
#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// "dsl", "ablation", "mlp", "node"
const std::vector<std::string>& kinds();

/// Throws OptionError for an unknown kind or a bad option.
std::shared_ptr<PredictorImpl> make_predictor(std::string_view kind, std::int64_t inputs,
                                              std::int64_t outputs, const ModelOptions& options);

}  // namespace deepsl::model
