#include "table_layout.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "deepsl/text.h"
#include "table_cells.h"

namespace deepsl::data {
namespace {

/// Bytes of the character that `text` begins with; 0 if it is not UTF-8, or a control character.
std::size_t text_length(std::string_view text) {
    const bool control = static_cast<unsigned char>(text[0]) < 0x20;
    const bool blank = text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
    return control && !blank ? 0 : character_length(text);
}

/// Models keep texts in JSON, which is UTF-8: better refused here than when a model is saved.
void check_bytes(std::string_view text, const std::string& file) {
    for (std::size_t i = 0; i < text.size();) {
        const auto length = text_length(text.substr(i));
        if (length == 0) {
            const auto breaks = std::count(text.begin(), text.begin() + static_cast<long>(i), '\n');
            const auto byte = static_cast<unsigned char>(text[i]);
            const auto what =
                byte < 0x20 ? fmt::format("the control character {:#04x} is not allowed", byte)
                            : fmt::format("the byte {:#04x} is not text in UTF-8", byte);
            throw table_error(file, static_cast<std::size_t>(breaks) + 1,
                              fmt::format("{}; is it a CSV file? save it as one, in UTF-8", what));
        }
        i += length;
    }
}

/// The share of the first rows that have the same number of cells, at least two.
double evenness(const TableBody& body, char separator) {
    constexpr std::size_t rows_tried = 100;
    CellReader reader(body.text, separator, body.first_line);
    std::map<std::size_t, std::size_t> rows_by_cells;
    std::size_t rows = 0, most = 0;
    while (rows < rows_tried && !reader.at_end()) {
        std::size_t cells = 0;
        bool faulty = false, ends = false;
        while (!ends) {
            const auto cell = reader.next();
            ++cells;
            ends = cell.ends_row;
            faulty = faulty || cell.fault != Cell::Fault::none;
        }
        ++rows;
        if (cells > 1 && !faulty) most = std::max(most, ++rows_by_cells[cells]);
    }
    return static_cast<double>(most) / static_cast<double>(rows);
}

}  // namespace

TableBody find_body(std::string_view text, const std::string& file) {
    check_bytes(text, file);
    TableBody body;
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    const auto last = text.find_last_not_of(" \t\r\n");
    if (last != std::string_view::npos) text = text.substr(0, text.find_first_of("\r\n", last));

    const auto is_skipped = [](std::string_view line) {
        return line.starts_with('|') || trimmed(line).empty();
    };
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        if (!is_skipped(text.substr(0, end))) break;
        text.remove_prefix(end);
        if (!text.empty()) text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
        ++body.first_line;
    }
    if (text.empty())
        throw table_error(file, 0, "there is no row in it; a table has one line for each sample");
    body.text = text;
    return body;
}

char find_separator(const TableBody& body) {
    // At least half of the rows, or else the cells are texts with commas in them. Decimal commas
    // split as evenly as the semicolons around them: the first of equals is taken.
    char best = ',';
    double best_evenness = 0;
    for (const char separator : {'\t', ';', ','}) {
        const double found = evenness(body, separator);
        if (found < 0.5 || found <= best_evenness) continue;
        best = separator;
        best_evenness = found;
    }
    return best;
}

}  // namespace deepsl::data
