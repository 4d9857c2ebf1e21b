// A task: what is to be learned from a table, by which model, and how. One place for names,
// defaults, ranges and explanations: flags, configuration files, the record in a model file and
// docs/options.md are made from `visit_task`, `visit_model` and `visit_train`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/data/encoding.h"
#include "deepsl/data/target.h"
#include "deepsl/model/options.h"
#include "deepsl/option.h"
#include "deepsl/train/options.h"

namespace deepsl::learner {

using data::ColumnScale, data::TargetKind;

/// Pixels from 0 to 1: by their mean and deviation, or as the paper has them, from 0.25 to 0.75.
enum class PixelScale { standard, range };
constexpr std::array<std::string_view, 2> names(PixelScale) { return {"standard", "range"}; }

/// What becomes of the folds: all rows are learned from for as long as they say, or their models
/// are kept, and vote.
enum class AfterFolds { retrain, vote };
constexpr std::array<std::string_view, 2> names(AfterFolds) { return {"retrain", "vote"}; }

/// By what inputs are stretched: their own correlation with the target, or how much a smooth guess
/// changes with them.
enum class RelevanceBy { correlation, kernel };
constexpr std::array<std::string_view, 2> names(RelevanceBy) { return {"correlation", "kernel"}; }

/// Time for quality: how many models are trained, and vote.
enum class Effort { quick, normal, thorough };
constexpr std::array<std::string_view, 3> names(Effort) { return {"quick", "normal", "thorough"}; }

struct Task {
    std::string target;  // empty: the last column
    TargetKind target_kind = TargetKind::automatic;
    model::Kind kind = model::Kind::dsl;
    model::Preset preset = model::Preset::standard;
    Effort effort = Effort::normal;
    ColumnScale scale = ColumnScale::automatic;
    /// Inputs are stretched by (a + 1 / rows)^(relevance / 2), where a is their association with
    /// the target (field/scaling.h) in the rows that are learned from. 0: all alike.
    double relevance = 0.0;
    RelevanceBy relevance_by = RelevanceBy::correlation;
    /// 2 or more, where no validation rows are given: the number of epochs is chosen by so many
    /// folds, then all rows are learned from. 0: a share is held out, train.validation.
    std::int64_t epoch_folds = 0;
    AfterFolds after_folds = AfterFolds::retrain;
    /// Other settings, which train models of their own that vote with the task's, where folds do.
    std::string variants;
    std::vector<std::string> dropped, numbers, categories;  // columns
    PixelScale pixels = PixelScale::standard;               // of images
    bool flip = false;                                      // how images vary in training
    std::int64_t crop = 0;
    model::ModelOptions model;
    train::TrainOptions train;

    /// The roles of columns, and the scale, as the encoding takes them.
    data::EncodingOptions encoding() const;
};

/// Calls visitor(option, value) for each option of the task itself.
template <class AnyTask, class Visitor>
void visit_task(AnyTask& t, Visitor&& visitor) {
    visitor(text("target", "the column to predict; by default the last one"), t.target);
    visitor(choice<TargetKind>("task",
                               "what the target is: auto takes texts, and up to 20 different whole "
                               "numbers, as classes"),
            t.target_kind);
    visitor(choice<model::Kind>("model", "Deep Sturm-Liouville, or a model to compare it with"),
            t.kind);
    visitor(choice<model::Preset>("preset",
                                  "default, which follows the size of the table, or paper, the "
                                  "paper's settings"),
            t.preset);
    visitor(choice<Effort>("effort",
                           "of the preset default on tables: quick trains one model, normal and "
                           "thorough more and more of them, which vote"),
            t.effort);
    visitor(choice<ColumnScale>("scale",
                                "numbers by rank, by z-score, by their range, as they are, or by "
                                "rank as normal numbers; auto is normal for columns with heavy "
                                "tails, else zscore"),
            t.scale);
    visitor(number("relevance", 0.0, 2.0,
                   "inputs are stretched by their correlation with the target to this power; 0 = "
                   "all alike"),
            t.relevance);
    visitor(choice<RelevanceBy>("relevance-by",
                                "stretched by each input's own correlation, or by a kernel ridge "
                                "regression on all inputs"),
            t.relevance_by);
    visitor(
        whole_number("epoch-folds", 0, 100,
                     "choose the number of epochs by so many folds, then learn from all rows; 0 = "
                     "hold out a share of the rows"),
        t.epoch_folds);
    visitor(choice<AfterFolds>("after-folds",
                               "learn from all rows for the number of epochs that the folds have "
                               "chosen; or keep the folds' models, whose mean is the prediction"),
            t.after_folds);
    visitor(text("variants",
                 "where the folds' models vote: other settings to train models with, which vote, "
                 "too, such as fields=4 learning-rate=0.005; normalise=true. none = no others"),
            t.variants);
    visitor(list("drop", "columns to leave out"), t.dropped);
    visitor(list("numbers", "columns that are numbers"), t.numbers);
    visitor(list("categories", "columns that are categories, though they look like numbers"),
            t.categories);
    visitor(choice<PixelScale>("pixels",
                               "of images: by mean and deviation, or from 0.25 to 0.75 as in the "
                               "paper"),
            t.pixels);
    visitor(flag("flip", "mirror images by chance while they are learned from"), t.flip);
    visitor(whole_number("crop", 0, 1000,
                         "move images by up to so many pixels while they are learned from"),
            t.crop);
}

/// All of them: those of the task, of the model and of training.
template <class AnyTask, class Visitor>
void visit_all(AnyTask& t, Visitor&& visitor) {
    visit_task(t, visitor);
    model::visit_model(t.model, visitor);
    train::visit_train(t.train, visitor);
}

/// Throws Error that names the option, its value and what it may be; also if two lists of columns
/// name the same one, or there is a single fold.
void check_task(const Task& task);

/// The presets before they meet a table.
Task preset_task(model::Preset preset);

}  // namespace deepsl::learner
