#include "byte_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#define ZLIB_CONST
#include <zlib.h>

#include "image_checks.h"

namespace deepsl::data {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 16;

class StoredStream final : public ByteStream {
public:
    StoredStream(const ByteSource& source, std::uint64_t offset, std::uint64_t length)
        : source_(source), offset_(offset), length_(length) {
        set_length(length);
    }

    std::size_t read(std::span<std::byte> into) override {
        const auto left = std::min<std::uint64_t>(into.size(), length_ - position_);
        into = into.first(static_cast<std::size_t>(left));
        source_.read(offset_ + position_, into);
        position_ += into.size();
        return into.size();
    }
    void rewind() override { position_ = 0; }

private:
    const ByteSource& source_;
    std::uint64_t offset_, length_;
    std::uint64_t position_ = 0;
};

class InflatedStream final : public ByteStream {
public:
    InflatedStream(const ByteSource& source, std::string path, bool gzip, std::uint64_t offset,
                   std::uint64_t length)
        : packed_(source, offset, length), path_(std::move(path)), gzip_(gzip), room_(chunk) {
        if (inflateInit2(&inflater_, gzip ? 16 + MAX_WBITS : -MAX_WBITS) != Z_OK)
            throw std::bad_alloc();
    }
    ~InflatedStream() override { inflateEnd(&inflater_); }

    std::size_t read(std::span<std::byte> into) override {
        std::size_t filled = 0;
        while (filled < into.size() && !ended_) {
            const auto rest = into.subspan(filled);
            const auto room = std::min<std::size_t>(rest.size(), std::size_t{1} << 30);
            inflater_.next_out = reinterpret_cast<Bytef*>(rest.data());
            inflater_.avail_out = static_cast<uInt>(room);
            step();
            filled += room - inflater_.avail_out;
        }
        return filled;
    }

    void rewind() override {
        packed_.rewind();
        inflater_.avail_in = 0;
        ended_ = false;
        inflateReset(&inflater_);
    }

private:
    void refill() {
        if (inflater_.avail_in > 0) return;
        inflater_.avail_in = static_cast<uInt>(packed_.read(room_));
        inflater_.next_in = reinterpret_cast<const Bytef*>(room_.data());
    }

    void step() {
        refill();
        if (inflater_.avail_in == 0)
            refuse(path_, "its compressed data end too early; bring the whole file");
        const int outcome = inflate(&inflater_, Z_NO_FLUSH);
        if (outcome == Z_STREAM_END) {
            refill();
            ended_ = inflater_.avail_in == 0;
            if (ended_) return;
            // Several gzip files one after the other are one, too.
            if (!gzip_) refuse(path_, "its compressed data end before they should; it is damaged");
            inflateReset(&inflater_);
        } else if (outcome != Z_OK) {
            refuse(path_, "its compressed data are damaged ({}); bring the file anew",
                   inflater_.msg != nullptr ? inflater_.msg : "zlib cannot read on");
        }
    }

    StoredStream packed_;
    std::string path_;
    bool gzip_;
    bool ended_ = false;
    std::vector<std::byte> room_;
    z_stream inflater_{};
};

}  // namespace

void MemoryBytes::read(std::uint64_t offset, std::span<std::byte> into) const {
    if (offset > bytes_.size() || into.size() > bytes_.size() - offset)
        throw std::out_of_range("a read beyond the end of memory");
    if (!into.empty())
        std::memcpy(into.data(), bytes_.data() + static_cast<std::size_t>(offset), into.size());
}

std::uint64_t ByteStream::count(std::uint64_t most) {
    rewind();
    if (length_) return std::min(*length_, most + 1);
    std::vector<std::byte> room(chunk);
    std::uint64_t total = 0;
    for (std::size_t got = chunk; got == chunk && total <= most; total += got) got = read(room);
    rewind();
    if (total <= most) length_ = total;
    return std::min(total, most + 1);
}

std::unique_ptr<ByteStream> open_stream(const ByteSource& source, const std::string& path,
                                        Packing packing, std::uint64_t offset,
                                        std::uint64_t length) {
    switch (packing) {
        case Packing::stored: return std::make_unique<StoredStream>(source, offset, length);
        case Packing::deflate:
        case Packing::gzip: break;
    }
    return std::make_unique<InflatedStream>(source, path, packing == Packing::gzip, offset, length);
}

std::unique_ptr<ByteStream> open_stream(const ByteSource& source, const std::string& path) {
    std::array<std::byte, 2> start{};
    if (source.size() >= start.size()) source.read(0, start);
    const bool gzip = start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
    return open_stream(source, path, gzip ? Packing::gzip : Packing::stored, 0, source.size());
}

}  // namespace deepsl::data
