// The values of flags: numbers, pairs and boundary conditions. Every function here
// throws a usage error that names the flag, the value given and what is allowed.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deepsl/parallel.h"
#include "deepsl/sturm/solver.h"
#include "error.h"
#include "expression.h"
#include "text.h"

namespace deepsl::cli {

inline double number_of(std::string_view flag, const std::string& text) {
    const double value = parse_constant(flag, text);
    if (std::isfinite(value)) return value;
    throw argument_error(fmt::format("{}: {} is {}; give a finite number", flag, shown(text),
                                     std::isnan(value) ? "not a number" : "infinite"));
}

inline std::pair<double, double> pair_of(std::string_view flag, const std::string& text) {
    const auto items = split_list(text);
    if (items.size() != 2) {
        throw argument_error(fmt::format("{} takes two numbers such as {} 0,1, but {} was given",
                                         flag, flag, shown(text)));
    }
    return {number_of(flag, items[0]), number_of(flag, items[1])};
}

inline std::size_t whole_number_of(std::string_view flag, const std::string& text,
                                   std::size_t least, std::size_t most) {
    const auto value = to_number<long long>(text);
    if (value && *value >= static_cast<long long>(least) && *value <= static_cast<long long>(most))
        return static_cast<std::size_t>(*value);
    throw argument_error(fmt::format("{} takes a whole number from {} to {}, but {} was given",
                                     flag, least, most, shown(text)));
}

/// Of --threads; as many as there are cores where nothing is given.
inline int threads_of(const std::string& text) {
    return text.empty() ? available_threads()
                        : static_cast<int>(whole_number_of("--threads", text, 1, 1024));
}

inline sturm::BoundaryCondition boundary(std::string_view flag, const std::string& text) {
    if (text == "dirichlet") return sturm::BoundaryCondition::dirichlet();
    if (text == "neumann") return sturm::BoundaryCondition::neumann();
    const bool is_word = std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0;
    });
    if (is_word) {
        throw argument_error(fmt::format(
            "{}: unknown boundary condition {}; {}", flag, shown(text),
            did_you_mean(text, {"dirichlet", "neumann"}, "use dirichlet, neumann or two numbers")));
    }
    const auto [alpha1, alpha2] = pair_of(flag, text);
    if (alpha1 == 0.0 && alpha2 == 0.0) {
        throw argument_error(
            fmt::format("{} 0,0 is no condition; at least one of the two numbers "
                        "must differ from 0, as in {} 1,0 (dirichlet)",
                        flag, flag));
    }
    return {alpha1, alpha2};
}

}  // namespace deepsl::cli
