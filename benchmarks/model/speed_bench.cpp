// Time of a training step and of a prediction, where it goes, and how much of sgemm's rate is
// useful work: the networks' forward operations at the cells' nodes and at the stages of the
// lines, three times in training. Usage: model_speed [threads]
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <c10/core/CPUAllocator.h>
#include <torch/torch.h>

#include "deepsl/model/model.h"
#include "deepsl/model/pass.h"
#include "measure.h"

namespace {

using namespace deepsl;
using bench::best_of;
using torch::Tensor;

/// Counts what tensors take while `work` runs, beyond what they took before.
class TensorMemory : public c10::Allocator {
public:
    double peak_megabytes(const std::function<void()>& work) {
        c10::SetCPUAllocator(this, 1);
        used_ = peak_ = 0;
        work();
        c10::SetCPUAllocator(usual_, 1);
        return static_cast<double>(peak_.load()) / 1e6;
    }

    c10::DataPtr allocate(std::size_t bytes) const override {
        auto* block = new Block{this, static_cast<long long>(bytes), usual_->allocate(bytes)};
        const auto now = (used_ += block->bytes);
        for (auto peak = peak_.load(); now > peak && !peak_.compare_exchange_weak(peak, now);) {
        }
        return {block->memory.get(), block, &release, block->memory.device()};
    }

private:
    struct Block {
        const TensorMemory* owner;
        long long bytes;
        c10::DataPtr memory;
    };
    static void release(void* context) {
        const auto* block = static_cast<Block*>(context);
        block->owner->used_ -= block->bytes;
        delete block;
    }
    c10::Allocator* usual_ = c10::GetCPUAllocator();
    mutable std::atomic<long long> used_{0}, peak_{0};
};

struct Shape {
    const char* name;
    std::int64_t inputs, outputs;
};

void measure(const Shape& shape, const std::string& preset, double rate) {
    constexpr std::int64_t batch = 256;
    torch::manual_seed(1);
    auto options = model::model_preset(preset);
    options.hidden = options.field_hidden = {128, 64, 32};
    options.cells = 8;
    options.steps = 6;
    options.eigenfunctions = 10;
    model::Model model(shape.inputs, shape.outputs, options);
    const bool box = options.domain == "box";
    auto x = torch::rand({batch, shape.inputs}) * 0.5 + 0.25;
    if (!box) x = (x - 0.5) * (2.4 / std::sqrt(static_cast<double>(shape.inputs)));
    const auto y = torch::randint(0, shape.outputs, {batch});
    model->calibrate(x, torch::one_hot(y, shape.outputs));
    {
        const torch::NoGradGuard no_grad;
        for (const auto& p : model->linear_parameters()) p.normal_();
    }
    auto& branch = *model->branches().front();
    const auto& numerics = model->numerics();
    torch::optim::Adam optimiser(model->parameters(), torch::optim::AdamOptions(1e-6));
    const auto step = [&] {
        optimiser.zero_grad();
        model::Pass pass(*model, x);
        const auto& p = pass.prediction();
        (torch::nn::functional::cross_entropy(p.y, y) +
         1e-4 * p.lambda.abs().mean().to(torch::kFloat32))
            .backward();
        pass.backward();
        optimiser.step();
    };
    for (int i = 0; i < 5; ++i) step();
    static TensorMemory counter;  // outlives whatever is made under it
    const double memory = counter.peak_megabytes(step);
    const double training = best_of(25, step);
    const double graph = best_of(25, [&] { model::Pass(*model, x); });
    const double prediction = best_of(25, [&] { model->predict(x); });

    const torch::NoGradGuard no_grad;
    field::FieldLines lines;
    const double tracing = best_of(
        25, [&] { lines = field::trace(branch.field(), model->domain(), x, numerics.trace); });
    field::LineGrid grid;
    const double placing =
        best_of(25, [&] { grid = field::grid(lines, numerics.cells, numerics.scheme); });
    const auto z = grid.z.reshape({-1, shape.inputs});
    model::Coefficients c;
    const double networks = best_of(25, [&] { c = branch.coefficients(z); });
    const auto cells = grid.z.sizes().slice(0, 3);
    const model::LineProblems problems{c.P.reshape(cells),
                                       c.q.reshape(cells),
                                       c.w.reshape(cells),
                                       grid.length,
                                       branch.coefficients(grid.entry).P,
                                       Tensor(),
                                       numerics.scheme};
    const double eigen = best_of(25, [&] { model::eigenpairs(problems, options.eigenfunctions); });
    double eigen_both = 0.0;
    {
        const torch::AutoGradMode grad(true);
        auto wanted = problems;
        wanted.P = problems.P.detach().clone().set_requires_grad(true);
        eigen_both = best_of(25, [&] {
            const auto pairs = model::eigenpairs(wanted, options.eigenfunctions);
            (pairs.u.sum() + pairs.lambda.sum()).backward();
        });
    }
    const double useful = bench::useful_operations(model, x);
    const double evaluations = static_cast<double>(lines.evaluations) / batch;

    std::printf("| %s, %s | %.1f | %.2f | %.1f | %.2f | %.0f %% | %.0f | %.0f | %.0f |\n",
                shape.name, preset.c_str(), 1e3 * training, 3.0 * useful / training / rate,
                1e3 * prediction, useful / prediction / rate, 100.0 * eigen_both / training,
                useful / 1e6, evaluations, memory);
    std::printf(
        "| - prediction: lines %.1f, cells %.1f, networks %.1f, eigenproblem %.1f ms; "
        "training: forward %.1f, backward and step %.1f, eigenproblem both ways %.1f ms "
        "||||||||| \n",
        1e3 * tracing, 1e3 * placing, 1e3 * networks, 1e3 * eigen, 1e3 * graph,
        1e3 * (training - graph), 1e3 * eigen_both);
}

void cost_by_samples() {
    torch::manual_seed(1);
    model::Model model(16, 7, model::model_preset("default"));
    std::printf("\n| samples | prediction, ms | µs a sample |\n| ---: | ---: | ---: |\n");
    for (const std::int64_t count : {1, 10, 100, 1000, 10000, 100000, 1000000}) {
        const auto x = 0.15 * torch::randn({count, 16});
        const double seconds = best_of(count > 500000 ? 1
                                       : count > 5000 ? 3
                                                      : 30,
                                       [&] { model->predict(x); });
        std::printf("| %lld | %.2f | %.1f |\n", static_cast<long long>(count), 1e3 * seconds,
                    1e6 * seconds / static_cast<double>(count));
    }
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 2;
    bench::use_threads(threads);
    const double large = bench::sgemm_rate(2048, 2048, 2048),
                 layer = bench::sgemm_rate(8192, 128, 64);
    const double rate = std::max(large, layer);
    std::printf(
        "%d threads; sgemm 2048 x 2048 x 2048: %.0f GFLOP/s; 8192 x 128 x 64: %.0f; "
        "fractions are of the faster.\n\n",
        threads, large / 1e9, layer / 1e9);
    std::printf(
        "| | training step, ms | of sgemm | prediction, ms | of sgemm | eigenproblem of a "
        "step | useful MFLOP, forward | field evaluations a sample | tensors of a step, MB |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (const Shape& shape : {Shape{"Dry-Bean-like", 16, 7}, Shape{"Adult-like", 108, 2}})
        for (const char* preset : {"paper", "default"}) measure(shape, preset, rate);
    cost_by_samples();
}
