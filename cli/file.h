// Output files that are either complete or untouched.
#pragma once

#include <string>
#include <string_view>

#include "deepsl/io/file.h"
#include "error.h"

namespace deepsl::cli {

/// Writes to a temporary neighbour and renames it, so that a failure leaves the old file alone.
inline void write_file(const std::string& path, std::string_view content) {
    try {
        io::write_file(path, content);
    } catch (const io::FileError& error) {
        throw Error(ExitCode::failure, error.what());
    }
}

}  // namespace deepsl::cli
