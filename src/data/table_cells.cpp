#include "table_cells.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "deepsl/text.h"

namespace deepsl::data {
namespace {

bool is_missing(std::string_view text) {
    constexpr std::array<std::string_view, 5> words = {"?", "na", "n/a", "nan", "null"};
    const auto matches = [&](std::string_view word) {
        const auto same = [](char c, char lower) { return c == lower || (c | 0x20) == lower; };
        return std::equal(text.begin(), text.end(), word.begin(), word.end(), same);
    };
    return text.empty() || std::any_of(words.begin(), words.end(), matches);
}

/// A number beyond the range of double: does it lie below it, so that 0 is the nearest?
bool is_tiny(std::string_view number) {
    const auto exponent = number.find_first_of("eE");
    if (exponent != std::string_view::npos && exponent + 1 < number.size())
        return number[exponent + 1] == '-';
    const auto digit = number.find_first_not_of("+-");
    return number[digit] == '0' || number[digit] == '.';
}

}  // namespace

Cell CellReader::next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    Cell cell = at_ < text_.size() && text_[at_] == '"' ? quoted() : plain();
    if (at_ == text_.size()) {
        at_end_ = cell.ends_row = true;
    } else if (text_[at_] == separator_) {
        ++at_;
    } else {
        pass_line_break();
        cell.ends_row = true;
    }
    return cell;
}

Cell CellReader::plain() {
    const auto begin = at_;
    while (at_ < text_.size() && !ends_cell(text_[at_])) ++at_;
    auto end = at_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    Cell cell;
    cell.text = text_.substr(begin, end - begin);
    return cell;
}

Cell CellReader::quoted() {
    const auto begin = ++at_;
    Cell cell;
    for (bool closed = false; !closed; ++at_) {
        if (at_ == text_.size()) {
            cell.text = text_.substr(begin);
            cell.fault = Cell::Fault::unclosed_quote;
            return cell;
        }
        const bool doubled = text_[at_] == '"' && text_.substr(at_ + 1).starts_with('"');
        closed = text_[at_] == '"' && !doubled;
        if (doubled) ++at_;
        const bool carriage_return = text_[at_] == '\r';
        const bool before_feed = carriage_return && text_.substr(at_ + 1).starts_with('\n');
        if (text_[at_] == '\n' || (carriage_return && !before_feed)) ++line_;
        if (doubled || carriage_return) cell.as_written = true;
    }
    cell.text = text_.substr(begin, at_ - 1 - begin);
    if (!plain().text.empty()) cell.fault = Cell::Fault::text_after_quote;
    return cell;
}

void CellReader::pass_line_break() {
    const bool two = text_.substr(at_).starts_with("\r\n");
    at_ += two ? 2 : 1;
    ++line_;
}

std::string_view content(const Cell& cell, std::string& room) {
    if (!cell.as_written) return cell.text;
    room.clear();
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
        const char c = cell.text[i];
        room += c == '\r' ? '\n' : c;
        const bool pair = cell.text.substr(i).starts_with("\r\n") || c == '"';
        if (pair) ++i;
    }
    return room;
}

Value value_of(std::string_view text) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::string_view starts = "0123456789+-.iInN";  // most texts begin with others
    text = trimmed(text);
    if (is_missing(text)) return {Value::Kind::hole, nan};
    if (starts.find(text[0]) == std::string_view::npos) return {Value::Kind::text, nan};

    const bool plus = text[0] == '+' && !text.starts_with("+-");
    const auto* const end = text.data() + text.size();
    double number = 0;
    const auto [stop, failed] = std::from_chars(text.data() + (plus ? 1 : 0), end, number);
    const bool beyond = failed == std::errc::result_out_of_range;
    if (stop != end || (failed != std::errc{} && !beyond)) return {Value::Kind::text, nan};
    if (beyond && is_tiny(text)) return {Value::Kind::number, 0.0};
    if (beyond) number = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    if (std::isnan(number)) return {Value::Kind::hole, nan};  // "-nan", as printf writes it
    return {Value::Kind::number, number};
}

Error table_error(const std::string& file, std::size_t line, const std::string& what) {
    if (line == 0) return data_error(fmt::format("{}: {}", printable(file), what));
    return data_error(fmt::format("{}, line {}: {}", printable(file), line, what));
}

Error table_error(const std::string& file, std::size_t line, const std::string& column,
                  const std::string& what) {
    return data_error(
        fmt::format("{}, line {}, column {}: {}", printable(file), line, column, what));
}

}  // namespace deepsl::data
