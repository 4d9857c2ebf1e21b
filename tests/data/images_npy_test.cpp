// NPY and NPZ: arrays as NumPy saves them, and what is no such array.
#include <limits>

#include <gtest/gtest.h>

#include "data/image_files.h"
#include "data/image_npy.h"
#include "data/image_npz.h"
#include "data/zip.h"
#include "deepsl/data/images.h"

namespace deepsl::data {
namespace {

using namespace test;

Images read_npy(const std::string& file) {
    const TextBytes source(file);
    return read_npy_images(*open_stream(source, "f"), "f");
}
std::vector<std::int64_t> read_labels_npy(const std::string& file, std::size_t images) {
    const TextBytes source(file);
    return read_npy_labels(*open_stream(source, "f"), "f", images);
}
std::string refused_npy(const std::string& file) {
    return refusal([&] { read_npy(file); });
}

TEST(ImagesNpy, ReadsBytesAndFloats) {
    const auto bytes = read_npy(npy("|u1", "(2, 3, 4)", text_of(ramp(24))));
    EXPECT_EQ(bytes.shape, (ImageShape{3, 4, 1}));
    EXPECT_EQ(bytes.bytes, ramp(24));
    EXPECT_TRUE(bytes.floats.empty());
    const std::vector<float> values = {0.5F, -2, 3e30F, 0, 1, 1, 1, 1, 1, 1, 1, 7};
    for (const int version : {1, 2, 3}) {
        const auto floats = read_npy(npy("<f4", "(1, 2, 2, 3)", raw(values), "False", version));
        EXPECT_EQ(floats.shape, (ImageShape{2, 2, 3}));
        EXPECT_EQ(floats.floats, values);
        EXPECT_TRUE(floats.bytes.empty());
        std::vector<float> one(12);
        floats.read(0, one);
        EXPECT_EQ(one, values);
    }
    EXPECT_EQ(read_npy(npy("<f8", "(2,1,1)", raw<double>({0.1, 1e-300}))).floats,
              (std::vector<float>{0.1F, 0.0F}));
}

TEST(ImagesNpy, RefusesValuesThatAreNotFinite) {
    EXPECT_EQ(refused_npy(npy("<f4", "(1, 1, 2)",
                              raw<float>({1, std::numeric_limits<float>::quiet_NaN()}))),
              "f: value 2 is nan, which is no finite float; mend it");
    EXPECT_EQ(refused_npy(npy("<f8", "(1, 1, 1)", raw<double>({1e39}))),
              "f: value 1 is 1e+39, which is no finite float; mend it");
}

TEST(ImagesNpy, RefusesOtherTypesAndOrders) {
    EXPECT_EQ(
        refused_npy(npy(">f4", "(1, 1, 1)", "abcd")),
        "f: its values have the most significant byte first ('>f4'); save it as little-endian");
    EXPECT_EQ(
        refused_npy(npy("<f2", "(1, 1, 1)", "ab")),
        "f: values of the type '<f2' are not read; save it as uint8, float32, or, for labels, "
        "int64");
    EXPECT_EQ(refused_npy(npy("<i8", "(1, 1, 1)", little(7, 8))),
              "f: its values are of the type i8; save images as uint8, 0 to 255, or as float32");
    EXPECT_EQ(refused_npy(npy("|u1", "(1, 2, 1)", "ab", "True")),
              "f: its values stand in Fortran's order; save numpy.ascontiguousarray of it");
}

TEST(ImagesNpy, RefusesOtherShapes) {
    EXPECT_EQ(
        refused_npy(npy("|u1", "(2, 4)", text_of(ramp(8)))),
        "f: its shape is (2, 4), where images are N x height x width (x channels); reshape it");
    EXPECT_EQ(refused_npy(npy("|u1", "(2, 3, 8, 8)", text_of(ramp(384)))),
              "f: its shape is 2 x 3 x 8 x 8, which seems to have the channels before the height; "
              "bring them to the end with numpy.moveaxis(x, 1, -1)");
    EXPECT_EQ(
        refused_npy(npy("|u1", "(2, 2, 2)", text_of(ramp(7)))),
        "f: its shape 2 x 2 x 2 needs 8 bytes of values and 7 are there; bring the whole file");
    EXPECT_EQ(
        refused_npy(npy("|u1", "(2, 2, 2)", text_of(ramp(9)))),
        "f: it goes on after the 8 bytes of values that its shape 2 x 2 x 2 needs; is it damaged?");
    EXPECT_EQ(
        refused_npy(npy("<f8", "(18446744073709551615, 60000, 60000, 60000)", "")),
        "f: 18446744073709551615 images of 60000 x 60000 x 60000 would take more than the 17.2 GB "
        "allowed; split the file");
    EXPECT_EQ(refused_npy(npy("|u1", "(0, 2, 2)", "")),
              "f: there is no image in it; bring a file with one or more");
}

TEST(ImagesNpy, RefusesHeadersThatNumpyDoesNotWrite) {
    EXPECT_EQ(refused_npy("abc"),
              "f: it does not begin as an NPY file does; is it the right file?");
    EXPECT_EQ(refused_npy(npy("|u1", "(1, 1, 1)", "a", "False", 4)),
              "f: it is of version 4 of NPY; 1 to 3 are read");
    EXPECT_EQ(refused_npy(npy("|u1", "(1, 1, 1)", "a").substr(0, 40)),
              "f: it ends within its NPY header; bring the whole file");
    EXPECT_EQ(refused_npy("\x93NUMPY" + little(2, 2) + little(1U << 30, 4)),
              "f: its NPY header claims 1073741824 bytes, where 65536 are allowed; is it damaged?");
    for (const auto* const text :
         {"", "{", "{}", "{'descr': '|u1', 'fortran_order': False}", "(1, 2)", "{'descr' '|u1'}",
          "{'descr': '|u1', 'fortran_order': None, 'shape': (1,)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (1 2)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'shape': (2,)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x"})
        EXPECT_NE(refusal([&] {
                      parse_npy_header(text, "f");
                  }).find("is not one that NumPy writes; is it damaged?"),
                  std::string::npos)
            << text;
    EXPECT_EQ(refusal([] {
                  parse_npy_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
                                   "f");
              }),
              "f: its values are records of several numbers; save an array of one type");
}

TEST(ImagesNpy, ReadsLabelsOfEveryWholeType) {
    const std::vector<std::int64_t> labels = {3, 0, 7};
    EXPECT_EQ(read_labels_npy(npy("|u1", "(3,)", text_of({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("|i1", "(3,)", text_of({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("<i2", "(3,)", raw<std::int16_t>({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("<u2", "(3,)", raw<std::uint16_t>({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("<i4", "(3, 1)", raw<std::int32_t>({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("<u4", "(3,)", raw<std::uint32_t>({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("<i8", "(3,)", raw<std::int64_t>({3, 0, 7})), 3), labels);
    EXPECT_EQ(read_labels_npy(npy("<u8", "(3,)", raw<std::uint64_t>({3, 0, 7})), 3), labels);
    EXPECT_EQ(refusal([] { read_labels_npy(npy("<f4", "(1,)", "abcd"), 1); }),
              "f: its labels are of the type f4; save them as whole numbers, such as int64");
    EXPECT_EQ(refusal([] { read_labels_npy(npy("|u1", "(1, 2)", "ab"), 1); }),
              "f: its shape is (1, 2), where labels are N whole numbers, one for each image");
    EXPECT_EQ(refusal([] { read_labels_npy(npy("|u1", "(2,)", "ab"), 3); }).substr(0, 24),
              "f: 2 labels for 3 images");
}

std::string images_npy(unsigned step, std::size_t count = 2) {
    return npy("|u1", "(" + std::to_string(count) + ", 2, 2)", text_of(ramp(count * 4, step)));
}
std::string labels_npy(const Bytes& labels) {
    return npy("|u1", "(" + std::to_string(labels.size()) + ",)", text_of(labels));
}
Images read_zip(const std::vector<ZipItem>& items, ImagePart part = ImagePart::train) {
    return read_npz(TextBytes(zip(items)), "f", part);
}
std::string refused_zip(const std::vector<ZipItem>& items, ImagePart part = ImagePart::train) {
    return refusal([&] { read_zip(items, part); });
}

TEST(ImagesNpz, ChoosesThePart) {
    for (const bool deflate : {false, true}) {
        const std::vector<ZipItem> items = {{"x_test.npy", images_npy(3), deflate},
                                            {"x_train.npy", images_npy(1, 3), deflate},
                                            {"y_train.npy", labels_npy({2, 0, 1}), deflate}};
        const auto train = read_zip(items);
        EXPECT_EQ(train.bytes, ramp(12, 1));
        EXPECT_EQ(train.labels, (std::vector<std::int64_t>{2, 0, 1}));
        EXPECT_EQ(train.classes, (std::vector<std::string>{"0", "1", "2"}));
        const auto test = read_zip(items, ImagePart::test);
        EXPECT_EQ(test.bytes, ramp(8, 3));
        EXPECT_TRUE(test.labels.empty());
    }
}

TEST(ImagesNpz, TakesTheCommonNames) {
    for (const auto part : {ImagePart::train, ImagePart::test}) {
        EXPECT_EQ(
            read_zip({{"labels.npy", labels_npy({1, 0})}, {"images.npy", images_npy(1)}}, part)
                .labels,
            (std::vector<std::int64_t>{1, 0}));
        EXPECT_EQ(read_zip({{"x.npy", images_npy(1)}, {"y.npy", labels_npy({1, 0})}}, part).labels,
                  (std::vector<std::int64_t>{1, 0}));
    }
    EXPECT_EQ(
        refused_zip({{"a.npy", images_npy(1)}, {"b.npy", labels_npy({1, 0})}}),
        "f: it has the arrays 'a.npy', 'b.npy'; name those of the part train x_train and y_train, "
        "or images and labels");
    EXPECT_EQ(
        refused_zip({{"x_train.npy", images_npy(1)}, {"x.npy", images_npy(1)}}, ImagePart::test),
        "f: it has the arrays 'x_train.npy', 'x.npy'; name those of the part test x_test and "
        "y_test, or images and labels");
    EXPECT_EQ(refused_zip({{"x.npy", images_npy(1)}, {"y.npy", labels_npy({1})}}).substr(0, 30),
              "f, y.npy: 1 label for 2 images");
}

TEST(ImagesNpz, RefusesWhatIsNoArchive) {
    const auto refused = [](const std::string& file) {
        return refusal([&] { read_npz(TextBytes(file), "f", ImagePart::train); });
    };
    const auto whole = zip({{"x.npy", images_npy(1)}});
    const std::string no_end =
        "f: it has no zip directory at its end; bring the whole file, as numpy.savez writes it";
    EXPECT_EQ(refused(""), no_end);
    EXPECT_EQ(refused(whole.substr(0, whole.size() - 1)), no_end);
    const std::string elsewhere =
        "f: its zip directory does not stand where it should; is it damaged?";
    EXPECT_EQ(refused("x" + whole), elsewhere);
    auto end = whole.size() - 22;
    auto changed = whole;
    changed.replace(end + 4, 2, little(1, 2));
    EXPECT_EQ(refused(changed), "f: it is one piece of a zip archive; bring the whole in one file");
    changed = whole;
    changed.replace(end + 8, 4, little(0xffffffff, 4));
    EXPECT_EQ(refused(changed),
              "f: it is a zip archive of the large kind (zip64); save the arrays as NPY files");
    changed = whole;
    changed.replace(end + 8, 4, little(0x00020002, 4));
    EXPECT_EQ(refused(changed), elsewhere);
    changed = whole;
    changed[changed.find("PK\x01\x02")] = 'Q';
    EXPECT_EQ(refused(changed), "f: entry 1 of its zip directory is damaged");
    // A comment may follow, even one that looks like an end.
    const auto with_comment =
        zip({{"x.npy", images_npy(1)}}, "PK\x05\x06 and so on, and so on, and on");
    EXPECT_EQ(read_npz(TextBytes(with_comment), "f", ImagePart::train).size(), 2U);
}

TEST(ImagesNpz, RefusesTricksWithEntries) {
    const auto file = images_npy(1);
    const auto item = [&](bool deflate = false) { return ZipItem{"x.npy", file, deflate}; };
    auto tricked = item();
    tricked.local_name = "y.npy";
    EXPECT_EQ(refused_zip({tricked}),
              "f: the directory and the header of 'x.npy' differ; is it damaged?");
    tricked = item();
    tricked.flags = 1;
    EXPECT_EQ(refused_zip({tricked}), "f: 'x.npy' is encrypted; save it without a password");
    tricked = item();
    tricked.method = 14;
    EXPECT_EQ(refused_zip({tricked}),
              "f: 'x.npy' is compressed by the method 14; use numpy.savez_compressed");
    tricked = item();
    tricked.checksum_xor = 1;
    const std::string checksum =
        "f: the bytes of 'x.npy' are not those of the directory's checksum; it is damaged";
    EXPECT_EQ(refused_zip({tricked}), checksum);
    tricked = item(true);
    tricked.more_bytes = 1;
    EXPECT_EQ(refused_zip({tricked}), checksum);
    tricked.more_bytes = 0x10000000;
    EXPECT_NE(refused_zip({tricked}).find("which cannot be; is it damaged?"), std::string::npos);
    tricked = item();
    tricked.more_bytes = 1;
    EXPECT_NE(refused_zip({tricked}).find("which cannot be; is it damaged?"), std::string::npos);
    tricked.more_bytes = static_cast<std::uint32_t>(0xffffffff - file.size());
    EXPECT_EQ(refused_zip({tricked}),
              "f: 'x.npy' needs a zip archive of the large kind (zip64); save it as an NPY file");
    EXPECT_EQ(refused_zip({item(), item()}), "f: it has two entries called 'x.npy'; remove one");
}

TEST(ImagesNpz, InflatesNoFurtherThanTheDirectorySays) {
    auto bomb = zip({{"x.npy", images_npy(1) + std::string(std::size_t{1} << 24, '\0'), true}});
    const auto place = bomb.find("PK\x01\x02");
    bomb.replace(place + 24, 4, little(1000, 4));
    EXPECT_EQ(refusal([&] { read_npz(TextBytes(bomb), "f", ImagePart::train); }),
              "f: the bytes of 'x.npy' are not those of the directory's checksum; it is damaged");
}

}  // namespace
}  // namespace deepsl::data
