// What became of a sample on its way through a model.
#pragma once

#include <string_view>

#include "deepsl/field/line_status.h"
#include "deepsl/sturm/status.h"

namespace deepsl::model {

/// Its line's status, else its first failed eigenvalue's.
struct Outcome {
    field::LineStatus line = field::LineStatus::ok;
    sturm::Status eigen = sturm::Status::ok;

    bool ok() const { return line == field::LineStatus::ok && eigen == sturm::Status::ok; }
    std::string_view name() const;
    std::string_view sentence() const;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

}  // namespace deepsl::model
