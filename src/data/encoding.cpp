#include "deepsl/data/encoding.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "deepsl/text.h"
#include "encoding_cells.h"
#include "encoding_number.h"

namespace deepsl::data {
namespace {

/// Writes the inputs that one column makes, beginning at `x[0]`, row by row `stride` apart.
struct Writer {
    const Table& table;
    const Column& column;
    const EncodedColumn& learned;
    bool strict;
    EncodingNotes& notes;
    double* x;
    std::size_t stride;

    void write() const {
        switch (learned.role) {
            case Role::number: numbers(); break;
            case Role::category: levels(); break;
            case Role::constant:
            case Role::identifier:
            case Role::dropped: break;
        }
    }

private:
    void numbers() const {
        const auto values = numbers_of(table, column, ", as the cells were in training");
        for (std::size_t row = 0; row < values.size(); ++row) {
            double value = values[row];
            if (std::isnan(value)) {
                note_hole(row);
                value = learned.median;
            } else if (value < learned.low || value > learned.high) {
                if (strict)
                    refuse(row, fmt::format("{} is beyond the training range, {} to {}", value,
                                            learned.low, learned.high));
                ++notes.out_of_range[column.name];
            }
            x[row * stride] = scaled(learned, value);
        }
    }

    void levels() const {
        const auto found = levels_of(column);
        const LevelFinder finder(learned.levels);
        std::vector<std::optional<std::size_t>> places;
        for (const auto& text : found.texts) places.push_back(finder.find(text));
        for (std::size_t row = 0; row < found.codes.size(); ++row) {
            double* const cell = x + row * stride;
            for (std::size_t i = 0; i < learned.shares.size(); ++i) cell[i] = -learned.shares[i];
            const bool room_for_holes = learned.missing_share > 0;
            if (room_for_holes) cell[learned.shares.size()] = -learned.missing_share;
            const auto code = found.codes[row];
            if (code == Column::missing) {
                note_hole(row);
                if (room_for_holes) cell[learned.shares.size()] += 1;
            } else if (places[code]) {
                cell[*places[code]] += 1;
            } else {
                if (strict)
                    refuse(row, fmt::format("training did not have {}", shown(found.texts[code])));
                ++notes.unseen[column.name];
            }
        }
    }

    void note_hole(std::size_t row) const {
        if (strict && learned.missing_share == 0)
            refuse(row, "the cell is missing, and training had none that was");
        ++notes.holes[column.name];
    }

    [[noreturn]] void refuse(std::size_t row, const std::string& what) const {
        throw data_error(fmt::format("{}: {}; correct it, or leave out --strict",
                                     where(table, column, row), what));
    }
};

}  // namespace

std::size_t EncodedColumn::width() const {
    switch (role) {
        case Role::number: return 1;
        case Role::category: return levels.size() + (missing_share > 0 ? 1 : 0);
        case Role::constant:
        case Role::identifier:
        case Role::dropped: return 0;
    }
    return 0;
}

bool EncodedColumn::used() const {
    switch (role) {
        case Role::number:
        case Role::category: return true;
        case Role::constant:
        case Role::identifier:
        case Role::dropped: return false;
    }
    return false;
}

std::size_t Encoding::inputs() const {
    std::size_t count = 0;
    for (const auto& column : columns_) count += column.width();
    return count;
}

std::vector<std::string> Encoding::input_names() const {
    std::vector<std::string> names;
    for (const auto& column : columns_) {
        switch (column.role) {
            case Role::number: names.push_back(column.name); break;
            case Role::category:
                for (const auto& level : column.levels) names.push_back(column.name + "=" + level);
                if (column.missing_share > 0) names.push_back(column.name + " is missing");
                break;
            case Role::constant:
            case Role::identifier:
            case Role::dropped: break;
        }
    }
    return names;
}

std::vector<const Column*> Encoding::columns_by_place(const Table& table) const {
    const auto inputs_only = columns_.size(), given = table.columns.size();
    const auto all = inputs_only + (target_place_ ? 1 : 0);
    if (given != all && given != inputs_only)
        throw data_error(fmt::format(
            "{} has {} columns, which have to be taken by their places because {} has no header, "
            "but the model was trained on {}{}; bring the same columns",
            in_quotes(table.path), given, by_place_ ? "the training file" : "it", all,
            target_place_ ? ", its target among them" : ""));
    std::vector<const Column*> found;
    for (std::size_t i = 0; i < given; ++i)
        if (given == inputs_only || i != *target_place_) found.push_back(&table.columns[i]);
    return found;
}

std::vector<const Column*> Encoding::find_columns(const Table& table) const {
    std::vector<const Column*> found;
    if (takes_by_place(table)) found = columns_by_place(table);
    found.resize(columns_.size(), nullptr);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].used())
            found[i] = nullptr;
        else if (found[i] == nullptr)
            found[i] = &column_of(table, columns_[i].name, ", which the model needs");
    }
    return found;
}

std::string Encoding::target_in(const Table& table) const {
    if (target_place_ && takes_by_place(table) && table.columns.size() == columns_.size() + 1)
        return table.columns[*target_place_].name;
    return target_;
}

std::vector<std::string> Encoding::expected_names() const {
    std::vector<std::string> names;
    if (by_place_) return names;
    for (const auto& column : columns_) names.push_back(column.name);
    if (!target_.empty()) names.push_back(target_);
    return names;
}

Encoded Encoding::apply(const Table& table, bool strict) const {
    const auto sources = find_columns(table);
    Encoded out;
    out.rows = table.rows();
    out.inputs = inputs();
    out.notes.by_place = !by_place_ && !table.header;
    out.x.resize(out.rows * out.inputs);
    double* x = out.x.data();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (sources[i] == nullptr) continue;
        const Writer writer{table, *sources[i], columns_[i], strict, out.notes, x, out.inputs};
        writer.write();
        x += columns_[i].width();
    }
    const std::set<const Column*> used(sources.begin(), sources.end());
    const bool target_at_place = target_place_ && table.columns.size() > columns_.size();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto& column = table.columns[i];
        const bool is_target = takes_by_place(table) ? target_at_place && i == *target_place_
                                                     : target_place_ && column.name == target_;
        if (!is_target && !used.contains(&column)) out.notes.ignored.push_back(column.name);
    }
    return out;
}

}  // namespace deepsl::data
