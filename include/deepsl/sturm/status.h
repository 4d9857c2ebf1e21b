// The outcome of one eigenvalue. Inside the numerics an outcome is data: it is never thrown.
#pragma once

#include <cstdint>
#include <string_view>

namespace deepsl::sturm {

enum class Status : std::uint8_t {
    ok,
    not_finite,         // a coefficient, length or start value is NaN or infinite
    not_positive,       // P, w or a cell length is zero or negative
    out_of_range,       // the coefficients span more than the sweeps can follow
    pass_limit,         // the root was not pinned down within the allowed sweeps
    overflow,           // u at the wanted edge exceeds the range of double
    tolerance_not_met,  // the error estimate is still above the tolerance at the mesh limit
};

/// A short identifier, as used in JSON: "ok", "not_finite", ...
std::string_view name(Status status);

/// What happened and what to try, in one sentence for a person.
std::string_view sentence(Status status);

}  // namespace deepsl::sturm
