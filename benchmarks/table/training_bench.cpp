// Time to train on a real table: 40 epochs of DSL with the paper's settings, and epochs of every
// kind of model beside it. Usage: table_training [threads [table target]]; without a table it is
// Dry Bean in ../shared/data, or in the folder that DEEPSL_DATA names.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>

#include "../model/measure.h"
#include "deepsl/table/learner.h"

namespace {

using namespace deepsl;

struct Case {
    const char *title, *kind, *preset;
    std::int64_t epochs;
};

void measure(const Case& what, const data::Table& table, const std::string& target, double rate) {
    auto task = table::task_for(table, target, what.preset);
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
    auto learned = table::learn(table, {}, task, callbacks);
    std::string fraction = "–";
    if (!learned.model.model.is_empty()) {
        const auto x =
            learned.model.scaling.forward(table::inputs_of(learned.model.encoding->apply(table)))
                .to(torch::kFloat32)
                .contiguous();
        const double useful = 3.0 * bench::useful_operations(learned.model.model, x);
        char text[16];
        std::snprintf(text, sizeof text, "%.2f", useful / best_epoch / rate);
        fraction = text;
    }
    std::printf("| %s | %lld | %lld | %.1f | %.2f | %s |\n", what.title,
                static_cast<long long>(learned.model.predictor().parameter_count()),
                static_cast<long long>(what.epochs), learned.record.seconds, best_epoch,
                fraction.c_str());
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
    const double rate =
        std::max(bench::sgemm_rate(2048, 2048, 2048), bench::sgemm_rate(8192, 128, 64));
    std::printf("%zu rows, %d threads, sgemm %.0f GFLOP/s\n\n", table.rows(), threads, rate / 1e9);
    std::printf(
        "| | parameters | epochs | seconds | best epoch, s | of sgemm |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (const Case& what :
         {Case{"DSL, paper", "dsl", "paper", 40}, Case{"neural ODE, paper", "node", "paper", 5},
          Case{"ablation, paper", "ablation", "paper", 5}, Case{"MLP, paper", "mlp", "paper", 5},
          Case{"DSL, default", "dsl", "default", 5},
          Case{"neural ODE, default", "node", "default", 5},
          Case{"MLP, default", "mlp", "default", 5}})
        measure(what, table, target, rate);
}
