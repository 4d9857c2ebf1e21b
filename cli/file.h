// Output: files that are either complete or untouched, and standard output, whose failures count.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deepsl/io/file.h"
#include "deepsl/text.h"
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

/// Throws Error if write_file would fail for a reason that can be seen now, so that nobody waits
/// for a result that cannot be kept. Nothing is left behind.
inline void check_writable(const std::string& path) {
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    const bool replaced = !exists || S_ISREG(status.st_mode);
    int reason = exists && S_ISDIR(status.st_mode) ? EISDIR : 0;
    if (reason == 0 && exists && ::access(path.c_str(), W_OK) != 0) reason = errno;
    if (reason == 0 && replaced) {
        // A file is replaced by a new neighbour: try to make one.
        auto neighbour = path.substr(0, path.rfind('/') + 1) + ".deepsl-XXXXXX";
        const int file = ::mkstemp(neighbour.data());
        if (file < 0) {
            reason = errno;
        } else {
            ::close(file);
            ::unlink(neighbour.c_str());
        }
    }
    if (reason != 0) {
        throw Error(ExitCode::failure,
                    fmt::format("cannot write {}: {}; name a file in a directory that exists and "
                                "may be written to",
                                in_quotes(path), std::strerror(reason)));
    }
}

/// Throws Error if the output would replace one of the files that are read.
inline void check_distinct(std::string_view flag, const std::string& output,
                           const std::vector<std::string>& inputs) {
    for (const auto& input : inputs) {
        std::error_code ignored;
        if (!input.empty() &&
            (input == output || std::filesystem::equivalent(output, input, ignored)))
            throw usage_error(
                fmt::format("{} {} would replace a file that is read or written too; "
                            "name another one",
                            flag, in_quotes(output)));
    }
}

inline void print(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return;
    throw Error(ExitCode::failure, fmt::format("cannot write to standard output: {}; check where "
                                               "it is redirected to",
                                               std::strerror(errno)));
}

}  // namespace deepsl::cli
