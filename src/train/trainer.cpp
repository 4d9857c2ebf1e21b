#include "deepsl/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "deepsl/model/pass.h"
#include "deepsl/train/optimiser.h"
#include "train/epoch_sums.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A copy of all that a model has learned.
class Snapshot {
public:
    void take(const torch::nn::Module& model) {
        values_.clear();
        for (const auto& tensor : tensors(model)) values_.push_back(tensor.detach().clone());
    }
    void restore(torch::nn::Module& model) const {
        const torch::NoGradGuard no_grad;
        auto own = tensors(model);
        for (std::size_t i = 0; i < values_.size(); ++i) own[i].copy_(values_[i]);
    }

private:
    static std::vector<Tensor> tensors(const torch::nn::Module& model) {
        auto all = model.parameters();
        for (const auto& buffer : model.buffers()) all.push_back(buffer);
        return all;
    }
    std::vector<Tensor> values_;
};

/// By what epochs are compared: a score, where more is better, then a loss, where less is. NaN is
/// worse than any number.
struct Rank {
    double score, loss;

    Rank(double more, double less)
        : score(std::isnan(more) ? -infinity : more), loss(std::isnan(less) ? infinity : less) {}
    bool better_than(const Rank& other) const {
        return score > other.score || (score == other.score && loss < other.loss);
    }
};

void calibrate(model::PredictorImpl& model, const Dataset& training) {
    const auto finite = training.x.isfinite().all(1).nonzero().squeeze(1);
    const auto usable = training.rows(finite);
    if (!usable.empty()) model.calibrate(usable.x, calibration_targets(usable, model.outputs()));
}

class Run {
public:
    Run(model::PredictorImpl& model, Split data, Loss loss, const TrainOptions& options,
        const Callbacks& callbacks, std::mt19937_64 random)
        : model_(model),
          data_(std::move(data)),
          loss_(loss),
          options_(options),
          callbacks_(callbacks),
          random_(random),
          batches_((data_.training.size() + options.batch - 1) / options.batch),
          optimiser_(model, options, options.epochs * batches_) {
        record_.training_rows = data_.training.size();
        record_.validation_rows = data_.validation.size();
        record_.metric_name = data_.training.labels() ? "accuracy" : "r2";
    }

    TrainingRecord all_epochs() {
        const bool was_training = model_.is_training();
        for (std::int64_t epoch = 1; epoch <= options_.epochs; ++epoch) {
            auto report = one_epoch(epoch);
            keep_if_best(report);
            record_.stopped_early = !record_.interrupted && epoch < options_.epochs &&
                                    options_.patience > 0 &&
                                    epoch - record_.best_epoch >= options_.patience;
            if (record_.stopped_early || record_.interrupted) report.seconds_left = 0.0;
            close(report);
            if (record_.stopped_early || record_.interrupted) break;
        }
        best_weights_.restore(model_);
        model_.train(was_training);
        record_.seconds = clock_.seconds();
        return std::move(record_);
    }

private:
    EpochReport one_epoch(std::int64_t epoch) {
        const Stopwatch clock;
        const auto skipped_before = optimiser_.skipped();
        EpochReport report;
        report.epoch = epoch;
        report.epochs = options_.epochs;

        model_.train();
        EpochSums sums;
        const auto order = permutation(data_.training.size(), random_);
        for (std::int64_t b = 0; b < batches_ && !record_.interrupted; ++b) {
            const auto begin = b * options_.batch;
            const auto count = std::min(options_.batch, order.size(0) - begin);
            one_step(data_.training.rows(order.narrow(0, begin, count)), sums, report);
            tell_progress(report, sums);
            record_.interrupted = callbacks_.stop && callbacks_.stop();
        }
        sums.report_to(report);
        report.skipped_steps = optimiser_.skipped() - skipped_before;
        report.samples_per_second = static_cast<double>(sums.seen) / clock.seconds();

        if (!data_.validation.empty()) {
            const auto validation = evaluate(model_, data_.validation, loss_);
            report.validation_loss = validation.loss;
            report.validation_metric = validation.metric.value;
            report.validation_failed = validation.failed;
        }
        report.seconds = clock.seconds();
        report.seconds_left = clock_.seconds() / static_cast<double>(epoch) *
                              static_cast<double>(options_.epochs - epoch);
        return report;
    }

    void one_step(const Dataset& rows, EpochSums& sums, EpochReport& report) {
        optimiser_.zero_grad();
        model::Pass pass(model_, rows.x);
        const auto& prediction = pass.prediction();
        const auto batch = total_loss(loss_, prediction, rows.target, options_.alpha);
        if (batch.kept > 0) {
            batch.total.backward();
            pass.backward();
            optimiser_.step();
        } else {
            optimiser_.skip();
        }
        sums.add(prediction, rows.target, batch);
        report.failed_lines += count_failures(prediction.outcomes, report.failures);
    }

    void tell_progress(const EpochReport& report, const EpochSums& sums) const {
        if (!callbacks_.progress) return;
        Progress progress{report.epoch, report.epochs, 0.0, sums.mean(sums.data), 0.0};
        progress.fraction =
            static_cast<double>(sums.seen) / static_cast<double>(data_.training.size());
        const auto done = static_cast<double>(report.epoch - 1) + progress.fraction;
        progress.seconds_left =
            clock_.seconds() / done * (static_cast<double>(report.epochs) - done);
        callbacks_.progress(progress);
    }

    void keep_if_best(EpochReport& report) {
        const bool validated = !data_.validation.empty();
        const Rank rank(validated ? report.validation_metric : -(report.loss + report.spectral),
                        validated ? report.validation_loss : 0.0);
        report.best = !best_ || rank.better_than(*best_);
        if (!report.best) return;
        best_ = rank;
        best_weights_.take(model_);
        record_.best_epoch = report.epoch;
        record_.best_metric = validated ? report.validation_metric : report.train_metric;
    }

    void close(const EpochReport& report) {
        record_.failed_lines += report.failed_lines;
        for (const auto& [name, count] : report.failures) record_.failures[name] += count;
        record_.skipped_steps += report.skipped_steps;
        record_.epochs.push_back(report);
        if (callbacks_.epoch) callbacks_.epoch(report);
    }

    model::PredictorImpl& model_;
    Split data_;
    Loss loss_;
    const TrainOptions& options_;
    const Callbacks& callbacks_;
    std::mt19937_64 random_;
    std::int64_t batches_;
    Optimiser optimiser_;
    TrainingRecord record_;
    std::optional<Rank> best_;
    Snapshot best_weights_;
    Stopwatch clock_;
};

}  // namespace

TrainingRecord train(model::PredictorImpl& model, const Dataset& training,
                     const Dataset& validation, const TrainOptions& options,
                     const Callbacks& callbacks) {
    check_train(options);
    check_dataset(model, training, "training data");
    const auto loss = loss_of(options.loss, training.labels());
    if (!validation.empty()) {
        check_dataset(model, validation, "validation data");
        loss_of(name(loss), validation.labels());
    }

    std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
    // Rows are put in random order even if none is split off: calibrate may look at the first
    // rows only, and data often come sorted.
    auto data = split(training, validation.empty() ? options.validation : 0.0, random);
    if (!validation.empty()) data.validation = validation;
    data.training.x = data.training.x.to(model.scalar_type());

    calibrate(model, data.training);
    return Run(model, std::move(data), loss, options, callbacks, random).all_epochs();
}

}  // namespace deepsl::train
