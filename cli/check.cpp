#include "check.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/io/model_file.h"
#include "deepsl/model/theory_check.h"
#include "file.h"
#include "machine.h"
#include "parse.h"
#include "values.h"

namespace deepsl::cli {
namespace {

using model::Figure;

constexpr const char* explanation =
    R"text(Samples are drawn around the centre of the domain, spread like the training data.
Exit codes: 0 all in bounds, 1 a figure is out of bounds, 2 the command is wrong, 3 the file is
missing, damaged or no model.)text";

/// Normal around the centre, as widely spread as the training data; what falls outside is pulled
/// in as data are.
torch::Tensor draw_samples(const io::TrainedModel& trained, std::int64_t count,
                           std::uint64_t seed) {
    auto generator = at::detail::createCPUGenerator(seed);
    const auto normal = torch::randn({count, trained.model->inputs()}, generator, torch::kFloat64);
    const auto z = trained.model->domain()->centre() + trained.scaling.spread * normal;
    return trained.scaling.forward(trained.scaling.inverse(z));
}

io::TrainedModel load(const std::string& path) {
    try {
        return io::load_model(path);
    } catch (const io::FileError& error) {
        throw data_error(error.what());
    }
}

std::string value_text(double value) {
    if (std::isfinite(value) && value == std::floor(value) && std::fabs(value) < 1e6)
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.2g}", value);
}

std::string bound_text(const Figure& figure) {
    return fmt::format("{} {}", figure.at_least ? ">" : "≤", value_text(figure.bound));
}

std::string table_text(const std::vector<Figure>& figures) {
    auto out = fmt::format("  {:<26}  {:>8}  {:<8}\n", "", "worst", "allowed");
    for (const auto& f : figures)
        out += fmt::format("{} {:<26}  {:>8}  {:<8}  {}\n", f.ok() ? "✓" : "✗", f.title,
                           value_text(f.value), bound_text(f), f.meaning);
    return out;
}

std::string json_text(const CheckArguments& arguments, const io::TrainedModel& trained,
                      const std::vector<Figure>& figures, bool ok) {
    using Json = nlohmann::ordered_json;
    Json out;
    out["model"] = arguments.model;
    out["inputs"] = trained.model->inputs();
    out["outputs"] = trained.model->outputs();
    out["ok"] = ok;
    out["figures"] = Json::array();
    for (const auto& f : figures) {
        out["figures"].push_back({{"name", f.name},
                                  {"value", f.value},
                                  {"bound", f.bound},
                                  {"must_be", f.at_least ? "above" : "at most"},
                                  {"ok", f.ok()},
                                  {"meaning", f.meaning}});
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

CLI::App* add_check(CLI::App& app, CheckArguments& arguments) {
    auto* verb = app.add_subcommand("check", "Measure what the theory promises on a saved model");
    verb->allow_extras();
    verb->footer(explanation);
    verb->get_formatter()->column_width(32);
    verb->add_option("model", arguments.model, "The model file")
        ->type_name("MODEL")
        ->multi_option_policy(CLI::MultiOptionPolicy::Join);
    const auto* group = "Options";
    add_value(verb, "--samples", arguments.samples, "N",
              "Lines to look at, 32 or more (default 256)", group);
    add_value(verb, "--seed", arguments.seed, "N", "Of the samples (default 0)", group);
    add_value(verb, "--finer", arguments.finer, "N",
              "How many times finer than the model's own grid (default 8)", group);
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group(group);
    return verb;
}

ExitCode run_check(const CLI::App& verb, const CheckArguments& arguments) {
    check_words(verb, "one model file is enough");
    if (arguments.model.empty())
        throw usage_error("the model file is missing; try 'deepsl check demo.deepsl'");
    const auto samples = whole("--samples", arguments.samples, 32, 100000);
    const auto seed = whole("--seed", arguments.seed, 0, 1000000000000000);
    const auto finer = whole("--finer", arguments.finer, 1, 64);
    at::set_num_threads(available_threads());
    auto trained = load(arguments.model);
    const auto x = draw_samples(trained, static_cast<std::int64_t>(samples), seed);
    const auto figures = model::check_theory(trained.model, x, static_cast<int>(finer));
    std::size_t out_of_bounds = 0;
    for (const auto& figure : figures) out_of_bounds += figure.ok() ? 0U : 1U;
    if (arguments.json) {
        print(json_text(arguments, trained, figures, out_of_bounds == 0));
    } else {
        const auto& o = trained.model->options();
        print(fmt::format("{}: {} inputs, {} outputs, {} eigenfunctions, {}; {} lines\n\n{}\n{}\n",
                          arguments.model, trained.model->inputs(), trained.model->outputs(),
                          o.eigenfunctions, o.precision, samples, table_text(figures),
                          out_of_bounds == 0
                              ? "All is as the theory promises."
                              : "Marked figures are out of bounds: the grid is too coarse (raise "
                                "steps and cells), or the file is not what was trained."));
    }
    return out_of_bounds == 0 ? ExitCode::ok : ExitCode::failure;
}

}  // namespace deepsl::cli
