// An encoding as JSON text, and back from a text that may hold anything.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/data/encoding.h"
#include "encoding_cells.h"
#include "encoding_number.h"

namespace deepsl::data {
namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr int deepest = 4;  // the encoding, its columns, a column, its knots

// Far beyond what training makes, but little enough that no text can fill the memory.
constexpr std::size_t longest_text = 100'000'000;  // as the header of a model's file
constexpr std::size_t most_values = 10'000'000;
constexpr std::size_t most_columns = 1'000'000;
constexpr std::size_t most_inputs = 1'000'000;

[[noreturn]] void refuse(const std::string& what) {
    throw data_error(fmt::format(
        "the model's encoding makes no sense: {}; train again or restore the model's file", what));
}

void require(bool sound, const EncodedColumn& column, std::string_view what) {
    if (!sound) refuse(fmt::format("column {} has {}", shown(column.name), what));
}

/// The fields of a number, which are written and read alike.
template <class Column, class Visit>
void visit_number(Column& column, const Visit& visit) {
    visit("median", column.median);
    visit("mean", column.mean);
    visit("deviation", column.deviation);
    visit("low", column.low);
    visit("high", column.high);
}

json column_json(const EncodedColumn& column) {
    json out = {{"name", column.name}, {"role", name(column.role)}};
    if (!column.used()) {
        out["why"] = column.why;
        return out;
    }
    out["missing_share"] = column.missing_share;
    if (column.role == Role::category) {
        out["levels"] = column.levels;
        out["shares"] = column.shares;
        return out;
    }
    out["scale"] = name(column.scale);
    visit_number(column, [&](const char* key, double value) { out[key] = value; });
    if (has_ranks(column.scale)) {
        out["knots"] = column.knots;
        out["ranks"] = column.ranks;
    }
    return out;
}

bool all_below(const std::vector<double>& values, double limit) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return std::fabs(value) < limit; });
}

constexpr double rounding = 1e-9;  // of a sum of shares

bool is_share(double value) { return value >= 0 && value <= 1; }

void check_number(const EncodedColumn& column) {
    const auto& [knots, ranks] = std::tie(column.knots, column.ranks);
    visit_number(column, [&](const char* key, double value) {
        require(std::isfinite(value), column, fmt::format("no finite {}", key));
    });
    require(column.deviation > 0, column, "a deviation that is not positive");
    require(column.low <= column.high, column, "a range that ends before it begins");
    require(column.low <= column.median && column.median <= column.high, column,
            "a median outside its range");
    if (!has_ranks(column.scale)) return;
    require(!knots.empty() && knots.size() == ranks.size(), column, "knots without their ranks");
    require(knots.size() <= most_knots, column, "too many knots");
    require(all_below(knots, std::numeric_limits<double>::infinity()), column,
            "knots that are not finite");
    require(all_below(ranks, 1e6), column, "ranks too large for so few values");
    require(std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end(),
            column, "knots that do not increase");
    require(knots.front() >= column.low && knots.back() <= column.high, column,
            "knots outside its range");
    require(std::is_sorted(ranks.begin(), ranks.end()), column, "ranks that decrease");
}

void check_category(const EncodedColumn& column) {
    const std::set<std::string_view> different(column.levels.begin(), column.levels.end());
    require(different.size() == column.levels.size(), column, "a category twice");
    require(column.levels.size() == column.shares.size(), column, "categories without shares");
    require(std::all_of(column.shares.begin(), column.shares.end(), is_share), column,
            "a share that is not between 0 and 1");
    const double all =
        std::accumulate(column.shares.begin(), column.shares.end(), column.missing_share);
    require(all <= 1 + rounding, column, "shares of more than all rows");
    require(column.width() > 0, column, "no category");
}

Role role_from(const std::string& text) {
    const auto role = named<Role>(text);
    if (!role) refuse(fmt::format("there is no role {}", shown(text)));
    return *role;
}

ColumnScale scale_from(const std::string& text, const EncodedColumn& column) {
    const auto scale = named<ColumnScale>(text);
    require(scale && *scale != ColumnScale::automatic, column, "an unknown scale");
    return *scale;
}

EncodedColumn column_from(const json& in) {
    EncodedColumn column;
    in.at("name").get_to(column.name);
    column.role = role_from(in.at("role").get<std::string>());
    if (!column.used()) {
        in.at("why").get_to(column.why);
        return column;
    }
    in.at("missing_share").get_to(column.missing_share);
    require(is_share(column.missing_share), column, "a share that is not between 0 and 1");
    if (column.role == Role::category) {
        in.at("levels").get_to(column.levels);
        in.at("shares").get_to(column.shares);
        check_category(column);
        return column;
    }
    column.scale = scale_from(in.at("scale").get<std::string>(), column);
    visit_number(column, [&](const char* key, double& value) { in.at(key).get_to(value); });
    if (has_ranks(column.scale)) {
        in.at("knots").get_to(column.knots);
        in.at("ranks").get_to(column.ranks);
    }
    check_number(column);
    return column;
}

/// What is nested deeper than an encoding, or longer, is refused before it is stored.
json parsed(std::string_view text) {
    if (text.size() > longest_text) refuse("it is too long");
    std::size_t values = 0;
    const auto modest = [&](int depth, json::parse_event_t, const json&) {
        if (depth > deepest) refuse("it is nested too deeply");
        if (++values > most_values) refuse("it has too many values");
        return true;
    };
    return json::parse(text, modest);
}

void check_names(const std::vector<EncodedColumn>& columns, const std::string* target) {
    std::set<std::string_view> names;
    for (const auto& column : columns)
        if (!names.insert(column.name).second)
            refuse(fmt::format("column {} is there twice", shown(column.name)));
    if (target != nullptr && names.contains(*target))
        refuse(fmt::format("its target {} is among its inputs", shown(*target)));
}

}  // namespace

std::string Encoding::to_json() const {
    json out = {{"version", version}, {"by_place", by_place_}, {"columns", json::array()}};
    if (target_place_) out["target"] = {{"name", target_}, {"place", *target_place_}};
    for (const auto& column : columns_) out["columns"].push_back(column_json(column));
    try {
        return out.dump();
    } catch (const json::type_error&) {
        throw data_error("a column's name or text is not UTF-8; convert the training file first");
    }
}

Encoding Encoding::from_json(std::string_view text) {
    Encoding encoding;
    try {
        const auto in = parsed(text);
        if (in.at("version") != version) refuse(fmt::format("its version is not {}", version));
        in.at("by_place").get_to(encoding.by_place_);
        const auto& columns = in.at("columns").get_ref<const json::array_t&>();
        if (columns.size() > most_columns) refuse("it has too many columns");
        for (const auto& column : columns) encoding.columns_.push_back(column_from(column));
        if (in.contains("target")) {
            in["target"].at("name").get_to(encoding.target_);
            const auto& place = in["target"].at("place");
            if (!place.is_number_unsigned() ||
                place.get<std::uint64_t>() > encoding.columns_.size())
                refuse("its target has no place among its columns");
            encoding.target_place_ = place.get<std::size_t>();
        }
    } catch (const json::exception&) {
        refuse("it is not the JSON text that is expected");
    }
    check_names(encoding.columns_, encoding.target_place_ ? &encoding.target_ : nullptr);
    if (encoding.inputs() == 0) refuse("it has no inputs");
    if (encoding.inputs() > most_inputs) refuse("it has too many inputs");
    return encoding;
}

}  // namespace deepsl::data
