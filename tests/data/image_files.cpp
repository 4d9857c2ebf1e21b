#include "data/image_files.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <jpeglib.h>
#include <zlib.h>

namespace deepsl::test {
namespace {

std::string packed(const std::string& content, int window) {
    z_stream stream{};
    if (deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("zlib cannot start");
    std::string out(deflateBound(&stream, content.size()) + 32, '\0');
    auto input = content;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib cannot end");
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::uint32_t checksum(const std::string& content) {
    return static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                            static_cast<uInt>(content.size())));
}

template <class Change>
std::string compressed(unsigned height, unsigned width, int channels, const Bytes& pixels,
                       int quality, const Change& change) {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char* out = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &out, &size);
    info.image_width = width;
    info.image_height = height;
    info.input_components = channels;
    info.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    change(info);
    jpeg_start_compress(&info, TRUE);
    auto copy = pixels;
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = copy.data() + info.next_scanline * width * static_cast<unsigned>(channels);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    std::string file(reinterpret_cast<const char*>(out), size);
    std::free(out);
    return file;
}

}  // namespace

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

std::span<const std::uint8_t> content(const std::string& file) {
    return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

std::string little(std::uint64_t number, int width) {
    std::string out;
    for (int i = 0; i < width; ++i) out += static_cast<char>(number >> (8 * i) & 0xff);
    return out;
}

std::string big(std::uint64_t number, int width) {
    const auto out = little(number, width);
    return {out.rbegin(), out.rend()};
}

Bytes ramp(std::size_t count, unsigned step) {
    Bytes out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(i * step);
    return out;
}

std::string gzip(const std::string& content) { return packed(content, 16 + MAX_WBITS); }
std::string deflated(const std::string& content) { return packed(content, -MAX_WBITS); }

std::string idx(const std::vector<std::uint32_t>& sizes, const Bytes& values, int type) {
    auto out = big(static_cast<std::uint64_t>(type) << 8 | sizes.size(), 4);
    for (const auto size : sizes) out += big(size, 4);
    return out + text_of(values);
}

std::string cifar_record(std::uint8_t label) {
    Bytes out = {label};
    for (std::size_t channel = 0; channel < 3; ++channel)
        for (std::size_t place = 0; place < 1024; ++place)
            out.push_back(static_cast<std::uint8_t>(channel * 64 + place % 64));
    return text_of(out);
}

std::string npy(const std::string& type, const std::string& shape, const std::string& values,
                const std::string& order, int version) {
    auto header =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    const std::size_t before = version == 1 ? 10 : 12;
    while ((before + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    return "\x93NUMPY" + little(static_cast<std::uint64_t>(version), 2) +
           little(header.size(), version == 1 ? 2 : 4) + header + values;
}

std::string zip(const std::vector<ZipItem>& items, const std::string& comment) {
    std::string out, directory;
    for (const auto& item : items) {
        const auto data = item.deflate ? deflated(item.content) : item.content;
        const auto method = item.method >= 0 ? item.method : item.deflate ? 8 : 0;
        const auto fields =
            little(20, 2) + little(item.flags, 2) + little(static_cast<std::uint64_t>(method), 2) +
            little(0, 4) + little(checksum(item.content) ^ item.checksum_xor, 4) +
            little(data.size(), 4) + little(item.content.size() + item.more_bytes, 4) +
            little(item.name.size(), 2);
        directory += "PK\x01\x02" + little(20, 2) + fields + std::string(12, '\0') +
                     little(out.size(), 4) + item.name;
        // As NumPy does it: sizes stand in an extra field of the large kind.
        const auto extra =
            little(1, 2) + little(16, 2) + little(data.size(), 8) + little(item.content.size(), 8);
        out += "PK\x03\x04" + fields + little(extra.size(), 2) +
               (item.local_name.empty() ? item.name : item.local_name) + extra + data;
    }
    const auto count = little(items.size(), 2);
    return out + directory + "PK\x05\x06" + little(0, 4) + count + count +
           little(directory.size(), 4) + little(out.size(), 4) + little(comment.size(), 2) +
           comment;
}

std::string png_chunk(const std::string& name, const std::string& content) {
    return big(content.size(), 4) + name + content + big(checksum(name + content), 4);
}

std::string png(std::uint32_t height, std::uint32_t width, int depth, int type, const Bytes& rows,
                const std::string& chunks) {
    std::string filtered;
    const auto row_bytes = height == 0 ? 0 : rows.size() / height;
    for (std::size_t row = 0; row < height; ++row)
        filtered += '\0' + text_of(rows).substr(row * row_bytes, row_bytes);
    const auto header = big(width, 4) + big(height, 4) + static_cast<char>(depth) +
                        static_cast<char>(type) + little(0, 3);
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + chunks +
           png_chunk("IDAT", packed(filtered, MAX_WBITS)) + png_chunk("IEND", "");
}

std::string jpeg(unsigned height, unsigned width, int channels, const Bytes& pixels,
                 bool progressive, int quality) {
    return compressed(height, width, channels, pixels, quality, [&](jpeg_compress_struct& info) {
        if (progressive) jpeg_simple_progression(&info);
    });
}

std::string jpeg_of_many_scans(unsigned height, unsigned width, const Bytes& pixels, bool refined) {
    std::vector<jpeg_scan_info> scans;
    const auto add = [&](int coefficient, int before, int after) {
        jpeg_scan_info scan{};
        scan.comps_in_scan = 1;
        scan.Ss = scan.Se = coefficient;
        scan.Ah = before;
        scan.Al = after;
        scans.push_back(scan);
    };
    add(0, 0, 0);
    for (int coefficient = 1; coefficient < 64; ++coefficient) {
        add(coefficient, 0, refined ? 1 : 0);
        if (refined) add(coefficient, 1, 0);
    }
    return compressed(height, width, 1, pixels, 95, [&](jpeg_compress_struct& info) {
        info.scan_info = scans.data();
        info.num_scans = static_cast<int>(scans.size());
    });
}

}  // namespace deepsl::test
