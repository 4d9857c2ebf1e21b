// Bytes of a file or of memory, and streams over them, inflated where they are compressed. A stream
// can be counted before memory is asked for what it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "deepsl/io/file.h"

namespace deepsl::data {

/// Bytes at any place. Callers stay within size().
class ByteSource {
public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    virtual std::uint64_t size() const = 0;
    virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;
};

class FileBytes final : public ByteSource {
public:
    explicit FileBytes(const std::string& path) : file_(path) {}
    std::uint64_t size() const override { return file_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> into) const override {
        file_.read(offset, into);
    }

private:
    io::InputFile file_;
};

class MemoryBytes final : public ByteSource {
public:
    explicit MemoryBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::uint64_t size() const override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> into) const override;

private:
    std::span<const std::byte> bytes_;
};

/// Bytes one after the other.
class ByteStream {
public:
    ByteStream() = default;
    virtual ~ByteStream() = default;
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;

    /// How many bytes were there; fewer than asked for only at the end.
    virtual std::size_t read(std::span<std::byte> into) = 0;
    /// Back to the first byte.
    virtual void rewind() = 0;

    /// How many bytes there are from the first on, or most + 1 if they are more: by a pass over
    /// them where that is not known. Rewinds.
    std::uint64_t count(std::uint64_t most);
    /// For whoever made such a pass.
    void set_length(std::uint64_t length) { length_ = length; }

private:
    std::optional<std::uint64_t> length_;
};

enum class Packing { stored, deflate, gzip };

/// `length` bytes of the source from `offset` on, which it has. Reading throws Error that names
/// `path` where compressed data are damaged or end too early.
std::unique_ptr<ByteStream> open_stream(const ByteSource& source, const std::string& path,
                                        Packing packing, std::uint64_t offset,
                                        std::uint64_t length);

/// All of the source, inflated if it begins as gzip does.
std::unique_ptr<ByteStream> open_stream(const ByteSource& source, const std::string& path);

}  // namespace deepsl::data
