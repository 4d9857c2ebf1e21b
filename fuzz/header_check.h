// What must hold for a tensor file's header read from any bytes whatever: for the fuzzer and for
// the tests. The text begins with the number of bytes that follow the header, and a line break.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "../src/io/tensor_header.h"
#include "check.h"

namespace deepsl::fuzz {

inline void check_layout(const io::TensorHeader& header, std::uint64_t data_bytes) {
    std::set<std::string_view> names;
    std::uint64_t position = 0;
    for (const auto& tensor : header.tensors) {
        demand(names.insert(tensor.name).second, "two tensors of one name");
        demand(tensor.begin == position && tensor.end >= tensor.begin, "a hole or an overlap");
        position = tensor.end;
        std::uint64_t elements = 1;
        for (const auto length : tensor.shape) {
            demand(length >= 0, "a negative length");
            elements *= static_cast<std::uint64_t>(length);
        }
        demand(elements * io::size_of(tensor.dtype) == tensor.end - tensor.begin,
               "a tensor of another size than its shape's");
    }
    demand(position == data_bytes, "bytes that belong to no tensor");
}

inline bool is_same(const io::TensorHeader& left, const io::TensorHeader& right) {
    if (left.metadata != right.metadata || left.tensors.size() != right.tensors.size())
        return false;
    for (std::size_t i = 0; i < left.tensors.size(); ++i) {
        const auto &a = left.tensors[i], &b = right.tensors[i];
        if (a.name != b.name || a.dtype != b.dtype || a.shape != b.shape || a.begin != b.begin ||
            a.end != b.end)
            return false;
    }
    return true;
}

inline void check_header(std::string_view text) try {
    const auto line = text.substr(0, text.find('\n'));
    const auto data_bytes = to_number<std::uint64_t>(line).value_or(0);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto header = io::parse_header(text, data_bytes);
    check_layout(header, data_bytes);
    demand(is_same(io::parse_header(io::header_text(header), data_bytes), header),
           "what was written is read otherwise");
} catch (const Error& error) {
    check_message(error.what(), "");
}

}  // namespace deepsl::fuzz
