// Output: files, looked at before there is something to write, and standard output, whose failures
// count.
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

#include "deepsl/text.h"
#include "error.h"

namespace deepsl::cli {

/// Throws Error if io::write_file would fail for a reason that can be seen now, so that nobody
/// waits for a result that cannot be kept. Nothing is left behind.
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
        throw output_error(
            fmt::format("cannot write {}: {}; name a file in a directory that exists and "
                        "may be written to",
                        in_quotes(path), std::strerror(reason)));
    }
}

/// Where writing to `path` would put the file, which need not exist: links are followed.
inline std::filesystem::path place_of(std::filesystem::path path) {
    constexpr int most_links = 40;  // as the kernel's own
    std::error_code failed;
    for (int link = 0; link < most_links && std::filesystem::is_symlink(path, failed); ++link)
        path = path.parent_path() / std::filesystem::read_symlink(path, failed);
    const auto whole = std::filesystem::absolute(path, failed);
    const auto folder = std::filesystem::weakly_canonical(whole.parent_path(), failed);
    return (failed ? whole.parent_path() : folder) / whole.filename();
}

/// Two names of one file, also of one that is still to be written.
inline bool is_same_file(const std::string& left, const std::string& right) {
    std::error_code ignored;
    return left == right || std::filesystem::equivalent(left, right, ignored) ||
           place_of(left) == place_of(right);
}

/// Throws Error if the output would replace one of the files that are read, or written too.
inline void check_distinct(std::string_view flag, const std::string& output,
                           const std::vector<std::string>& others) {
    for (const auto& other : others)
        if (!output.empty() && !other.empty() && is_same_file(output, other))
            throw argument_error(
                fmt::format("{} {} would replace a file that is read or written too; "
                            "name another one",
                            flag, in_quotes(output)));
}

inline void print(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return;
    throw output_error(
        fmt::format("cannot write to standard output: {}; check where "
                    "it is redirected to",
                    std::strerror(errno)));
}

}  // namespace deepsl::cli
