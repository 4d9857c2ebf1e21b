// The first pass over a table: its rows, what each column holds, and whether there is a header.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "table_cells.h"
#include "table_layout.h"

namespace deepsl::data {

struct ColumnCensus {
    Cell top;  // in the first line
    Value::Kind top_kind = Value::Kind::text;
    bool top_again = false;  // the same text stands in another line
    std::size_t numbers = 0, texts = 0, holes = 0;
    Cell text;  // the first such cell, and its line, or 0
    std::size_t text_line = 0;

    void count(const Cell& cell, Value::Kind kind, std::size_t line);
};

struct Census {
    bool header = true;
    std::vector<ColumnCensus> columns;
    std::vector<std::size_t> lines;  // where each row begins, without the header
};

/// Throws Error: rows of different lengths, faults of cells, no row below the header.
Census take_census(const TableBody& body, const std::string& file, char separator,
                   std::optional<bool> header, const std::vector<std::string>& expected = {});

}  // namespace deepsl::data
