// What became of a line.
#pragma once

#include <cstdint>
#include <string_view>

namespace deepsl::field {

enum class LineStatus : std::uint8_t {
    ok,
    not_finite,  // the sample, or the field on the way, is NaN or infinite
    outside,     // the sample does not lie inside the domain
    step_limit,  // the line had not left the domain after max_steps
};

/// For programs: "step_limit".
std::string_view name(LineStatus status);

/// For people: what it means and what to try.
std::string_view sentence(LineStatus status);

}  // namespace deepsl::field
