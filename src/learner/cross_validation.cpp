#include "deepsl/learner/cross_validation.h"

#include <cmath>
#include <new>

#include <fmt/format.h>

#include "deepsl/data/target.h"
#include "deepsl/error.h"
#include "deepsl/learner/learn.h"
#include "deepsl/text.h"
#include "deepsl/train/folds.h"

namespace deepsl::learner {
namespace {

void check_classes(const data::Table& table, const data::Target& target) {
    std::vector<std::size_t> rows(target.classes.size(), 0);
    for (const auto label : target.labels) ++rows[static_cast<std::size_t>(label)];
    for (std::size_t c = 0; c < rows.size(); ++c)
        if (rows[c] == 1)
            throw data_error(fmt::format(
                "{}: the class {} has one row, which cannot be both learned from and left out; "
                "remove the row, or bring more of them",
                in_quotes(table.path), in_quotes(target.classes[c], 40)));
}

void add(const Score& score, CrossValidation& result) {
    result.names.resize(score.metrics.size());
    result.values.resize(score.metrics.size());
    for (std::size_t i = 0; i < score.metrics.size(); ++i) {
        result.names[i] = score.metrics[i].name;
        result.values[i].push_back(score.metrics[i].value);
    }
    if (!std::isnan(score.majority)) result.majority.push_back(score.majority);
}

}  // namespace

double CrossValidation::mean(std::size_t metric) const {
    double sum = 0.0;
    for (const double value : values[metric]) sum += value;
    return sum / static_cast<double>(folds());
}

double CrossValidation::deviation(std::size_t metric) const {
    if (folds() < 2) return 0.0;
    const double middle = mean(metric);
    double squares = 0.0;
    for (const double value : values[metric]) squares += (value - middle) * (value - middle);
    return std::sqrt(squares / static_cast<double>(folds() - 1));
}

void check_folds(const data::Table& table, std::int64_t folds) {
    if (folds < 2)
        throw argument_error(fmt::format("folds takes 2 or more, but {} was given", folds));
    if (static_cast<std::size_t>(folds) > table.rows())
        throw data_error(fmt::format("{}: {} folds of {} rows; ask for fewer",
                                     in_quotes(table.path), folds, table.rows()));
}

CrossValidation cross_validate(
    const data::Table& table, const Task& task, std::int64_t folds,
    const train::Callbacks& callbacks,
    const std::function<void(std::int64_t fold, const Score& score)>& report) {
    check_folds(table, folds);
    auto known = task;
    if (known.target.empty()) known.target = table.columns.back().name;
    const auto target = data::read_target(table, known.target, known.target_kind);
    // A part of the rows may look different.
    known.target_kind = target.classes.empty() ? TargetKind::numbers : TargetKind::classes;
    check_classes(table, target);
    auto own_callbacks = callbacks;
    own_callbacks.fold = nullptr;  // those that choose the epoch, inside of ours
    const auto parts = train::fold_rows(table.rows(), target.labels, folds, task.train.seed);
    CrossValidation result;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        std::vector<std::size_t> others;
        for (std::size_t j = 0; j < parts.size(); ++j)
            if (j != k) others.insert(others.end(), parts[j].begin(), parts[j].end());
        try {
            const auto learned = learn(table.rows_of(others), {}, known, own_callbacks);
            if (learned.record.interrupted) {
                result.interrupted = true;
                break;
            }
            const auto score = evaluate(learned.model, table.rows_of(parts[k]));
            result.seconds += learned.record.seconds;
            add(score, result);
            if (report) report(static_cast<std::int64_t>(k) + 1, score);
        } catch (const Error& error) {
            throw Error(error.kind(),
                        fmt::format("without fold {} of {}: {}", k + 1, folds, error.what()));
        }
    }
    return result;
}

}  // namespace deepsl::learner
