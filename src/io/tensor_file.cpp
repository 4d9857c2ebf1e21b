#include "deepsl/io/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "deepsl/text.h"
#include "tensor_header.h"

namespace deepsl::io {

namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t alignment = 8;

// Converting would be easy, and untested: no machine at hand could show that it is right.
void refuse_big_endian(const std::string& path, Error::Kind kind) {
    if constexpr (std::endian::native != std::endian::little)
        throw Error(kind, fmt::format("cannot use {}: tensor files are little-endian, this machine "
                                      "is not; use a little-endian one",
                                      in_quotes(path)));
}

Error not_a_model(const std::string& path, std::string_view reason, std::string_view advice) {
    return data_error(
        fmt::format("{} is not a file of deepsl: {}; {}", in_quotes(path), reason, advice));
}

constexpr std::string_view copy_again =
    "it may be truncated or damaged: copy it again, or name another file";

std::uint64_t header_length(const InputFile& file) {
    const auto real = fmt::format("the file has {}", shown_size(file.size()));
    if (file.size() < length_bytes) throw not_a_model(file.path(), real, copy_again);
    std::array<std::byte, length_bytes> raw{};
    file.read(0, raw);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
        length |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    const auto said = fmt::format("its header says {}", shown_size(length));
    if (length > file.size() - length_bytes)
        throw not_a_model(file.path(), fmt::format("{}, but {}", said, real), copy_again);
    if (length > max_header_bytes)
        throw not_a_model(file.path(),
                          fmt::format("{}, but {} are allowed", said, shown_size(max_header_bytes)),
                          "name another file");
    return length;
}

TensorHeader header_of(const std::string& path, const std::string& text, std::uint64_t data_bytes) {
    try {
        return parse_header(text, data_bytes);
    } catch (const Error& error) {
        throw not_a_model(path, error.what(), copy_again);
    }
}

TensorFile read(const InputFile& file) {
    const auto length = header_length(file);
    std::string text(static_cast<std::size_t>(length), ' ');
    file.read(length_bytes, std::as_writable_bytes(std::span(text)));
    const auto start = length_bytes + length;
    auto header = header_of(file.path(), text, file.size() - start);

    TensorFile content;
    content.metadata = std::move(header.metadata);
    content.tensors.reserve(header.tensors.size());
    for (auto& entry : header.tensors) {
        StoredTensor tensor{std::move(entry.name), entry.dtype, std::move(entry.shape), {}};
        tensor.bytes.resize(static_cast<std::size_t>(entry.end - entry.begin));
        file.read(start + entry.begin, tensor.bytes);
        content.tensors.push_back(std::move(tensor));
    }
    return content;
}

/// The header of `content`, and its tensors in the order in which they are to be written.
std::string lay_out(const std::string& path, const TensorFile& content,
                    std::vector<const StoredTensor*>& order) try {
    for (const auto& tensor : content.tensors) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
        return size_of(left->dtype) > size_of(right->dtype);
    });
    TensorHeader header{content.metadata, {}};
    std::uint64_t position = 0;
    for (const auto* tensor : order) {
        const auto end = position + tensor->bytes.size();
        header.tensors.push_back({tensor->name, tensor->dtype, tensor->shape, position, end});
        position = end;
    }
    auto text = header_text(header);
    // One set of rules for both ways: what could not be read back is not written.
    parse_header(text, position);
    text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
    if (text.size() > max_header_bytes)
        throw data_error(fmt::format("the header would take {}, but {} are allowed",
                                     shown_size(text.size()), shown_size(max_header_bytes)));
    return text;
} catch (const Error& error) {
    throw output_error(fmt::format("cannot write {}: {}; correct what is to be stored",
                                   in_quotes(path), error.what()));
}

}  // namespace

const StoredTensor* TensorFile::find(std::string_view wanted) const {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == wanted; });
    return found == tensors.end() ? nullptr : &*found;
}

void write_tensor_file(const std::string& path, const TensorFile& content) {
    refuse_big_endian(path, Error::Kind::output);
    std::vector<const StoredTensor*> order;
    const auto text = lay_out(path, content, order);
    std::array<std::byte, length_bytes> length{};
    for (std::size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<std::byte>((std::uint64_t{text.size()} >> (8 * i)) & 0xff);
    std::vector<std::span<const std::byte>> pieces = {length, std::as_bytes(std::span(text))};
    for (const auto* tensor : order) pieces.emplace_back(tensor->bytes);
    write_pieces(path, pieces);
}

TensorFile read_tensor_file(const std::string& path) {
    refuse_big_endian(path, Error::Kind::data);
    const InputFile file(path);
    try {
        return read(file);
    } catch (const std::bad_alloc&) {
        throw data_error(
            fmt::format("cannot read {}: there is no memory for its {}; use a machine with more",
                        in_quotes(path), shown_size(file.size())));
    }
}

}  // namespace deepsl::io
