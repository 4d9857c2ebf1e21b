// IDX and CIFAR-10's files: what is read, and that counts are believed only after they are
// compared.
#include <gtest/gtest.h>

#include "data/image_cifar.h"
#include "data/image_files.h"
#include "data/image_idx.h"
#include "deepsl/data/images.h"

namespace deepsl::data {
namespace {

using namespace test;

Images read_idx(const std::string& file) { return read_idx_images(TextBytes(file), "f"); }
std::string refused_idx(const std::string& file) {
    return refusal([&] { read_idx(file); });
}

TEST(ImagesIdx, ReadsImagesWithAndWithoutGzip) {
    const auto file = idx({2, 2, 3}, ramp(12, 17));
    for (const auto& packed : {file, gzip(file)}) {
        const auto images = read_idx(packed);
        EXPECT_EQ(images.shape, (ImageShape{2, 3, 1}));
        EXPECT_EQ(images.size(), 2U);
        EXPECT_EQ(images.bytes, ramp(12, 17));
        EXPECT_TRUE(images.labels.empty());
        std::vector<float> values(6);
        images.read(1, values);
        for (std::size_t i = 0; i < 6; ++i)
            EXPECT_EQ(values[i], static_cast<float>((6 + i) * 17 % 256) / 255.0F);
        EXPECT_THROW(images.read(2, values), std::out_of_range);
    }
}

TEST(ImagesIdx, ReadsGzipFilesOneAfterTheOther) {
    const auto file = idx({2, 2, 3}, ramp(12));
    EXPECT_EQ(read_idx(gzip(file.substr(0, 7)) + gzip(file.substr(7))).bytes, ramp(12));
}

TEST(ImagesIdx, RefusesWhatIsNotAsLongAsItsHeaderSays) {
    const auto file = idx({2, 2, 3}, ramp(12));
    const std::string missing =
        "f: its header promises 12 bytes of values and 11 are there; bring the whole file";
    EXPECT_EQ(refused_idx(file.substr(0, 27)), missing);
    EXPECT_EQ(refused_idx(gzip(file.substr(0, 27))), missing);
    const std::string more =
        "f: it goes on after the 12 bytes of values that its header promises; is it damaged?";
    EXPECT_EQ(refused_idx(file + "x"), more);
    EXPECT_EQ(refused_idx(gzip(file + "x")), more);
    EXPECT_EQ(refused_idx(file.substr(0, 11)),
              "f: it ends within its header; bring the whole file");
}

TEST(ImagesIdx, RefusesOtherFiles) {
    const std::string other =
        "f: it does not begin as an IDX file of images does; is it the right file?";
    for (const auto& file : {std::string(), std::string("\0\0", 2), std::string("a,b\n1,2\n"),
                             gzip("a,b\n1,2\n"), idx({1, 1, 1}, {0}, 0x0a)})
        EXPECT_EQ(refused_idx(file), other);
    EXPECT_EQ(
        refused_idx(idx({3}, ramp(3))),
        "f: it is an IDX file of 1 dimension, where one of images, with 3, is needed; is it the "
        "file of labels?");
    EXPECT_EQ(refused_idx(idx({1, 1, 1}, ramp(4), 0x0d)),
              "f: its values have the IDX type 0x0d; only bytes, 0x08, are read");
}

TEST(ImagesIdx, RefusesSizesBeforeItAsksForMemory) {
    EXPECT_EQ(refused_idx(idx({0, 28, 28}, {})),
              "f: there is no image in it; bring a file with one or more");
    EXPECT_EQ(
        refused_idx(idx({1, 0, 28}, {})),
        "f: it claims images of height 0, where 1 to 65535 are allowed; is it the right file?");
    EXPECT_EQ(
        refused_idx(idx({1, 1, 65536}, {})),
        "f: it claims images of width 65536, where 1 to 65535 are allowed; is it the right file?");
    EXPECT_EQ(refused_idx(idx({0xffffffff, 65535, 65535}, {})),
              "f: 4294967295 images of 65535 x 65535 x 1 would take more than the 17.2 GB allowed; "
              "split the file");
    EXPECT_EQ(
        refused_idx(idx({1000000, 28, 28}, {})),
        "f: its header promises 784000000 bytes of values and 0 are there; bring the whole file");
}

TEST(ImagesIdx, RefusesDamagedGzip) {
    const auto file = gzip(idx({2, 20, 30}, ramp(1200, 7)));
    EXPECT_EQ(refused_idx(file.substr(0, file.size() - 9)),
              "f: its compressed data end too early; bring the whole file");
    auto wrong_checksum = file;
    wrong_checksum[file.size() - 8] ^= 1;
    EXPECT_EQ(refused_idx(wrong_checksum),
              "f: its compressed data are damaged (incorrect data check); bring the file anew");
    EXPECT_EQ(refused_idx(file + "more"),
              "f: its compressed data are damaged (incorrect header check); bring the file anew");
}

TEST(ImagesIdx, StopsInflatingWhereTheHeaderEnds) {
    // 64 MB out of 64 kB; a reader that inflated it all would take them.
    auto bomb = idx({1, 2, 2}, ramp(4));
    bomb.resize(std::size_t{1} << 26);
    EXPECT_EQ(refused_idx(gzip(bomb)),
              "f: it goes on after the 4 bytes of values that its header promises; is it damaged?");
}

TEST(ImagesIdx, ReadsLabelsOfAsManyImages) {
    const auto read = [](const std::string& file, std::size_t images) {
        return read_idx_labels(TextBytes(file), "l", images);
    };
    EXPECT_EQ(read(gzip(idx({3}, {7, 0, 255})), 3), (std::vector<std::int64_t>{7, 0, 255}));
    EXPECT_EQ(
        refusal([&] {
            read(idx({3}, {7, 0, 9}), 4);
        }),
        "l: 3 labels for 4 images; there has to be one for each image, so are they of the same "
        "part?");
    EXPECT_EQ(
        refusal([&] {
            read(idx({1, 1, 1}, {7}), 1);
        }),
        "l: it is an IDX file of 3 dimensions, where one of labels, with 1, is needed; is it the "
        "right file?");
}

class ImagesMnist : public InImageFolder {
protected:
    std::string put_all() const {
        put("train-images-idx3-ubyte.gz", gzip(idx({3, 2, 2}, ramp(12))));
        put("train-labels-idx1-ubyte.gz", gzip(idx({3}, {4, 0, 4})));
        put("t10k-images-idx3-ubyte", idx({1, 2, 2}, ramp(4, 3)));
        put("t10k-labels-idx1-ubyte", idx({1}, {9}));
        return folder();
    }
};

TEST_F(ImagesMnist, HasTwoParts) {
    const auto train = read_images(put_all());
    EXPECT_EQ(train.size(), 3U);
    EXPECT_EQ(train.bytes, ramp(12));
    EXPECT_EQ(train.labels, (std::vector<std::int64_t>{4, 0, 4}));
    EXPECT_EQ(train.classes,
              (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
    EXPECT_TRUE(train.names.empty());
    EXPECT_EQ(train.path, folder());
    const auto test = read_images(folder(), {ImagePart::test});
    EXPECT_EQ(test.bytes, ramp(4, 3));
    EXPECT_EQ(test.labels, (std::vector<std::int64_t>{9}));
}

TEST_F(ImagesMnist, NamesEveryClassUpToTheLargest) {
    put_all();
    put("train-labels-idx1-ubyte.gz", gzip(idx({3}, {11, 0, 4})));
    EXPECT_EQ(read_images(folder()).classes.size(), 12U);
}

TEST_F(ImagesMnist, NeedsNoLabels) {
    put("train-images.idx3-ubyte", idx({3, 2, 2}, ramp(12)));
    const auto images = read_images(folder());
    EXPECT_EQ(images.size(), 3U);
    EXPECT_TRUE(images.labels.empty());
    EXPECT_TRUE(images.classes.empty());
}

TEST_F(ImagesMnist, RefusesPartsThatAreMissingOrDoNotFit) {
    put("train-images-idx3-ubyte", idx({3, 2, 2}, ramp(12)));
    EXPECT_EQ(refused([&] { read_images(folder(), {ImagePart::test}); }),
              ": it has no t10k-images-idx3-ubyte (.gz), so there is no part test in it");
    put("train-labels-idx1-ubyte", idx({2}, {1, 2}));
    EXPECT_EQ(
        refused([&] { read_images(folder()); }),
        "train-labels-idx1-ubyte: 2 labels for 3 images; there has to be one for each image, so "
        "are they of the same part?");
    EXPECT_EQ(refused([&] {
                  read_images(folder(), {ImagePart::train, "", ImageShape{28, 28, 1}});
              }).substr(0, 24),
              "train-labels-idx1-ubyte:");
    put("train-labels-idx1-ubyte", "1\n2\n3\n");
    EXPECT_EQ(refused([&] { read_images(folder()); }),
              "train-labels-idx1-ubyte: it does not begin as an IDX file of labels does; is it the "
              "right file?");
    put("train-labels-idx1-ubyte", idx({3}, {1, 2, 3}));
    EXPECT_EQ(refused([&] {
                  read_images(folder(), {ImagePart::train, "", ImageShape{28, 28, 1}});
              }),
              ": its images are 2 x 2 gray, where 28 x 28 gray is needed; bring them to that size");
}

class ImagesCifar : public InImageFolder {
protected:
    std::string put_all() const {
        for (int batch = 1; batch <= 5; ++batch)
            put("data_batch_" + std::to_string(batch) + ".bin",
                cifar_record(static_cast<std::uint8_t>(batch)) + cifar_record(0));
        put("test_batch.bin", cifar_record(9));
        return folder();
    }
};

TEST_F(ImagesCifar, TurnsPlanesIntoPixels) {
    const auto images = read_images(put_all());
    EXPECT_EQ(images.shape, (ImageShape{32, 32, 3}));
    EXPECT_EQ(images.labels, (std::vector<std::int64_t>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
    EXPECT_EQ(images.classes[9], "truck");
    for (std::size_t place = 0; place < 1024; ++place)
        for (std::size_t channel = 0; channel < 3; ++channel)
            ASSERT_EQ(images.bytes[7 * 3072 + place * 3 + channel], channel * 64 + place % 64);
    EXPECT_EQ(read_images(folder(), {ImagePart::test}).labels, (std::vector<std::int64_t>{9}));
    EXPECT_EQ(read_images(path("data_batch_3.bin")).labels, (std::vector<std::int64_t>{3, 0}));
}

TEST_F(ImagesCifar, TakesNamesFromItsFile) {
    put_all();
    put("batches.meta.txt", "one\ntwo\nthree\nfour\nfive\nsix\r\n\n\n");
    EXPECT_EQ(read_images(folder()).classes,
              (std::vector<std::string>{"one", "two", "three", "four", "five", "six"}));
    EXPECT_EQ(
        refused([&] { read_images(folder(), {ImagePart::test}); }),
        "test_batch.bin: record 1 has the label 9, where there are 6 classes; is it CIFAR-10?");
    const auto with = [&](const std::string& text) {
        return refusal([&] { parse_cifar_classes(text, "m"); });
    };
    EXPECT_EQ(with("\n"), "m: it names no class; write one in each line");
    EXPECT_EQ(with("a\n\nb\n"), "m: there is a blank line between the names of classes; remove it");
    EXPECT_EQ(with("a\nb\na"), "m: the class 'a' is named twice; remove one");
    EXPECT_EQ(with("a\n\x01\n"), "m: line 2 is not the name of a class; write one in each line");
}

TEST_F(ImagesCifar, RefusesWhatIsNotWhole) {
    put_all();
    std::filesystem::remove(path("data_batch_4.bin"));
    EXPECT_EQ(
        refused([&] { read_images(folder()); }),
        ": it has no data_batch_4.bin, which belongs to the part train of CIFAR-10; bring it");
    put("data_batch_4.bin", cifar_record(1).substr(1));
    EXPECT_EQ(
        refused([&] { read_images(folder()); }),
        "data_batch_4.bin: its 3072 bytes are not records of 3073, as CIFAR-10's are; bring the "
        "whole file");
    EXPECT_EQ(
        refused([&] { read_images(put("100.bin", cifar_record(1) + "x")); }),
        "100.bin: it has records of 3074 bytes, as CIFAR-100; only CIFAR-10's of 3073 are read");
    EXPECT_EQ(
        refused([&] { read_images(put("none.bin", "")); }),
        "none.bin: its 0 bytes are not records of 3073, as CIFAR-10's are; bring the whole file");
    EXPECT_EQ(refused([&] { read_images(put("ten.bin", cifar_record(1) + cifar_record(10))); }),
              "ten.bin: record 2 has the label 10, where there are 10 classes; is it CIFAR-10?");
}

}  // namespace
}  // namespace deepsl::data
