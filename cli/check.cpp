#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/learner/apply.h"
#include "deepsl/learner/image_rows.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/model/check.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "file.h"
#include "option_flags.h"
#include "parse.h"
#include "text.h"
#include "values.h"

namespace deepsl::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* explanation =
    R"text(Samples are drawn around the centre of the domain, spread like the training data, or are
rows of a table or images (--data). What holds over the whole domain is measured in two dimensions only.
With --tolerances it is not the theory that is checked, but how far
exits and eigenfunctions, found with each tolerance, are from where they should be.
Exit codes: 0 all in bounds, 1 a figure is out of bounds, 2 the command is wrong, 3 the file is
missing, damaged or no model.)text";

model::CheckOptions options_of(const CheckArguments& arguments) {
    model::CheckOptions options;
    with_flag_names([&] {
        model::visit_check(options, [&](const Option& option, auto& value) {
            const auto given = arguments.given.find(std::string(option.name));
            if (given != arguments.given.end() && !given->second.empty())
                parse_option(option, trimmed(given->second), value);
        });
    });
    return options;
}

std::vector<double> tolerances_of(const std::string& list) {
    std::vector<double> values;
    if (!list.empty())
        for (const auto& word : split_list(list)) values.push_back(number_of("--tolerances", word));
    return values;
}

/// The first rows or images of the data, in the data's units.
Matrix<double> data_rows(const learner::TrainedModel& trained, const CheckArguments& arguments,
                         std::size_t count) {
    if (trained.image()) {
        data::ImageOptions options{.or_whole = true};
        parse_option(choice<data::ImagePart>("--part", ""), arguments.part, options.part);
        const auto images = learner::read_images_for(trained, arguments.data, options);
        Matrix<double> x(std::min(count, images->size()), images->shape.size());
        const learner::ImageRows rows(images, {});
        for (std::size_t row = 0; row < x.rows(); ++row) rows.read(row, x.row(row));
        return x;
    }
    if (!trained.encoding)
        throw argument_error("--data takes rows of a table, but the model was not trained on one");
    const auto table =
        learner::read_table_for(trained, arguments.data, with_flags(arguments.table));
    std::vector<std::size_t> rows(std::min(count, table.rows()));
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return learner::inputs_of(trained, table.rows_of(rows));
}

void print_mapping(const std::vector<model::MappingRow>& rows, bool json) {
    if (json) {
        Json out;
        for (const auto& row : rows)
            out.push_back({{"tolerance", row.tolerance},
                           {"cells", row.cells},
                           {"exit_median", row.exit_median},
                           {"exit_worst", row.exit_worst},
                           {"end_median", row.end_median},
                           {"end_worst", row.end_worst},
                           {"failed_lines", row.failed}});
        print(out.dump(2) + "\n");
        return;
    }
    auto text = fmt::format("{:>10} {:>8}   {:>10} {:>10}   {:>10} {:>10}\n", "tolerance", "cells",
                            "|g| median", "worst", "|u| median", "worst");
    for (const auto& row : rows)
        text += fmt::format(
            "{:>10.0e} {:>8}   {:>10.1e} {:>10.1e}   {:>10.1e} {:>10.1e}{}\n", row.tolerance,
            row.cells, row.exit_median, row.exit_worst, row.end_median, row.end_worst,
            row.failed > 0 ? fmt::format("   {} failed", counted(row.failed, "line")) : "");
    print(text);
}

std::string value_text(double value) {
    if (std::isfinite(value) && value == std::floor(value) && std::fabs(value) < 1e6)
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.2g}", value);
}

/// A dot where nothing is promised.
std::string_view mark(const model::Figure& figure) {
    if (figure.promise == model::Promise::nothing) return "·";
    return figure.ok() ? "✓" : "✗";
}

std::string allowed_text(const model::Figure& figure) {
    switch (figure.promise) {
        case model::Promise::at_most: return fmt::format("≤ {}", value_text(figure.bound));
        case model::Promise::above: return fmt::format("> {}", value_text(figure.bound));
        case model::Promise::nothing: return "any";
    }
    return "";
}

/// For programs; null where nothing is promised.
Json must_be(const model::Figure& figure) {
    switch (figure.promise) {
        case model::Promise::at_most: return "at most";
        case model::Promise::above: return "above";
        case model::Promise::nothing: return nullptr;
    }
    return nullptr;
}

std::string table_text(const std::vector<model::Figure>& figures) {
    auto out = fmt::format("  {:<26}  {:>8}  {:<8}\n", "", "worst", "allowed");
    for (const auto& f : figures)
        out += fmt::format("{} {:<26}  {:>8}  {:<8}  {}\n", mark(f), f.title, value_text(f.value),
                           allowed_text(f), f.meaning);
    return out;
}

std::string result_text(const std::string& path, const model::Model& model,
                        const model::Check& result) {
    const auto options = model.options();
    return fmt::format("{}: {}, {}, {}, {}; {}\n\n{}\n{}\n", printable(path),
                       counted(model.inputs(), "input"), counted(model.outputs(), "output"),
                       counted(options.eigenfunctions, "eigenfunction"), name(options.precision),
                       counted(result.lines, "line"), table_text(result.figures), result.verdict());
}

std::string json_text(const std::string& path, const model::Model& model,
                      const model::Check& result) {
    Json out;
    out["model"] = path;
    out["inputs"] = model.inputs();
    out["outputs"] = model.outputs();
    out["ok"] = result.ok();
    out["figures"] = Json::array();
    for (const auto& f : result.figures) {
        const bool promised = f.promise != model::Promise::nothing;
        out["figures"].push_back({{"name", f.name},
                                  {"value", f.value},
                                  {"bound", promised ? Json(f.bound) : Json(nullptr)},
                                  {"must_be", must_be(f)},
                                  {"ok", promised ? Json(f.ok()) : Json(nullptr)},
                                  {"meaning", f.meaning}});
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const model::Model& model_in(const learner::Voter& voter, const std::string& path) {
    try {
        return model::checkable(*voter.predictor);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", in_quotes(path), error.what()));
    }
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
    const model::CheckOptions usual;
    model::visit_check(usual, [&](const Option& option, const auto& value) {
        add_value(
            verb, fmt::format("--{}", option.name), arguments.given[std::string(option.name)], "N",
            fmt::format("{}; {} (default {})", option.about, allowed(option), option_text(value)),
            group);
    });
    add_value(verb, "--data", arguments.data, "DATA",
              "Take the first rows of this table, or the first of these images", group);
    add_value(verb, "--part", arguments.part, "PART",
              "Of images in two parts: train or test (default)", group);
    add_value(verb, "--threads", arguments.threads, "N", "Default: as many as there are cores",
              group);
    add_value(verb, "--tolerances", arguments.tolerances, "A,B,...",
              "Measure the paper's mapping H at these tolerances instead", group);
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group(group);
    add_table_flags(verb, arguments.table);
    return verb;
}

ExitCode run_check(const CLI::App& verb, const CheckArguments& arguments) {
    check_words(verb, "one model file is enough");
    if (arguments.model.empty())
        throw argument_error("the model file is missing; try 'deepsl check demo.deepsl'");
    const auto options = options_of(arguments);
    const auto tolerances = tolerances_of(arguments.tolerances);
    set_threads(threads_of(arguments.threads));
    const auto trained = learner::load_model(arguments.model);
    const auto& model = model_in(trained, arguments.model);
    Matrix<double> rows;
    if (!arguments.data.empty())
        rows = data_rows(trained, arguments, static_cast<std::size_t>(options.samples));
    const auto samples_for = [&](const learner::Voter& voter) {
        const auto& domain = *model_in(voter, arguments.model).domain();
        return !rows.empty()          ? voter.coordinates(rows)
               : voter.scaling.domain ? model::check_samples(domain, voter.scaling.spread, options)
                                      : model::check_encoded_samples(domain, options);
    };
    if (!tolerances.empty()) {
        with_flag_names(
            [&] {
                print_mapping(model::check_mapping(model, samples_for(trained), tolerances),
                              arguments.json);
            },
            "tolerances");
        return ExitCode::ok;
    }
    auto result = model::check(model, samples_for(trained), options);
    // Of several that vote, the first that is out of bounds is shown, if there is one.
    std::size_t shown = 0;
    for (std::size_t v = 1; v < trained.voters() && result.ok(); ++v) {
        auto other = model::check(model_in(trained.voter(v), arguments.model),
                                  samples_for(trained.voter(v)), options);
        if (other.ok()) continue;
        result = std::move(other);
        shown = v;
    }
    auto title = arguments.model;
    if (trained.voters() > 1)
        title += fmt::format(", model {} of {} that vote", shown + 1, trained.voters());
    print(arguments.json ? json_text(title, model, result) : result_text(title, model, result));
    return result.ok() ? ExitCode::ok : ExitCode::failure;
}

}  // namespace deepsl::cli
