#include "deepsl/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>
#include <random>
#include <sstream>
#include <utility>

#include "deepsl/io/file.h"
#include "deepsl/model/pass.h"
#include "deepsl/text.h"
#include "deepsl/train/optimiser.h"
#include "train/epoch_sums.h"
#include "train/snapshot.h"

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
        const Callbacks& callbacks, std::mt19937_64 random, const Checkpointing& checkpointing,
        Fingerprint run)
        : model_(model),
          data_(std::move(data)),
          loss_(loss),
          options_(options),
          callbacks_(callbacks),
          random_(random),
          checkpointing_(checkpointing),
          run_(std::move(run)),
          batches_((data_.training.size() + options.batch - 1) / options.batch),
          optimiser_(model, options, options.epochs * batches_) {
        record_.training_rows = data_.training.size();
        record_.validation_rows = data_.validation.size();
        record_.metric_name = data_.training.labels() ? "accuracy" : "r2";
    }

    /// Goes on from the end of an earlier run's epoch.
    void resume(const TrainingState& state) {
        const auto own = snapshot(model_);
        restore(state.weights, model_);
        if (answer() != state.answer) {
            restore(own, model_);
            throw OptionError(in_quotes(checkpointing_.path) +
                              " belongs to another run: its model answers otherwise with the same "
                              "weights; resume with the same options of the model and the same "
                              "program, or start afresh");
        }
        best_weights_ = state.best;
        optimiser_.restore(state.optimiser);
        std::istringstream random(state.random);
        random.imbue(std::locale::classic());
        random >> random_;
        seconds_before_ = state.seconds;
        for (auto report : state.epochs) {
            judge(report);
            add(report);
        }
    }

    TrainingRecord all_epochs() {
        const bool was_training = model_.is_training();
        start_saving();
        while (!over()) {
            auto report = one_epoch(epochs_done() + 1);
            judge(report);
            if (report.best) best_weights_ = snapshot(model_);
            add(report);
            if (over()) record_.epochs.back().seconds_left = 0.0;
            save_if_due();
            if (callbacks_.epoch) callbacks_.epoch(record_.epochs.back());
        }
        restore(best_weights_, model_);
        model_.train(was_training);
        record_.seconds = seconds();
        return std::move(record_);
    }

private:
    EpochReport one_epoch(std::int64_t epoch) {
        const Stopwatch clock;
        const auto skipped_before = optimiser_.skipped();
        EpochReport report;
        report.epoch = epoch;
        report.epochs = last_epoch();

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
        report.seconds_left =
            seconds() / static_cast<double>(epoch) * static_cast<double>(last_epoch() - epoch);
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
        progress.seconds_left = seconds() / done * (static_cast<double>(report.epochs) - done);
        callbacks_.progress(progress);
    }

    Rank rank_of(const EpochReport& report) const {
        if (options_.best == "loss") return {-report.validation_loss, 0.0};
        return {report.validation_metric, report.validation_loss};
    }

    /// Whether the epoch is the best so far, and whether patience has come to its end.
    void judge(EpochReport& report) {
        const bool validated = !data_.validation.empty();
        const auto rank = validated ? rank_of(report) : Rank(-(report.loss + report.spectral), 0.0);
        // An epoch that was named is wanted, whatever its training loss.
        const bool named = !validated && options_.stop_epoch > 0;
        report.best = named || !best_ || rank.better_than(*best_);
        if (report.best) {
            best_ = rank;
            record_.best_epoch = report.epoch;
            record_.best_metric = validated ? report.validation_metric : report.train_metric;
        }
        record_.stopped_early = !record_.interrupted && report.epoch < last_epoch() &&
                                options_.patience > 0 &&
                                report.epoch - record_.best_epoch >= options_.patience;
    }

    void add(const EpochReport& report) {
        record_.failed_lines += report.failed_lines;
        for (const auto& [name, count] : report.failures) record_.failures[name] += count;
        record_.skipped_steps += report.skipped_steps;
        record_.epochs.push_back(report);
    }

    std::int64_t epochs_done() const { return static_cast<std::int64_t>(record_.epochs.size()); }
    bool over() const {
        return record_.stopped_early || record_.interrupted || epochs_done() >= last_epoch();
    }
    std::int64_t last_epoch() const {
        return options_.stop_epoch > 0 ? std::min(options_.stop_epoch, options_.epochs)
                                       : options_.epochs;
    }
    double seconds() const { return seconds_before_ + clock_.seconds(); }

    /// What the model predicts for the first few rows.
    std::string answer() {
        const bool was_training = model_.is_training();
        model_.eval();
        const auto prediction = model_.predict(
            data_.training.x.narrow(0, 0, std::min<std::int64_t>(data_.training.size(), 8)));
        model_.train(was_training);
        return hash_of({prediction.y, prediction.lambda});
    }

    TrainingState state() {
        std::ostringstream random;
        random.imbue(std::locale::classic());
        random << random_;
        return {snapshot(model_), best_weights_, optimiser_.state(), random.str(), record_.epochs,
                seconds(),        answer()};
    }

    void start_saving() {
        if (checkpointing_.path.empty()) return;
        // Even the first epoch may be cut short.
        last_state_ = state();
        // A file that cannot be written is better known now than after hours.
        if (!checkpointing_.resume) save_state(checkpointing_.path, last_state_, run_);
    }

    void save_if_due() {
        if (checkpointing_.path.empty()) return;
        if (!record_.interrupted) last_state_ = state();
        const auto& every = checkpointing_;
        const bool due =
            over() || (every.every_epochs > 0 && epochs_done() % every.every_epochs == 0) ||
            (every.every_seconds > 0.0 && since_saved_.seconds() >= every.every_seconds);
        if (!due) return;
        since_saved_ = Stopwatch();
        try {
            save_state(every.path, last_state_, run_);
        } catch (const io::FileError& error) {
            if (!callbacks_.warning) throw;
            if (!warned_) callbacks_.warning(error.what());
            warned_ = true;
        }
    }

    model::PredictorImpl& model_;
    Split data_;
    Loss loss_;
    const TrainOptions& options_;
    const Callbacks& callbacks_;
    std::mt19937_64 random_;
    const Checkpointing& checkpointing_;
    Fingerprint run_;
    std::int64_t batches_;
    Optimiser optimiser_;
    TrainingRecord record_;
    std::optional<Rank> best_;
    std::vector<Tensor> best_weights_;
    TrainingState last_state_;  // at the end of the last epoch that was complete
    double seconds_before_ = 0.0;
    Stopwatch clock_, since_saved_;
    bool warned_ = false;
};

}  // namespace

TrainingRecord train(model::PredictorImpl& model, const Dataset& training,
                     const Dataset& validation, const TrainOptions& options,
                     const Callbacks& callbacks, const Checkpointing& checkpointing) {
    check_train(options);
    check_checkpointing(checkpointing);
    check_dataset(model, training, "training data");
    const auto loss = loss_of(options.loss, training.labels());
    if (!validation.empty()) {
        check_dataset(model, validation, "validation data");
        loss_of(name(loss), validation.labels());
    }
    Fingerprint run;
    if (!checkpointing.path.empty()) run = fingerprint(model, training, validation, options);
    std::optional<TrainingState> state;
    if (checkpointing.resume) state = load_state(checkpointing.path, run);

    std::mt19937_64 random(static_cast<std::uint64_t>(options.seed));
    // Rows are put in random order even if none is split off: calibrate may look at the first
    // rows only, and data often come sorted.
    auto data = split(training, validation.empty() ? options.validation : 0.0, random);
    if (!validation.empty()) data.validation = validation;
    data.training.x = data.training.x.to(model.scalar_type());

    if (!state) calibrate(model, data.training);
    Run all(model, std::move(data), loss, options, callbacks, random, checkpointing,
            std::move(run));
    if (state) all.resume(*state);
    return all.all_epochs();
}

}  // namespace deepsl::train
