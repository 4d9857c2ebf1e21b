// MNIST's networks of the paper, forward and back, by the engine and by LibTorch; and a training
// step of Deep Sturm-Liouville beside torch's time for the same networks on as many images. One
// thread, CPU seconds, the best of several rounds in which both take turns. Usage: torch_speed
// [rounds]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <torch/torch.h>

#include "../model/measure.h"
#include "deepsl/learner/image_rows.h"
#include "deepsl/learner/rules.h"
#include "deepsl/model/model.h"
#include "deepsl/torch/torch_network.h"
#include "deepsl/train/optimiser.h"
#include "deepsl/train/step.h"

namespace {

using namespace deepsl;
namespace nn = torch::nn;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Contest {
    std::function<void()> work;
    double best = 1e9;
};

/// All of them once to warm up, then in turn.
void take_turns(int rounds, std::vector<Contest>& all) {
    for (auto& one : all) one.work();
    for (int round = 0; round < rounds; ++round)
        for (auto& one : all) {
            const double start = cpu_seconds();
            one.work();
            one.best = std::min(one.best, cpu_seconds() - start);
        }
}

nn::Conv2d convolution(std::int64_t from, std::int64_t to) {
    return nn::Conv2d(nn::Conv2dOptions(from, to, 3).stride(2).padding(1));
}

nn::ConvTranspose2d way_back(std::int64_t from, std::int64_t to) {
    return nn::ConvTranspose2d(
        nn::ConvTranspose2dOptions(from, to, 3).stride(2).padding(1).output_padding(1));
}

nn::Unflatten images(std::int64_t channels, std::int64_t side) {
    return nn::Unflatten(nn::UnflattenOptions(1, {channels, side, side}));
}

/// 1/p, q or w.
nn::Sequential torch_coefficient() {
    return nn::Sequential(images(1, 28), convolution(1, 32), nn::Tanh(), convolution(32, 64),
                          nn::Tanh(), convolution(64, 128), nn::Tanh(), nn::Flatten(),
                          nn::Linear(2048, 32), nn::Tanh(), nn::Linear(32, 32), nn::Tanh(),
                          nn::Linear(32, 16), nn::Tanh(), nn::Linear(16, 1));
}

nn::Sequential torch_field() {
    return nn::Sequential(images(1, 28), convolution(1, 32), nn::Tanh(), convolution(32, 64),
                          nn::Tanh(), nn::Flatten(), nn::Linear(3136, 32), nn::Tanh(),
                          nn::Linear(32, 3136), images(64, 7), way_back(64, 32), nn::Tanh(),
                          way_back(32, 1), nn::Flatten());
}

/// Forward, and back to parameters and images, of so many images.
Contest by_torch(nn::Sequential module, std::size_t rows) {
    const auto x = torch::rand({static_cast<std::int64_t>(rows), 784}).requires_grad_();
    auto by = module->parameters();
    by.push_back(x);
    return {[module, x, by]() mutable {
        const auto y = module->forward(x);
        torch::autograd::grad({y}, by, {torch::ones_like(y)});
    }};
}

/// The engine's networks with their memory.
class Networks {
public:
    explicit Networks(const model::ModelOptions& options)
        : parts_(model::make_parts<float>(784, options)) {
        network::Parameters parameters;
        Random random(1);
        parts_.field->enrol(parameters, "field", random);
        parts_.coefficients->enrol(parameters, "", random);
        parts_.field->load(parameters.values());
        parts_.coefficients->load(parameters.values());
        gradient_.resize(parameters.size());
    }

    Contest coefficients(std::size_t rows) {
        return {[this, rows] {
            reserve(rows);
            float *P = y_.data(), *q = P + rows, *w = q + rows;
            parts_.coefficients->forward(x_.data(), rows, {P, q, w}, &tape_);
            parts_.coefficients->pullback(x_.data(), rows, {P, q, w}, tape_, dx_.data(),
                                          gradient_.data());
        }};
    }

    Contest field(std::size_t rows) {
        return {[this, rows] {
            reserve(rows);
            parts_.field->forward(x_.data(), rows, y_.data(), &tape_);
            parts_.field->pullback(x_.data(), rows, y_.data(), tape_, dx_.data(), gradient_.data());
        }};
    }

private:
    void reserve(std::size_t rows) {
        tape_.clear();
        x_.resize(rows * 784, 0.5F), y_.resize(rows * 784), dx_.resize(rows * 784);
    }

    model::BranchParts<float> parts_;
    network::Tape tape_;
    std::vector<float> x_, y_, dx_, gradient_;
};

/// Torch's seconds an image, at its best batch.
struct TorchRates {
    double coefficients = 1e9, field = 1e9;
};

TorchRates compare_networks(const model::ModelOptions& options, int rounds) {
    std::printf(
        "| networks | images | engine, ms | torch, ms | torch / engine |\n"
        "| --- | ---: | ---: | ---: | ---: |\n");
    TorchRates rates;
    Networks networks(options);
    const auto compare = [&](const char* name, std::size_t rows, Contest ours, Contest theirs,
                             double networks_of_ours, double& rate) {
        std::vector<Contest> both{std::move(ours), std::move(theirs)};
        take_turns(rounds, both);
        const double engine = both[0].best / networks_of_ours, torch = both[1].best;
        rate = std::min(rate, torch / static_cast<double>(rows));
        std::printf("| %s | %zu | %.1f | %.1f | %.2f |\n", name, rows, 1e3 * engine, 1e3 * torch,
                    torch / engine);
        std::fflush(stdout);
    };
    for (const std::size_t rows : {64U, 144U, 288U})
        compare("conv 32-64-128, layers 32-32-16-1", rows, networks.coefficients(rows),
                by_torch(torch_coefficient(), rows), 3.0, rates.coefficients);
    for (const std::size_t rows : {32U, 128U})
        compare("auto-encoder, conv 32-64, 32 features", rows, networks.field(rows),
                by_torch(torch_field(), rows), 1.0, rates.field);
    return rates;
}

/// low + (high - low) sigmoid(module)
std::unique_ptr<network::Network<float>> bounded(const nn::Sequential& module, double low,
                                                 double high) {
    return std::make_unique<libtorch::TorchNetwork<float>>(
        module.ptr(),
        [raw = module.ptr().get(), low, high](const torch::Tensor& x) {
            return low + (high - low) * torch::sigmoid(raw->forward(x));
        },
        784);
}

/// The same model of torch's networks.
std::unique_ptr<model::Model> torch_model(const model::ModelOptions& options, std::size_t classes) {
    auto parts = model::make_parts<float>(784, options);
    parts.field = std::make_unique<field::NetworkField<float>>(bounded(torch_field(), 0.01, 1.0));
    parts.coefficients = model::make_coefficients<float>(bounded(torch_coefficient(), 1.0, 10.0),
                                                         bounded(torch_coefficient(), -10.0, 10.0),
                                                         bounded(torch_coefficient(), 0.1, 10.0));
    std::vector<model::BranchParts<float>> branches;
    branches.push_back(std::move(parts));
    return model::make_model<float>(classes, std::move(branches), options, 1);
}

/// A training step on a batch of images, as MNIST's preset has it.
void compare_step(const learner::Task& task, const TorchRates& rates, int rounds) {
    constexpr std::size_t classes = 10;
    const auto batch = static_cast<std::size_t>(task.train.batch);
    train::Dataset data;
    data.x = Matrix<double>(batch, 784);
    Random random(1);
    for (auto& pixel : data.x.values()) pixel = uniform(random, 0.25, 0.75);
    for (std::size_t b = 0; b < batch; ++b)
        data.labels.push_back(static_cast<std::int64_t>(b % classes));
    std::vector<std::size_t> rows(batch);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const auto step_of = [&](model::Model& model) -> Contest {
        model.calibrate(data.x, train::calibration_targets(data, classes));
        auto optimiser = std::make_shared<train::Optimiser>(model.parameters(), task.train, 1000);
        auto pass = std::make_shared<train::BatchPass>(model);
        return {[&, optimiser, pass,
                 gradient = std::vector<double>(model.parameters().size())]() mutable {
            pass->gradient(data, rows, task.train.loss, task.train.alpha, gradient);
            optimiser->step(model, gradient);
        }};
    };
    const auto model = model::make_model(784, classes, task.model, 1);
    const auto of_torch = torch_model(task.model, classes);
    std::vector<Contest> step{step_of(*model), step_of(*of_torch)};
    take_turns(rounds, step);

    const auto& numerics = model->numerics();
    const double nodes = static_cast<double>(
        batch * (2 * numerics.cells * sturm::nodes_per_cell(numerics.scheme) + 1));
    const double evaluations = bench::useful_work(*model, data.x).evaluations;
    const double torch = 3.0 * nodes * rates.coefficients + evaluations * rates.field;
    std::printf(
        "\nA training step on %zu images, optimiser included: %.0f ms. Torch for the same "
        "networks, forward and back, on as many images (3 x %.0f nodes, %.0f of the field), each "
        "at its best batch: %.0f ms. Share: %.2f. A step with torch's networks in the engine: %.0f "
        "ms.\n",
        batch, 1e3 * step[0].best, nodes, evaluations, 1e3 * torch, torch / step[0].best,
        1e3 * step[1].best);
}

learner::Task mnist_task() {
    data::Images images;
    images.shape = {28, 28, 1};
    images.labels = {0, 1};
    images.classes = {"0", "1"};
    return learner::task_for(images, model::Preset::paper);
}

}  // namespace

int main(int count, char** words) {
    const int rounds = count > 1 ? std::atoi(words[1]) : 10;
    set_threads(1);
    libtorch::use_one_torch_thread();
    torch::manual_seed(1);
    const auto task = mnist_task();
    const auto rates = compare_networks(task.model, rounds);
    compare_step(task, rates, std::max(2, rounds / 2));
}
