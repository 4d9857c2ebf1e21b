// One demo: what it was asked to do, and what came of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "deepsl/data/generated.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/task.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/report/page.h"
#include "deepsl/train/record.h"

namespace deepsl::cli {

struct DemoCommand {
    data::GeneratedSet set = data::GeneratedSet::spirals;
    data::GenerateOptions data;
    learner::Task task;
    int threads = 1;
    std::string words;  // as typed, for the report
    std::string output, report;
    bool quiet = false;

    double noise() const { return data.noise.value_or(data::default_noise(set)); }
};

/// A model of either kind, trained and tested.
struct Trial {
    std::size_t parameters = 0;
    train::TrainingRecord record;
    learner::Score test;

    double test_metric() const { return test.metrics.front().value; }
};

struct DemoResult {
    learner::TrainedModel trained;
    Trial dsl;
    std::optional<Trial> mlp;  // none after a signal
    std::int64_t mlp_width = 0;
    report::Report report;  // but for its title, facts and settings
    double seconds = 0.0;
    bool interrupted = false;
};

/// Generates, trains, tests and looks.
DemoResult run(const DemoCommand& command);

/// Title, facts and settings.
void fill_report(const DemoCommand& command, DemoResult& result);

/// For standard output.
std::string demo_text(const DemoCommand& command, const DemoResult& result);
std::string demo_json(const DemoCommand& command, const DemoResult& result);

}  // namespace deepsl::cli
