// Variants of a task: other settings of the model and its training, of which each trains models of
// its own that vote with the task's.
//
//     "fields=4 learning-rate=0.005; normalise=true"     two variants
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deepsl/learner/settings.h"
#include "deepsl/learner/task.h"

namespace deepsl::learner {

/// What `variants` says; "none" is as good as nothing. Throws Error that names the option for a
/// text that cannot be read, or a setting that every variant has to share.
std::vector<Settings> variants_in(std::string_view text);

/// The way back.
std::string variants_text(const std::vector<Settings>& variants);

struct Variant {
    std::string settings;  // that differ; empty for the task itself
    Task task;
};

/// The task itself, and behind it its variants, but for those that differ from one before them in
/// nothing that the kind of model reads. Throws Error for a value that a setting cannot have.
std::vector<Variant> with_variants(const Task& task);

/// The same variants without settings that are given for all; none that is empty then, or twice.
std::string variants_without(std::string_view variants, const Settings& given);

}  // namespace deepsl::learner
