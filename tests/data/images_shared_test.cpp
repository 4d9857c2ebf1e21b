// MNIST as it is distributed: known counts, and the mean that everybody scales it by.
#include <array>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "deepsl/data/images.h"

namespace deepsl::data {
namespace {

using Counts = std::array<std::int64_t, 10>;

Counts counts_of(const Images& images) {
    Counts counts{};
    for (const auto label : images.labels) ++counts.at(static_cast<std::size_t>(label));
    return counts;
}

double mean_of(const Images& images) {
    const auto sum = std::accumulate(images.bytes.begin(), images.bytes.end(), std::uint64_t{0});
    return static_cast<double>(sum) / 255.0 / static_cast<double>(images.bytes.size());
}

TEST(ImagesShared, ReadsMnist) {
    const std::string path = DEEPSL_SHARED_DIR "/data/mnist";
    if (!std::filesystem::exists(path))
        GTEST_SKIP() << path << " is not there; set DEEPSL_SHARED_DIR to the folder that has it.";
    const auto train = read_images(path);
    EXPECT_EQ(train.size(), 60000U);
    EXPECT_EQ(train.shape, (ImageShape{28, 28, 1}));
    EXPECT_EQ(counts_of(train),
              (Counts{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
    EXPECT_NEAR(mean_of(train), 0.1307, 5e-5);
    const auto test = read_images(path, {ImagePart::test});
    EXPECT_EQ(test.size(), 10000U);
    EXPECT_EQ(counts_of(test), (Counts{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
    EXPECT_EQ(test.labels[0], 7);
}

/// Unpacked by hand: see the README of the shared data.
TEST(ImagesShared, ReadsCifar10) {
    const std::string path = DEEPSL_SHARED_DIR "/data/cifar10/bin";
    if (!std::filesystem::exists(path))
        GTEST_SKIP() << path << " is not there; see the README beside it.";
    const auto train = read_images(path);
    EXPECT_EQ(train.size(), 50000U);
    EXPECT_EQ(train.shape, (ImageShape{32, 32, 3}));
    Counts even{};
    even.fill(5000);
    EXPECT_EQ(counts_of(train), even);
    EXPECT_NEAR(mean_of(train), 0.4734, 1e-3);  // of (0.4914, 0.4822, 0.4465)
    EXPECT_EQ(read_images(path, {ImagePart::test}).size(), 10000U);
}

}  // namespace
}  // namespace deepsl::data
