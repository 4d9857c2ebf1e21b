// One demo: what it was asked to do, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "deepsl/data/generated.h"
#include "deepsl/io/model_file.h"
#include "deepsl/io/model_report.h"
#include "deepsl/train/evaluation.h"
#include "deepsl/train/record.h"
#include "settings.h"

namespace deepsl::cli {

inline constexpr std::size_t demo_test_samples = 2000;

/// An MLP needs more epochs to learn such sets, and each of them takes it far less time: with as
/// many as the model itself has, it would be left half-trained, and look bad for no good reason.
inline constexpr std::int64_t mlp_epochs_factor = 5;

struct DemoTask {
    std::string set;
    data::GenerateOptions data;
    std::string preset;
    Settings settings;
    int threads = 1;
    std::string command;  // as typed, for the report
    std::string output, report;
    bool quiet = false;
};

/// A model of either kind, trained and tested.
struct Trial {
    std::int64_t parameters = 0;
    train::TrainingRecord record;
    train::Evaluation test;
};

struct DemoResult {
    io::TrainedModel trained;
    Trial dsl;
    std::optional<Trial> mlp;  // none after Ctrl-C
    std::int64_t mlp_width = 0;
    io::Report report;  // but for its title, facts and settings
    double seconds = 0.0;
    bool interrupted = false;
};

/// Generates, trains, tests and looks.
DemoResult run(const DemoTask& task);

/// The record that is kept in the model file: nothing in it changes from run to run.
void fill_record(const DemoTask& task, DemoResult& result);

/// Title, facts and settings.
void fill_report(const DemoTask& task, DemoResult& result);

/// For standard output.
std::string demo_text(const DemoTask& task, const DemoResult& result);
std::string demo_json(const DemoTask& task, const DemoResult& result);

}  // namespace deepsl::cli
