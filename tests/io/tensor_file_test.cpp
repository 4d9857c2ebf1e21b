// Tensor files come back as they were stored, Python's too; what is damaged is refused with a
// sentence, and without asking for more memory than the file is worth.
#include "deepsl/io/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "allocations.h"
#include "header_check.h"
#include "scratch.h"

namespace deepsl::io {
namespace {

using test::content_of;
using test::largest_allocation;
using test::put;
using test::Scratch;

constexpr DType all_dtypes[] = {DType::boolean, DType::u8,   DType::i8,  DType::u16, DType::i16,
                                DType::f16,     DType::bf16, DType::u32, DType::i32, DType::f32,
                                DType::u64,     DType::i64,  DType::f64};

StoredTensor tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
    std::size_t size = size_of(dtype);
    for (const auto length : shape) size *= static_cast<std::size_t>(length);
    StoredTensor result{name, dtype, std::move(shape), std::vector<std::byte>(size)};
    for (std::size_t i = 0; i < size; ++i) result.bytes[i] = static_cast<std::byte>(i * 37 + 255);
    return result;
}

TensorFile example() {
    TensorFile file;
    file.metadata = {{"kind", "test"}, {"", "empty key"}, {"lines", "a\n\"b\"\\\t\u00fc\u0001"}};
    for (const auto dtype : all_dtypes) {
        const std::string name(io::name(dtype));
        file.tensors.push_back(tensor(name, dtype, {3, 1, 3}));
        file.tensors.push_back(tensor(name + ".scalar", dtype, {}));
        file.tensors.push_back(tensor(name + ".empty", dtype, {2, 0, 4}));
    }
    return file;
}

std::string with_length(std::uint64_t length, const std::string& rest) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xff);
    return bytes + rest;
}

std::string with_header(const std::string& header, const std::string& data = "") {
    return with_length(header.size(), header + data);
}

/// The message with which `content` is refused; nothing if it is a valid file. Either way memory
/// stays within a small multiple of the content, apart from messages and buffers.
std::optional<std::string> refusal(const Scratch& scratch, const std::string& content) {
    const auto path = scratch.path("m.deepsl");
    put(path, content);
    largest_allocation = 0;
    std::optional<std::string> message;
    try {
        read_tensor_file(path);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::data);
        message = error.what();
    }
    EXPECT_LE(largest_allocation.load(), 4 * content.size() + 4096);
    if (message) {
        EXPECT_TRUE(message->starts_with("'" + path + "' is not a file of deepsl: ")) << *message;
        EXPECT_NE(message->find("; "), std::string::npos) << *message;
        EXPECT_EQ(message->find_first_of("\n\r"), std::string::npos) << *message;
        EXPECT_EQ(message->find("json.exception"), std::string::npos) << *message;
        EXPECT_LE(message->size(), 2000U);
    }
    return message;
}

void expect_refused(const Scratch& scratch, const std::string& content, const std::string& part) {
    const auto message = refusal(scratch, content);
    ASSERT_TRUE(message.has_value()) << part;
    EXPECT_NE(message->find(part), std::string::npos) << *message;
}

/// A file with one tensor 't' of the given description and four bytes of data.
std::string one_tensor(const std::string& description) {
    return with_header(R"({"t":)" + description + "}", "1234");
}

std::string small_file(const Scratch& scratch) {
    TensorFile file;
    file.metadata = {{"kind", "test"}, {"version", "1"}};
    file.tensors = {tensor("layer.weight", DType::f32, {4, 3}),
                    tensor("layer.bias", DType::f32, {4}), tensor("steps", DType::i64, {}),
                    tensor("mask", DType::boolean, {0, 4})};
    write_tensor_file(scratch.path("small"), file);
    return content_of(scratch.path("small"));
}

std::size_t header_end(const std::string& content) {
    return 8 + static_cast<unsigned char>(content[0]) +
           std::size_t{256} * static_cast<unsigned char>(content[1]);
}

TEST(TensorFile, ComesBackAsItWasStored) {
    const Scratch scratch;
    const auto stored = example();
    write_tensor_file(scratch.path("a"), stored);
    const auto found = read_tensor_file(scratch.path("a"));
    EXPECT_EQ(found.metadata, stored.metadata);
    ASSERT_EQ(found.tensors.size(), stored.tensors.size());
    for (const auto& expected : stored.tensors) {
        const auto* actual = found.find(expected.name);
        ASSERT_NE(actual, nullptr) << expected.name;
        EXPECT_EQ(actual->dtype, expected.dtype);
        EXPECT_EQ(actual->shape, expected.shape);
        EXPECT_EQ(actual->bytes, expected.bytes);
    }
    EXPECT_EQ(found.find("F33"), nullptr);
    EXPECT_EQ(scratch.entries(), 1U);
}

TEST(TensorFile, MayBeEmpty) {
    const Scratch scratch;
    write_tensor_file(scratch.path("a"), {});
    EXPECT_EQ(content_of(scratch.path("a")), with_header("{}      "));
    EXPECT_TRUE(read_tensor_file(scratch.path("a")).tensors.empty());
}

TEST(TensorFile, KeepsValuesThatAreNotFinite) {
    const Scratch scratch;
    using Limits = std::numeric_limits<double>;
    for (const double value : {Limits::quiet_NaN(), Limits::infinity(), -0.0}) {
        TensorFile file;
        file.tensors = {tensor("t", DType::f64, {})};
        const auto bits = std::bit_cast<std::array<std::byte, 8>>(value);
        std::copy(bits.begin(), bits.end(), file.tensors[0].bytes.begin());
        write_tensor_file(scratch.path("a"), file);
        EXPECT_EQ(read_tensor_file(scratch.path("a")).tensors[0].bytes, file.tensors[0].bytes);
    }
}

TEST(TensorFile, AlignsItsTensors) {
    const Scratch scratch;
    write_tensor_file(scratch.path("a"), example());
    const auto content = content_of(scratch.path("a"));
    std::size_t position = header_end(content);
    EXPECT_EQ(position % 8, 0U);
    for (const auto& found : read_tensor_file(scratch.path("a")).tensors) {
        EXPECT_EQ(position % size_of(found.dtype), 0U) << found.name;
        position += found.bytes.size();
    }
    EXPECT_EQ(position, content.size());
}

// The bytes that safetensors 0.8 for Python writes for the same tensors.
TEST(TensorFile, IsByteForByteThatOfPython) {
    const Scratch scratch;
    const auto python = with_header(
        R"({"__metadata__":{"kind":"test"},)"
        R"("bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
        R"("weight":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]}}   )",
        std::string("\0\0\x80?\0\0\0\xc0\0\0\0\0\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@", 32));
    put(scratch.path("python"), python);
    const auto file = read_tensor_file(scratch.path("python"));
    ASSERT_NE(file.find("weight"), nullptr);
    const auto& bytes = file.find("weight")->bytes;
    std::array<float, 6> values{};
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(values)).begin());
    EXPECT_EQ(values, (std::array<float, 6>{0, 1, 2, 3, 4, 5}));
    write_tensor_file(scratch.path("ours"), file);
    EXPECT_EQ(content_of(scratch.path("ours")), python);
}

TEST(TensorFile, IsNotWrittenIfItCouldNotBeRead) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    put(path, "old");
    const auto good = tensor("t", DType::f32, {2});
    auto short_one = good, negative = good, reserved = good, not_text = good, deep = good;
    short_one.bytes.pop_back();
    negative.shape = {-2};
    reserved.name = "__metadata__";
    not_text.name = "\xff";
    deep.shape.assign(65, 1);
    const std::vector<std::vector<StoredTensor>> cases = {{short_one}, {negative}, {reserved},
                                                          {not_text},  {deep},     {good, good}};
    const auto expect_not_written = [&](const TensorFile& content) {
        try {
            write_tensor_file(path, content);
            ADD_FAILURE() << "written";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::output);
            EXPECT_TRUE(std::string(error.what()).starts_with("cannot write '" + path + "': "))
                << error.what();
        }
    };
    for (const auto& tensors : cases) expect_not_written({{}, tensors});
    expect_not_written({{{"key", "\xc3"}}, {}});
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(scratch.entries(), 1U);
}

TEST(TensorFile, RefusesWhatIsNoFile) {
    const Scratch scratch;
    EXPECT_THROW(read_tensor_file(scratch.path("missing")), Error);
    EXPECT_THROW(read_tensor_file(scratch.path("")), Error);
    EXPECT_THROW(read_tensor_file("/dev/zero"), Error);
    expect_refused(scratch, "", "the file has 0 bytes");
    expect_refused(scratch, "1234567", "the file has 7 bytes");
}

TEST(TensorFile, RefusesEveryTruncation) {
    const Scratch scratch;
    const auto small = small_file(scratch);
    for (std::size_t size = 0; size < small.size(); ++size)
        EXPECT_TRUE(refusal(scratch, small.substr(0, size)).has_value()) << size;

    TensorFile large;
    large.tensors = {tensor("a", DType::f64, {40, 50}), tensor("b", DType::u8, {333})};
    write_tensor_file(scratch.path("large"), large);
    const auto content = content_of(scratch.path("large"));
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const auto size = random() % content.size();
        EXPECT_TRUE(refusal(scratch, content.substr(0, size)).has_value()) << size;
    }
    expect_refused(scratch, content + "x", "1 byte more than its tensors take");
}

TEST(TensorFile, SurvivesChangedBytes) {
    const Scratch scratch;
    const auto small = small_file(scratch);
    const auto end = header_end(small);
    const std::string changes("\0\"9-{}[, \\\x7f\x80\xff", 13);
    for (std::size_t place = 0; place < end; ++place) {
        for (const char change : changes) {
            auto content = small;
            content[place] = change;
            refusal(scratch, content);
        }
        auto content = small;
        content[place] = static_cast<char>(content[place] ^ 1);
        refusal(scratch, content);
    }
    std::mt19937_64 random(2);
    for (int i = 0; i < 3000; ++i) {
        auto content = small;
        for (int j = 0; j < 4; ++j) content[random() % end] = static_cast<char>(random());
        refusal(scratch, content);
    }
}

TEST(TensorFile, RefusesHugeSizes) {
    const Scratch scratch;
    const auto rest = small_file(scratch).substr(8);
    expect_refused(scratch, with_length(3'200'000'000, rest), "its header says 3.2 GB, but");
    for (int bit = 10; bit < 64; ++bit) {
        const auto power = std::uint64_t{1} << bit;
        for (const auto value : {power - 1, power, power + 1, ~power, ~std::uint64_t{0}}) {
            const auto number = std::to_string(value);
            EXPECT_TRUE(refusal(scratch, with_length(value, rest)));
            const auto refused = [&](const std::string& shape, const std::string& offsets) {
                const auto content = one_tensor(R"({"dtype":"F32","shape":[)" + shape +
                                                R"(],"data_offsets":[)" + offsets + "]}");
                EXPECT_TRUE(refusal(scratch, content).has_value()) << content;
            };
            refused(number, "0,4");
            refused(number, "0," + number);
            refused(number + "," + number, "0,4");
            refused(number + ",0," + number, "0,4");
            refused("1", "0," + number);
            refused("1", number + ",4");
            refused("1", number + "," + std::to_string(value + 4));
            refused("1", number + "," + number);
        }
    }
    const std::string number = "340282366920938463463374607431768211456";
    expect_refused(scratch, one_tensor(R"({"dtype":"F32","shape":[)" + number + "]}"), "too large");
}

TEST(TensorFile, RefusesAHeaderBeyondTheLimit) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    put(path, with_length(100'000'001, "{"));
    std::filesystem::resize_file(path, 100'000'100);  // sparse
    largest_allocation = 0;
    EXPECT_THROW(read_tensor_file(path), Error);
    EXPECT_LE(largest_allocation.load(), 4096U);
}

TEST(TensorFile, SaysWhatIsWrong) {
    const Scratch scratch;
    const std::string end = R"("data_offsets":[0,4]})";
    const std::pair<std::string, std::string> cases[] = {
        {R"({"dtype":"F33","shape":[1],)" + end, "unknown dtype 'F33'"},
        {R"({"dtype":4,"shape":[1],)" + end, "a number in its 'dtype'"},
        {R"({"dtype":"F64","shape":[1],)" + end, "takes 8 bytes, but has 4 bytes"},
        {R"({"dtype":"F32","shape":[-1],)" + end, "a negative number in its 'shape'"},
        {R"({"dtype":"F32","shape":[1.0],)" + end, "not whole"},
        {R"({"dtype":"F32","shape":[1e999],)" + end, "not valid JSON"},
        {R"({"dtype":"F32","shape":[null],)" + end, "null in its 'shape'"},
        {R"({"dtype":"F32","shape":[[1]],)" + end, "a list in its 'shape'"},
        {R"({"dtype":"F32","shape":{"a":1},)" + end, "an object in its 'shape'"},
        {R"({"dtype":"F32","shape":1,)" + end, "a number in its 'shape'"},
        {R"({"dtype":"F32","shape":[1],"shape":[1],)" + end, "two entries 'shape'"},
        {R"({"dtype":"F32","shape":[1],"more":1,)" + end, "unknown entry 'more'"},
        {R"({"shape":[1],)" + end, "lacks its dtype"},
        {R"({"dtype":"F32",)" + end, "lacks its shape"},
        {R"({"dtype":"F32","shape":[1]})", "lacks its data_offsets"},
        {R"({"dtype":"F32","shape":[1],"data_offsets":[4]})", "1 data_offsets instead of 2"},
        {R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,4]})", "more than 2"},
        {R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", "before its start"},
        {R"({"dtype":"F32","shape":[1],"data_offsets":[1,5]})", "which has only 4 bytes"},
        {R"({"dtype":"U8","shape":[3],"data_offsets":[1,4]})", "starts at byte 1"},
        {R"({"dtype":"U8","shape":[3],"data_offsets":[0,3]})", "1 byte more"},
        {"7", "a number instead of an object"},
        {R"({"dtype":"F32","shape":[1],)" + end +
             R"(,"t":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})",
         "two tensors are called 't'"},
        {R"({"dtype":"F32","shape":[1],)" + end +
             R"(,"o":{"dtype":"U8","shape":[2],"data_offsets":[2,4]})",
         "starts at byte 2 of the data instead of 4"},
        {R"({"dtype":"F32","shape":[1],)" + end + R"(,"__metadata__":{"a":1})",
         "instead of a text"},
        {R"({"dtype":"F32","shape":[1],)" + end + R"(,"__metadata__":{"a":"","a":""})",
         "two entries 'a'"},
        {R"({"dtype":"F32","shape":[1],)" + end + R"(,"__metadata__":{},"__metadata__":{})",
         "twice"},
    };
    for (const auto& [description, part] : cases)
        expect_refused(scratch, one_tensor(description), part);
    EXPECT_FALSE(refusal(scratch, one_tensor(R"({"dtype":"F32","shape":[1],)" + end)).has_value());

    expect_refused(scratch, with_header(" {}"), "does not start with");
    expect_refused(scratch, with_header("\xef\xbb\xbf{}"), "does not start with");
    expect_refused(scratch, with_header(std::string("{}\0x", 4)), "zero byte");
    expect_refused(scratch, with_header("{}{}"), "not valid JSON");
    expect_refused(scratch, with_header("{/**/}"), "not valid JSON");
    expect_refused(scratch, with_header("{\"\xff\":{}}"), "not valid JSON");
}

TEST(TensorFile, IsNotTroubledByDepthOrLength) {
    const Scratch scratch;
    const std::string deep(1'000'000, '[');
    expect_refused(scratch, with_header("{\"t\":" + deep), "a list instead of an object");
    std::string objects;
    for (int i = 0; i < 200'000; ++i) objects += "{\"shape\":";
    expect_refused(scratch, with_header(objects), "an object in its 'shape'");
    expect_refused(scratch, with_header("{\"" + std::string(1'000'000, 'n') + "\":1}"), "nnn...'");
    std::string ones = "1";
    for (int i = 0; i < 200'000; ++i) ones += ",1";
    expect_refused(scratch, one_tensor(R"({"dtype":"F32","shape":[)" + ones), "more than 64");
}

TEST(TensorFile, HoldsManyTensors) {
    const Scratch scratch;
    TensorFile file;
    for (int i = 0; i < 20'000; ++i)
        file.tensors.push_back(tensor(std::to_string(i), i % 2 == 0 ? DType::u8 : DType::f32, {}));
    write_tensor_file(scratch.path("a"), file);
    EXPECT_FALSE(refusal(scratch, content_of(scratch.path("a"))).has_value());
    EXPECT_EQ(read_tensor_file(scratch.path("a")).tensors.size(), 20'000U);
}

// What the fuzzer starts from, and what it once found, also where there is no fuzzer.
TEST(TensorHeader, KeepsItsPromisesOnTheCorpus) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(DEEPSL_FUZZ_DIR "/corpus/header")) {
        const auto path = entry.path().string();
        EXPECT_NO_THROW(fuzz::check_header(read_file(path, 1 << 20))) << path;
        ++files;
    }
    EXPECT_GE(files, 9U);
}

}  // namespace
}  // namespace deepsl::io
