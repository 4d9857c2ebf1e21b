#include "deepsl/train/folds.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>
#include <utility>

#include "deepsl/parallel.h"
#include "deepsl/random.h"
#include "train/stopwatch.h"

namespace deepsl::train {
namespace {

using Parts = std::vector<std::vector<std::size_t>>;

/// A loss that is not a number counts as infinite. A run that ended keeps its last one.
double loss_of_epoch(const TrainingRecord& record, std::size_t epoch) {
    const auto& report = record.epochs[std::min(epoch, record.epochs.size() - 1)];
    return std::isnan(report.validation_loss) ? std::numeric_limits<double>::infinity()
                                              : report.validation_loss;
}

std::size_t best_epoch(const TrainingRecord& record) {
    std::size_t best = 0;
    for (std::size_t e = 1; e < record.epochs.size(); ++e)
        if (loss_of_epoch(record, e) < loss_of_epoch(record, best)) best = e;
    return best;
}

std::vector<std::size_t> all_but(const Parts& parts, std::size_t left_out) {
    std::vector<std::size_t> rows;
    for (std::size_t j = 0; j < parts.size(); ++j)
        if (j != left_out) rows.insert(rows.end(), parts[j].begin(), parts[j].end());
    return rows;
}

Checkpointing checkpointing_of(const Checkpointing& all, std::int64_t fold) {
    auto own = all;
    own.path = fold_checkpoint(all, fold);
    own.resume = all.resume && std::filesystem::exists(own.path);
    return own;
}

/// The caller's callbacks for threads that run side by side: one call at a time.
class SharedCallbacks {
public:
    SharedCallbacks(const Callbacks& all, std::int64_t folds) : all_(all), folds_(folds) {}

    Callbacks for_one_fold() {
        Callbacks quiet;
        if (all_.stop)
            quiet.stop = [this] {
                const std::lock_guard lock(guard_);
                return all_.stop();
            };
        if (all_.warning)
            quiet.warning = [this](const std::string& what) {
                const std::lock_guard lock(guard_);
                all_.warning(what);
            };
        return quiet;
    }

    void ended(const TrainingRecord& record, std::size_t plan, std::size_t plans) {
        const std::lock_guard lock(guard_);
        if (!all_.fold || record.interrupted) return;
        const auto best = best_epoch(record);
        const auto& report = record.epochs[best];
        all_.fold({++ended_, folds_, static_cast<std::int64_t>(plan),
                   static_cast<std::int64_t>(plans), static_cast<std::int64_t>(best) + 1,
                   report.validation_loss, report.validation_metric});
    }

private:
    const Callbacks& all_;
    std::int64_t folds_, ended_ = 0;
    std::mutex guard_;
};

/// Takes the epoch of the smallest mean loss, each fold counting by its rows.
void choose(EpochChoice& choice) {
    std::size_t epochs = 0, rows = 0;
    for (const auto& model : choice.models) {
        epochs = std::max(epochs, model.record.epochs.size());
        rows += model.left_out.size();
    }
    for (std::size_t e = 0; e < epochs; ++e) {
        double loss = 0.0, metric = 0.0;
        for (const auto& model : choice.models) {
            const double weight =
                static_cast<double>(model.left_out.size()) / static_cast<double>(rows);
            const auto& seen = model.record.epochs;
            loss += weight * loss_of_epoch(model.record, e);
            metric += weight * seen[std::min(e, seen.size() - 1)].validation_metric;
        }
        if (e > 0 && !(loss < choice.loss)) continue;
        choice.epoch = static_cast<std::int64_t>(e) + 1;
        choice.loss = loss;
        choice.metric = metric;
    }
}

}  // namespace

Parts fold_rows(std::size_t rows, std::span<const std::int64_t> labels, std::int64_t folds,
                std::int64_t seed) {
    Random random(static_cast<std::uint64_t>(seed));
    auto order = permutation(rows, random);
    if (!labels.empty())
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return labels[a] < labels[b]; });
    Parts parts(static_cast<std::size_t>(folds));
    for (std::size_t i = 0; i < order.size(); ++i) parts[i % parts.size()].push_back(order[i]);
    return parts;
}

std::uint64_t fold_seed(std::int64_t seed, std::int64_t fold) {
    return static_cast<std::uint64_t>(seed) +
           static_cast<std::uint64_t>(fold + 1) * 0x9e3779b97f4a7c15U;
}

std::string fold_checkpoint(const Checkpointing& checkpointing, std::int64_t fold) {
    return checkpointing.path.empty() ? "" : checkpointing.path + ".fold" + std::to_string(fold);
}

EpochChoice choose_epoch(const FoldPlan& plan, const Dataset& data, std::int64_t folds,
                         const Callbacks& callbacks, const Checkpointing& checkpointing) {
    return std::move(choose_epochs({&plan, 1}, data, folds, callbacks, checkpointing).front());
}

std::vector<EpochChoice> choose_epochs(std::span<const FoldPlan> plans, const Dataset& data,
                                       std::int64_t folds, const Callbacks& callbacks,
                                       const Checkpointing& checkpointing) {
    const Stopwatch clock;
    const auto parts = fold_rows(data.size(), data.labels, folds, plans.front().options.seed);
    std::vector<EpochChoice> choices(plans.size());
    for (auto& choice : choices) choice.models.resize(parts.size());
    const auto all = plans.size() * parts.size();
    SharedCallbacks shared(callbacks, static_cast<std::int64_t>(all));
    for_each(all, [&](std::size_t i) {
        const auto& plan = plans[i / parts.size()];
        const auto k = i % parts.size();
        const auto fold = static_cast<std::int64_t>(k);
        auto model = plan.make(fold_seed(plan.options.seed, fold));
        auto known = data.rows_at(all_but(parts, k)), left_out = data.rows_at(parts[k]);
        plan.prepare(fold, known, left_out);
        auto& kept = choices[i / parts.size()].models[k];
        kept.left_out = parts[k];
        kept.record = train(*model, known, left_out, plan.options, shared.for_one_fold(),
                            checkpointing_of(checkpointing, static_cast<std::int64_t>(i) + 1));
        kept.prediction = predict(*model, left_out);
        kept.predictor = std::move(model);
        shared.ended(kept.record, i / parts.size(), plans.size());
    });
    for (auto& choice : choices) {
        choice.seconds = clock.seconds();
        for (const auto& model : choice.models) choice.interrupted |= model.record.interrupted;
        if (!choice.interrupted) choose(choice);
    }
    return choices;
}

}  // namespace deepsl::train
