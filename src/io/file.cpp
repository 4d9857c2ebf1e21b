#include "deepsl/io/file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deepsl/text.h"

namespace deepsl::io {

namespace {

using Pieces = std::span<const std::span<const std::byte>>;
using Writer = std::function<int(int file)>;  // 0 or an errno

Error cannot_write(const std::string& path, int reason) {
    return output_error(fmt::format(
        "cannot write {}: {}; name a file in a directory that exists, may be written to and has "
        "room",
        in_quotes(path), std::generic_category().message(reason)));
}

Error cannot_read(const std::string& path, int reason) {
    return data_error(fmt::format("cannot read {}: {}; check the name and its permissions",
                                  in_quotes(path), std::generic_category().message(reason)));
}

/// An open file, closed at the end; a temporary one is also removed, unless keep() is called.
class Descriptor {
public:
    explicit Descriptor(int file, std::string temporary = {})
        : file_(file), temporary_(std::move(temporary)) {}
    ~Descriptor() {
        if (file_ >= 0) ::close(file_);
        if (!temporary_.empty()) ::unlink(temporary_.c_str());
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return file_; }
    const std::string& temporary() const { return temporary_; }
    void keep() { temporary_.clear(); }
    int release() { return std::exchange(file_, -1); }

    /// 0 or an errno: a disk over the network may report its lack of room only here.
    int close() { return ::close(std::exchange(file_, -1)) == 0 ? 0 : errno; }

private:
    int file_;
    std::string temporary_;
};

/// 0 or the errno of the first call that failed.
int write_all(int file, Pieces pieces) {
    for (auto piece : pieces) {
        while (!piece.empty()) {
            const auto written = ::write(file, piece.data(), piece.size());
            if (written > 0) {
                piece = piece.subspan(static_cast<std::size_t>(written));
            } else if (written == 0 || errno != EINTR) {
                return written == 0 ? EIO : errno;
            }
        }
    }
    return 0;
}

/// The file that `path` leads to through links, which need not exist yet.
std::string link_target(const std::string& path) {
    constexpr int max_links = 40;  // as the kernel's own
    std::filesystem::path target = path;
    std::error_code failed;
    for (int link = 0; std::filesystem::is_symlink(target, failed); ++link) {
        const auto next = std::filesystem::read_symlink(target, failed);
        if (failed || link == max_links) throw cannot_write(path, ELOOP);
        target = target.parent_path() / next;
    }
    return target.string();
}

/// A new file beside `target`. O_EXCL: whoever can guess the name cannot lay a trap there.
Descriptor open_neighbour(const std::string& path, const std::string& target) {
    constexpr std::size_t longest_name = 200;  // the suffix must fit into the usual 255 bytes
    constexpr int attempts = 100;
    const auto folder = target.substr(0, target.rfind('/') + 1);
    const auto name = target.substr(folder.size()).substr(0, longest_name);
    std::random_device random;
    int reason = EEXIST;
    for (int attempt = 0; attempt < attempts && reason == EEXIST; ++attempt) {
        auto neighbour = fmt::format("{}{}.{:08x}{:08x}.tmp", folder, name, random(), random());
        const int file =
            ::open(neighbour.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file >= 0) return Descriptor(file, std::move(neighbour));
        reason = errno;
    }
    throw cannot_write(path, reason);
}

/// After a crash either the old file or the new one is found, not a name without its content.
int replace(Descriptor& neighbour, const std::string& target, const Writer& write) {
    if (const int reason = write(neighbour.get()); reason != 0) return reason;
    // Some file systems do not know fsync; they still have the content.
    if (::fsync(neighbour.get()) != 0 && errno != EINVAL && errno != ENOTSUP) return errno;
    if (const int reason = neighbour.close(); reason != 0) return reason;
    if (::rename(neighbour.temporary().c_str(), target.c_str()) != 0) return errno;
    neighbour.keep();
    // The new file is in place: a folder that cannot be synchronised is no failure any more.
    const auto folder = target.substr(0, target.rfind('/') + 1);
    const Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.get() >= 0) static_cast<void>(::fsync(opened.get()));
    return 0;
}

/// Up to into.size() bytes from where the file stands; fewer only at its end.
std::size_t read_some(const std::string& path, int file, std::span<char> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
        const auto got = ::read(file, into.data() + filled, into.size() - filled);
        if (got == 0) break;
        if (got < 0 && errno != EINTR) throw cannot_read(path, errno);
        if (got > 0) filled += static_cast<std::size_t>(got);
    }
    return filled;
}

struct stat status_of(const std::string& path, int file) {
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) throw cannot_read(path, errno);
    if (S_ISDIR(status.st_mode)) throw cannot_read(path, EISDIR);
    return status;
}

int open_for_reading(const std::string& path, int flags) {
    if (path.find('\0') != std::string::npos) throw cannot_read(path, EINVAL);
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
}

void write_by(const std::string& path, const Writer& write) {
    if (path.empty()) throw cannot_write(path, ENOENT);
    if (path.find('\0') != std::string::npos) throw cannot_write(path, EINVAL);
    struct stat existing {};
    const bool exists = ::stat(path.c_str(), &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) throw cannot_write(path, EISDIR);
    if (exists && !S_ISREG(existing.st_mode)) {
        Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (device.get() < 0) throw cannot_write(path, errno);
        int reason = write(device.get());
        if (reason == 0) reason = device.close();
        if (reason != 0) throw cannot_write(path, reason);
        return;
    }
    // A rename would also replace a file that may not be written to.
    if (exists && ::access(path.c_str(), W_OK) != 0) throw cannot_write(path, errno);

    const auto target = link_target(path);
    auto neighbour = open_neighbour(path, target);
    if (exists) {
        // As far as we may: the file keeps its owner and its permissions.
        const int owner = ::fchown(neighbour.get(), existing.st_uid, existing.st_gid);
        const int mode = ::fchmod(neighbour.get(), existing.st_mode & 0777);
        static_cast<void>(owner), static_cast<void>(mode);
    }
    if (const int reason = replace(neighbour, target, write); reason != 0)
        throw cannot_write(path, reason);
}

}  // namespace

void write_pieces(const std::string& path, Pieces pieces) {
    write_by(path, [&](int file) { return write_all(file, pieces); });
}

void write_stream(const std::string& path, const std::function<bool(std::string&)>& next) {
    write_by(path, [&](int file) {
        std::string text;
        while (next(text)) {
            const std::span<const std::byte> piece = std::as_bytes(std::span(text));
            const int reason = write_all(file, std::span(&piece, 1));
            if (reason != 0) return reason;
            text.clear();
        }
        return 0;
    });
}

void write_file(const std::string& path, std::string_view content) {
    const std::span<const std::byte> piece = std::as_bytes(std::span(content));
    write_pieces(path, std::span(&piece, 1));
}

std::string read_file(const std::string& path, std::uint64_t max_bytes) {
    constexpr std::size_t step = std::size_t{1} << 16;
    const Descriptor file(open_for_reading(path, 0));
    const auto status = status_of(path, file.get());
    // A device such as /dev/zero may have no end: it is not to fill the memory first.
    constexpr std::uint64_t most_of_device = 1'000'000;
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
        max_bytes = std::min(max_bytes, most_of_device);
    const auto check = [&](std::uint64_t bytes) {
        if (bytes <= max_bytes) return;
        throw data_error(fmt::format(
            "cannot read {}: it has more than the {} allowed; check that it is the right file",
            in_quotes(path), shown_size(max_bytes)));
    };
    std::string content;
    if (S_ISREG(status.st_mode)) {
        check(static_cast<std::uint64_t>(status.st_size));
        content.reserve(static_cast<std::size_t>(status.st_size) + step);
    }
    // Pipes and /proc have no size beforehand, and files grow: only reading on finds the end.
    for (std::size_t got = step; got == step;) {
        const auto before = content.size();
        content.resize(before + step);
        got = read_some(path, file.get(), std::span(content).subspan(before));
        content.resize(before + got);
        check(content.size());
    }
    return content;
}

// O_NONBLOCK: a pipe that nobody writes to must be refused, not waited for.
InputFile::InputFile(std::string path) : path_(std::move(path)) {
    Descriptor file(open_for_reading(path_, O_NONBLOCK));
    const auto status = status_of(path_, file.get());
    if (!S_ISREG(status.st_mode))
        throw data_error(fmt::format(
            "cannot read {}: it is a device or a pipe; copy it into a regular file first",
            in_quotes(path_)));
    size_ = static_cast<std::uint64_t>(status.st_size);
    file_ = file.release();
}

InputFile::~InputFile() { ::close(file_); }

void InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
    while (!into.empty()) {
        const auto got = ::pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno != EINTR) throw cannot_read(path_, errno);
        if (got == 0)
            throw data_error(fmt::format(
                "cannot read {}: it ends at byte {} of {}, so it became shorter while it was "
                "read; wait until it is complete",
                in_quotes(path_), offset, size_));
        if (got < 0) continue;
        into = into.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
}

}  // namespace deepsl::io
