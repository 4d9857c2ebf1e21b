// The one exception of the command line: a sentence for the user and the exit code it leads to;
// and how sentences reach the user.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace deepsl::cli {

enum class ExitCode : int {
    ok = 0,
    failure = 1,        // a status that is not ok, a file that cannot be written
    usage = 2,          // the command itself is malformed
    bad_data = 3,       // the command is well formed, the values it leads to are not
    interrupted = 130,  // Ctrl-C; what was reached by then is kept
};

class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}

    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

inline Error usage_error(const std::string& sentence) { return {ExitCode::usage, sentence}; }
inline Error data_error(const std::string& sentence) { return {ExitCode::bad_data, sentence}; }

/// To standard error. If that cannot be written, a full disk say, the work goes on.
inline void tell(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

}  // namespace deepsl::cli
