// What writing and reading a model file share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "deepsl/io/tensor_file.h"
#include "deepsl/model/options.h"
#include "deepsl/network/parameters.h"

namespace deepsl::learner {

inline constexpr std::string_view model_format = "deepsl model";
inline constexpr std::string_view model_version = "2", first_model_version = "1";

/// Figures that were measured are kept in full, whatever the precision of the networks.
inline io::DType type_of(const network::Parameter& parameter, model::Precision precision) {
    if (parameter.role == network::Role::measured) return io::DType::f64;
    switch (precision) {
        case model::Precision::float32: return io::DType::f32;
        case model::Precision::float64: return io::DType::f64;
    }
    return io::DType::f64;
}

inline std::vector<std::int64_t> shape_of(const network::Parameter& parameter) {
    return {parameter.shape.begin(), parameter.shape.end()};
}

}  // namespace deepsl::learner
