#include "flat_toml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "deepsl/text.h"

namespace deepsl::cli {
namespace {

class FlatToml {
public:
    /// `path` is for messages.
    FlatToml(std::string path, std::string_view text) : path_(std::move(path)), rest_(text) {
        constexpr std::string_view mark = "\xef\xbb\xbf";
        if (rest_.starts_with(mark)) rest_.remove_prefix(mark.size());
    }

    /// In the order of the text. Throws Error.
    std::vector<TomlEntry> read() {
        check_bytes();
        std::vector<TomlEntry> entries;
        for (skip_lines(); !rest_.empty(); skip_lines()) {
            entries.push_back(entry());
            skip_blanks();
            if (!rest_.empty() && !at('\n') && !at('#'))
                fail("{} follows the value of {}", next_word(), in_quotes(entries.back().key, 60));
        }
        return entries;
    }

private:
    template <class... Parts>
    [[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts) const {
        const auto what = fmt::format(format, std::forward<Parts>(parts)...);
        throw at_line(path_, line_,
                      what +
                          "; write lines such as epochs = 10, data = \"bank.csv\" or "
                          "hidden = [64, 32]");
    }

    bool at(char c) const { return rest_.starts_with(c); }

    char take() {
        const char c = rest_.front();
        if (c == '\n') ++line_;
        rest_.remove_prefix(1);
        return c;
    }

    /// UTF-8, and no control characters but tabs and the ends of lines, which are "\n" from here
    /// on.
    void check_bytes() {
        for (auto text = rest_; !text.empty();) {
            const auto length = character_length(text);
            const auto code = static_cast<unsigned char>(text[0]);
            const bool ends_line = code == '\n' || text.starts_with("\r\n");
            if (length == 0) fail("the byte {:#04x} is not text in UTF-8", code);
            if ((code < 0x20 || code == 0x7f) && code != '\t' && !ends_line)
                fail("the control character {:#04x} is not allowed", code);
            if (code == '\n') ++line_;
            if (code != '\r') clean_ += text.substr(0, length);
            text.remove_prefix(length);
        }
        line_ = 1;
        rest_ = clean_;
    }

    void skip_blanks() {
        while (at(' ') || at('\t')) take();
    }

    void skip_lines() {
        for (skip_blanks(); at('\n') || at('#'); skip_blanks()) {
            while (at('#') || (!rest_.empty() && !at('\n'))) take();
            if (at('\n')) take();
        }
    }

    std::string_view word() const {
        return rest_.substr(0, std::min(rest_.find_first_of(" \t\n,[]{}#=\"'"), rest_.size()));
    }
    std::string next_word() const {
        return in_quotes(word().empty() ? rest_.substr(0, 1) : word(), 40);
    }

    TomlEntry entry() {
        TomlEntry entry;
        entry.line = line_;
        if (at('[')) fail("a [table] begins here, but flags belong to none");
        entry.key = key();
        skip_blanks();
        if (at('.')) fail("the key {} goes on with a dot", in_quotes(entry.key, 60));
        if (!at('=')) fail("'=' is missing after the key {}", in_quotes(entry.key, 60));
        take();
        skip_blanks();
        if (at('[')) {
            read_list(entry);
        } else {
            entry.values.push_back(value());
        }
        return entry;
    }

    std::string key() {
        if (rest_.starts_with(R"(""")") || rest_.starts_with("'''"))
            fail("a key cannot go over several lines");
        if (at('"') || at('\'')) return text();
        constexpr std::string_view letters =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
        const auto end = std::min(rest_.find_first_not_of(letters), rest_.size());
        if (end == 0) fail("{} stands where a key is expected", next_word());
        std::string found(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return found;
    }

    void read_list(TomlEntry& entry) {
        take();
        for (skip_lines(); !at(']'); skip_lines()) {
            if (at('[')) fail("there is a list within the list of {}", in_quotes(entry.key, 60));
            entry.values.push_back(value());
            skip_lines();
            if (at(',')) {
                take();
            } else if (!at(']')) {
                fail("a comma or ']' is missing in the list of {}", in_quotes(entry.key, 60));
            }
        }
        take();
    }

    std::string value() {
        if (at('"') || at('\'')) return text();
        const auto found = word();
        if (found.empty()) fail("a value is missing");
        auto result = found == "true" || found == "false" ? std::optional(std::string(found))
                                                          : toml_number(found);
        if (!result)
            fail("{} is neither a text in quotes nor a number nor true or false", next_word());
        rest_.remove_prefix(found.size());
        return *result;
    }

    /// In one or three of " or '.
    std::string text() {
        const char quote = rest_.front();
        const std::string three(3, quote);
        const bool over_lines = rest_.starts_with(three);
        const auto end = over_lines ? three : three.substr(0, 1);
        const auto start = line_;
        rest_.remove_prefix(end.size());
        if (over_lines && at('\n')) take();
        std::string result;
        while (!rest_.starts_with(end)) {
            if (rest_.empty() || (!over_lines && at('\n'))) {
                line_ = start;
                fail("the quote {} is never closed", end);
            }
            const char c = take();
            if (c == '\\' && quote == '"') {
                read_escape(result, over_lines);
            } else {
                result += c;
            }
        }
        rest_.remove_prefix(end.size());
        // Up to two quotes may stand before the three that end it.
        for (int more = 0; over_lines && more < 2 && at(quote); ++more) result += take();
        return result;
    }

    void read_escape(std::string& result, bool over_lines) {
        constexpr std::string_view names = "btnfr\"\\", meant = "\b\t\n\f\r\"\\";
        const auto blanks = std::min(rest_.find_first_not_of(" \t"), rest_.size());
        if (over_lines && rest_.substr(blanks).starts_with('\n')) {
            while (at(' ') || at('\t') || at('\n')) take();
            return;
        }
        const char c = rest_.empty() ? ' ' : take();
        if (const auto known = names.find(c); known != std::string_view::npos) {
            result += meant[known];
        } else if (c == 'u' || c == 'U') {
            result += character(c == 'u' ? 4 : 8);
        } else {
            fail("a backslash stands before {}; write it twice, or the text in ' '",
                 in_quotes({&c, 1}));
        }
    }

    /// From its number, in hexadecimal digits.
    std::string character(std::size_t digits) {
        const auto written = rest_.substr(0, digits);
        std::uint32_t code = 0;
        const auto* end = written.data() + written.size();
        const auto [stop, failed] = std::from_chars(written.data(), end, code, 16);
        const bool exists = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
        if (written.size() != digits || failed != std::errc{} || stop != end || !exists)
            fail("{} is not the number of a character", in_quotes(written));
        rest_.remove_prefix(digits);
        if (code < 0x80) return {static_cast<char>(code)};
        std::string bytes;
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        const std::uint32_t lead = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
        bytes += static_cast<char>(lead | code >> (6 * more));
        for (int k = more - 1; k >= 0; --k)
            bytes += static_cast<char>(0x80U | (code >> (6 * k) & 0x3fU));
        return bytes;
    }

    std::string clean_;
    std::string path_;
    std::string_view rest_;
    std::size_t line_ = 1;
};

}  // namespace

Error at_line(const std::string& path, std::size_t line, std::string_view what) {
    return argument_error(fmt::format("{}, line {}: {}", printable(path), line, what));
}

std::optional<std::string> toml_number(std::string_view word) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool negative = word.starts_with('-');
    auto rest = word;
    if (negative || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest == "inf" || rest == "nan") return fmt::format("{}{}", negative ? "-" : "", rest);
    const bool based = rest == word && rest.size() > 2 && rest[0] == '0' &&
                       (rest[1] == 'x' || rest[1] == 'o' || rest[1] == 'b');
    std::string plain = negative ? "-" : "";
    for (std::size_t i = based ? 2 : 0; i < rest.size(); ++i) {
        if (rest[i] != '_') {
            plain += rest[i];
            continue;
        }
        const auto between = [&](char c) { return is_digit(c) || (based && rest[1] == 'x'); };
        if (i + 1 >= rest.size() || i == (based ? 2U : 0U) || !between(rest[i - 1]) ||
            !between(rest[i + 1]) || rest[i - 1] == '_' || rest[i + 1] == '_')
            return {};
    }
    if (based) {
        std::int64_t value = 0;
        const int base = rest[1] == 'x' ? 16 : rest[1] == 'o' ? 8 : 2;
        const auto* end = plain.data() + plain.size();
        const auto [stop, failed] = std::from_chars(plain.data(), end, value, base);
        if (failed != std::errc{} || stop != end || value < 0 || plain[0] == '-') return {};
        return fmt::format("{}", value);
    }
    const auto whole_end =
        std::string_view(plain).find_first_not_of("0123456789", negative ? 1 : 0);
    const std::string_view digits =
        std::string_view(plain).substr(negative ? 1 : 0, whole_end - (negative ? 1 : 0));
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return {};
    if (whole_end == std::string::npos) {
        const auto value = to_number<std::int64_t>(plain);
        return value ? std::optional(fmt::format("{}", *value)) : std::nullopt;
    }
    // A point has digits on both sides.
    const auto point = plain.find('.');
    if (point != std::string::npos && (point + 1 >= plain.size() || !is_digit(plain[point + 1])))
        return {};
    const auto value = to_number<double>(plain);
    return value && std::isfinite(*value) ? std::optional(fmt::format("{}", *value)) : std::nullopt;
}

std::vector<TomlEntry> read_toml(const std::string& path, std::string_view text) {
    return FlatToml(path, text).read();
}

}  // namespace deepsl::cli
