#include <algorithm>
#include <array>
#include <optional>

#include "image_checks.h"
#include "image_npy.h"

namespace deepsl::data {
namespace {

/// Of Python's literals, those that NumPy writes.
class HeaderText {
public:
    HeaderText(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    [[noreturn]] void fail() const {
        refuse(path_, "its NPY header {} is not one that NumPy writes; is it damaged?",
               in_quotes(trimmed(all_), 120));
    }

    void skip_blanks() {
        const auto blanks = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
        text_.remove_prefix(blanks);
    }

    bool take(std::string_view word) {
        skip_blanks();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }
    void expect(std::string_view word) {
        if (!take(word)) fail();
    }
    bool at_end() {
        skip_blanks();
        return text_.empty();
    }

    std::string_view quoted() {
        skip_blanks();
        if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail();
        const auto end = text_.find(text_[0], 1);
        if (end == std::string_view::npos) fail();
        const auto inside = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return inside;
    }

    std::uint64_t whole_number() {
        skip_blanks();
        const auto digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
        const auto number = to_number<std::uint64_t>(text_.substr(0, digits));
        if (!number) fail();
        text_.remove_prefix(digits);
        return *number;
    }

    std::vector<std::uint64_t> tuple() {
        constexpr std::size_t most = 32;  // as NumPy
        std::vector<std::uint64_t> numbers;
        expect("(");
        while (!take(")")) {
            if (numbers.size() == most) fail();
            numbers.push_back(whole_number());
            if (take(",")) continue;
            expect(")");
            break;
        }
        return numbers;
    }

private:
    std::string_view text_;
    std::string_view all_ = text_;
    const std::string& path_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& path) {
    HeaderText rest(text, path);
    std::optional<std::string_view> type;
    std::optional<bool> order;
    std::optional<std::vector<std::uint64_t>> shape;
    rest.expect("{");
    while (!rest.take("}")) {
        const auto key = rest.quoted();
        rest.expect(":");
        if (key == "descr" && !type) {
            // Records of several values have a list here.
            if (rest.take("["))
                refuse(path,
                       "its values are records of several numbers; save an array of one type");
            type = rest.quoted();
        } else if (key == "fortran_order" && !order) {
            order = rest.take("True");
            if (!*order) rest.expect("False");
        } else if (key == "shape" && !shape) {
            shape = rest.tuple();
        } else {
            rest.fail();
        }
        if (rest.take(",")) continue;
        rest.expect("}");
        break;
    }
    if (!type || !order || !shape || !rest.at_end()) rest.fail();
    return {std::string(*type), *order, *shape};
}

}  // namespace deepsl::data
