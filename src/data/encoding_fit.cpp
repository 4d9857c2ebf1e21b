// Learning: which role each column has, and what its cells become.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/data/encoding.h"
#include "deepsl/text.h"
#include "encoding_cells.h"
#include "encoding_number.h"
#include "encoding_role.h"

namespace deepsl::data {
namespace {

void check_options(const Table& table, std::string_view target, const EncodingOptions& options) {
    const auto check_input = [&](const std::string& name, std::string_view purpose) {
        const auto& column = column_of(table, name, purpose);
        if (!target.empty() && name == target)
            throw data_error(
                fmt::format("{} is the target, which is no input{}; name another column",
                            where(table, column), purpose));
    };
    for (const auto& [name, role] : options.roles) check_input(name, " to give a role to");
    for (const auto& name : options.dropped) check_input(name, " to leave out");
}

std::optional<Role> wanted_role(const Column& column, const EncodingOptions& options) {
    if (std::find(options.dropped.begin(), options.dropped.end(), column.name) !=
        options.dropped.end())
        return Role::dropped;
    const auto found = options.roles.find(column.name);
    return found == options.roles.end() ? std::nullopt : std::optional(found->second);
}

void learn_category(EncodedColumn& learned, const Table& table, const Column& column,
                    std::size_t most) {
    auto levels = levels_of(column);
    if (levels.texts.size() > most) {
        if (column.stray_line > 0) refuse_stray(table, column);
        throw data_error(
            fmt::format("{} has {} different texts, more than the {} that are allowed; leave out "
                        "the column (--drop {})",
                        where(table, column), levels.texts.size(), most, printable(column.name)));
    }
    const auto rows = static_cast<double>(column.size());
    for (const auto count : levels.counts)
        learned.shares.push_back(static_cast<double>(count) / rows);
    learned.missing_share = static_cast<double>(levels.holes) / rows;
    learned.levels = std::move(levels.texts);
}

[[noreturn]] void refuse_nothing_left(const Table& table,
                                      const std::vector<EncodedColumn>& columns) {
    constexpr std::size_t most = 6;
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < std::min(most, columns.size()); ++i)
        reasons.push_back(fmt::format("{} {}", shown(columns[i].name), columns[i].why));
    if (columns.size() > most)
        reasons.push_back(fmt::format("so it is with {} more", columns.size() - most));
    throw data_error(
        fmt::format("{} has no column to learn from{}{}; {}", in_quotes(table.path),
                    reasons.empty() ? "" : ": ", fmt::join(reasons, ", "),
                    reasons.empty() ? "add columns beside the target" : "give one of them a role"));
}

}  // namespace

Encoding Encoding::fit(const Table& table, std::string_view target,
                       const EncodingOptions& options) {
    if (table.rows() == 0)
        throw data_error(fmt::format("{} has no rows to learn from{}; add some",
                                     in_quotes(table.path),
                                     table.header ? " below its header" : ""));
    Encoding encoding;
    encoding.by_place_ = !table.header;
    encoding.target_ = target;
    if (!target.empty())
        encoding.target_place_ = static_cast<std::size_t>(
            &column_of(table, target, " to be the target") - table.columns.data());
    check_options(table, target, options);

    std::vector<const Column*> sources;
    for (const auto& column : table.columns) {
        if (!target.empty() && column.name == target) continue;
        sources.push_back(&column);
        auto [role, why] = judge(table, column, wanted_role(column, options));
        auto& learned = encoding.columns_.emplace_back();
        learned.name = column.name;
        learned.role = role;
        learned.why = std::move(why);
    }
    auto& columns = encoding.columns_;
    if (std::none_of(columns.begin(), columns.end(), [](const auto& c) { return c.used(); }))
        refuse_nothing_left(table, columns);

    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].role == Role::category)
            learn_category(columns[i], table, *sources[i], options.most_categories);
        if (columns[i].role == Role::number)
            learn_number(columns[i],
                         numbers_of(table, *sources[i], ", though its column holds numbers"),
                         options.scale);
    }
    return encoding;
}

}  // namespace deepsl::data
