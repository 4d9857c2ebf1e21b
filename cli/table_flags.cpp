#include "table_flags.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/io/file.h"
#include "error.h"
#include "parse.h"
#include "text.h"

namespace deepsl::cli {
namespace {

char separator_of(const std::string& text) {
    if (text == "," || text == "comma") return ',';
    if (text == ";" || text == "semicolon") return ';';
    if (text == "\t" || text == "tab") return '\t';
    throw usage_error(
        fmt::format("--separator takes comma, semicolon or tab, but {} was given", shown(text)));
}

std::string counts(const std::map<std::string, std::size_t>& columns) {
    constexpr std::size_t most = 6;
    std::vector<std::string> parts;
    for (const auto& [name, count] : columns) {
        if (parts.size() == most) {
            parts.push_back(fmt::format("and {} more columns", columns.size() - most));
            break;
        }
        parts.push_back(fmt::format("{} ({})", name, grouped(count)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void add_table_flags(CLI::App* verb, TableFlags& flags) {
    const auto* group = "Table";
    add_value(verb, "--separator", flags.separator, "NAME",
              "comma, semicolon or tab (default: found)", group);
    verb->add_flag("--header", flags.header, "The first line holds names (default: found)")
        ->group(group);
    verb->add_flag("--no-header", flags.no_header, "It does not")->group(group);
}

data::Table read_table(const std::string& path, const TableFlags& flags,
                       const std::vector<std::string>& texts,
                       const std::vector<std::string>& expected) {
    data::TableOptions options;
    if (!flags.separator.empty()) options.separator = separator_of(flags.separator);
    if (flags.header && flags.no_header)
        throw usage_error("--header and --no-header contradict each other; give one of them");
    if (flags.header || flags.no_header) options.header = flags.header;
    options.texts = texts;
    options.expected = expected;
    try {
        return data::read_table(path, options);
    } catch (const io::FileError& error) {
        throw data_error(error.what());
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
}

data::Table read_table_for(const data::Encoding& encoding, const std::string& path,
                           const TableFlags& flags) {
    const auto expected = encoding.expected_names();
    auto table = read_table(path, flags, {}, expected);
    const bool numbers = std::any_of(table.columns.begin(), table.columns.end(),
                                     [](const data::Column& column) { return column.numeric; });
    // Training had no header: a line of texts over texts is a row here, too.
    if (expected.empty() && table.header && table.header_found && !numbers) {
        auto all_rows = flags;
        all_rows.no_header = true;
        return read_table(path, all_rows);
    }
    std::vector<std::string> texts;
    for (const auto& column : encoding.columns()) {
        const auto* found = table.find(column.name);
        if (column.role == data::Role::category && found != nullptr && found->numeric)
            texts.push_back(column.name);
    }
    // As numbers, 01 and 1 are the same.
    return texts.empty() ? table : read_table(path, flags, texts, expected);
}

io::TrainedModel load_table_model(const std::string& path) {
    try {
        auto model = io::load_model(path);
        if (!model.encoding)
            throw data_error(fmt::format(
                "{} was not trained on a table; make one with 'deepsl train'", in_quotes(path)));
        return model;
    } catch (const io::FileError& error) {
        throw data_error(error.what());
    }
}

std::string table_sentence(const data::Table& table) {
    return fmt::format("{}: {} rows, {} columns, separated by {}s{}, {} header{}", table.path,
                       grouped(table.rows()), grouped(table.columns.size()),
                       data::separator_name(table.separator),
                       table.separator_found ? " (found)" : "", table.header ? "with a" : "without",
                       table.header_found ? " (found)" : "");
}

std::vector<std::string> notes_lines(const data::EncodingNotes& notes) {
    std::vector<std::string> lines;
    if (notes.by_place)
        lines.push_back("no header was found: columns are taken by place, as training had them");
    const auto add = [&](const char* what, const std::map<std::string, std::size_t>& columns) {
        if (!columns.empty()) lines.push_back(fmt::format("{}: {}", what, counts(columns)));
    };
    add("missing cells, filled in", notes.holes);
    add("texts that training did not have", notes.unseen);
    add("numbers outside the training range", notes.out_of_range);
    if (!notes.ignored.empty())
        lines.push_back(fmt::format("columns not used: {}", fmt::join(notes.ignored, ", ")));
    return lines;
}

}  // namespace deepsl::cli
