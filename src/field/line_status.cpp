#include "deepsl/field/line_status.h"

namespace deepsl::field {

std::string_view name(LineStatus status) {
    switch (status) {
        case LineStatus::ok: return "ok";
        case LineStatus::not_finite: return "not_finite";
        case LineStatus::outside: return "outside";
        case LineStatus::step_limit: return "step_limit";
    }
    return "unknown";
}

std::string_view sentence(LineStatus status) {
    switch (status) {
        case LineStatus::ok: return "the line leaves the domain at both ends";
        case LineStatus::not_finite:
            return "the sample or the field along its line is NaN or infinite; check the inputs "
                   "and lower the learning rate";
        case LineStatus::outside:
            return "the sample does not lie inside the domain; scale the inputs into it";
        case LineStatus::step_limit:
            return "the line had not left the domain after the allowed steps; raise max_steps, or "
                   "use a field that advances in one direction";
    }
    return "unknown";
}

}  // namespace deepsl::field
