#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/io/model_file.h"
#include "deepsl/model/mapping.h"
#include "deepsl/model/theory_check.h"
#include "deepsl/table/learner.h"
#include "file.h"
#include "machine.h"
#include "parse.h"
#include "values.h"

namespace deepsl::cli {
namespace {

using model::Figure;

constexpr const char* explanation =
    R"text(Samples are drawn around the centre of the domain, spread like the training data, or are
rows of a table (--data). With --tolerances it is not the theory that is checked, but how far
exits and eigenfunctions, found with each tolerance, are from where they should be.
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
        auto trained = io::load_model(path);
        if (trained.model.is_empty())
            throw data_error(
                fmt::format("{} holds a model of the kind {}; only the kind dsl has "
                            "lines and eigenfunctions to check",
                            path, trained.kind));
        return trained;
    } catch (const io::FileError& error) {
        throw data_error(error.what());
    }
}

/// The first rows of a table, in the domain.
torch::Tensor table_samples(const io::TrainedModel& trained, const CheckArguments& arguments,
                            std::size_t count) {
    if (!trained.encoding)
        throw usage_error("--data takes rows of a table, but the model was not trained on one");
    const auto table = read_table_for(*trained.encoding, arguments.data, arguments.table);
    std::vector<std::size_t> rows(std::min(count, table.rows()));
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    try {
        return trained.scaling.forward(
            table::inputs_of(trained.encoding->apply(table.rows_of(rows))));
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
}

/// The size of H with lines followed to a tolerance, and cells that go with it.
struct AtTolerance {
    double tolerance;
    std::int64_t cells;
    double exit_median, exit_worst, end_median, end_worst;
    std::int64_t failed;
};

AtTolerance at_tolerance(model::Model& model, const torch::Tensor& x, double tolerance) {
    auto& numerics = model->numerics();
    numerics.trace.method = &field::dormand_prince();
    numerics.trace.tolerance = tolerance;
    numerics.trace.max_steps = 100000;
    // The scheme's error falls with the fourth, or second, power of the number of cells.
    const double order = numerics.scheme == sturm::Scheme::magnus4 ? 4.0 : 2.0;
    const double cells = 8.0 * std::pow(1e-2 / tolerance, 1.0 / order);
    numerics.cells = std::max<std::int64_t>(2, static_cast<std::int64_t>(std::ceil(cells)));
    std::vector<torch::Tensor> exits, ends;
    for (std::size_t m = 0; m < model->terms(); ++m) {
        const auto error = model::mapping_error(model, x, static_cast<std::int64_t>(m));
        exits.push_back(error.exits.flatten());
        ends.push_back(error.ends.flatten());
    }
    const auto all_exits = torch::cat(exits), all_ends = torch::cat(ends);
    return {tolerance,
            numerics.cells,
            all_exits.nanmedian().item<double>(),
            all_exits.nan_to_num(0.0).max().item<double>(),
            all_ends.nanmedian().item<double>(),
            all_ends.nan_to_num(0.0).max().item<double>(),
            all_exits.isnan().sum().item<std::int64_t>() / 2};
}

void print_tolerances(const std::vector<AtTolerance>& lines, bool json) {
    if (json) {
        nlohmann::ordered_json out;
        for (const auto& l : lines)
            out.push_back({{"tolerance", l.tolerance},
                           {"cells", l.cells},
                           {"exit_median", l.exit_median},
                           {"exit_worst", l.exit_worst},
                           {"end_median", l.end_median},
                           {"end_worst", l.end_worst},
                           {"failed_lines", l.failed}});
        print(out.dump(2) + "\n");
        return;
    }
    print(fmt::format("{:>10} {:>8}   {:>10} {:>10}   {:>10} {:>10}\n", "tolerance", "cells",
                      "|g| median", "worst", "|u| median", "worst"));
    for (const auto& l : lines)
        print(fmt::format("{:>10.0e} {:>8}   {:>10.1e} {:>10.1e}   {:>10.1e} {:>10.1e}{}\n",
                          l.tolerance, l.cells, l.exit_median, l.exit_worst, l.end_median,
                          l.end_worst,
                          l.failed > 0 ? fmt::format("   {} lines failed", l.failed) : ""));
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
    add_value(verb, "--data", arguments.data, "FILE", "Take the first rows of this table", group);
    add_value(verb, "--tolerances", arguments.tolerances, "A,B,...",
              "Measure the paper's mapping H at these tolerances instead", group);
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group(group);
    add_table_flags(verb, arguments.table);
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
    const auto x = arguments.data.empty()
                       ? draw_samples(trained, static_cast<std::int64_t>(samples), seed)
                       : table_samples(trained, arguments, samples);
    if (!arguments.tolerances.empty()) {
        std::vector<AtTolerance> lines;
        const double least = trained.model->numerics().least_tolerance;
        for (const auto& word : split_list(arguments.tolerances)) {
            const auto value = number("--tolerances", word);
            if (!(value >= least && value <= 0.1))
                throw usage_error(fmt::format(
                    "--tolerances takes numbers from {:.0e}, which the model's precision can hold, "
                    "to 0.1, but {} was given",
                    least, shown(word)));
            lines.push_back(at_tolerance(trained.model, x, value));
        }
        print_tolerances(lines, arguments.json);
        return ExitCode::ok;
    }
    const auto figures = model::check_theory(trained.model, x, static_cast<int>(finer));
    std::size_t out_of_bounds = 0;
    for (const auto& figure : figures) out_of_bounds += figure.ok() ? 0U : 1U;
    if (arguments.json) {
        print(json_text(arguments, trained, figures, out_of_bounds == 0));
    } else {
        const auto& o = trained.model->options();
        print(fmt::format("{}: {} inputs, {} outputs, {} eigenfunctions, {}; {} lines\n\n{}\n{}\n",
                          arguments.model, trained.model->inputs(), trained.model->outputs(),
                          o.eigenfunctions, o.precision, x.size(0), table_text(figures),
                          out_of_bounds == 0
                              ? "All is as the theory promises."
                              : "Marked figures are out of bounds: the grid is too coarse (raise "
                                "steps and cells), or the file is not what was trained."));
    }
    return out_of_bounds == 0 ? ExitCode::ok : ExitCode::failure;
}

}  // namespace deepsl::cli
