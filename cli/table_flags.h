// What verbs about tables share: how a file is read, and what is said about it.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "deepsl/data/encoding.h"
#include "deepsl/data/table.h"
#include "deepsl/io/model_file.h"

namespace deepsl::cli {

struct TableFlags {
    std::string separator;
    bool header = false, no_header = false;
};

void add_table_flags(CLI::App* verb, TableFlags& flags);

/// Throws Error: exit code 2 for a bad flag, 3 for a file that is missing or no table.
data::Table read_table(const std::string& path, const TableFlags& flags,
                       const std::vector<std::string>& texts = {},
                       const std::vector<std::string>& expected = {});

/// The same for a model: what was a category in training stays one, even if all cells are numbers,
/// and names or places are those of the training table.
data::Table read_table_for(const data::Encoding& encoding, const std::string& path,
                           const TableFlags& flags);

/// A model that was trained on a table. Throws Error: exit code 3.
io::TrainedModel load_table_model(const std::string& path);

/// "bank.csv: 11162 rows, 17 columns, separated by commas, with a header".
std::string table_sentence(const data::Table& table);

/// One line each for holes, unseen texts, numbers out of range and ignored columns; may be empty.
std::vector<std::string> notes_lines(const data::EncodingNotes& notes);

}  // namespace deepsl::cli
