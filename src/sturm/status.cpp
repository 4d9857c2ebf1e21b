#include "deepsl/sturm/status.h"

namespace deepsl::sturm {

std::string_view name(Status status) {
    switch (status) {
        case Status::ok: return "ok";
        case Status::not_finite: return "not_finite";
        case Status::not_positive: return "not_positive";
        case Status::out_of_range: return "out_of_range";
        case Status::pass_limit: return "pass_limit";
        case Status::overflow: return "overflow";
        case Status::tolerance_not_met: return "tolerance_not_met";
    }
    return "unknown";
}

std::string_view sentence(Status status) {
    switch (status) {
        case Status::ok: return "Solved.";
        case Status::not_finite:
            return "A coefficient, cell length or start value is NaN or infinite; check the "
                   "functions or networks that produce them.";
        case Status::not_positive:
            return "P = 1/p, w or a cell length is zero or negative; all three must be positive.";
        case Status::out_of_range:
            return "The coefficients are too large or too small for the length of the interval; "
                   "rescale t, q or w.";
        case Status::pass_limit:
            return "The eigenvalue was not pinned down within the allowed sweeps; raise "
                   "max_passes.";
        case Status::overflow:
            return "The eigenfunction grows beyond the range of double between the start and the "
                   "wanted edge; scale it by its norm instead of its start value.";
        case Status::tolerance_not_met:
            return "The error estimate is still above the tolerance at the finest mesh allowed; "
                   "give break points where the coefficients jump or bend, loosen the tolerance, "
                   "or raise max_cells.";
    }
    return "Unknown status.";
}

}  // namespace deepsl::sturm
