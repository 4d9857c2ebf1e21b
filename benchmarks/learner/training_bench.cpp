// Time to train on a real table: 40 epochs of DSL with the paper's settings, and epochs of every
// kind of model beside it. Usage: table_training [threads [table target]]; without a table it is
// Dry Bean in ../shared/data, or in the folder that DEEPSL_DATA names.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "../model/measure.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/learn.h"

namespace {

using namespace deepsl;
using model::Kind, model::Preset;

struct Case {
    const char* title;
    Kind kind;
    Preset preset;
    std::int64_t epochs;
};

void measure(const Case& what, const data::Table& table, const std::string& target, double rate) {
    auto task = learner::task_for(table, target, what.preset);
    task.kind = what.kind;
    task.train.epochs = what.epochs;
    task.train.validation = 0.0;
    task.train.patience = 0;
    task.epoch_folds = 0;
    double best_epoch = 1e9;
    train::Callbacks callbacks;
    callbacks.epoch = [&](const train::EpochReport& report) {
        best_epoch = std::min(best_epoch, report.seconds);
    };
    const auto learned = learner::learn(table, {}, task, callbacks);
    std::string fraction = "–";
    if (const auto* const model = learned.model.with_lines()) {
        const auto x = learned.model.scaling.forward(learner::inputs_of(learned.model, table));
        const double useful = 3.0 * bench::useful_work(*model, x).operations;
        char text[16];
        std::snprintf(text, sizeof text, "%.2f", useful / best_epoch / rate);
        fraction = text;
    }
    std::printf("| %s | %zu | %lld | %.1f | %.2f | %s | %.0f |\n", what.title,
                learned.model.predictor->parameters().learned(),
                static_cast<long long>(what.epochs), learned.record.seconds, best_epoch,
                fraction.c_str(), bench::peak_megabytes());
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 2;
    const char* folder = std::getenv("DEEPSL_DATA");
    const std::string path = count > 3
                                 ? words[2]
                                 : std::string(folder != nullptr ? folder : "../shared/data") +
                                       "/dry_bean/Dry_Bean_Dataset.csv";
    const std::string target = count > 3 ? words[3] : "Class";
    if (!std::filesystem::exists(path)) {
        std::printf("skipped: %s is not there\n", path.c_str());
        return 0;
    }
    bench::use_threads(threads);
    const auto all = data::read_table(path);
    // Four fifths, as training parts have: 10,888 rows of Dry Bean.
    std::vector<std::size_t> rows(all.rows() * 4 / 5);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i * 5 / 4;
    const auto table = all.rows_of(rows);
    const double rate = bench::sgemm_rate();
    std::printf("%zu rows, %d threads, sgemm %.0f GFLOP/s\n\n", table.rows(), threads, rate / 1e9);
    std::printf(
        "| | parameters | epochs | seconds | best epoch, s | of sgemm | peak memory so far, MB |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (const Case& what : {Case{"DSL, paper", Kind::dsl, Preset::paper, 40},
                             Case{"neural ODE, paper", Kind::node, Preset::paper, 5},
                             Case{"ablation, paper", Kind::ablation, Preset::paper, 5},
                             Case{"MLP, paper", Kind::mlp, Preset::paper, 5},
                             Case{"DSL, default", Kind::dsl, Preset::standard, 5},
                             Case{"neural ODE, default", Kind::node, Preset::standard, 5},
                             Case{"MLP, default", Kind::mlp, Preset::standard, 5}})
        measure(what, table, target, rate);
}
