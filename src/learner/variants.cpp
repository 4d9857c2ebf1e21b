#include "learner/variants.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/text.h"

namespace deepsl::learner {
namespace {

/// The parts of a text between separators, without blanks around them; empty ones left out.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find(separator), text.size());
        if (const auto part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

/// Settings of the model and its training that may differ, by name.
const std::set<std::string, std::less<>>& free_options() {
    static const auto names = [] {
        std::set<std::string, std::less<>> found{"relevance", "relevance-by"};
        Task task;
        const auto add = [&](const Option& option, const auto&) { found.emplace(option.name); };
        model::visit_model(task.model, add);
        train::visit_train(task.train, add);
        // Folds and losses are compared, and images are what they are.
        for (const auto* const name : {"seed", "validation", "stop-epoch", "loss", "image"})
            found.erase(name);
        return found;
    }();
    return names;
}

}  // namespace

std::vector<Settings> variants_in(std::string_view text) {
    std::vector<Settings> variants;
    if (trimmed(text) == "none") return variants;
    for (const auto& written : parts_of(text, ';')) {
        auto& variant = variants.emplace_back();
        for (const auto& setting : parts_of(written, ' ')) {
            const auto equals = setting.find('=');
            const auto name = setting.substr(0, equals);
            if (equals == std::string_view::npos || equals + 1 == setting.size())
                throw argument_error(fmt::format(
                    "variants takes settings such as fields=4, with ; between variants, but got {}",
                    in_quotes(setting, 60)));
            if (!free_options().contains(name))
                throw argument_error(fmt::format(
                    "variants cannot change {}; settings of the model and its training can differ, "
                    "such as fields, learning-rate and relevance",
                    in_quotes(name, 60)));
            variant[std::string(name)] = setting.substr(equals + 1);
        }
    }
    return variants;
}

std::string variants_text(const std::vector<Settings>& variants) {
    std::string text;
    for (const auto& variant : variants) {
        text += text.empty() ? "" : "; ";
        for (auto setting = variant.begin(); setting != variant.end(); ++setting)
            text += fmt::format("{}{}={}", setting == variant.begin() ? "" : " ", setting->first,
                                setting->second);
    }
    return text;
}

std::vector<Task> with_variants(const Task& task) {
    std::vector<Task> tasks{task};
    tasks.front().variants.clear();
    std::vector<Settings> seen;
    for (auto variant : variants_in(task.variants)) {
        std::erase_if(variant, [&](const auto& setting) {
            const auto& name = setting.first;
            bool of_model = false;
            model::visit_model(task.model, [&](const Option& option, const auto&) {
                of_model = of_model || option.name == name;
            });
            return of_model && !model::reads(task.kind, name);
        });
        if (variant.empty() || std::find(seen.begin(), seen.end(), variant) != seen.end()) continue;
        auto& other = tasks.emplace_back(tasks.front());
        try {
            apply_settings(variant, other);
        } catch (const Error& error) {
            throw argument_error(fmt::format("variants: {}", error.what()));
        }
        seen.push_back(std::move(variant));
    }
    return tasks;
}

std::string variants_without(std::string_view variants, const Settings& given) {
    std::vector<Settings> kept;
    for (auto& variant : variants_in(variants)) {
        std::erase_if(variant, [&](const auto& setting) {
            const auto found = given.find(setting.first);
            return found != given.end() && !trimmed(found->second).empty();
        });
        if (!variant.empty() && std::find(kept.begin(), kept.end(), variant) == kept.end())
            kept.push_back(std::move(variant));
    }
    return variants_text(kept);
}

}  // namespace deepsl::learner
