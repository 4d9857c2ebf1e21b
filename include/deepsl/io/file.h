// Files read and written whole: an output is either complete or untouched, and an input is never
// trusted about its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "deepsl/error.h"

namespace deepsl::io {

/// Replaces the file at `path` by `content`, through a temporary neighbour: any failure, a full
/// disk included, leaves the old file alone and no neighbour behind. A link keeps pointing at its
/// target, which is the file replaced; a device or a pipe is written to.
void write_file(const std::string& path, std::string_view content);

/// The same with the content in pieces, written one after the other.
void write_pieces(const std::string& path, std::span<const std::span<const std::byte>> pieces);

/// The same with the content made as it is written, for what does not fit into memory. `next` gives
/// a piece, until it returns false; what it throws passes through, and leaves the old file alone.
void write_stream(const std::string& path, const std::function<bool(std::string&)>& next);

/// The whole of a file, a pipe, or what is typed. Throws Error if it is longer than
/// `max_bytes`, or a device, which may have no end. A pipe is waited for.
std::string read_file(const std::string& path, std::uint64_t max_bytes);

/// A regular file, open for reading at any place: a reader can compare each size that the file
/// claims with its real size before it asks for memory.
class InputFile {
public:
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }

    /// Fills `into` with the bytes from `offset` on. Throws Error if the file ends before.
    void read(std::uint64_t offset, std::span<std::byte> into) const;

private:
    std::string path_;
    int file_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace deepsl::io
