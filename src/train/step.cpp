#include "deepsl/train/step.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "deepsl/parallel.h"

namespace deepsl::train {

/// What belongs to one lane, used by one thread at a time.
struct BatchPass::Lane {
    std::unique_ptr<model::Pass> pass;
    Matrix<double> x;                  // the rows of a chunk, gathered
    std::vector<std::int64_t> labels;  // and their targets
    Matrix<double> numbers;
    std::vector<std::size_t> places;
    LossSeeds seeds;
    LossSums sums;

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

BatchPass::BatchPass(const model::Predictor& model) : model_(model) {}
BatchPass::~BatchPass() = default;

void BatchPass::make_lanes(std::size_t rows) {
    const auto chunks = (rows + model::chunk_rows - 1) / model::chunk_rows;
    used_ = std::min(chunks, lanes);
    while (lanes_.size() < used_) {
        lanes_.push_back(std::make_unique<Lane>());
        lanes_.back()->pass = model_.make_pass();
    }
    prediction_.resize(rows, model_.outputs(), model_.eigenvalues());
}

template <class Chunk>
LossSums BatchPass::each_chunk(std::size_t rows, const Chunk& work) {
    make_lanes(rows);
    const auto whole_lane = [&](std::size_t a) {
        auto& lane = *lanes_[a];
        lane.sums = {};
        const auto stride = lanes * model::chunk_rows;
        for (auto first = a * model::chunk_rows; first < rows; first += stride)
            work(lane, first, std::min(model::chunk_rows, rows - first));
    };
    for_each(used_, std::cref(whole_lane));  // a reference fits into std::function without memory
    LossSums sums;
    for (std::size_t a = 0; a < used_; ++a) sums += lanes_[a]->sums;
    return sums;
}

LossSums BatchPass::gradient(const Dataset& data, std::span<const std::size_t> rows, Loss loss,
                             double alpha, std::span<double> gradient, std::uint64_t draw) {
    const auto sums =
        each_chunk(rows.size(), [&](Lane& lane, std::size_t first, std::size_t count) {
            lane.gather(data, rows.subspan(first, count), draw);
            const auto& part = lane.pass->forward(lane.x, true);
            prediction_.put(first, part);
            lane.sums += loss_sums(loss, part, {lane.labels, lane.numbers}, alpha, &lane.seeds);
            lane.pass->backward(lane.seeds.y, lane.seeds.lambda);
        });
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t a = 0; a < used_; ++a) lanes_[a]->pass->add_gradient(gradient);
    if (sums.kept > 0) {
        const double share = 1.0 / static_cast<double>(sums.kept);
        for (auto& value : gradient) value *= share;
    }
    return sums;
}

LossSums BatchPass::loss(const Dataset& data, Loss loss) {
    const auto all = data.targets();
    return each_chunk(data.size(), [&](Lane& lane, std::size_t first, std::size_t count) {
        const auto& part = lane.pass->forward(lane.part(data, first, count), false);
        prediction_.put(first, part);
        const Targets targets{
            all.has_labels() ? all.labels.subspan(first, count) : all.labels,
            all.has_labels() ? MatrixView<const double>() : all.numbers.part(first, count)};
        lane.sums += loss_sums(loss, part, targets, 0.0);
    });
}

}  // namespace deepsl::train
