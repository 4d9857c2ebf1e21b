// Tables that come from outside must have the shape a model takes.
#pragma once

#include <cstddef>
#include <string>

#include "deepsl/error.h"
#include "deepsl/matrix.h"

namespace deepsl::model {

/// Throws Error unless x [B, inputs]; without rows it may have any width.
inline void check_inputs(MatrixView<const double> x, std::size_t inputs) {
    if (x.columns() != inputs && x.rows() > 0)
        throw argument_error("the model takes rows of " + std::to_string(inputs) +
                             " numbers, but got rows of " + std::to_string(x.columns()));
}

/// Throws Error unless the derivatives by what a model predicted are [rows, columns].
inline void check_seeds(MatrixView<const double> seeds, std::size_t rows, std::size_t columns,
                        const char* of) {
    if (seeds.rows() != rows || seeds.columns() != columns)
        throw argument_error("the derivatives by " + std::string(of) + " must be " +
                             std::to_string(rows) + " x " + std::to_string(columns) +
                             ", as the prediction, but are " + std::to_string(seeds.rows()) +
                             " x " + std::to_string(seeds.columns()));
}

}  // namespace deepsl::model
