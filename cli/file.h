// Output files that are either complete or untouched.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "text.h"

namespace deepsl::cli {

namespace detail {

inline Error cannot_write(const std::string& path, int reason) {
    return {ExitCode::failure, fmt::format("cannot write {}: {}; name a file in a directory "
                                           "that exists, may be written to and has room",
                                           shown(path, path.size()), std::strerror(reason))};
}

/// Returns 0 or the errno of the first call that failed. Closes `file` in any case.
inline int write_and_close(int file, std::string_view content) {
    int reason = 0;
    while (!content.empty() && reason == 0) {
        const auto written = ::write(file, content.data(), content.size());
        if (written >= 0) {
            content.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            reason = errno;
        }
    }
    if (::close(file) != 0 && reason == 0) reason = errno;
    return reason;
}

}  // namespace detail

/// Writes to a temporary neighbour and renames it, so that a failure leaves the old file alone.
inline void write_file(const std::string& path, std::string_view content) {
    std::error_code ignored;
    // A link keeps pointing at its target, and a device is written to, not replaced.
    auto target = std::filesystem::weakly_canonical(path, ignored).string();
    if (ignored || target.empty()) target = path;
    struct stat existing {};
    const bool exists = ::stat(target.c_str(), &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) throw detail::cannot_write(path, EISDIR);
    if (exists && ::access(target.c_str(), W_OK) != 0) throw detail::cannot_write(path, errno);
    const bool replace = !exists || S_ISREG(existing.st_mode);
    const auto name = replace ? fmt::format("{}.{}.tmp", target, ::getpid()) : target;

    const int flags = O_WRONLY | O_CLOEXEC | (replace ? O_CREAT | O_TRUNC : 0);
    const int file = ::open(name.c_str(), flags, 0666);
    if (file < 0) throw detail::cannot_write(path, errno);
    if (replace && exists) static_cast<void>(::fchmod(file, existing.st_mode & 07777));
    int reason = detail::write_and_close(file, content);
    if (replace && reason == 0 && ::rename(name.c_str(), target.c_str()) != 0) reason = errno;
    if (replace && reason != 0) ::unlink(name.c_str());
    if (reason != 0) throw detail::cannot_write(path, reason);
}

}  // namespace deepsl::cli
