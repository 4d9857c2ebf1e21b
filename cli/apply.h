// The verbs that apply a model to a table: `predict`, `evaluate` and `inspect`.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "deepsl/data/encoding.h"
#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/trained_model.h"
#include "error.h"
#include "table_flags.h"

namespace deepsl::cli {

struct ApplyArguments {
    std::string model, data, output, report, row, threads, labels, part = "test", finer = "1",
                                                                   repeats = "5";
    TableFlags table;
    bool proba = false, strict = false, json = false, quiet = false, importance = false;
};

CLI::App* add_predict(CLI::App& app, ApplyArguments& arguments);

/// failure: every row failed. Throws Error.
ExitCode run_predict(const CLI::App& verb, const ApplyArguments& arguments);

CLI::App* add_evaluate(CLI::App& app, ApplyArguments& arguments);
ExitCode run_evaluate(const CLI::App& verb, const ApplyArguments& arguments);

CLI::App* add_inspect(CLI::App& app, ApplyArguments& arguments);
ExitCode run_inspect(const CLI::App& verb, const ApplyArguments& arguments);

/// The model and the table as arguments, and flags that all of these verbs have.
CLI::App* add_apply_verb(CLI::App& app, ApplyArguments& arguments, const std::string& name,
                         const std::string& about, const std::string& footer, bool needs_data);

/// Sets the threads, and loads the model, which was trained on a table or on images. Throws Error.
learner::TrainedModel open_model(const CLI::App& verb, const ApplyArguments& arguments);

/// Of a model for images: they, as the model needs them; `or_whole`: a folder per class without
/// parts will do.
std::shared_ptr<const data::Images> open_images(const learner::TrainedModel& model,
                                                const ApplyArguments& arguments, bool or_whole);

/// ", the part test"; nothing where images have no parts.
std::string part_text(const data::Images& images);

/// The table as the model needs it.
data::Table open_table(const learner::TrainedModel& model, const ApplyArguments& arguments);

/// What was noted while a table was encoded, on standard error unless quiet.
void tell_notes(const ApplyArguments& arguments, const data::EncodingNotes& notes);

}  // namespace deepsl::cli
