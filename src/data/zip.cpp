#include "zip.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <zlib.h>

#include "image_checks.h"

namespace deepsl::data {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_bytes = 30, entry_bytes = 46, end_bytes = 22;
constexpr std::uint64_t longest_comment = 65535;
constexpr unsigned stored = 0, deflated = 8;
constexpr unsigned encrypted_flags = 1U | 1U << 6 | 1U << 13;

/// A number of `width` bytes, the least significant first.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t place, std::size_t width) {
    std::uint64_t number = 0;
    for (std::size_t i = width; i-- > 0;)
        number = number << 8 | std::to_integer<std::uint64_t>(bytes[place + i]);
    return number;
}

std::vector<std::byte> bytes_at(const ByteSource& source, std::uint64_t offset,
                                std::uint64_t count) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    source.read(offset, bytes);
    return bytes;
}

/// Where the last record of the archive begins: a comment may follow it, up to the file's end.
std::uint64_t find_end(const ByteSource& source, const std::string& path) {
    const auto searched = std::min(source.size(), end_bytes + longest_comment);
    const auto bytes = bytes_at(source, source.size() - searched, searched);
    for (std::size_t left = bytes.size(); left >= end_bytes; --left) {
        const auto place = left - end_bytes;
        if (number_at(bytes, place, 4) != end_mark) continue;
        if (place + end_bytes + number_at(bytes, place + 20, 2) != bytes.size()) continue;
        return source.size() - searched + place;
    }
    refuse(path,
           "it has no zip directory at its end; bring the whole file, as numpy.savez writes it");
}

std::string text_at(std::span<const std::byte> bytes, std::size_t place, std::size_t count) {
    std::string text(count, ' ');
    std::transform(bytes.begin() + static_cast<std::ptrdiff_t>(place),
                   bytes.begin() + static_cast<std::ptrdiff_t>(place + count), text.begin(),
                   [](std::byte byte) { return static_cast<char>(byte); });
    return text;
}

}  // namespace

ZipFile::ZipFile(const ByteSource& source, std::string path)
    : source_(source), path_(std::move(path)) {
    const auto end = find_end(source_, path_);
    read_directory(end);
}

void ZipFile::read_directory(std::uint64_t end) {
    const auto last = bytes_at(source_, end, end_bytes);
    const auto count = number_at(last, 10, 2), size = number_at(last, 12, 4);
    directory_ = number_at(last, 16, 4);
    if (count == 0xffff || size == 0xffffffff || directory_ == 0xffffffff)
        refuse(path_,
               "it is a zip archive of the large kind (zip64); save the arrays as NPY files");
    if (number_at(last, 4, 2) != 0 || number_at(last, 6, 2) != 0 || number_at(last, 8, 2) != count)
        refuse(path_, "it is one piece of a zip archive; bring the whole in one file");
    if (directory_ + size != end || count * entry_bytes > size)
        refuse(path_, "its zip directory does not stand where it should; is it damaged?");

    const auto bytes = bytes_at(source_, directory_, size);
    std::set<std::string_view> names;
    entries_.reserve(static_cast<std::size_t>(count));
    std::size_t place = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto damaged = [&] {
            refuse(path_, "entry {} of its zip directory is damaged", i + 1);
        };
        if (bytes.size() - place < entry_bytes || number_at(bytes, place, 4) != entry_mark)
            damaged();
        const auto name_length = static_cast<std::size_t>(number_at(bytes, place + 28, 2));
        const auto more = number_at(bytes, place + 30, 2) + number_at(bytes, place + 32, 2);
        if (bytes.size() - place - entry_bytes < name_length + more) damaged();
        ZipEntry entry;
        entry.flags = static_cast<unsigned>(number_at(bytes, place + 8, 2));
        entry.method = static_cast<unsigned>(number_at(bytes, place + 10, 2));
        entry.checksum = static_cast<std::uint32_t>(number_at(bytes, place + 16, 4));
        entry.packed_bytes = number_at(bytes, place + 20, 4);
        entry.bytes = number_at(bytes, place + 24, 4);
        entry.offset = number_at(bytes, place + 42, 4);
        entry.name = text_at(bytes, place + entry_bytes, name_length);
        entries_.push_back(std::move(entry));
        if (!names.insert(entries_.back().name).second)
            refuse(path_, "it has two entries called {}; remove one",
                   in_quotes(entries_.back().name, 60));
        place += entry_bytes + name_length + static_cast<std::size_t>(more);
    }
    if (place != bytes.size()) refuse(path_, "its zip directory goes on after its last entry");
}

/// The local header repeats what the directory says, and who reads only one of them must not see
/// another array. NumPy leaves its sizes to a zip64 field, so these are not compared.
std::uint64_t ZipFile::data_offset(const ZipEntry& entry) const {
    const auto name = in_quotes(entry.name, 60);
    if (entry.offset + local_bytes + entry.name.size() > directory_)
        refuse(path_, "{} stands outside the archive; is it damaged?", name);
    const auto local = bytes_at(source_, entry.offset, local_bytes + entry.name.size());
    if (number_at(local, 0, 4) != local_mark || number_at(local, 6, 2) != entry.flags ||
        number_at(local, 8, 2) != entry.method || number_at(local, 26, 2) != entry.name.size() ||
        text_at(local, local_bytes, entry.name.size()) != entry.name)
        refuse(path_, "the directory and the header of {} differ; is it damaged?", name);
    const auto offset = entry.offset + local.size() + number_at(local, 28, 2);
    if (offset > directory_ || entry.packed_bytes > directory_ - offset)
        refuse(path_, "{} is longer than the archive; bring the whole file", name);
    return offset;
}

std::unique_ptr<ByteStream> ZipFile::open(const ZipEntry& entry) const {
    const auto name = in_quotes(entry.name, 60);
    if ((entry.flags & encrypted_flags) != 0)
        refuse(path_, "{} is encrypted; save it without a password", name);
    if (entry.method != stored && entry.method != deflated)
        refuse(path_, "{} is compressed by the method {}; use numpy.savez_compressed", name,
               entry.method);
    if (entry.packed_bytes == 0xffffffff || entry.bytes == 0xffffffff || entry.offset == 0xffffffff)
        refuse(path_, "{} needs a zip archive of the large kind (zip64); save it as an NPY file",
               name);
    const auto offset = data_offset(entry);
    if (entry.method == stored ? entry.bytes != entry.packed_bytes
                               : entry.bytes / best_deflate > entry.packed_bytes)
        refuse(path_, "{} claims {} out of {}, which cannot be; is it damaged?", name,
               shown_size(entry.bytes), shown_size(entry.packed_bytes));
    auto stream =
        open_stream(source_, path_, entry.method == stored ? Packing::stored : Packing::deflate,
                    offset, entry.packed_bytes);
    std::vector<std::byte> room(std::size_t{1} << 16);
    std::uint64_t total = 0;
    auto checksum = crc32(0, nullptr, 0);
    for (std::size_t got = room.size(); got == room.size() && total <= entry.bytes; total += got) {
        got = stream->read(room);
        checksum =
            crc32(checksum, reinterpret_cast<const Bytef*>(room.data()), static_cast<uInt>(got));
    }
    if (total != entry.bytes || checksum != entry.checksum)
        refuse(path_, "the bytes of {} are not those of the directory's checksum; it is damaged",
               name);
    stream->rewind();
    stream->set_length(total);
    return stream;
}

}  // namespace deepsl::data
