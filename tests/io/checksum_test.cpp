// The checksum of tensor files: a golden one, computed apart by FNV-1a, and every change of a byte.
#include "deepsl/io/checksum.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl::io {
namespace {

StoredTensor tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
                    const std::vector<int>& bytes) {
    StoredTensor result{name, dtype, std::move(shape), {}};
    for (const int byte : bytes) result.bytes.push_back(static_cast<std::byte>(byte));
    return result;
}

TensorFile small_file() {
    // 1 and -2 as float, and a byte.
    return {{{"key", "value"}},
            {tensor("a", DType::f32, {2}, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}),
             tensor("b", DType::u8, {1, 1}, {7})}};
}

TEST(Checksum, IsTheOneOfFilesThatExist) {
    EXPECT_EQ(Hash().text(), "fnv1a64:cbf29ce484222325");
    EXPECT_EQ(checksum_of(small_file()), "fnv1a64:380a49447d33b12c");
}

TEST(Checksum, LeavesOutItselfAndTheOrderOfTensors) {
    const auto expected = checksum_of(small_file());
    auto file = small_file();
    file.metadata[checksum_key] = "anything";
    std::swap(file.tensors[0], file.tensors[1]);
    EXPECT_EQ(checksum_of(file), expected);
}

TEST(Checksum, NoticesEveryChange) {
    const auto expected = checksum_of(small_file());
    const auto expect_noticed = [&](const auto& change) {
        auto file = small_file();
        change(file);
        EXPECT_NE(checksum_of(file), expected);
    };
    for (std::size_t i = 0; i < 8; ++i)
        for (int bit = 0; bit < 8; ++bit)
            expect_noticed(
                [&](TensorFile& f) { f.tensors[0].bytes[i] ^= static_cast<std::byte>(1 << bit); });
    expect_noticed([](TensorFile& f) { f.tensors[0].name = "c"; });
    expect_noticed([](TensorFile& f) { f.tensors[0].dtype = DType::i32; });
    expect_noticed([](TensorFile& f) { f.tensors[0].shape = {2, 1}; });
    expect_noticed([](TensorFile& f) { f.tensors.pop_back(); });
    expect_noticed([](TensorFile& f) { f.metadata["key"] = "valve"; });
    expect_noticed([](TensorFile& f) { f.metadata = {{"keyv", "alue"}}; });
    expect_noticed([](TensorFile& f) { f.metadata["other"] = ""; });
}

}  // namespace
}  // namespace deepsl::io
