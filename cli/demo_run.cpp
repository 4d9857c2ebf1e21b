#include "demo_run.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "deepsl/learner/describe.h"
#include "deepsl/learner/generated.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_report.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "deepsl/train/progress.h"
#include "machine.h"
#include "training_display.h"

namespace deepsl::cli {
namespace {

struct Learner {
    learner::TrainedModel model;
    Trial trial;
};

Learner learn_and_test(const learner::Samples& training, const learner::Samples& test,
                       const learner::Task& task, TrainingDisplay& display) {
    auto learned = learner::learn(learner::prepare(training, {}, task), task, display.callbacks());
    for (const auto& text : learner::result_warnings(learned)) display.warning(text);
    Learner result;
    result.model = std::move(learned.model);
    result.trial.parameters = result.model.predictor->parameters().learned();
    result.trial.record = std::move(learned.record);
    result.trial.test = learner::evaluate(result.model, test.rows);
    return result;
}

/// What the library does not know about the data; nothing in it changes from run to run.
void fill_record(const DemoCommand& command, DemoResult& result) {
    auto& record = result.trained.record;
    record["data"] = name(command.set);
    record["samples"] = fmt::format("{}", command.data.samples);
    record["noise"] = fmt::format("{}", command.noise());
    record["test " + result.dsl.record.metric_name] = fmt::format("{}", result.dsl.test_metric());
}

}  // namespace

DemoResult run(const DemoCommand& command) {
    const Interrupt interrupt;
    const auto start = std::chrono::steady_clock::now();
    set_threads(command.threads);
    const auto& task = command.task;
    const auto training = learner::generated_samples(command.set, command.data);
    const auto test = learner::generated_test_samples(command.set, command.data);

    using Show = TrainingDisplay::Show;
    const auto* metric = training.classes.empty() ? "R²" : "accuracy";
    TrainingDisplay display(command.quiet ? Show::nothing : Show::epochs, metric);
    const auto blank = model::make_predictor(task.kind, training.rows.x.columns(),
                                             training.classes.empty() ? 1 : training.classes.size(),
                                             task.model, 0);
    display.line(fmt::format("Deep Sturm-Liouville on {} of '{}': {}, {} parameters, {}",
                             counted(training.size(), "sample"), name(command.set),
                             counted(task.model.eigenfunctions, "eigenfunction"),
                             blank->parameters().learned(), counted(command.threads, "thread")));
    DemoResult result;
    auto own = learn_and_test(training, test, task, display);
    result.trained = std::move(own.model);
    result.dsl = std::move(own.trial);
    display.line(train::summary_line(result.dsl.record));
    fill_record(command, result);

    result.report = learner::model_report(result.trained, training.rows, test.rows);
    result.report.history = learner::report_history(result.dsl.record);
    if (!Interrupt::asked()) {
        const auto equal = learner::task_of_equal_mlp(task, *result.trained.predictor);
        result.mlp_width = equal.model.hidden.front();
        TrainingDisplay bar(command.quiet ? Show::nothing : Show::bar, metric);
        auto other = learn_and_test(training, test, equal, bar);
        bar.line("MLP of the same size: " + train::summary_line(other.trial.record));
        result.report.baseline = learner::baseline_report("an MLP of the same size", other.model,
                                                          other.trial.record, result.report);
        result.mlp = std::move(other.trial);
    }
    if (result.report.one_dimensional) {
        auto& truth = result.report.truth;
        truth.x = result.report.predicted.x;
        for (const double x : truth.x) truth.y.push_back(data::wave(x));
    }
    result.interrupted = Interrupt::asked();
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace deepsl::cli
