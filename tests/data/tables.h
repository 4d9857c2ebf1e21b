// Tables made by hand, and the sentence of an error, for tests of what is made of tables.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/data/table.h"

namespace deepsl::test {

constexpr double hole = std::numeric_limits<double>::quiet_NaN();

inline data::Column numbers(std::string name, std::vector<double> values) {
    data::Column column;
    column.name = std::move(name);
    for (const double value : values) column.holes += std::isnan(value) ? 1U : 0U;
    column.numbers = std::move(values);
    return column;
}

/// An empty text is a missing cell.
inline data::Column texts(std::string name, const std::vector<std::string>& cells) {
    data::Column column;
    column.name = std::move(name);
    column.numeric = false;
    for (const auto& cell : cells) {
        if (cell.empty()) {
            column.codes.push_back(data::Column::missing);
            ++column.holes;
            continue;
        }
        auto found = std::find(column.texts.begin(), column.texts.end(), cell);
        if (found == column.texts.end()) found = column.texts.insert(found, cell);
        column.codes.push_back(static_cast<std::uint32_t>(found - column.texts.begin()));
    }
    return column;
}

inline data::Table table(std::vector<data::Column> columns, bool header = true) {
    data::Table table;
    table.path = "people.csv";
    table.header = header;
    table.columns = std::move(columns);
    for (std::size_t row = 0; row < table.columns.at(0).size(); ++row)
        table.lines.push_back(row + (header ? 2 : 1));
    return table;
}

/// The message of the Error that `call` throws, else what happened instead.
template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::data);
        return error.what();
    } catch (const std::exception& error) {
        return std::string("another exception: ") + error.what();
    }
    return "no exception";
}

}  // namespace deepsl::test
