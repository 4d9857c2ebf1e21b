// What of a text is the table, and what separates its cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deepsl::data {

/// The rows, from the first line that counts to the last, which has no line break at its end.
struct TableBody {
    std::string_view text;
    std::size_t first_line = 1;
};

/// Throws Error if bytes are not text in UTF-8, or control characters, or if nothing is left.
TableBody find_body(std::string_view text, const std::string& file);

/// The separator that splits the first rows most evenly; a comma if none does.
char find_separator(const TableBody& body);

}  // namespace deepsl::data
