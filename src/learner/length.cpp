#include "learner/length.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/field/kernel_guess.h"
#include "deepsl/random.h"
#include "deepsl/text.h"
#include "learner/model_file_checks.h"
#include "learner/variants.h"

namespace deepsl::learner {
namespace {

/// Of an earlier run, which this one replaces: resumed among its folds, it must not find them.
void remove_old(const train::Checkpointing& checkpointing) {
    std::error_code ignored;
    std::filesystem::remove(checkpointing.path, ignored);
    remove_fold_checkpoints(checkpointing);
}

std::size_t input_of_largest_number(const Matrix<double>& x) {
    std::size_t input = 0;
    double largest = 0.0;
    for (std::size_t r = 0; r < x.rows(); ++r)
        for (std::size_t c = 0; c < x.columns(); ++c)
            if (std::fabs(x(r, c)) > largest) {
                largest = std::fabs(x(r, c));
                input = c;
            }
    return input;
}

/// How the folds of a task learn; scalings are left where they are wanted.
train::FoldPlan plan_of(const Prepared& prepared, const Task& task,
                        std::vector<field::Scaling>& scalings) {
    train::FoldPlan plan;
    plan.make = [&](std::uint64_t seed) { return new_predictor(prepared, task, seed); };
    plan.prepare = [&](std::int64_t fold, train::Dataset& known, train::Dataset& left_out) {
        auto scaling = fit_scaling(known, prepared.model, task);
        scale_rows(scaling, known);
        scale_rows(scaling, left_out);
        scalings[static_cast<std::size_t>(fold)] = std::move(scaling);
    };
    plan.options = task.train;
    plan.options.validation = 0.0;
    plan.options.cool_down = 0.0;  // every epoch is a candidate there, not the last alone
    return plan;
}

void choose_by_folds(const Prepared& prepared, const Task& task, const train::Callbacks& callbacks,
                     const train::Checkpointing& checkpointing, Length& length) {
    if (!checkpointing.resume && !checkpointing.path.empty()) remove_old(checkpointing);
    const auto variants = task.after_folds == AfterFolds::vote ? with_variants(task)
                                                               : std::vector<Variant>{{"", task}};
    std::vector<train::FoldPlan> plans;
    length.candidates.resize(variants.size());
    for (std::size_t c = 0; c < variants.size(); ++c) {
        auto& [choice, scalings, settings] = length.candidates[c];
        settings = variants[c].settings;
        scalings.resize(static_cast<std::size_t>(length.folds));
        plans.push_back(plan_of(prepared, variants[c].task, scalings));
    }
    auto choices =
        train::choose_epochs(plans, prepared.training, length.folds, callbacks, checkpointing);
    for (std::size_t c = 0; c < choices.size(); ++c)
        length.candidates[c].choice = std::move(choices[c]);
    // Longer by what the cool-down takes away: the sum of the rates stays about the same.
    auto& options = length.options;
    const double longer =
        static_cast<double>(length.choice().epoch) / (1.0 - 0.5 * options.cool_down);
    options.stop_epoch =
        std::min(options.last_epoch(), static_cast<std::int64_t>(std::llround(longer)));
}

/// Each channel with mean 0 and deviation 1.
field::Placement standard_channels(const Matrix<double>& x, std::size_t channels) {
    std::vector<double> mean(channels), square(channels);
    const auto count = static_cast<double>(x.values().size()) / static_cast<double>(channels);
    for (std::size_t i = 0; i < x.values().size(); ++i) mean[i % channels] += x.values()[i] / count;
    for (std::size_t i = 0; i < x.values().size(); ++i) {
        const double off = x.values()[i] - mean[i % channels];
        square[i % channels] += off * off / count;
    }
    field::Placement placement;
    for (std::size_t c = 0; c < x.columns(); ++c) {
        const double deviation = std::sqrt(square[c % channels]);
        placement.shift.push_back(mean[c % channels]);
        placement.factor.push_back(deviation > 0.0 ? 1.0 / deviation : 1.0);
    }
    return placement;
}

/// Pixels from 0 to 1 come to lie in the middle half of the box, or as far out in the ball as the
/// corners of that are in the box.
field::Placement middle_half(const field::Domain& domain) {
    const auto n = domain.dimensions();
    const auto [low, high] = domain.bounds();
    const double size = 0.5 * (high - low) / (low < 0.0 ? std::sqrt(static_cast<double>(n)) : 1.0);
    const double shift = 0.5 - domain.centre() / size;
    return {std::vector<double>(n, shift), std::vector<double>(n, size)};
}

/// In front of an encoder, which may see any numbers.
field::Scaling fit_encoder_scaling(const Matrix<double>& x, const Task& task) {
    const auto channels = task.model.image.empty() ? 1 : task.model.image.back();
    field::Scaling scaling;
    scaling.spread = 1.0;
    switch (task.pixels) {
        case PixelScale::standard:
            scaling.placement = standard_channels(x, static_cast<std::size_t>(channels));
            break;
        case PixelScale::range:
            scaling.placement =
                middle_half(*field::make_domain(field::DomainKind::box, x.columns()));
            break;
    }
    return scaling;
}

/// Where pixels go, by some of the images.
field::Scaling fit_pixel_scaling(const train::Dataset& known, const Task& task) {
    constexpr std::size_t most = 4096;
    std::vector<std::size_t> some;
    const auto step = std::max<std::size_t>(1, known.size() / most);
    for (std::size_t row = 0; row < known.size() && some.size() < most; row += step)
        some.push_back(row);
    const auto x = known.read(some);
    if (task.model.latent > 0) return fit_encoder_scaling(x, task);
    field::Scaling scaling;
    const auto domain = field::make_domain(task.model.domain, x.columns());
    switch (task.pixels) {
        case PixelScale::standard: return field::fit_uniform_scaling(x, domain);
        case PixelScale::range:
            scaling.domain = domain;
            scaling.placement = middle_half(*domain);
            scaling.spread = 0.25;
            return scaling;
    }
    return scaling;
}

/// How much each input matters.
std::vector<double> relevance_of(const train::Dataset& known, const TrainedModel& model,
                                 RelevanceBy by) {
    switch (by) {
        case RelevanceBy::correlation: break;
        case RelevanceBy::kernel: {
            const auto outputs = model.predicts_classes() ? model.classes.size() : 1;
            const auto product =
                field::gradient_product(known.x, train::calibration_targets(known, outputs));
            std::vector<double> result(known.x.columns());
            for (std::size_t c = 0; c < result.size(); ++c) result[c] = product(c, c);
            return result;
        }
    }
    return known.has_labels() ? field::association(known.x, known.labels)
                              : field::association(known.x, known.numbers);
}

}  // namespace

void remove_fold_checkpoints(const train::Checkpointing& checkpointing) {
    if (checkpointing.path.empty()) return;
    const std::filesystem::path run(checkpointing.path);
    const auto begin = run.filename().string() + ".fold";
    const auto folder = run.has_parent_path() ? run.parent_path() : std::filesystem::path(".");
    std::error_code ignored;  // what cannot be removed does no harm
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with(begin) && name.size() > begin.size() &&
            name.find_first_not_of("0123456789", begin.size()) == std::string::npos)
            found.push_back(entry.path());
    }
    for (const auto& path : found) std::filesystem::remove(path, ignored);
}

bool Length::interrupted() const {
    return std::ranges::any_of(candidates, [](const auto& c) { return c.choice.interrupted; });
}

void scale_rows(const field::Scaling& scaling, train::Dataset& rows) {
    if (rows.source)
        rows.scaling = scaling;
    else
        rows.x = scaling.forward(rows.x);
}

field::Scaling fit_scaling(const train::Dataset& known, const TrainedModel& model,
                           const Task& task) {
    if (known.source) return fit_pixel_scaling(known, task);
    std::vector<double> relevance;
    if (task.relevance > 0.0) {
        relevance = relevance_of(known, model, task.relevance_by);
        // So much, about, any input seems to tell by chance.
        const double by_chance = 1.0 / static_cast<double>(known.size());
        for (double& value : relevance) value = std::pow(value + by_chance, 0.5 * task.relevance);
    }
    const auto domain = field::make_domain(task.model.domain, known.x.columns());
    auto scaling = model.encoding ? field::fit_uniform_scaling(known.x, domain, relevance)
                                  : field::fit_scaling(known.x, domain, relevance);
    if (impossible_input(scaling)) {
        // One factor for all inputs follows the largest of them.
        const auto input = input_of_largest_number(known.x);
        throw data_error(fmt::format(
            "the numbers of the input {} are too large, or too close to each other, to be brought "
            "into the domain; scale it by rank, or correct them",
            model.features.empty() ? std::to_string(input + 1)
                                   : in_quotes(model.features[input], 60)));
    }
    return scaling;
}

std::unique_ptr<model::Predictor> new_predictor(const Prepared& prepared, const Task& task,
                                                std::uint64_t seed) {
    const auto& classes = prepared.model.classes;
    return model::make_predictor(task.kind, prepared.training.inputs(),
                                 classes.empty() ? 1 : classes.size(), task.model, seed,
                                 {.rows = static_cast<std::size_t>(task.train.batch)});
}

Length choose_length(Prepared& prepared, const Task& task, const train::Callbacks& callbacks,
                     const train::Checkpointing& checkpointing) {
    Length length;
    length.options = task.train;
    const double share = std::exchange(length.options.validation, 0.0);
    if (!prepared.validation.empty()) return length;
    const auto rows = static_cast<std::int64_t>(prepared.training.size());
    length.folds = task.epoch_folds >= 2 ? std::min(task.epoch_folds, rows / 2) : 0;
    if (length.folds >= 2) {
        choose_by_folds(prepared, task, callbacks, checkpointing, length);
        return length;
    }
    length.folds = 0;
    if (share > 0.0) {
        // Before anything is scaled: rows held out must not say where inputs go.
        Random random(static_cast<std::uint64_t>(task.train.seed));
        auto parts = train::split(prepared.training, share, random);
        prepared.training = std::move(parts.training);
        prepared.validation = std::move(parts.validation);
    }
    return length;
}

}  // namespace deepsl::learner
