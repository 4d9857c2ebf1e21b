// Folders of PNG and JPEG, files by name, and labels that stand in a file of their own.
#include <gtest/gtest.h>

#include "data/image_files.h"
#include "deepsl/data/images.h"
#include "deepsl/option.h"

namespace deepsl::data {
namespace {

using namespace test;
using Labels = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

class ImagesFolder : public InImageFolder {
protected:
    std::string put_gray(const std::string& name, std::uint8_t value,
                         std::uint32_t side = 2) const {
        return put(name, gray_png(side, side, Bytes(side * side, value)));
    }
    std::string refused_folder(const ImageOptions& options = {}) const {
        return refused([&] { read_images(folder(), options); });
    }
};

TEST_F(ImagesFolder, HasAFolderPerClass) {
    put_gray("dog/2.png", 20);
    put_gray("dog/10.PNG", 10);
    put_gray("cat/z.png", 30);
    put("cat/notes.txt", "left out");
    put("cat/.hidden.png", "left out");
    put("readme.md", "left out");
    const auto images = read_images(folder());
    EXPECT_EQ(images.shape, (ImageShape{2, 2, 1}));
    EXPECT_EQ(images.classes, (Names{"cat", "dog"}));
    EXPECT_EQ(images.labels, (Labels{0, 1, 1}));
    EXPECT_EQ(images.names, (Names{"cat/z.png", "dog/10.PNG", "dog/2.png"}));
    EXPECT_EQ(images.bytes, (Bytes{30, 30, 30, 30, 10, 10, 10, 10, 20, 20, 20, 20}));
    EXPECT_EQ(refused_folder({ImagePart::test}),
              ": it has no part test: give a folder with folders train and test in it, or ask for "
              "the part train (--part train), which is all of a folder per class");
    const auto whole = read_images(folder(), {.part = ImagePart::test, .or_whole = true});
    EXPECT_EQ(whole.names, images.names);
    EXPECT_FALSE(whole.part);
}

TEST_F(ImagesFolder, HasPartsIfTheyAreThere) {
    put_gray("train/a/1.png", 1);
    put_gray("train/b/1.png", 2);
    put_gray("test/b/1.png", 3);
    EXPECT_EQ(read_images(folder()).names, (Names{"train/a/1.png", "train/b/1.png"}));
    const auto test = read_images(folder(), {ImagePart::test});
    EXPECT_EQ(test.bytes[0], 3);
    EXPECT_EQ(test.part, ImagePart::test);
    EXPECT_EQ(test.classes, (Names{"b"}));
    std::filesystem::remove_all(path("test"));
    EXPECT_EQ(refused_folder({ImagePart::test}),
              ": there is no folder 'test' in it, beside 'train'; add it");
}

TEST_F(ImagesFolder, MayHaveAClassCalledTrain) {
    put_gray("train/1.png", 1);
    put_gray("bus/1.png", 2);
    EXPECT_EQ(read_images(folder()).classes, (Names{"bus", "train"}));
}

TEST_F(ImagesFolder, BringsAllToTheSameChannels) {
    put_gray("a/1.png", 9);
    put("a/2.png", png(2, 2, 8, 2, ramp(12)));
    const auto images = read_images(folder());
    EXPECT_EQ(images.shape, (ImageShape{2, 2, 3}));
    EXPECT_EQ(Bytes(images.bytes.begin(), images.bytes.begin() + 12), Bytes(12, 9));
    EXPECT_EQ(Bytes(images.bytes.begin() + 12, images.bytes.end()), ramp(12));
    EXPECT_EQ(refused_folder({ImagePart::train, "", ImageShape{2, 2, 1}}),
              "a/2.png: it is in colour, where 2 x 2 gray is needed; convert it to gray");
}

TEST_F(ImagesFolder, BringsOnePictureToTheChannelsAskedFor) {
    const auto file = put_gray("one.png", 9);
    EXPECT_EQ(read_images(file, {ImagePart::test, "", ImageShape{2, 2, 3}}).bytes, Bytes(12, 9));
    EXPECT_EQ(
        refused([&] {
            read_images(file, {ImagePart::test, "", ImageShape{4, 2, 3}});
        }),
        "one.png: it has 2 x 2 pixels (height x width), where 4 x 2 are needed; bring all images "
        "to one size");
    EXPECT_EQ(read_images(file).names, (Names{"one.png"}));
}

TEST_F(ImagesFolder, MixesPngAndJpegWhateverTheirNames) {
    put("a/1.png", jpeg(2, 2, 1, Bytes(4, 100)));
    put("a/2.jpg", jpeg(2, 2, 1, Bytes(4, 100)));
    put_gray("a/3.jpeg", 100);
    const auto images = read_images(folder());
    EXPECT_EQ(images.size(), 3U);
    for (const auto value : images.bytes) EXPECT_NEAR(value, 100, 1);
}

TEST_F(ImagesFolder, RefusesOtherSizesWithBoth) {
    put_gray("a/1.png", 1);
    put("b/2.png", gray_png(2, 3, ramp(6)));
    EXPECT_EQ(refused_folder(),
              "b/2.png: it has 2 x 3 pixels (height x width), where 'a/1.png' has 2 x 2; bring all "
              "images to one size");
}

TEST_F(ImagesFolder, RefusesOtherLayouts) {
    const std::string none =
        ": there are no images in it: neither MNIST's nor CIFAR-10's files, nor PNG or JPEG, nor "
        "folders of them";
    EXPECT_EQ(refused_folder(), none);
    put("table.csv", "a,b\n1,2\n");
    EXPECT_EQ(refused_folder(), none);
    put_gray("a/1.png", 1);
    put_gray("loose.png", 1);
    EXPECT_EQ(
        refused_folder(),
        ": it has folders and, beside them, pictures such as 'loose.png'; move these into the "
        "folder of their class");
    std::filesystem::remove(path("loose.png"));
    std::filesystem::create_directory(path("b"));
    EXPECT_EQ(
        refused_folder(),
        "b: there is no PNG or JPEG in this folder of a class; fill it, or take it out of here");
    put_gray("b/c/1.png", 1);
    EXPECT_EQ(
        refused_folder(),
        "b: it holds the folder 'c', where pictures of one class are expected; give a folder of "
        "folders of pictures");
    put("b/raw/t10k-images-idx3-ubyte", "not looked into");
    EXPECT_EQ(refused_folder(),
              "b: the files of MNIST or CIFAR-10 are in 'b/raw'; give that folder");
    put("a/2.gif", "GIF89a");
    EXPECT_EQ(refused_folder(),
              "a/2.gif: pictures of this kind are not read; convert it to PNG or JPEG");
}

TEST_F(ImagesFolder, SaysWhichVersionOfCifarIsRead) {
    put("data_batch_1", "pickled");
    EXPECT_EQ(
        refused_folder(),
        ": it has CIFAR-10 as objects of Python, which are not read; bring the binary version, "
        "whose files end in .bin");
}

TEST_F(ImagesFolder, NamesTheDamagedFile) {
    put_gray("a/1.png", 1);
    put("a/2.png", "no picture");
    EXPECT_EQ(refused_folder(),
              "a/2.png: it begins neither as PNG nor as JPEG; convert it to one of them");
}

TEST_F(ImagesFolder, TakesLabelsByFile) {
    put_gray("pictures/10.png", 1);
    put_gray("pictures/9.png", 2);
    put_gray("pictures/8.png", 3);
    const auto read = [&](const std::string& text, ImagePart part = ImagePart::train) {
        return read_images(path("pictures"), {part, put("labels.csv", text)});
    };
    const auto refused_labels = [&](const std::string& text) {
        return refused([&] { read(text); });
    };
    EXPECT_TRUE(read_images(path("pictures"), {ImagePart::test}).labels.empty());
    for (const auto* const text :
         {"8.png,ant\n9.png,bee\n10.png,ant\n", "file,label\n9,bee\n10,ant\n8,ant\n"}) {
        const auto images = read(text, ImagePart::test);
        EXPECT_EQ(images.names, (Names{"10.png", "8.png", "9.png"}));
        EXPECT_EQ(images.classes, (Names{"ant", "bee"}));
        EXPECT_EQ(images.labels, (Labels{0, 0, 1}));
    }
    EXPECT_EQ(read("8,10\n9,2\n10,2\n").classes, (Names{"2", "10"}));
    EXPECT_EQ(refused_labels("8,a\n9,b\n11,b\n"),
              "labels.csv, line 3: there is no image called '11'; correct it");
    EXPECT_EQ(refused_labels("8,a\n9,b\n8.png,b\n"),
              "labels.csv, line 3: '8.png' has a label in line 1 already; remove one");
    EXPECT_EQ(refused_labels("8,a\n9,\n10,b\n"),
              "labels.csv, line 2: the label is missing; fill it in");
    EXPECT_EQ(refused_labels("8,a\n9,b\n").substr(0, 31), "labels.csv: 2 labels for 3 imag");
    EXPECT_EQ(
        refused_labels("a\nb\nc\n"),
        "labels.csv: it has 1 cell in each line, where images in files of their own need two, "
        "file and label");
    put_gray("classes/a/1.png", 1);
    EXPECT_EQ(
        refused([&] {
            read_images(path("classes"), {ImagePart::train, path("labels.csv")});
        }),
        "classes: it has a folder per class and a file of labels is given; leave one of them out");
}

TEST_F(ImagesFolder, TakesLabelsOfFilesByName) {
    const auto file = put("digits", idx({3, 2, 2}, ramp(12)));
    const auto read = [&](const std::string& name, const std::string& content) {
        return read_images(file, {ImagePart::test, put(name, content)});
    };
    EXPECT_TRUE(read_images(file).labels.empty());
    EXPECT_EQ(read("l.gz", gzip(idx({3}, {1, 0, 1}))).labels, (Labels{1, 0, 1}));
    EXPECT_EQ(read("l.npy", npy("<i8", "(3,)", raw<std::int64_t>({1, 0, 12}))).classes.size(), 13U);
    const auto text = read("l.txt", "label\nx\ny\nx\n");
    EXPECT_EQ(text.labels, (Labels{0, 1, 0}));
    EXPECT_EQ(text.classes, (Names{"x", "y"}));
    // As many lines as images: then none is a header.
    EXPECT_EQ(read("l.txt", "label\nx\ny\n").classes, (Names{"label", "x", "y"}));
    EXPECT_EQ(read("l.txt", "3\n1\n3").classes, (Names{"1", "3"}));

    const auto refused_labels = [&](const std::string& name, const std::string& content) {
        return refused([&] { read(name, content); });
    };
    EXPECT_EQ(refused_labels("l.npy", npy("<i8", "(3,)", raw<std::int64_t>({1, -1, 12}))),
              "l.npy: label 2 is -1, where 0 to 65535 are allowed; number the classes from 0 on");
    EXPECT_EQ(
        refused_labels("l.npy", npy("<i4", "(3,)", raw<std::int32_t>({1, 1, 65536}))),
        "l.npy: label 3 is 65536, where 0 to 65535 are allowed; number the classes from 0 on");
    EXPECT_EQ(
        refused_labels("l.txt", "a,1\nb,2\nc,3\n"),
        "l.txt: it has 2 cells in each line, where images without names of their own need a label "
        "and no more");
    EXPECT_EQ(refused_labels("l.txt", "a\n?\nc\n"),
              "l.txt, line 2: the label is missing; fill it in");
    EXPECT_NE(refused([&] {
                  read_images(file, {ImagePart::train, path("none")});
              }).find("cannot read"),
              std::string::npos);
}

TEST_F(ImagesFolder, LabelsGivenReplaceThoseOfTheData) {
    const auto file =
        put("x.npz",
            zip({{"x.npy", npy("|u1", "(2, 1, 1)", "ab")}, {"y.npy", npy("|u1", "(3,)", "abc")}}));
    EXPECT_EQ(read_images(file, {ImagePart::train, put("l", "b\na\n")}).labels, (Labels{1, 0}));
    EXPECT_EQ(refused([&] { read_images(file); }).substr(0, 37),
              "x.npz, y.npy: 3 labels for 2 images; ");
}

TEST_F(ImagesFolder, ImagesAreToldFromTables) {
    EXPECT_TRUE(is_image_data(folder()));
    for (const auto* const name : {"a.npy", "b.npz", "c.png", "d.JPG", "e.jpeg", "f.bin"})
        EXPECT_TRUE(is_image_data(path(name))) << name;
    EXPECT_TRUE(is_image_data(put("digits", idx({3, 2, 2}, ramp(12)))));
    EXPECT_TRUE(is_image_data(put("digits.gz", gzip(idx({3, 2, 2}, ramp(12))))));
    EXPECT_FALSE(is_image_data(put("table.csv", "a,b\n1,2\n")));
    EXPECT_FALSE(is_image_data(put("table.csv.gz", gzip("a,b\n1,2\n"))));
    EXPECT_FALSE(is_image_data(put("damaged.gz", "\x1f\x8b, that is all")));
    EXPECT_FALSE(is_image_data(put("empty", "")));
    EXPECT_FALSE(is_image_data(path("none.csv")));
    EXPECT_FALSE(is_image_data("/dev/stdin"));
    EXPECT_EQ(
        refused([&] { read_images(path("table.csv")); }),
        "table.csv: it is no file of images that is known: IDX, NPY, NPZ, CIFAR-10's .bin, PNG or "
        "JPEG; is it the right file?");
    EXPECT_EQ(name(ImagePart::test), "test");
}

}  // namespace
}  // namespace deepsl::data
