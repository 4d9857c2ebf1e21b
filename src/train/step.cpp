#include "deepsl/train/step.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "deepsl/parallel.h"

namespace deepsl::train {

/// What belongs to one lane.
struct BatchPass::Lane {
    std::vector<double> gradient;
    LossSums sums;
};

/// What a thread needs to take a lane's chunks through the model, one after the other.
struct BatchPass::Worker {
    std::unique_ptr<model::Pass> pass;
    Matrix<double> x;                  // the rows of a chunk, gathered
    std::vector<std::int64_t> labels;  // and their targets
    Matrix<double> numbers;
    std::vector<std::size_t> places;
    LossSeeds seeds;

    void gather(const Dataset& data, std::span<const std::size_t> rows, std::uint64_t draw) {
        data.read(rows, draw, x);
        labels.clear();
        for (const auto row : rows)
            if (data.has_labels()) labels.push_back(data.labels[row]);
        if (data.has_labels()) return;
        numbers.resize(rows.size(), data.numbers.columns());
        for (std::size_t i = 0; i < rows.size(); ++i)
            std::ranges::copy(data.numbers.row(rows[i]), numbers.row(i).begin());
    }

    /// Rows that lie one after the other.
    MatrixView<const double> part(const Dataset& data, std::size_t first, std::size_t count) {
        if (!data.source) return data.x.part(first, count);
        places.resize(count);
        std::iota(places.begin(), places.end(), first);
        data.read(places, 0, x);
        return x;
    }
};

BatchPass::BatchPass(const model::Predictor& model, double smoothness)
    : model_(model), smoothness_(smoothness) {}
BatchPass::~BatchPass() = default;

void BatchPass::prepare(std::size_t rows) {
    const auto chunks = (rows + model::chunk_rows - 1) / model::chunk_rows;
    used_ = std::min(chunks, lanes);
    lanes_.resize(std::max(lanes_.size(), used_));
    const auto wanted = std::min(used_, static_cast<std::size_t>(threads()));
    while (workers_.size() < wanted) {
        workers_.push_back(std::make_unique<Worker>());
        workers_.back()->pass = model_.make_pass();
        workers_.back()->pass->regularise(smoothness_);
        idle_.reserve(workers_.size());
        idle_.push_back(workers_.back().get());
    }
    prediction_.resize(rows, model_.outputs(), model_.eigenvalues());
}

/// The one that has rested longest, so that the first batch has seen them all.
BatchPass::Worker& BatchPass::take_worker() {
    const std::lock_guard lock(guard_);
    auto* const worker = idle_.front();
    idle_.erase(idle_.begin());
    return *worker;
}

void BatchPass::give_back(Worker& worker) {
    const std::lock_guard lock(guard_);
    idle_.push_back(&worker);
}

template <class Chunk, class End>
LossSums BatchPass::each_lane(std::size_t rows, const Chunk& chunk, const End& end) {
    prepare(rows);
    const auto whole_lane = [&](std::size_t a) {
        auto& lane = lanes_[a];
        auto& worker = take_worker();
        lane.sums = {};
        const auto stride = lanes * model::chunk_rows;
        for (auto first = a * model::chunk_rows; first < rows; first += stride)
            lane.sums += chunk(worker, first, std::min(model::chunk_rows, rows - first));
        end(worker, lane);
        give_back(worker);
    };
    for_each(used_, std::cref(whole_lane));  // a reference fits into std::function without memory
    LossSums sums;
    for (std::size_t a = 0; a < used_; ++a) sums += lanes_[a].sums;
    return sums;
}

LossSums BatchPass::gradient(const Dataset& data, std::span<const std::size_t> rows, Loss loss,
                             double alpha, std::span<double> gradient, std::uint64_t draw) {
    const auto sums = each_lane(
        rows.size(),
        [&](Worker& worker, std::size_t first, std::size_t count) {
            worker.gather(data, rows.subspan(first, count), draw);
            const auto& part = worker.pass->forward(worker.x, true);
            prediction_.put(first, part);
            const auto part_sums =
                loss_sums(loss, part, {worker.labels, worker.numbers}, alpha, &worker.seeds);
            worker.pass->backward(worker.seeds.y, worker.seeds.lambda);
            return part_sums;
        },
        [&](Worker& worker, Lane& lane) {
            lane.gradient.assign(gradient.size(), 0.0);
            worker.pass->add_gradient(lane.gradient);
        });
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t a = 0; a < used_; ++a)
        for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += lanes_[a].gradient[i];
    if (sums.kept > 0) {
        const double share = 1.0 / static_cast<double>(sums.kept);
        for (auto& value : gradient) value *= share;
    }
    return sums;
}

LossSums BatchPass::loss(const Dataset& data, Loss loss) {
    const auto all = data.targets();
    return each_lane(
        data.size(),
        [&](Worker& worker, std::size_t first, std::size_t count) {
            const auto& part = worker.pass->forward(worker.part(data, first, count), false);
            prediction_.put(first, part);
            const Targets targets{
                all.has_labels() ? all.labels.subspan(first, count) : all.labels,
                all.has_labels() ? MatrixView<const double>() : all.numbers.part(first, count)};
            return loss_sums(loss, part, targets, 0.0);
        },
        [](Worker&, Lane&) {});
}

}  // namespace deepsl::train
