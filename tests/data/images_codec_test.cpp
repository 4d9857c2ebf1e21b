// PNG and JPEG: pixels as they were written, and files that claim what they do not hold.
#include <filesystem>

#include <gtest/gtest.h>

#include "data/image_codec.h"
#include "data/image_files.h"
#include "deepsl/io/file.h"
#include "images_check.h"

namespace deepsl::data {
namespace {

using namespace test;

Bytes decoded(const std::string& file, std::size_t channels = 0) {
    auto shape = picture_shape(content(file), "f");
    if (channels != 0) shape.channels = channels;
    Bytes out(shape.size());
    decode_picture(content(file), "f", shape, out);
    return out;
}

std::string refused_picture(const std::string& file) {
    return refusal([&] { decoded(file); });
}

TEST(ImagesCodec, ReadsPngAsItWasWritten) {
    const auto gray = gray_png(3, 5, ramp(15, 17));
    EXPECT_EQ(picture_shape(content(gray), "f"), (ImageShape{3, 5, 1}));
    EXPECT_EQ(decoded(gray), ramp(15, 17));
    const auto colour = png(2, 3, 8, 2, ramp(18, 13));
    EXPECT_EQ(picture_shape(content(colour), "f"), (ImageShape{2, 3, 3}));
    EXPECT_EQ(decoded(colour), ramp(18, 13));
    EXPECT_EQ(decoded(gray_png(1, 2, {7, 200}), 3), (Bytes{7, 7, 7, 200, 200, 200}));
}

TEST(ImagesCodec, ReadsEveryDepthOfPng) {
    EXPECT_EQ(decoded(png(1, 4, 1, 0, {0b10100000})), (Bytes{255, 0, 255, 0}));
    EXPECT_EQ(decoded(png(1, 2, 4, 0, {0x3f})), (Bytes{0x33, 255}));
    // The high byte, rounded: 0x1234 is 18.2 of 255.
    EXPECT_EQ(decoded(png(1, 2, 16, 0, {0x12, 0x34, 0xff, 0xff})), (Bytes{18, 255}));
    const auto palette = png_chunk("PLTE", text_of({1, 2, 3, 250, 251, 252}));
    EXPECT_EQ(decoded(png(1, 2, 8, 3, {1, 0}, palette)), (Bytes{250, 251, 252, 1, 2, 3}));
}

TEST(ImagesCodec, LaysTransparentPixelsOnWhite) {
    // value * alpha + 255 * (1 - alpha), rounded
    const auto gray = png(1, 4, 8, 4, {100, 255, 100, 0, 100, 128, 0, 51});
    EXPECT_EQ(picture_shape(content(gray), "f").channels, 1U);
    EXPECT_EQ(decoded(gray), (Bytes{100, 255, 177, 204}));
    const auto colour = png(1, 2, 8, 6, {10, 20, 30, 255, 10, 20, 30, 0});
    EXPECT_EQ(picture_shape(content(colour), "f").channels, 3U);
    EXPECT_EQ(decoded(colour), (Bytes{10, 20, 30, 255, 255, 255}));
    // A palette with one transparent colour.
    const auto chunks =
        png_chunk("PLTE", text_of({1, 2, 3, 250, 251, 252})) + png_chunk("tRNS", text_of({0, 255}));
    EXPECT_EQ(decoded(png(1, 2, 8, 3, {1, 0}, chunks)), (Bytes{250, 251, 252, 255, 255, 255}));
}

TEST(ImagesCodec, ReadsJpegNearlyAsItWasWritten) {
    Bytes gray(16 * 24);
    for (std::size_t i = 0; i < gray.size(); ++i) gray[i] = static_cast<std::uint8_t>(i % 24 * 8);
    Bytes colour;
    for (const auto value : gray)
        for (const unsigned channel : {0U, 1U, 2U})
            colour.push_back(static_cast<std::uint8_t>(channel == 1 ? 200 - value / 2U : value));
    for (const bool progressive : {false, true}) {
        const auto gray_file = jpeg(16, 24, 1, gray, progressive);
        EXPECT_EQ(picture_shape(content(gray_file), "f"), (ImageShape{16, 24, 1}));
        const auto gray_read = decoded(gray_file);
        const auto colour_file = jpeg(16, 24, 3, colour, progressive);
        EXPECT_EQ(picture_shape(content(colour_file), "f"), (ImageShape{16, 24, 3}));
        const auto colour_read = decoded(colour_file);
        const auto widened = decoded(gray_file, 3);
        for (std::size_t i = 0; i < gray.size(); ++i) {
            ASSERT_NEAR(gray_read[i], gray[i], 3);
            ASSERT_EQ(widened[3 * i + 2], gray_read[i]);
            for (std::size_t c = 0; c < 3; ++c)
                ASSERT_NEAR(colour_read[3 * i + c], colour[3 * i + c], 12);
        }
    }
}

TEST(ImagesCodec, RefusesDamagedPng) {
    const auto file = gray_png(30, 50, ramp(1500, 17));
    EXPECT_EQ(refused_picture(file.substr(0, 5)),
              "f: it begins neither as PNG nor as JPEG; convert it to one of them");
    EXPECT_EQ(refused_picture("GIF89a"),
              "f: it begins neither as PNG nor as JPEG; convert it to one of them");
    for (const std::size_t size : {8U, 20U, 33U, 40U, 60U})
        EXPECT_EQ(refused_picture(file.substr(0, size)).substr(0, 26), "f: libpng cannot read it (")
            << size;
    auto wrong = file;
    wrong[50] ^= 1;
    EXPECT_EQ(refused_picture(wrong).substr(0, 26), "f: libpng cannot read it (");
}

TEST(ImagesCodec, RefusesDamagedJpeg) {
    const auto file = jpeg(32, 32, 3, ramp(32 * 32 * 3, 77));
    for (const std::size_t size :
         {std::size_t{3}, std::size_t{20}, file.size() / 2, file.size() - 4})
        EXPECT_EQ(refused_picture(file.substr(0, size)).substr(0, 27),
                  "f: libjpeg cannot read it (")
            << size;
    EXPECT_EQ(refused_picture(jpeg(8, 8, 4, ramp(256))),
              "f: it is neither gray nor red, green and blue; convert it from CMYK to RGB");
    // Where pixels end and the file's last marker begins, bytes do no harm.
    auto more = file;
    more.insert(file.size() - 2, std::string("\xff\x00", 2).append(3, '\0'));
    EXPECT_EQ(decoded(more), decoded(file));
}

TEST(ImagesCodec, RefusesMorePixelsThanAFileCanHold) {
    const auto claim = [](std::uint32_t height, std::uint32_t width) {
        return png(height, width, 8, 0, Bytes(100));
    };
    EXPECT_EQ(
        refused_picture(claim(65536, 1)),
        "f: it claims images of height 65536, where 1 to 65535 are allowed; is it the right file?");
    const auto bomb = claim(30000, 60000);
    EXPECT_EQ(refused_picture(bomb), "f: it claims 60000 x 30000 pixels, more than " +
                                         std::to_string(bomb.size()) +
                                         " bytes can hold; is it damaged?");
    auto large = jpeg(8, 8, 1, Bytes(64, 7));
    const auto frame = large.find("\xff\xc0");
    ASSERT_NE(frame, std::string::npos);
    large.replace(frame + 5, 4, big(60000, 2) + big(50000, 2));
    EXPECT_EQ(refused_picture(large), "f: it claims 50000 x 60000 pixels, more than " +
                                          std::to_string(large.size()) +
                                          " bytes can hold; is it damaged?");
}

TEST(ImagesCodec, RefusesMoreScansThanEncodersWrite) {
    const auto pixels = ramp(256);
    EXPECT_EQ(decoded(jpeg_of_many_scans(16, 16, pixels, false)), decoded(jpeg(16, 16, 1, pixels)));
    EXPECT_EQ(refused_picture(jpeg_of_many_scans(16, 16, pixels, true)),
              "f: libjpeg cannot read it (more than 100 scans); save it anew");
}

TEST(ImagesCodec, KeepsItsPromisesOnTheCorpus) {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(DEEPSL_FUZZ_DIR "/corpus/images")) {
        SCOPED_TRACE(entry.path());
        const auto bytes = io::read_file(entry.path().string(), 1'000'000);
        EXPECT_NO_THROW(fuzz::check_images(bytes));
        ++count;
    }
    EXPECT_GE(count, 20U);
}

}  // namespace
}  // namespace deepsl::data
