// What writing and reading a model file share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/io/tensor_file.h"
#include "deepsl/model/options.h"
#include "deepsl/network/parameters.h"

namespace deepsl::learner {

inline constexpr std::string_view model_format = "deepsl model";
/// Version 3 has several voters; a model of one is written as version 2, which older programs read.
inline constexpr std::string_view voters_version = "3", model_version = "2",
                                  first_model_version = "1";

/// More do not make sense, and a file must not ask for more.
inline constexpr std::int64_t most_voters = 1000;

/// What the entries and tensors of a voter begin with, after the first one: "voter2.".
inline std::string prefix_of(std::size_t voter) {
    return voter == 0 ? "" : "voter" + std::to_string(voter + 1) + ".";
}

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
