// Tables as people have them: CSV or TSV files with quotes, with or without a header, with numbers,
// texts and holes. A table keeps what the file says; what a model makes of it is the encoding's.
//
//     separator   the one of , ; tab that splits the first lines most evenly, unless given
//     header      the first line is one if it has a name that is expected; if no cell of it is a
//                 number and a text of it stands over a column of numbers; or if it has texts only,
//                 each found in no line below; unless given. A column without a name is called by
//                 its place: column3
//     quotes      "..." around a cell, "" inside for a quote; line breaks may stand inside. A quote
//                 within a cell that does not begin with one is text
//     missing     an empty cell, ?, NA, N/A, NaN, null, in any case; blanks around a cell do not
//     count,
//                 inside quotes they belong to a text
//     skipped     a byte order mark; before the table, blank lines and lines that begin with |;
//                 blank lines at the end. CRLF counts as LF, and so does CR alone
//
// Time and memory are proportional to the file. Texts are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/error.h"

namespace deepsl::data {

struct TableOptions {
    std::optional<char> separator;  // , ; or tab
    std::optional<bool> header;
    std::vector<std::string> texts{};     // columns to be read as texts, even if all are numbers
    std::vector<std::string> expected{};  // names of columns: a first line with one is a header
};

/// A column is numeric if every cell that is not missing is a number, in C's decimal notation, or
/// infinite, with or without quotes. What is too small for a double is 0.
struct Column {
    static constexpr std::uint32_t missing = 0xffffffff;

    std::string name;
    bool numeric = true;
    std::vector<double> numbers;       // numeric: NaN where missing          [row]
    std::vector<std::uint32_t> codes;  // texts: the place in `texts`, or missing  [row]
    std::vector<std::string> texts;    // distinct, in the order of their first appearance
    std::size_t holes = 0;             // missing cells
    /// A column that is texts because of few cells, though most are numbers: the first such cell,
    /// for messages ("12 abc" in line 7); else line 0.
    std::string stray;
    std::size_t stray_line = 0;

    std::size_t size() const { return numeric ? numbers.size() : codes.size(); }
    /// The same of these rows, with the texts that they have. Throws std::out_of_range.
    Column rows_of(std::span<const std::size_t> rows) const;
};

struct Table {
    std::string path;
    char separator = ',';
    bool header = true;  // the file has one; else names are column1, column2, ..
    bool separator_found = false, header_found = false;  // detected, not given
    std::vector<Column> columns;
    std::vector<std::size_t> lines;  // where each row begins in the file, from 1  [row]

    std::size_t rows() const { return lines.size(); }
    std::vector<std::string> names() const;
    /// Nothing if there is no such column.
    const Column* find(std::string_view name) const;
    /// The rows of these numbers, in that order; a text column has the texts that are left, a
    /// stray cell stays, as it explains the type. Throws std::out_of_range.
    Table rows_of(std::span<const std::size_t> numbers) const;
};

/// Reads a whole file, or a pipe, of at most 4 GB. Throws Error if it cannot be read, and, with
/// file, line and column, if it is no table: empty, only a header, rows of different lengths (a
/// blank line between them is one), a quote that is never closed or that text follows, two columns
/// of one name, bytes that are not text; or if an option names a column that is not there, or
/// another separator.
Table read_table(const std::string& path, const TableOptions& options = {});

/// The same from text in memory; `name` stands for the file in messages.
Table parse_table(std::string_view text, const std::string& name, const TableOptions& options = {});

/// "comma", "semicolon" or "tab"; empty for any other.
std::string_view separator_name(char separator);

}  // namespace deepsl::data
