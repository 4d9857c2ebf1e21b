// How the program ends, and how sentences reach the user. What is wrong is a deepsl::Error;
// main.cpp decides which exit code that is.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "deepsl/error.h"

namespace deepsl::cli {

using deepsl::Error;

enum class ExitCode : int {
    ok = 0,
    failure = 1,        // a status that is not ok, a file that cannot be written
    usage = 2,          // the command itself is malformed
    bad_data = 3,       // the command is well formed, the values it leads to are not
    interrupted = 130,  // Ctrl-C, or 143 for SIGTERM; what was reached by then is kept
};

/// Thrown where a signal ended the work before there was a result.
class Interrupted : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// To standard error. If that cannot be written, a full disk say, the work goes on.
inline void tell(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

/// What the user has to know, however quiet the program is asked to be.
inline void warn(std::string_view text) { tell(fmt::format("deepsl: warning: {}\n", text)); }

}  // namespace deepsl::cli
