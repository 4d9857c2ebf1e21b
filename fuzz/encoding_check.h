// What must hold for an encoding read from any bytes whatever: for the fuzzer and for the tests.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "deepsl/data/encoding.h"

namespace deepsl::fuzz {

/// A table with the encoding's columns, and cells that are hard for each.
inline data::Table hard_table(const data::Encoding& encoding) {
    data::Table table;
    table.path = "data.csv";
    constexpr double hole = std::numeric_limits<double>::quiet_NaN();
    constexpr double most = std::numeric_limits<double>::max();
    for (const auto& learned : encoding.columns()) {
        data::Column column;
        column.name = learned.name;
        column.numeric = learned.role == data::Role::number;
        column.holes = 1;
        if (column.numeric) {
            column.numbers = {hole, -most, most, 0.0, learned.low, learned.median, learned.high};
        } else {
            column.texts = {learned.levels.empty() ? "x" : learned.levels.front(), "unseen", "1"};
            if (column.texts[0] == "unseen" || column.texts[0] == "1") column.texts[0] = "first";
            column.codes = {data::Column::missing, 0, 1, 2, 0, 1, 2};
        }
        table.columns.push_back(std::move(column));
    }
    table.lines = {2, 3, 4, 5, 6, 7, 8};
    return table;
}

inline void check_encoding(std::string_view text) try {
    const auto encoding = data::Encoding::from_json(text);
    const auto written = encoding.to_json();
    demand(data::Encoding::from_json(written).to_json() == written,
           "what was written is read otherwise");
    demand(encoding.inputs() > 0, "no inputs");
    demand(encoding.input_names().size() == encoding.inputs(), "inputs without names");
    const auto encoded = encoding.apply(hard_table(encoding));
    demand(encoded.x.size() == encoded.rows * encoding.inputs(), "inputs are missing");
    for (const double x : encoded.x) demand(std::isfinite(x), "an input that is no number");
} catch (const Error& error) {
    check_message(error.what(), "the model's encoding makes no sense: ");
}

}  // namespace deepsl::fuzz
