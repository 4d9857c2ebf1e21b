#include "demo_run.h"

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "deepsl/model/baseline.h"
#include "deepsl/train/trainer.h"
#include "machine.h"
#include "training_display.h"

namespace deepsl::cli {
namespace {

using torch::Tensor;

std::vector<std::string> class_names(const std::string& set) {
    if (set == "moons") return {"upper", "lower"};
    if (set == "circles") return {"outer", "inner"};
    if (set == "spirals") return {"first arm", "second arm"};
    if (set == "checkerboard") return {"even", "odd"};
    return {};
}

io::ReportData tensors_of(const data::Samples& samples) {
    const auto rows = static_cast<std::int64_t>(samples.size());
    io::ReportData data;
    data.x = torch::tensor(samples.x, torch::kFloat64)
                 .reshape({rows, static_cast<std::int64_t>(samples.features)});
    data.target = samples.classes > 0 ? torch::tensor(samples.label, torch::kInt64)
                                      : torch::tensor(samples.y, torch::kFloat64).unsqueeze(1);
    return data;
}

/// As a model sees the data: in the domain, and numbers with mean 0 and deviation 1.
train::Dataset scaled(const io::ReportData& data, const io::TrainedModel& trained) {
    const bool labels = !data.target.is_floating_point();
    return {trained.scaling.forward(data.x).to(torch::kFloat32),
            labels
                ? data.target
                : ((data.target - trained.target_mean) / trained.target_scale).to(torch::kFloat32)};
}

/// The width of two equal hidden layers that give about as many parameters:
/// h^2 + (inputs + outputs + 2) h + outputs.
std::int64_t matching_width(std::int64_t inputs, std::int64_t outputs, std::int64_t parameters) {
    const auto b = static_cast<double>(inputs + outputs + 2);
    const auto rest = static_cast<double>(parameters - outputs);
    return std::max<std::int64_t>(1, std::llround((std::sqrt(b * b + 4.0 * rest) - b) / 2.0));
}

Trial trial(model::PredictorImpl& model, const train::Dataset& training, const train::Dataset& test,
            const train::TrainOptions& options, TrainingDisplay& display) {
    Trial result;
    result.parameters = model.parameter_count();
    result.record = train::train(model, training, {}, options, display.callbacks());
    result.test = train::evaluate(model, test, train::loss_of(options.loss, test.labels()));
    return result;
}

}  // namespace

DemoResult run(const DemoTask& task) {
    const Interrupt interrupt;
    const auto start = std::chrono::steady_clock::now();
    at::set_num_threads(task.threads);
    const auto& options = task.settings.train;
    const auto training = tensors_of(data::generate(task.set, task.data));
    auto other = task.data;
    other.samples = demo_test_samples;
    other.seed = ~task.data.seed;  // no seed that can be given for training
    const auto test = tensors_of(data::generate(task.set, other));

    DemoResult result;
    auto& trained = result.trained;
    trained.scaling = data::fit_scaling(training.x, task.settings.model.domain);
    trained.classes = class_names(task.set);
    const bool labels = !training.target.is_floating_point();
    if (!labels) {
        trained.target_mean = training.target.mean().item<double>();
        const double deviation = training.target.std(false).item<double>();
        trained.target_scale = deviation > 0.0 ? deviation : 1.0;
    }
    const auto inputs = training.x.size(1);
    trained.features =
        inputs == 1 ? std::vector<std::string>{"x"} : std::vector<std::string>{"x₁", "x₂"};
    const std::int64_t outputs = labels ? static_cast<std::int64_t>(trained.classes.size()) : 1;
    torch::manual_seed(static_cast<std::uint64_t>(options.seed));
    trained.model = model::Model(inputs, outputs, task.settings.model);
    const auto own_training = scaled(training, trained), own_test = scaled(test, trained);

    using Show = TrainingDisplay::Show;
    const auto* metric = labels ? "accuracy" : "R2";
    TrainingDisplay display(task.quiet ? Show::nothing : Show::epochs, metric);
    display.line(
        fmt::format("Deep Sturm-Liouville on {} samples of '{}': {} eigenfunctions, {} "
                    "parameters, {} thread{}",
                    training.x.size(0), task.set, task.settings.model.eigenfunctions,
                    trained.model->parameter_count(), task.threads, task.threads == 1 ? "" : "s"));
    result.dsl = trial(*trained.model, own_training, own_test, options, display);
    display.line(train::summary_line(result.dsl.record));
    fill_record(task, result);

    result.report = io::model_report(trained, training, test);
    result.report.history = io::history_of(result.dsl.record);
    if (!Interrupt::asked()) {
        network::MlpOptions mlp;
        result.mlp_width = matching_width(inputs, outputs, result.dsl.parameters);
        mlp.hidden = {result.mlp_width, result.mlp_width};
        mlp.activation = network::Activation::tanh;
        mlp.shift = trained.model->domain()->centre();
        mlp.scale = task.settings.model.input_scale;
        auto longer = options;
        longer.epochs *= mlp_epochs_factor;
        torch::manual_seed(static_cast<std::uint64_t>(options.seed));
        model::MlpModel baseline(inputs, outputs, mlp);
        TrainingDisplay bar(task.quiet ? Show::nothing : Show::bar, metric);
        result.mlp = trial(*baseline, own_training, own_test, longer, bar);
        bar.line("MLP of the same size: " + train::summary_line(result.mlp->record));
        result.report.baseline = io::baseline_report("an MLP of the same size", *baseline, trained,
                                                     result.mlp->record, result.report);
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
