#include "deepsl/train/folds.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

#include <ATen/Parallel.h>

#include "train/snapshot.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

/// Numbers of threads belong to the thread that sets them, but new threads start from the last
/// number set by any.
class ThreadCountKept {
public:
    ThreadCountKept() : before_(at::get_num_threads()) {}
    ~ThreadCountKept() { at::set_num_threads(before_); }
    ThreadCountKept(const ThreadCountKept&) = delete;
    ThreadCountKept& operator=(const ThreadCountKept&) = delete;
    int before() const { return before_; }

private:
    int before_;
};

/// Calls work(0), .., work(count - 1), each once, and throws what one of them threw.
void share(std::int64_t count, const std::function<void(std::int64_t)>& work) {
    const ThreadCountKept threads;
    std::atomic<std::int64_t> next{0};
    std::exception_ptr error;
    std::mutex guard;
    const auto worker = [&] {
        at::set_num_threads(1);
        try {
            for (auto i = next++; i < count; i = next++) work(i);
        } catch (...) {
            const std::lock_guard lock(guard);
            error = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> others;
    for (std::int64_t i = 1; i < std::min<std::int64_t>(count, threads.before()); ++i)
        others.emplace_back(worker);
    worker();
    for (auto& other : others) other.join();
    if (error) std::rethrow_exception(error);
}

/// A loss that is not a number counts as infinite.
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

}  // namespace

std::vector<Tensor> fold_rows(std::int64_t rows, const Tensor& labels, std::int64_t folds,
                              std::int64_t seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto order = permutation(rows, random);
    std::vector<std::int64_t> sorted(order.data_ptr<std::int64_t>(),
                                     order.data_ptr<std::int64_t>() + rows);
    if (labels.defined()) {
        const auto* label = labels.data_ptr<std::int64_t>();
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](std::int64_t a, std::int64_t b) { return label[a] < label[b]; });
    }
    std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>(folds));
    for (std::size_t i = 0; i < sorted.size(); ++i) parts[i % parts.size()].push_back(sorted[i]);
    std::vector<Tensor> result;
    for (const auto& part : parts) result.push_back(torch::tensor(part, torch::kInt64));
    return result;
}

std::string fold_checkpoint(const Checkpointing& checkpointing, std::int64_t fold) {
    return checkpointing.path.empty() ? "" : checkpointing.path + ".fold" + std::to_string(fold);
}

EpochChoice choose_epoch(const MakeModel& make, const Prepare& prepare, const Dataset& data,
                         std::int64_t folds, const TrainOptions& options,
                         const Callbacks& callbacks, const Checkpointing& checkpointing) {
    const auto parts =
        fold_rows(data.size(), data.labels() ? data.target : Tensor(), folds, options.seed);
    // Made one after the other: first weights come from one random generator.
    std::vector<std::shared_ptr<model::PredictorImpl>> models;
    for (std::int64_t k = 0; k < folds; ++k) models.push_back(make());
    std::vector<TrainingRecord> records(models.size());
    const auto start = std::chrono::steady_clock::now();
    std::mutex guard;
    std::int64_t ended = 0;
    share(folds, [&](std::int64_t k) {
        const auto place = static_cast<std::size_t>(k);
        std::vector<Tensor> others;
        for (std::size_t j = 0; j < parts.size(); ++j)
            if (j != place) others.push_back(parts[j]);
        Callbacks quiet;
        quiet.stop = callbacks.stop;
        if (callbacks.warning)
            quiet.warning = [&](const std::string& what) {
                const std::lock_guard lock(guard);
                callbacks.warning(what);
            };
        auto keeping = checkpointing;
        keeping.path = fold_checkpoint(checkpointing, k + 1);
        keeping.resume = checkpointing.resume && std::filesystem::exists(keeping.path);
        auto known = data.rows(torch::cat(others)), left_out = data.rows(parts[place]);
        prepare(k, known, left_out);
        records[place] = train(*models[place], known, left_out, options, quiet, keeping);
        const std::lock_guard lock(guard);
        if (!callbacks.fold || records[place].interrupted) return;
        const auto best = best_epoch(records[place]);
        const auto& report = records[place].epochs[best];
        callbacks.fold({++ended, folds, static_cast<std::int64_t>(best) + 1, report.validation_loss,
                        report.validation_metric});
    });

    EpochChoice choice;
    choice.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const auto& record : records) choice.interrupted |= record.interrupted;
    if (choice.interrupted) {
        choice.weights = snapshot(*models[0]);
        choice.record = std::move(records[0]);
        choice.record.interrupted = true;
        return choice;
    }
    std::size_t epochs = 0;
    for (const auto& record : records) epochs = std::max(epochs, record.epochs.size());
    const auto rows = static_cast<double>(data.size());
    for (std::size_t e = 0; e < epochs; ++e) {
        double loss = 0.0, metric = 0.0;
        for (std::size_t k = 0; k < records.size(); ++k) {
            const double share_of_rows = static_cast<double>(parts[k].size(0)) / rows;
            const auto& seen = records[k].epochs;
            loss += share_of_rows * loss_of_epoch(records[k], e);
            metric += share_of_rows * seen[std::min(e, seen.size() - 1)].validation_metric;
        }
        if (e > 0 && !(loss < choice.loss)) continue;
        choice.epoch = static_cast<std::int64_t>(e) + 1;
        choice.loss = loss;
        choice.metric = metric;
    }
    return choice;
}

}  // namespace deepsl::train
