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

constexpr std::size_t most_variants = 32;  // with the task

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
        for (const auto* const name :
             {"seed", "validation", "stop-epoch", "cool-down", "loss", "image"})
            found.erase(name);
        return found;
    }();
    return names;
}

/// What a task does, as texts: all that its kind of model reads.
std::vector<std::string> behaviour(const Task& task) {
    std::vector<std::string> texts{option_text(task.relevance)};
    if (task.relevance > 0.0) texts.push_back(option_text(task.relevance_by));
    model::visit_model(task.model, [&](const Option& option, const auto& value) {
        if (model::reads(task.kind, option.name)) texts.push_back(option_text(value));
    });
    train::visit_train(
        task.train, [&](const Option&, const auto& value) { texts.push_back(option_text(value)); });
    return texts;
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
            if (!variant.emplace(name, setting.substr(equals + 1)).second)
                throw argument_error(
                    fmt::format("variants sets {} twice in one of them", in_quotes(name, 60)));
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

std::vector<Variant> with_variants(const Task& task) {
    std::vector<Variant> all{{"", task}};
    all.front().task.variants.clear();
    std::set<std::vector<std::string>> seen{behaviour(all.front().task)};
    for (const auto& settings : variants_in(task.variants)) {
        auto other = all.front().task;
        try {
            apply_settings(settings, other);
        } catch (const Error& error) {
            throw argument_error(fmt::format("variants: {}", error.what()));
        }
        if (seen.insert(behaviour(other)).second)
            all.push_back({variants_text({settings}), std::move(other)});
    }
    if (all.size() > most_variants)
        throw argument_error(
            fmt::format("variants names {}; take {} at most", all.size() - 1, most_variants - 1));
    return all;
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
