#include "deepsl/network/parameters.h"

#include <utility>

namespace deepsl::network {

std::size_t Parameter::size() const {
    std::size_t count = 1;
    for (const auto extent : shape) count *= extent;
    return count;
}

std::size_t Parameters::add(std::string name, std::vector<std::size_t> shape, Role role) {
    list_.push_back({std::move(name), std::move(shape), role, values_.size()});
    values_.resize(values_.size() + list_.back().size(), 0.0);
    return list_.back().offset;
}

std::size_t Parameters::learned() const {
    std::size_t count = 0;
    for (const auto& parameter : list_)
        if (parameter.role != Role::measured) count += parameter.size();
    return count;
}

void Parameters::round_to_float() {
    for (const auto& parameter : list_) {
        if (parameter.role == Role::measured) continue;
        for (std::size_t i = 0; i < parameter.size(); ++i) {
            auto& value = values_[parameter.offset + i];
            value = static_cast<double>(static_cast<float>(value));
        }
    }
}

}  // namespace deepsl::network
