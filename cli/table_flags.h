// What verbs about tables share: the flags that say how a file is read, and what is reported of it.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "deepsl/data/table.h"

namespace deepsl::cli {

struct TableFlags {
    std::string separator;
    bool header = false, no_header = false;
};

void add_table_flags(CLI::App* verb, TableFlags& flags);

/// `options` with what the flags say. Throws Error for a bad flag.
data::TableOptions with_flags(const TableFlags& flags, data::TableOptions options = {});

/// "bank.csv: 11,162 rows, 17 columns, separated by commas (detected), with a header".
std::string table_sentence(const data::Table& table);

}  // namespace deepsl::cli
