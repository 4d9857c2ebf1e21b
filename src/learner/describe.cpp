#include "deepsl/learner/describe.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/learner/columns.h"
#include "deepsl/text.h"
#include "learner/variants.h"

namespace deepsl::learner {
namespace {

/// Whether all texts would be numbers, were their commas points.
bool has_decimal_commas(const data::Column& column) {
    bool commas = false;
    for (auto text : column.texts) {
        const auto comma = text.find(',');
        if (comma != std::string::npos) text[comma] = '.';
        if (!to_number<double>(text)) return false;
        commas = commas || comma != std::string::npos;
    }
    return commas;
}

std::vector<std::string> names_of(const train::Failures& failures) {
    std::vector<std::string> names;
    for (const auto& [name, count] : failures) names.push_back(name);
    return names;
}

std::string counts(const std::map<std::string, std::size_t>& columns) {
    constexpr std::size_t most = 6;
    std::vector<std::string> parts;
    for (const auto& [name, count] : columns) {
        if (parts.size() == most) {
            parts.push_back("and " + counted(columns.size() - most, "more column"));
            break;
        }
        parts.push_back(fmt::format("{} ({})", printable(name), grouped(count)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string stopping_description(const Task& task, std::size_t validation_rows) {
    const auto& train = task.train;
    if (validation_rows == 0 && task.epoch_folds > 0) {
        const auto folds = counted(task.epoch_folds, "fold");
        switch (task.after_folds) {
            case AfterFolds::retrain:
                return folds + " choose the number of epochs, then all rows are learned from";
            case AfterFolds::vote: break;
        }
        const auto settings = with_variants(task).size();
        return fmt::format("{}, each left out once{}; the {} models trained on the others vote",
                           folds, settings > 1 ? fmt::format(", in {} settings", settings) : "",
                           static_cast<std::size_t>(task.epoch_folds) * settings);
    }
    if (validation_rows == 0 && train.validation == 0.0 && train.stop_epoch > 0)
        return fmt::format("{}, the last one is kept: nothing is held out",
                           counted(train.last_epoch(), "epoch"));
    std::string chosen_by = "the training loss: no rows are held out";
    if (validation_rows > 0)
        chosen_by = counted(validation_rows, "other row");
    else if (train.validation > 0.0)
        chosen_by = fmt::format("{:g} % of the rows, held out", 100.0 * train.validation);
    return fmt::format(
        "at most {}, the best one chosen by {}{}", counted(train.epochs, "epoch"), chosen_by,
        train.patience > 0 && train.patience < train.epochs
            ? fmt::format("; stops after {} without improvement", counted(train.patience, "epoch"))
            : "");
}

std::string image_description(const Task& task) {
    const auto& model = task.model;
    auto text = fmt::format("'{}'", name(task.kind));
    if (model.latent > 0)
        text += fmt::format(" behind an encoder: convolutions {}, layers {}, {}",
                            option_text(model.encoder), option_text(model.encoder_hidden),
                            counted(static_cast<std::size_t>(model.latent), "number"));
    else if (!model.convolutions.empty() && model::reads(task.kind, "convolutions"))
        text += fmt::format(" on the pixels: convolutions {}", option_text(model.convolutions));
    else
        text += " on the pixels";
    if (task.flip) text += ", mirrored by chance";
    if (task.crop > 0)
        text += fmt::format(", moved by up to {}",
                            counted(static_cast<std::size_t>(task.crop), "pixel"));
    return text;
}

std::vector<std::string> image_warnings(const data::Images& images, const Task& task) {
    std::vector<std::string> lines;
    std::vector<char> seen(images.classes.size(), 0);
    for (const auto label : images.labels) seen[static_cast<std::size_t>(label)] = 1;
    if (const auto empty = std::count(seen.begin(), seen.end(), 0); empty > 0)
        lines.push_back(
            fmt::format("{} of {} classes have no image; if labels are no running "
                        "numbers, write their names into a file for --labels",
                        empty, seen.size()));
    if (task.pixels == PixelScale::range && !images.floats.empty()) {
        const auto [low, high] = std::minmax_element(images.floats.begin(), images.floats.end());
        if (*low < 0.0F || *high > 1.0F)
            lines.push_back(fmt::format(
                "pixels range expects values from 0 to 1, but these lie between {:g} and {:g}; "
                "divide them, or take --pixels standard",
                *low, *high));
    }
    return lines;
}

std::string result_description(const Learned& learned) {
    const auto& record = learned.record;
    const bool accuracy = learned.model.predicts_classes(), folds = record.folds > 0;
    const bool held_out = record.validation_rows > 0;
    const double value = folds ? record.fold_metric : record.best_metric;
    const auto percent = [](double part) { return fmt::format("{:.1f} %", 100.0 * part); };
    auto text = accuracy
                    ? fmt::format("accuracy {} ", percent(value))
                    : fmt::format(fmt::runtime(value > -1e4 ? "R² {:.4f} " : "R² {:.3e} "), value);
    text += record.voters > 0
                ? fmt::format(
                      "on rows left out, in {} folds, each after its best epoch; {} models vote",
                      record.folds, record.voters)
            : folds ? fmt::format(
                          "on rows left out, in {} folds after epoch {}; then all {} "
                          "were learned from for {}",
                          record.folds, record.fold_epoch, counted(record.training_rows, "row"),
                          counted(record.epochs.size(), "epoch"))
                    : fmt::format("on {}, epoch {} of {}",
                                  held_out ? counted(record.validation_rows, "validation row")
                                           : counted(record.training_rows, "training row"),
                                  record.best_epoch, record.epochs.size());
    if (!std::isnan(learned.majority))
        text += fmt::format(" (always guessing the most frequent class: {})",
                            percent(learned.majority));
    return text;
}

std::optional<std::string> why_nothing_was_learned(const Learned& learned) {
    const auto& record = learned.record;
    if (record.epochs.empty() || record.failed_lines < record.lines) return {};
    return fmt::format(
        "nothing was learned, since every line failed ({}); docs/failures.md explains what that "
        "means",
        fmt::join(names_of(record.failures), ", "));
}

std::vector<std::string> result_warnings(const Learned& learned) {
    const auto& record = learned.record;
    if (record.epochs.empty() || why_nothing_was_learned(learned)) return {};
    const auto& last = record.epochs.back();
    if (std::isfinite(last.loss) && last.skipped_steps == 0) return {};
    return {fmt::format(
        "training diverges: {} in epoch {}; lower the learning rate, or clip gradients at less",
        std::isfinite(last.loss) ? fmt::format("gradients are not finite, {} skipped",
                                               counted(last.skipped_steps, "step"))
                                 : "the loss is not finite",
        last.epoch)};
}

std::vector<std::string> table_warnings(const data::Table& table, const data::Encoding& encoding) {
    std::vector<std::string> lines;
    for (const auto& column : table.columns) {
        const auto has_role = [&](data::Role role) {
            return std::any_of(encoding.columns().begin(), encoding.columns().end(),
                               [&](const auto& learned) {
                                   return learned.name == column.name && learned.role == role;
                               });
        };
        const bool a_category = has_role(data::Role::category);
        if (a_category && column.stray_line > 0)
            lines.push_back(fmt::format(
                "{} is taken as categories because of {} in line {}, though most of "
                "its cells are numbers; correct it, or leave the cell empty",
                in_quotes(column.name, 60), in_quotes(column.stray, 60), column.stray_line));
        if (!column.numeric && has_decimal_commas(column))
            lines.push_back(fmt::format(
                "{} seems to hold numbers with decimal commas, which are read as "
                "texts{}; write points, such as 1.5",
                in_quotes(column.name, 60), a_category ? "" : ", so that it is left out"));
    }
    return lines;
}

std::vector<std::string> notes_lines(const data::EncodingNotes& notes) {
    std::vector<std::string> lines;
    if (notes.by_place)
        lines.emplace_back(
            "no header was detected: columns are taken by place, as training had them");
    const auto add = [&](const char* what, const std::map<std::string, std::size_t>& columns) {
        if (!columns.empty()) lines.push_back(fmt::format("{}: {}", what, counts(columns)));
    };
    add("missing cells, filled in", notes.holes);
    add("texts that training did not have", notes.unseen);
    add("numbers outside the training range", notes.out_of_range);
    if (!notes.ignored.empty()) {
        std::vector<std::string> names;
        for (const auto& name : notes.ignored) names.push_back(printable(name));
        lines.push_back(fmt::format("columns not used: {}", fmt::join(names, ", ")));
    }
    return lines;
}

std::string turning_description(const TrainedModel& model, const std::optional<Turning>& turning,
                                MatrixView<const double> x) {
    constexpr std::size_t most_changes = 3;
    if (!turning) return "All along its lines the answer stays the same.";
    auto text = fmt::format(
        "The nearest other answer along its lines is '{}', at t = {:.4g} of field {}, {:.2g} away "
        "(1 "
        "is how far rows usually are from their middle).",
        turning->label < 0 ? "none"
                           : printable(model.classes[static_cast<std::size_t>(turning->label)]),
        turning->t,
        model.others.empty()
            ? fmt::format("{}", turning->field + 1)
            : fmt::format("{} of model {}", turning->field + 1, turning->voter + 1),
        turning->distance);
    const auto columns = columns_of(model);
    const auto here = cells_of(model, x);
    std::vector<std::string> changes;
    for (const auto& change : turning->changes) {
        if (changes.size() == most_changes) break;
        const auto name = printable(columns[change.column].name);
        changes.push_back(std::isnan(change.number)
                              ? name
                              : fmt::format("{} (from {} to {:.6g})", name,
                                            printable(here[change.column]), change.number));
    }
    if (!changes.empty()) text += fmt::format(" Most changes {}.", fmt::join(changes, ", "));
    return text;
}

}  // namespace deepsl::learner
