#include "deepsl/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "deepsl/random.h"
#include "deepsl/train/optimiser.h"
#include "deepsl/train/step.h"
#include "train/best_epoch.h"
#include "train/checkpoint_keeper.h"
#include "train/epoch_sums.h"
#include "train/stopwatch.h"

namespace deepsl::train {
namespace {

/// What a run learns from: rows of one set, and another set.
struct Material {
    const Dataset& known;
    std::vector<std::size_t> rows;  // of `known`, in random order
    Dataset validation;

    Material(const Dataset& training, const Dataset& given, const TrainOptions& options,
             Random& random)
        : known(training) {
        // Rows are put in random order even if none is split off: calibrate may look at the first
        // rows only, and data often come sorted.
        auto parts =
            split_rows(training.targets(), given.empty() ? options.validation : 0.0, random);
        rows = std::move(parts.training);
        if (!given.empty())
            validation = given;
        else if (!parts.validation.empty())
            validation = training.rows_at(parts.validation);
    }
};

void calibrate(model::Predictor& model, const Material& data) {
    // Of a source some rows tell enough, and all of them might not fit into memory.
    constexpr std::size_t most_of_source = 4096;
    const std::span<const std::size_t> all(data.rows);
    const auto rows = data.known.source ? all.first(std::min(all.size(), most_of_source)) : all;
    std::vector<std::size_t> finite;
    Matrix<double> x;
    for (const auto row : rows) {
        data.known.read({&row, 1}, 0, x);
        const auto& values = x.values();
        if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
            finite.push_back(row);
    }
    if (finite.empty()) return;
    const auto usable = data.known.rows_at(finite);
    model.calibrate(data.known.read(finite), calibration_targets(usable, model.outputs()));
}

std::string text_of(const Random& random) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << random;
    return text.str();
}

Random random_of(const std::string& text) {
    std::istringstream words(text);
    words.imbue(std::locale::classic());
    Random random;
    words >> random;
    return random;
}

class Run {
public:
    Run(model::Predictor& model, const Material& data, Loss loss, const TrainOptions& options,
        const Callbacks& callbacks, const Random& random, CheckpointKeeper& keeper)
        : model_(model),
          data_(data),
          loss_(loss),
          options_(options),
          callbacks_(callbacks),
          random_(random),
          keeper_(keeper),
          batch_(static_cast<std::size_t>(options.batch)),
          steps_((data.rows.size() + batch_ - 1) / batch_),
          optimiser_(model.parameters(), options,
                     options.epochs * static_cast<std::int64_t>(steps_)),
          passes_(model, options.smoothness),
          best_(options, !data.validation.empty()),
          gradient_(model.parameters().size()) {
        record_.training_rows = static_cast<std::int64_t>(data.rows.size());
        record_.validation_rows = static_cast<std::int64_t>(data.validation.size());
        record_.metric_name = data.known.has_labels() ? "accuracy" : "r2";
    }

    /// Goes on from the end of an earlier run's epoch.
    void resume(const TrainingState& state) {
        keeper_.expect_same_predictions(state);
        best_values_ = state.best;
        optimiser_.restore(state.optimiser);
        random_ = random_of(state.random);
        seconds_before_ = state.seconds;
        for (auto report : state.epochs) close(report);
    }

    TrainingRecord all_epochs() {
        remember();
        keeper_.begin(record_);
        while (!over()) {
            auto report = one_epoch();
            close(report);
            if (report.best) best_values_ = model_.parameters().values();
            if (over()) record_.epochs.back().seconds_left = 0.0;
            if (!record_.interrupted) remember();
            keeper_.save_if_due(record_, over());
            if (callbacks_.epoch) callbacks_.epoch(record_.epochs.back());
        }
        model_.set_values(best_values_);
        record_.seconds = seconds();
        return std::move(record_);
    }

private:
    EpochReport one_epoch() {
        const Stopwatch clock;
        const auto skipped_before = optimiser_.skipped();
        EpochReport report;
        report.epoch = epochs_done() + 1;
        report.epochs = options_.last_epoch();

        shuffle();
        sums_.clear();
        for (std::size_t step = 0; step < steps_ && !record_.interrupted; ++step) {
            one_step(step);
            if (callbacks_.progress) callbacks_.progress(progress(report));
            record_.interrupted = callbacks_.stop && callbacks_.stop();
        }
        sums_.report_to(report);
        report.skipped_steps = optimiser_.skipped() - skipped_before;
        report.samples_per_second = static_cast<double>(sums_.seen()) / clock.seconds();
        validate(report);
        report.seconds = clock.seconds();
        report.seconds_left = seconds() / static_cast<double>(report.epoch) *
                              static_cast<double>(report.epochs - report.epoch);
        return report;
    }

    void shuffle() {
        order_ = permutation(data_.rows.size(), random_);
        for (auto& row : order_) row = data_.rows[row];
    }

    void one_step(std::size_t step) {
        const auto begin = step * batch_;
        const auto rows = std::span(order_).subspan(begin, std::min(batch_, order_.size() - begin));
        const auto sums = passes_.gradient(data_.known, rows, loss_, options_.alpha, gradient_,
                                           static_cast<std::uint64_t>(epochs_done() + 1));
        if (sums.kept > 0)
            optimiser_.step(model_, gradient_);
        else
            optimiser_.skip();
        sums_.add(passes_.prediction(), data_.known, rows, sums);
    }

    void validate(EpochReport& report) {
        if (data_.validation.empty()) return;
        report.validation_loss = passes_.loss(data_.validation, loss_).mean_data();
        const auto& prediction = passes_.prediction();
        report.validation_metric =
            main_metric(prediction.y, data_.validation.targets(), prediction.outcomes).value;
        report.validation_failed = static_cast<std::int64_t>(prediction.failed());
    }

    Progress progress(const EpochReport& report) const {
        Progress now{report.epoch, report.epochs, 0.0, sums_.mean_loss(), 0.0};
        now.fraction = static_cast<double>(sums_.seen()) / static_cast<double>(order_.size());
        const auto done = static_cast<double>(report.epoch - 1) + now.fraction;
        now.seconds_left = seconds() / done * (static_cast<double>(report.epochs) - done);
        return now;
    }

    /// Puts an epoch into the record.
    void close(EpochReport& report) {
        best_.judge(report);
        record_.best_epoch = best_.epoch();
        record_.best_metric = best_.metric();
        record_.stopped_early = !record_.interrupted && best_.patience_ends(report.epoch);
        record_.lines += static_cast<std::int64_t>(data_.rows.size());
        record_.failed_lines += report.failed_lines;
        for (const auto& [name, count] : report.failures) record_.failures[name] += count;
        record_.skipped_steps += report.skipped_steps;
        record_.epochs.push_back(report);
    }

    void remember() {
        if (!keeper_.active()) return;
        keeper_.remember({model_.parameters().values(),
                          best_values_,
                          optimiser_.state(),
                          text_of(random_),
                          {},
                          seconds(),
                          {}});
    }

    std::int64_t epochs_done() const { return static_cast<std::int64_t>(record_.epochs.size()); }
    bool over() const {
        return record_.stopped_early || record_.interrupted ||
               epochs_done() >= options_.last_epoch();
    }
    double seconds() const { return seconds_before_ + clock_.seconds(); }

    model::Predictor& model_;
    const Material& data_;
    Loss loss_;
    const TrainOptions& options_;
    const Callbacks& callbacks_;
    Random random_;
    CheckpointKeeper& keeper_;
    std::size_t batch_, steps_;  // rows a step, steps an epoch
    Optimiser optimiser_;
    BatchPass passes_;
    BestEpoch best_;
    std::vector<double> gradient_, best_values_;
    std::vector<std::size_t> order_;  // rows of this epoch
    EpochSums sums_;
    TrainingRecord record_;
    double seconds_before_ = 0.0;
    Stopwatch clock_;
};

}  // namespace

TrainingRecord train(model::Predictor& model, const Dataset& training, const Dataset& validation,
                     const TrainOptions& options, const Callbacks& callbacks,
                     const Checkpointing& checkpointing) {
    check_train(options);
    check_checkpointing(checkpointing);
    check_dataset(model, training, "training data");
    const auto loss = loss_for(options.loss, training.has_labels());
    if (!validation.empty()) {
        check_dataset(model, validation, "validation data");
        loss_for(loss, validation.has_labels());
    }
    Fingerprint run;
    if (!checkpointing.path.empty()) run = fingerprint(model, training, validation, options);
    std::optional<TrainingState> state;
    if (checkpointing.resume) state = load_state(checkpointing.path, run);

    Random random(static_cast<std::uint64_t>(options.seed));
    const Material data(training, validation, options, random);
    if (!state) calibrate(model, data);

    const auto some = std::span(data.rows).first(std::min<std::size_t>(data.rows.size(), 8));
    CheckpointKeeper keeper(model, training.read(some), checkpointing, std::move(run),
                            callbacks.warning);
    Run all(model, data, loss, options, callbacks, random, keeper);
    if (state) all.resume(*state);
    return all.all_epochs();
}

}  // namespace deepsl::train
