#include "table_flags.h"

#include <utility>

#include <fmt/format.h>

#include "deepsl/text.h"
#include "error.h"
#include "parse.h"
#include "text.h"

namespace deepsl::cli {
namespace {

char separator_of(const std::string& text) {
    if (text == "," || text == "comma") return ',';
    if (text == ";" || text == "semicolon") return ';';
    if (text == "\t" || text == "tab") return '\t';
    throw argument_error(
        fmt::format("--separator takes comma, semicolon or tab, but {} was given", shown(text)));
}

}  // namespace

void add_table_flags(CLI::App* verb, TableFlags& flags) {
    const auto* group = "Table";
    add_value(verb, "--separator", flags.separator, "NAME",
              "comma, semicolon or tab (default: detected)", group);
    verb->add_flag("--header", flags.header, "The first line holds names (default: detected)")
        ->group(group);
    verb->add_flag("--no-header", flags.no_header, "It does not")->group(group);
}

data::TableOptions with_flags(const TableFlags& flags, data::TableOptions options) {
    if (!flags.separator.empty()) options.separator = separator_of(flags.separator);
    if (flags.header && flags.no_header)
        throw argument_error("--header and --no-header contradict each other; give one of them");
    if (flags.header || flags.no_header) options.header = flags.header;
    return options;
}

std::string table_sentence(const data::Table& table) {
    return fmt::format(
        "{}: {}, {}, separated by {}s{}, {} header{}", printable(table.path),
        counted(table.rows(), "row"), counted(table.columns.size(), "column"),
        data::separator_name(table.separator), table.separator_found ? " (detected)" : "",
        table.header ? "with a" : "without", table.header_found ? " (detected)" : "");
}

}  // namespace deepsl::cli
