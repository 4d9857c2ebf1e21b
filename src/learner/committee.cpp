#include "learner/committee.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deepsl/train/metrics.h"
#include "learner/vote.h"
#include "learner/weights.h"

namespace deepsl::learner {
namespace {

constexpr double least_say = 0.02;  // of the largest; less is not worth its time in predictions

/// What a candidate's models say of the rows that they did not learn from, which are all rows.
model::Prediction of_rows_left_out(const Candidate& candidate, std::size_t rows) {
    model::Prediction all;
    const auto& models = candidate.choice.models;
    all.resize(rows, models.front().predictor->outputs(), 0);
    for (const auto& model : models)
        for (std::size_t i = 0; i < model.left_out.size(); ++i) {
            const auto row = model.left_out[i];
            all.outcomes[row] = model.prediction.outcomes[i];
            std::ranges::copy(model.prediction.y.row(i), all.y.row(row).begin());
        }
    return all;
}

/// The models of a candidate, which share its weight.
void seat(Candidate& candidate, double weight, Learned& learned) {
    auto& models = candidate.choice.models;
    auto& record = learned.record;
    for (std::size_t k = 0; k < models.size(); ++k) {
        auto& model = models[k];
        Voter voter{std::move(model.predictor), std::move(candidate.scalings[k]),
                    weight / static_cast<double>(models.size())};
        ++record.voters;
        if (learned.model.predictor == nullptr)
            static_cast<Voter&>(learned.model) = std::move(voter);
        else
            learned.model.others.push_back(std::move(voter));
    }
}

}  // namespace

void let_folds_vote(Length& length, const Prepared& prepared, Learned& learned) {
    const auto& rows = prepared.training;
    std::vector<model::Prediction> said;
    for (const auto& candidate : length.candidates)
        said.push_back(of_rows_left_out(candidate, rows.size()));
    auto weights = vote_weights(said, rows.targets());
    const double least = least_say * *std::max_element(weights.begin(), weights.end());
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < said.size(); ++c) {
        const bool stays = weights[c] >= least;
        if (stays) kept.push_back(c);
        const auto& settings = length.candidates[c].settings;
        if (said.size() > 1)
            learned.says.push_back(
                fmt::format("{}: {}", stays ? fmt::format("weight {:.2f}", weights[c]) : "left out",
                            settings.empty() ? "these settings" : settings));
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto c = kept[i];
        if (c == i) continue;
        said[i] = std::move(said[c]);
        weights[i] = weights[c];
        length.candidates[i] = std::move(length.candidates[c]);
    }
    said.resize(kept.size()), weights.resize(kept.size()), length.candidates.resize(kept.size());
    learned.model.predictor.reset();
    auto& record = learned.record;
    record = length.choice().models.front().record;
    record.lines = record.failed_lines = 0;
    record.failures.clear();
    for (std::size_t c = 0; c < said.size(); ++c) {
        for (const auto& model : length.candidates[c].choice.models) {
            record.lines += model.record.lines;
            record.failed_lines += model.record.failed_lines;
            for (const auto& [name, count] : model.record.failures) record.failures[name] += count;
        }
        seat(length.candidates[c], weights[c], learned);
    }
    const auto together = vote(std::move(said), weights, learned.model.predicts_classes());
    record.folds = length.folds;
    record.fold_metric = train::main_metric(together.y, rows.targets(), together.outcomes).value;
    record.seconds = length.choice().seconds;
    record.training_rows = static_cast<std::int64_t>(rows.size());
    record.validation_rows = 0;
}

}  // namespace deepsl::learner
