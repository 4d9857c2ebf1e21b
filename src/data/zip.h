// A zip archive by its central directory, as much as NumPy's NPZ needs: entries that are stored or
// deflated. Zip64, encryption and archives in several pieces are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_stream.h"

namespace deepsl::data {

struct ZipEntry {
    std::string name;
    unsigned flags = 0, method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t packed_bytes = 0, bytes = 0;
    std::uint64_t offset = 0;  // of its local header
};

class ZipFile {
public:
    /// Reads the directory. Throws Error that names `path`.
    ZipFile(const ByteSource& source, std::string path);

    const std::vector<ZipEntry>& entries() const { return entries_; }

    /// The entry's bytes, after a first pass over them: their number and checksum are as the
    /// directory says. Throws Error.
    std::unique_ptr<ByteStream> open(const ZipEntry& entry) const;

private:
    void read_directory(std::uint64_t end);
    std::uint64_t data_offset(const ZipEntry& entry) const;

    const ByteSource& source_;
    std::string path_;
    std::uint64_t directory_ = 0;  // where it begins
    std::vector<ZipEntry> entries_;
};

}  // namespace deepsl::data
