#include <array>
#include <csetjmp>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include "image_checks.h"
#include "image_codec.h"

namespace deepsl::data {
namespace {

/// More pixels than this a byte no encoder reaches: a flat gray picture, progressive, has 512.
constexpr std::uint64_t most_pixels_a_byte = 1024;
/// Encoders write some ten; each may cost as much time as a whole picture.
constexpr int most_scans = 100;

/// Plain data only: errors of libjpeg jump back over what uses it.
struct JpegState {
    jpeg_decompress_struct info;
    jpeg_error_mgr errors;
    jpeg_progress_mgr progress;
    std::jmp_buf back;
    char message[JMSG_LENGTH_MAX];
    bool too_many_scans;
};

JpegState& state_of(j_common_ptr info) { return *static_cast<JpegState*>(info->client_data); }

extern "C" {

[[noreturn]] static void leave(j_common_ptr info) {
    auto& state = state_of(info);
    info->err->format_message(info, state.message);
    std::longjmp(state.back, 1);
}

/// Warnings are of damaged pixels, but for bytes between the parts, which some cameras leave.
static void hear(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA) leave(info);
}

static void keep_silent(j_common_ptr) {}

static void watch_scans(j_common_ptr info) {
    auto& state = state_of(info);
    if (state.info.input_scan_number <= most_scans) return;
    state.too_many_scans = true;
    std::longjmp(state.back, 1);
}

}  // extern "C"

/// False if libjpeg refuses; nothing here has a destructor.
bool read_header(JpegState& state, const unsigned char* bytes, unsigned long size) {
    if (setjmp(state.back) != 0) return false;
    state.info.err = jpeg_std_error(&state.errors);
    state.errors.error_exit = leave;
    state.errors.emit_message = hear;
    state.errors.output_message = keep_silent;
    state.info.client_data = &state;
    jpeg_create_decompress(&state.info);
    state.progress.progress_monitor = watch_scans;
    state.info.progress = &state.progress;
    jpeg_mem_src(&state.info, bytes, size);
    jpeg_read_header(&state.info, TRUE);
    return true;
}

bool read_pixels(JpegState& state, bool colour, unsigned char* out) {
    if (setjmp(state.back) != 0) return false;
    state.info.out_color_space = colour ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_start_decompress(&state.info);
    const std::size_t row_bytes =
        static_cast<std::size_t>(state.info.output_width) * (colour ? 3U : 1U);
    while (state.info.output_scanline < state.info.output_height) {
        JSAMPROW row = out + state.info.output_scanline * row_bytes;
        jpeg_read_scanlines(&state.info, &row, 1);
    }
    jpeg_finish_decompress(&state.info);
    return true;
}

class JpegFile {
public:
    JpegFile(FileContent file, const std::string& path) : path_(path) {
        if (!read_header(state_, file.data(), file.size())) fail();
    }
    ~JpegFile() { jpeg_destroy_decompress(&state_.info); }
    JpegFile(const JpegFile&) = delete;
    JpegFile& operator=(const JpegFile&) = delete;

    std::uint64_t height() const { return state_.info.image_height; }
    std::uint64_t width() const { return state_.info.image_width; }

    std::uint64_t channels() const {
        switch (state_.info.jpeg_color_space) {
            case JCS_GRAYSCALE: return 1;
            case JCS_RGB:
            case JCS_YCbCr: return 3;
            default: break;  // libjpeg has many
        }
        refuse(path_, "it is neither gray nor red, green and blue; convert it from CMYK to RGB");
    }

    void read(bool colour, std::uint8_t* out) {
        if (!read_pixels(state_, colour, out)) fail();
    }

private:
    [[noreturn]] void fail() {
        // A constructor that throws has no destructor run.
        const std::string message = state_.too_many_scans
                                        ? fmt::format("more than {} scans", most_scans)
                                        : printable(static_cast<const char*>(state_.message));
        jpeg_destroy_decompress(&state_.info);
        refuse(path_, "libjpeg cannot read it ({}); save it anew", message);
    }

    JpegState state_{};
    const std::string& path_;
};

}  // namespace

ImageShape jpeg_shape(FileContent file, const std::string& path) {
    const JpegFile jpeg(file, path);
    const ClaimedShape claimed{1, jpeg.height(), jpeg.width(), jpeg.channels()};
    claimed.check(path, 3);  // libjpeg keeps two bytes a value of a progressive one
    if (jpeg.height() * jpeg.width() / most_pixels_a_byte > file.size())
        refuse(path, "it claims {} x {} pixels, more than {} can hold; is it damaged?",
               jpeg.width(), jpeg.height(), counted(file.size(), "byte"));
    return claimed.shape();
}

void decode_jpeg(FileContent file, const std::string& path, const ImageShape& shape,
                 std::span<std::uint8_t> out) {
    JpegFile jpeg(file, path);
    jpeg.read(shape.channels == 3, out.data());
}

}  // namespace deepsl::data
