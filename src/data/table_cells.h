// The cells of a table's text, one after the other: where each begins and ends, what it holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "deepsl/error.h"

namespace deepsl::data {

struct Cell {
    enum class Fault { none, unclosed_quote, text_after_quote };

    std::string_view text;    // without quotes and blanks around it
    bool as_written = false;  // text still has "" for ", or CR in its line breaks: see content
    bool ends_row = false;
    Fault fault = Fault::none;
};

/// Walks over a text that does not end in a line break: after one, another row follows.
class CellReader {
public:
    CellReader(std::string_view text, char separator, std::size_t first_line)
        : text_(text), separator_(separator), line_(first_line) {}

    bool at_end() const { return at_end_; }
    /// Where the next cell begins.
    std::size_t line() const { return line_; }
    /// Never throws: with a wrong separator, faults are to be expected.
    Cell next();

private:
    bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != '\t'); }
    bool ends_cell(char c) const { return c == separator_ || c == '\n' || c == '\r'; }
    Cell plain();
    Cell quoted();
    void pass_line_break();

    std::string_view text_;
    char separator_;
    std::size_t line_;
    std::size_t at_ = 0;
    bool at_end_ = false;
};

/// What the cell says; `room` holds it where it is not what the file has.
std::string_view content(const Cell& cell, std::string& room);

struct Value {
    enum class Kind { number, text, hole };
    Kind kind;
    double number;  // NaN unless it is one; may be infinite
};

Value value_of(std::string_view text);

/// "data.csv, line 7: ..."; line 0 is left out.
Error table_error(const std::string& file, std::size_t line, const std::string& what);
/// "data.csv, line 7, column 'age': ..."
Error table_error(const std::string& file, std::size_t line, const std::string& column,
                  const std::string& what);

}  // namespace deepsl::data
