// From a table's columns to a model's inputs, learned from training data, kept in the model and
// applied the same to every later table.
//
//     number     by its rank among the training values, evenly or along a normal distribution, by
//                z-score, by their range, or as it is; a hole becomes the training median
//     category   one input for each text seen in training, 1 or 0, minus its share of the training
//                rows; holes have an input of their own if training had any. A text that training
//                did not have, or a hole if it had none, is 0 everywhere, minus the shares
//     dropped    constants, columns that only name their rows, and what the caller leaves out
//
// Rank: the share F(x) of training values below x, ties in the middle, linear between at most 1000
// quantiles, shifted and scaled so that the training values have mean 0 and deviation 1, whatever
// their ties: sqrt(12) (F(x) - 1/2) for many different ones. "normal" does the same with the
// quantile of the normal distribution at F(x), which keeps the shape of what is normal and draws in
// far outliers. Numbers beyond the training range get the rank of its ends. A z-score ends at 10^6,
// which no training value reaches. minmax maps the training range to [-1, 1]. With every scale
// numbers beyond the range are counted. "auto" is, column by column, normal where tails are heavy,
// with a mean fourth power of the z-score above 6 (normal numbers have 3), else zscore.
//
// Without a word from the caller texts are categories and numbers are numbers, but
//     constant    no values at all, one number, or one text in every row
//     identifier  more than 50 texts, different in 95 % of the cells that are not missing; whole
//                 numbers that count 20 rows or more up or down, one by one or with the lines of
//                 the file (as a part of a table does); texts or whole numbers, all different and
//                 without holes, under the name id or index, in any case
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/data/table.h"
#include "deepsl/option.h"

namespace deepsl::data {

enum class Role { number, category, constant, identifier, dropped };
constexpr std::array<std::string_view, 5> names(Role) {
    return {"number", "category", "constant", "identifier", "dropped"};
}

/// How numbers become inputs. A column that has been learned has any of them but automatic.
enum class ColumnScale { automatic, rank, zscore, minmax, none, normal };
constexpr std::array<std::string_view, 6> names(ColumnScale) {
    return {"auto", "rank", "zscore", "minmax", "none", "normal"};
}

struct EncodingOptions {
    ColumnScale scale = ColumnScale::automatic;
    std::map<std::string, Role> roles;   // overrides by column name, but not for one without values
    std::vector<std::string> dropped;    // columns to leave out
    std::size_t most_categories = 1000;  // more: an error that suggests to drop the column
};

/// What training learned about one column.
struct EncodedColumn {
    std::string name;
    Role role = Role::number;
    std::string why;             // for what is dropped: "has only the value 3"
    double missing_share = 0.0;  // of the training rows

    // number
    ColumnScale scale = ColumnScale::none;
    double median = 0.0, mean = 0.0, deviation = 1.0, low = 0.0, high = 0.0;
    std::vector<double> knots;  // rank, normal: values, increasing
    std::vector<double> ranks;  // rank, normal: the scaled rank at each of them

    // category; numbers are levels in their shortest notation
    std::vector<std::string> levels;  // sorted, as texts or as numbers
    std::vector<double> shares;       // of each level among training rows

    /// How many inputs it makes.
    std::size_t width() const;
    bool used() const;
};

/// What happened while a table was encoded, for a sentence to the user.
struct EncodingNotes {
    std::map<std::string, std::size_t> holes;         // missing cells, by column
    std::map<std::string, std::size_t> unseen;        // texts that training did not have
    std::map<std::string, std::size_t> out_of_range;  // numbers beyond the training range
    std::vector<std::string> ignored;                 // columns not used, the target aside
    bool by_place = false;                            // training had a header, this table has none
};

struct Encoded {
    std::size_t rows = 0, inputs = 0;
    std::vector<double> x;  // [row, input]
    EncodingNotes notes;
};

class Encoding {
public:
    /// Learns from the table's columns but `target` (may be empty: all are inputs). Throws an
    /// Error that names file and column if nothing is left to learn from, a column has too many
    /// categories, most cells are numbers but too many texts are left, or an option names a
    /// column that is not there (with the nearest one).
    static Encoding fit(const Table& table, std::string_view target,
                        const EncodingOptions& options = {});

    /// Columns are found by name, in any order; others are ignored and noted. Without a header, or
    /// if the model was trained without one, they are taken by place, and the table has all of
    /// them, with or without the target. `strict` turns unseen texts, numbers out of range and
    /// holes in columns that had none into errors. Throws Error with file, line and column: a
    /// column that is missing, a text where training had numbers.
    Encoded apply(const Table& table, bool strict = false) const;

    const std::vector<EncodedColumn>& columns() const { return columns_; }
    /// What the target is called in this table, if it is there: columns taken by place may have
    /// other names.
    std::string target_in(const Table& table) const;
    /// The names that a table to be applied to has in its header; none if training had no header.
    std::vector<std::string> expected_names() const;
    std::size_t inputs() const;
    /// One for each input: "age", "job=admin.", "job is missing".
    std::vector<std::string> input_names() const;

    /// For the model file: a JSON text, and back. from_json throws Error if it makes no sense.
    std::string to_json() const;
    static Encoding from_json(std::string_view text);

private:
    bool takes_by_place(const Table& table) const { return by_place_ || !table.header; }
    /// For each column learned, the table's; nullptr for one that is not used.
    std::vector<const Column*> find_columns(const Table& table) const;
    std::vector<const Column*> columns_by_place(const Table& table) const;

    std::vector<EncodedColumn> columns_;       // all of the training file but the target
    std::optional<std::size_t> target_place_;  // of the target in that file, if it was there
    std::string target_;
    bool by_place_ = false;  // trained without a header
};

}  // namespace deepsl::data
