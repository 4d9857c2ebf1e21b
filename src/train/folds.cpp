#include "deepsl/train/folds.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>

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

    void ended(const TrainingRecord& record) {
        const std::lock_guard lock(guard_);
        if (!all_.fold || record.interrupted) return;
        const auto best = best_epoch(record);
        const auto& report = record.epochs[best];
        all_.fold({++ended_, folds_, static_cast<std::int64_t>(best) + 1, report.validation_loss,
                   report.validation_metric});
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
        rows += model.left_out;
    }
    for (std::size_t e = 0; e < epochs; ++e) {
        double loss = 0.0, metric = 0.0;
        for (const auto& model : choice.models) {
            const double weight = static_cast<double>(model.left_out) / static_cast<double>(rows);
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

double EpochChoice::own_metric() const {
    double sum = 0.0, rows = 0.0;
    for (const auto& model : models) {
        sum += static_cast<double>(model.left_out) * model.record.best_metric;
        rows += static_cast<double>(model.left_out);
    }
    return sum / rows;
}

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

EpochChoice choose_epoch(const MakeModel& make, const Prepare& prepare, const Dataset& data,
                         std::int64_t folds, const TrainOptions& options,
                         const Callbacks& callbacks, const Checkpointing& checkpointing) {
    const Stopwatch clock;
    const auto parts = fold_rows(data.size(), data.labels, folds, options.seed);
    EpochChoice choice;
    choice.models.resize(parts.size());
    SharedCallbacks shared(callbacks, folds);
    for_each(parts.size(), [&](std::size_t k) {
        const auto fold = static_cast<std::int64_t>(k);
        auto model = make(fold_seed(options.seed, fold));
        auto known = data.rows_at(all_but(parts, k)), left_out = data.rows_at(parts[k]);
        prepare(fold, known, left_out);
        auto& kept = choice.models[k];
        kept.left_out = parts[k].size();
        kept.record = train(*model, known, left_out, options, shared.for_one_fold(),
                            checkpointing_of(checkpointing, fold + 1));
        kept.predictor = std::move(model);
        shared.ended(kept.record);
    });
    choice.seconds = clock.seconds();
    for (const auto& model : choice.models) choice.interrupted |= model.record.interrupted;
    if (!choice.interrupted) choose(choice);
    return choice;
}

}  // namespace deepsl::train
