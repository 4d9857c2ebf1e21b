// Time of a training step and of a prediction, where it goes, and how much of sgemm's rate is
// useful work: the networks' forward operations at the cells' nodes and at the stages of the
// lines, three times in training. Usage: model_speed [threads [most samples]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "deepsl/model/branch.h"
#include "deepsl/model/model.h"
#include "deepsl/train/optimiser.h"
#include "deepsl/train/step.h"
#include "measure.h"

namespace {

using namespace deepsl;
using bench::best_of;

struct Shape {
    const char* name;
    std::size_t inputs, outputs;
    model::ModelOptions options;
};

model::ModelOptions large(model::Preset preset) {
    auto options = model::model_preset(preset);
    options.hidden = options.field_hidden = {128, 64, 32};
    options.cells = 8;
    options.steps = 6;
    options.eigenfunctions = 10;
    return options;
}

model::ModelOptions as_tables_use(model::CoefficientKind coefficients) {
    auto options = model::model_preset(model::Preset::standard);
    options.hidden = options.field_hidden = {32, 16};
    options.fields = options.eigenfunctions = 6;
    options.coefficients = coefficients;
    return options;
}

Matrix<double> random_samples(std::size_t rows, std::size_t inputs, field::DomainKind domain) {
    Random random(1);
    Matrix<double> x(rows, inputs);
    const double size = 1.2 / std::sqrt(static_cast<double>(inputs));
    for (auto& value : x.values()) {
        const double u = uniform(random, -1.0, 1.0);
        value = domain == field::DomainKind::box ? 0.5 + 0.25 * u : 0.5 * size * u;
    }
    return x;
}

/// Seconds of each stage for all samples, chunk by chunk on one thread, forward unless it says
/// otherwise.
struct Stages {
    double lines = 0.0, cells = 0.0, networks = 0.0, eigen = 0.0, eigen_back = 0.0;
};

Stages measure_stages(const model::Model& model, const Matrix<double>& x) {
    const auto& numerics = model.numerics();
    const auto d = static_cast<std::size_t>(model.options().eigenfunctions);
    auto parts = model::make_parts<float>(model.inputs(), model.options());
    network::Parameters parameters;
    Random random(1);
    parts.field->enrol(parameters, "field", random);
    parts.coefficients->enrol(parameters, "", random);
    parts.field->load(parameters.values());
    parts.coefficients->load(parameters.values());
    const std::vector<float> narrow(x.values().begin(), x.values().end());
    model::BranchMemory<float> m;
    const auto time = [](double& total, const std::function<void()>& work) {
        work();
        total += best_of(5, work);
    };
    Stages stages;
    for (std::size_t first = 0; first < x.rows(); first += model::chunk_rows) {
        const auto rows = std::min(model::chunk_rows, x.rows() - first);
        time(stages.lines, [&] {
            field::trace(*parts.field, *parts.domain, narrow.data() + first * x.columns(), rows,
                         numerics.trace, m.lines, nullptr);
        });
        time(stages.cells, [&] { field::grid(m.lines, numerics.cells, numerics.scheme, m.grid); });
        const auto nodes = m.grid.rows();
        m.P.resize(nodes), m.q.resize(nodes), m.w.resize(nodes);
        time(stages.networks, [&] {
            parts.coefficients->forward(m.grid.z.data(), nodes,
                                        {m.P.data(), m.q.data(), m.w.data()}, nullptr);
        });
        auto& pairs = m.pairs;
        pairs.problems = rows, pairs.cells = m.grid.cells, pairs.d = d;
        pairs.scheme = numerics.scheme, pairs.length = m.grid.length;
        const auto inner = static_cast<std::ptrdiff_t>(nodes - rows);
        pairs.P.assign(m.P.begin(), m.P.end());
        pairs.q.assign(m.q.begin(), m.q.begin() + inner);
        pairs.w.assign(m.w.begin(), m.w.begin() + inner);
        time(stages.eigen, [&] { model::solve(pairs); });
        const std::vector<double> seeds(rows * d, 1.0);
        time(stages.eigen_back, [&] { model::pull_back(pairs, seeds, seeds); });
    }
    const auto fields = static_cast<double>(model.fields());
    for (auto* part :
         {&stages.lines, &stages.cells, &stages.networks, &stages.eigen, &stages.eigen_back})
        *part *= fields;
    return stages;
}

void measure(const Shape& shape, double rate) {
    constexpr std::size_t batch = 256;
    const auto model = model::make_model(shape.inputs, shape.outputs, shape.options, 1);
    train::Dataset data;
    data.x = random_samples(batch, shape.inputs, shape.options.domain);
    Random random(2);
    for (std::size_t b = 0; b < batch; ++b)
        data.labels.push_back(static_cast<std::int64_t>(below(shape.outputs, random)));
    model->calibrate(data.x, train::calibration_targets(data, shape.outputs));
    auto values = model->parameters().values();
    for (const auto& p : model->parameters().list())
        if (p.role == network::Role::linear)
            for (std::size_t i = 0; i < p.size(); ++i) values[p.offset + i] = normal(random);
    model->set_values(values);

    train::TrainOptions options;
    options.learning_rate = 1e-6;
    train::Optimiser optimiser(model->parameters(), options, 1000);
    train::BatchPass pass(*model);
    std::vector<std::size_t> rows(batch);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::vector<double> gradient(model->parameters().size());
    const auto step = [&] {
        pass.gradient(data, rows, train::Loss::cross_entropy, 1e-4, gradient);
        optimiser.step(*model, gradient);
    };
    for (int i = 0; i < 5; ++i) step();
    const double training = best_of(25, step);
    const double forward = best_of(25, [&] { pass.loss(data, train::Loss::cross_entropy); });
    const double prediction = best_of(25, [&] { model->predict(data.x); });
    const auto one = data.x.part(0, 1);
    const double one_row = best_of(200, [&] { model->predict(one); });

    const auto chunk = model->make_pass();
    chunk->forward(data.x.part(0, model::chunk_rows), true);
    const auto work = bench::useful_work(*model, data.x);
    const auto stages = measure_stages(*model, data.x);
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.3f | %.0f | %.0f | %.0f | %.0f |\n",
                shape.name, 1e3 * training, 3.0 * work.operations / training / rate,
                1e3 * prediction, work.operations / prediction / rate, 1e3 * one_row,
                work.operations / 1e6, work.evaluations / batch,
                static_cast<double>(chunk->tape_bytes()) / 1e3, bench::peak_megabytes());
    std::printf(
        "| - forward %.2f of the step; on one thread: lines %.2f, cells %.2f, networks %.2f, "
        "eigenproblem %.2f and back %.2f ms |||||||||\n",
        1e3 * forward, 1e3 * stages.lines, 1e3 * stages.cells, 1e3 * stages.networks,
        1e3 * stages.eigen, 1e3 * stages.eigen_back);
    std::fflush(stdout);
}

void cost_by_samples(std::size_t most) {
    const auto options = as_tables_use(model::CoefficientKind::networks);
    const auto model = model::make_model(16, 7, options, 1);
    std::printf(
        "\n| samples | prediction, ms | µs a sample | peak memory, MB |\n"
        "| ---: | ---: | ---: | ---: |\n");
    for (std::size_t count = 1; count <= most; count *= 10) {
        const auto x = random_samples(count, 16, options.domain);
        const double seconds = best_of(count > 500000 ? 1
                                       : count > 5000 ? 3
                                                      : 30,
                                       [&] { model->predict(x); });
        std::printf("| %zu | %.3f | %.1f | %.0f |\n", count, 1e3 * seconds,
                    1e6 * seconds / static_cast<double>(count), bench::peak_megabytes());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 2;
    bench::use_threads(threads);
    const double big = bench::sgemm_rate(2048, 2048, 2048),
                 layer = bench::sgemm_rate(8192, 128, 64);
    const double rate = std::max(big, layer);
    std::printf(
        "%d threads, batches of 256; sgemm 2048 x 2048 x 2048: %.0f GFLOP/s; 8192 x 128 x 64: "
        "%.0f; fractions are of the faster.\n\n",
        threads, big / 1e9, layer / 1e9);
    std::printf(
        "| | training step, ms | of sgemm | prediction, ms | of sgemm | one row, ms | useful "
        "MFLOP, forward | field evaluations a sample | tape of a chunk, kB | peak memory so far, "
        "MB |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    using model::CoefficientKind, model::Preset;
    for (const Shape& shape :
         {Shape{"default networks: 32-16, six fields, six eigenfunctions", 16, 7,
                as_tables_use(CoefficientKind::networks)},
          Shape{"the same with a trunk", 16, 7, as_tables_use(CoefficientKind::trunk)},
          Shape{"Dry-Bean-like, paper", 16, 7, large(Preset::paper)},
          Shape{"Dry-Bean-like, default", 16, 7, large(Preset::standard)},
          Shape{"Adult-like, paper", 108, 2, large(Preset::paper)},
          Shape{"Adult-like, default", 108, 2, large(Preset::standard)}})
        measure(shape, rate);
    cost_by_samples(count > 2 ? std::strtoull(words[2], nullptr, 10) : 1'000'000);
}
