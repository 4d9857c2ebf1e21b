#include "tensor_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "deepsl/error.h"
#include "deepsl/text.h"

namespace deepsl::io {

namespace {

using Json = nlohmann::json;

constexpr std::string_view metadata_key = "__metadata__";
constexpr std::size_t max_rank = 64;  // as in PyTorch and NumPy

struct DTypeInfo {
    DType dtype;
    std::string_view name;
    std::size_t size;
};

constexpr std::array<DTypeInfo, 13> dtypes = {{
    {DType::boolean, "BOOL", 1},
    {DType::u8, "U8", 1},
    {DType::i8, "I8", 1},
    {DType::u16, "U16", 2},
    {DType::i16, "I16", 2},
    {DType::f16, "F16", 2},
    {DType::bf16, "BF16", 2},
    {DType::u32, "U32", 4},
    {DType::i32, "I32", 4},
    {DType::f32, "F32", 4},
    {DType::u64, "U64", 8},
    {DType::i64, "I64", 8},
    {DType::f64, "F64", 8},
}};

const DTypeInfo& info(DType dtype) {
    const auto found = std::find_if(dtypes.begin(), dtypes.end(),
                                    [&](const DTypeInfo& item) { return item.dtype == dtype; });
    if (found == dtypes.end()) throw data_error("a tensor has a dtype that does not exist");
    return *found;
}

template <class... Parts>
[[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts) {
    throw data_error(fmt::format(format, std::forward<Parts>(parts)...));
}

std::string shown(std::string_view text) { return in_quotes(text, 60); }

/// The parser calls these as it reads: nothing deeper than the layout itself is ever stored, and
/// nesting costs no stack.
class HeaderReader final : public nlohmann::json_sax<Json> {
public:
    TensorHeader take() { return std::move(header_); }

    bool start_object(std::size_t) override {
        if (place_ == Place::outside) {
            place_ = Place::top;
        } else if (place_ == Place::top && name_ == metadata_key) {
            if (std::exchange(has_metadata_, true)) fail("{} appears twice", shown(name_));
            place_ = Place::metadata;
        } else if (place_ == Place::top) {
            place_ = Place::tensor;
            entry_ = {};
            entry_.name = name_;
            has_dtype_ = has_shape_ = has_offsets_ = false;
        } else {
            misplaced("an object");
        }
        return true;
    }

    bool key(std::string& text) override {
        (place_ == Place::top ? name_ : key_) = text;
        if (place_ != Place::tensor) return true;
        bool* seen = key_ == "dtype"          ? &has_dtype_
                     : key_ == "shape"        ? &has_shape_
                     : key_ == "data_offsets" ? &has_offsets_
                                              : nullptr;
        if (seen == nullptr) fail("tensor {} has an unknown entry {}", shown(name_), shown(key_));
        if (std::exchange(*seen, true)) fail("tensor {} has two entries '{}'", shown(name_), key_);
        return true;
    }

    bool end_object() override {
        if (place_ == Place::tensor) {
            if (!has_dtype_ || !has_shape_ || !has_offsets_)
                fail("tensor {} lacks its {}", shown(name_),
                     !has_dtype_   ? "dtype"
                     : !has_shape_ ? "shape"
                                   : "data_offsets");
            header_.tensors.push_back(std::move(entry_));
        }
        place_ = place_ == Place::top ? Place::outside : Place::top;
        return true;
    }

    bool start_array(std::size_t) override {
        if (place_ == Place::tensor && key_ == "shape") {
            place_ = Place::shape;
        } else if (place_ == Place::tensor && key_ == "data_offsets") {
            place_ = Place::offsets;
            offsets_ = 0;
        } else {
            misplaced("a list");
        }
        return true;
    }

    bool end_array() override {
        if (place_ == Place::offsets && offsets_ != 2)
            fail("tensor {} has {} data_offsets instead of 2", shown(name_), offsets_);
        place_ = Place::tensor;
        return true;
    }

    bool string(std::string& text) override {
        if (place_ == Place::metadata) {
            if (!header_.metadata.emplace(key_, text).second)
                fail("the metadata has two entries {}", shown(key_));
        } else if (place_ == Place::tensor && key_ == "dtype") {
            const auto found =
                std::find_if(dtypes.begin(), dtypes.end(),
                             [&](const DTypeInfo& item) { return item.name == text; });
            if (found == dtypes.end())
                fail("tensor {} has the unknown dtype {}", shown(name_), shown(text));
            entry_.dtype = found->dtype;
        } else {
            misplaced("a text");
        }
        return true;
    }

    bool number_unsigned(std::uint64_t value) override {
        if (place_ == Place::shape) {
            if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
                fail("tensor {} has the impossible length {}", shown(name_), value);
            if (entry_.shape.size() == max_rank)
                fail("tensor {} has more than {} dimensions", shown(name_), max_rank);
            entry_.shape.push_back(static_cast<std::int64_t>(value));
        } else if (place_ == Place::offsets) {
            (offsets_ == 0 ? entry_.begin : entry_.end) = value;
            if (++offsets_ > 2) fail("tensor {} has more than 2 data_offsets", shown(name_));
        } else {
            misplaced("a number");
        }
        return true;
    }

    bool number_integer(std::int64_t) override { misplaced("a negative number"); }
    bool number_float(double, const std::string&) override {
        misplaced("a number that is not whole or too large");
    }
    bool null() override { misplaced("null"); }
    bool boolean(bool) override { misplaced("true or false"); }
    bool binary(Json::binary_t&) override { misplaced("binary data"); }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override {
        fail("its header is not valid JSON at byte {}", position);
    }

private:
    enum class Place { outside, top, metadata, tensor, shape, offsets };

    [[noreturn]] void misplaced(std::string_view what) const {
        switch (place_) {
            case Place::outside: fail("its header is {} instead of an object", what);
            case Place::metadata:
                fail("the metadata {} is {} instead of a text", shown(key_), what);
            case Place::top: fail("the header's {} is {} instead of an object", shown(name_), what);
            default: fail("tensor {} has {} in its {}", shown(name_), what, shown(key_));
        }
    }

    TensorHeader header_;
    TensorEntry entry_;
    Place place_ = Place::outside;
    std::string name_, key_;
    std::size_t offsets_ = 0;
    bool has_metadata_ = false, has_dtype_ = false, has_shape_ = false, has_offsets_ = false;
};

void check_names(const std::vector<TensorEntry>& tensors) {
    std::vector<std::string_view> names;
    names.reserve(tensors.size());
    for (const auto& tensor : tensors) names.emplace_back(tensor.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) fail("two tensors are called {}", shown(*twice));
}

/// Nothing if they do not fit into 63 bits. A zero hides no overflow: the other lengths must fit.
std::optional<std::uint64_t> bytes_of(const TensorEntry& tensor) {
    constexpr std::uint64_t limit{std::numeric_limits<std::int64_t>::max()};
    std::uint64_t bytes = size_of(tensor.dtype);
    bool empty = false;
    for (const auto length : tensor.shape) {
        const auto factor = static_cast<std::uint64_t>(length);
        empty = empty || factor == 0;
        if (factor == 0) continue;
        if (bytes > limit / factor) return {};
        bytes *= factor;
    }
    return empty ? 0 : bytes;
}

void check_layout(std::vector<TensorEntry>& tensors, std::uint64_t data_bytes) {
    std::stable_sort(tensors.begin(), tensors.end(), [](const auto& left, const auto& right) {
        return std::tie(left.begin, left.end) < std::tie(right.begin, right.end);
    });
    std::uint64_t position = 0;
    for (const auto& tensor : tensors) {
        const auto expected = bytes_of(tensor);
        if (!expected)
            fail("tensor {} has the shape [{}], which is too large", shown(tensor.name),
                 fmt::join(tensor.shape, ", "));
        if (tensor.begin > tensor.end)
            fail("tensor {} ends at byte {}, before its start at {}", shown(tensor.name),
                 tensor.end, tensor.begin);
        if (tensor.end - tensor.begin != *expected)
            fail("tensor {} of dtype {} and shape [{}] takes {}, but has {}", shown(tensor.name),
                 name(tensor.dtype), fmt::join(tensor.shape, ", "), shown_size(*expected),
                 shown_size(tensor.end - tensor.begin));
        if (tensor.end > data_bytes)
            fail("tensor {} ends at byte {} of the data, which has only {}", shown(tensor.name),
                 tensor.end, shown_size(data_bytes));
        if (tensor.begin != position)
            fail("tensor {} starts at byte {} of the data instead of {}", shown(tensor.name),
                 tensor.begin, position);
        position = tensor.end;
    }
    if (position != data_bytes)
        fail("{} more than its tensors take follow them", shown_size(data_bytes - position));
}

}  // namespace

std::size_t size_of(DType dtype) { return info(dtype).size; }

std::string_view name(DType dtype) { return info(dtype).name; }

std::string header_text(const TensorHeader& header) {
    const auto text_of = [](const std::string& text) {
        try {
            return Json(text).dump();
        } catch (const Json::exception&) {
            fail("the name or metadata {} is not UTF-8", shown(text));
        }
    };
    std::string text;
    for (const auto& [key, value] : header.metadata)
        text += fmt::format("{}{}:{}", text.empty() ? "" : ",", text_of(key), text_of(value));
    if (!text.empty()) text = fmt::format("\"{}\":{{{}}}", metadata_key, text);
    for (const auto& tensor : header.tensors) {
        text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                            text.empty() ? "" : ",", text_of(tensor.name), name(tensor.dtype),
                            fmt::join(tensor.shape, ","), tensor.begin, tensor.end);
    }
    return "{" + text + "}";
}

TensorHeader parse_header(std::string_view text, std::uint64_t data_bytes) {
    // The parser would skip a byte-order mark, and take a zero byte for the end.
    if (!text.starts_with('{')) throw data_error("its header does not start with '{'");
    if (text.find('\0') != std::string_view::npos) throw data_error("its header has a zero byte");
    HeaderReader reader;
    Json::sax_parse(text.begin(), text.end(), &reader);
    auto header = reader.take();
    check_names(header.tensors);
    check_layout(header.tensors, data_bytes);
    return header;
}

}  // namespace deepsl::io
