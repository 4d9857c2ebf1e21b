#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/error.h"
#include "deepsl/io/checksum.h"
#include "deepsl/io/file.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/text.h"
#include "learner/model_file_checks.h"
#include "learner/model_file_format.h"

namespace deepsl::learner {
namespace {

using nlohmann::json;

// What to try: with a file that no program wrote like this, one that was changed on its way, one of
// another program, and one of another version of this.
constexpr std::string_view train_again = "train the model again, or name another file";
constexpr std::string_view copy_again = "copy it again, from where it was written";
constexpr std::string_view name_another = "name a file that 'deepsl train' wrote";
constexpr std::string_view other_program =
    "use the program that wrote it, or train the model again";

[[noreturn]] void refuse(const std::string& path, const std::string& what,
                         std::string_view remedy = train_again) {
    throw data_error(
        fmt::format("{} cannot be used as a model: {}; {}", in_quotes(path), what, remedy));
}

/// What is wrong with an option, without the advice for who could choose another value.
std::string complaint_of(const Error& error) {
    const std::string sentence = error.what();
    const auto advice = sentence.ends_with(" was given") ? std::string::npos : sentence.rfind("; ");
    return sentence.substr(0, advice);
}

/// Takes the tensor's numbers; refuses a file that lacks it, or has another.
void take(const std::string& path, const io::TensorFile& file, const std::string& name,
          io::DType type, const std::vector<std::int64_t>& shape, std::span<double> into) {
    const auto* found = file.find(name);
    if (found == nullptr) refuse(path, fmt::format("its tensor {} is missing", in_quotes(name)));
    if (found->dtype != type || found->shape != shape)
        refuse(path, fmt::format("its tensor {} does not fit its architecture", in_quotes(name)));
    if (type == io::DType::f64) {
        std::memcpy(into.data(), found->bytes.data(), found->bytes.size());
    } else {
        std::vector<float> values(into.size());
        std::memcpy(values.data(), found->bytes.data(), found->bytes.size());
        for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<double>(values[i]);
    }
    for (const double value : into)
        if (!std::isfinite(value))
            refuse(path,
                   fmt::format("its tensor {} holds NaN or infinite numbers", in_quotes(name)));
}

std::vector<double> take_list(const std::string& path, const io::TensorFile& file,
                              const std::string& name, std::size_t length) {
    std::vector<double> values(length);
    take(path, file, name, io::DType::f64, {static_cast<std::int64_t>(length)}, values);
    return values;
}

/// How many lists and objects a JSON text opens; those inside its texts do not count.
std::size_t brackets(std::string_view written) {
    std::size_t count = 0;
    bool inside = false;
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (written[i] == '"') inside = !inside;
        if (inside && written[i] == '\\') ++i;
        if (!inside && (written[i] == '[' || written[i] == '{')) ++count;
    }
    return count;
}

class Metadata {
public:
    Metadata(const std::string& path, const io::TensorFile& file) : path_(path), file_(file) {}

    /// nullptr if there is no such entry.
    const std::string* find(const std::string& key) const {
        const auto found = file_.metadata.find(key);
        return found == file_.metadata.end() ? nullptr : &found->second;
    }

    const std::string& text(const std::string& key) const {
        const auto* found = find(key);
        if (found == nullptr) refuse(path_, fmt::format("its header lacks {}", in_quotes(key)));
        return *found;
    }

    /// A JSON text of the shape asked for, or a refusal.
    template <class T>
    T value(const std::string& key) const {
        const auto& written = text(key);
        // Nested no deeper than a list of texts, so that the parser cannot be led astray.
        const json parsed = brackets(written) > 1 ? json(json::value_t::discarded)
                                                  : json::parse(written, nullptr, false);
        try {
            if (!parsed.is_discarded()) return parsed.get<T>();
        } catch (const json::exception&) {
        }
        refuse(path_, fmt::format("{} in its header makes no sense", in_quotes(key)));
    }

    /// One of the names of an enumeration.
    template <Choice E>
    E choice_of(const std::string& key, const std::string& written) const {
        E value{};
        try {
            parse_option(choice<E>(key, ""), written, value);
        } catch (const Error& error) {
            refuse(path_, fmt::format("in its header {}", complaint_of(error)));
        }
        return value;
    }

private:
    const std::string& path_;
    const io::TensorFile& file_;
};

/// Options that version 1 did not have, and what models did before there were any.
const std::map<std::string, std::string, std::less<>>& options_since_first_version() {
    static const std::map<std::string, std::string, std::less<>> values{
        {"coefficients", "networks"}};
    return values;
}

/// Options that came without a change of the version: the same, in any file without them.
const std::map<std::string, std::string, std::less<>>& options_added_since() {
    static const std::map<std::string, std::string, std::less<>> values{
        {"directions", "ridge"},
        {"linear-gain", "0"},
        {"normalise", "false"},
        {"image", "none"},
        {"convolutions", "none"},
        {"field-convolutions", "none"},
        {"kernel", "3"},
        {"halving", "stride"},
        {"encoder", "none"},
        {"encoder-hidden", "none"},
        {"latent", "0"},
        {"encoder-activation", "leaky_relu"},
        {"encoder-initialiser", "he"}};
    return values;
}

model::ModelOptions options_from(const std::string& path, const Metadata& metadata,
                                 const std::string& prefix, bool first) {
    auto written = metadata.value<std::map<std::string, std::string>>(prefix + "architecture");
    for (const auto& [name, value] : options_added_since()) written.emplace(name, value);
    if (first)
        for (const auto& [name, value] : options_since_first_version())
            if (!written.emplace(name, value).second)
                refuse(path, "its architecture has an option unknown to its version");
    model::ModelOptions options;
    std::size_t used = 0;
    model::visit_model(options, [&](const Option& option, auto& value) {
        const auto found = written.find(std::string(option.name));
        if (found == written.end())
            refuse(path, fmt::format("its architecture lacks {}", in_quotes(option.name)));
        try {
            parse_option(option, found->second, value);
        } catch (const Error& error) {
            refuse(path, fmt::format("in its architecture {}", complaint_of(error)));
        }
        ++used;
    });
    if (used != written.size())
        refuse(path, "its architecture has an option unknown here", other_program);
    return options;
}

/// True for a file of version 1.
bool check_version(const std::string& path, const io::TensorFile& file, const Metadata& metadata) {
    if (const auto* written = metadata.find("format");
        written == nullptr || *written != model_format)
        refuse(path, "it is a safetensors file, but not one written by deepsl", name_another);
    const auto& number = metadata.text("version");
    if (number != voters_version && number != model_version && number != first_model_version)
        refuse(path,
               fmt::format("it is of version {}, and this program reads versions {} to {}",
                           in_quotes(number, 20), first_model_version, voters_version),
               other_program);
    const bool first = number == first_model_version;
    const auto* checksum = metadata.find(io::checksum_key);
    if (checksum == nullptr && !first) refuse(path, "its header lacks its checksum");
    if (checksum != nullptr && *checksum != io::checksum_of(file))
        refuse(path, "it is damaged, since its checksum differs", copy_again);
    return first;
}

std::size_t voters_in(const std::string& path, const Metadata& metadata) {
    const bool several = metadata.text("version") == voters_version;
    if (several != (metadata.find("voters") != nullptr))
        refuse(path, "its version does not fit the number of its voters");
    if (!several) return 1;
    const auto count = metadata.value<std::int64_t>("voters");
    if (count < 2 || count > most_voters) refuse(path, "the number of its voters makes no sense");
    return static_cast<std::size_t>(count);
}

/// What the header says of a voter.
struct Plan {
    std::string prefix;
    model::Kind kind = model::Kind::dsl;
    model::ModelOptions options;
    std::size_t inputs = 0, outputs = 0;
};

Plan plan_from(const std::string& path, const Metadata& metadata, std::size_t voter, bool first) {
    Plan plan;
    plan.prefix = prefix_of(voter);
    // Files before there were baselines do not tell.
    if (const auto* kind = metadata.find(plan.prefix + "kind"); kind != nullptr)
        plan.kind = metadata.choice_of<model::Kind>("kind", *kind);
    plan.options = options_from(path, metadata, plan.prefix, first);
    if (!first && metadata.choice_of<field::DomainKind>(
                      "domain", metadata.text(plan.prefix + "domain")) != plan.options.domain)
        refuse(path, "its scaling was made for another domain");
    const auto inputs = metadata.value<std::int64_t>("inputs");
    const auto outputs = metadata.value<std::int64_t>("outputs");
    constexpr std::int64_t most = 1'000'000;
    if (inputs < 1 || outputs < 1 || inputs > most || outputs > most)
        refuse(path, "the number of its inputs or outputs makes no sense");
    plan.inputs = static_cast<std::size_t>(inputs);
    plan.outputs = static_cast<std::size_t>(outputs);
    return plan;
}

/// Checked before models are made, which allocate as much as their architectures say.
void check_held(const std::string& path, const io::TensorFile& file,
                const std::vector<Plan>& plans) {
    double held = 0.0, needed = 2.0;  // the target's mean and scale
    for (const auto& tensor : file.tensors)
        held += static_cast<double>(tensor.bytes.size()) /
                static_cast<double>(io::size_of(tensor.dtype));
    for (const auto& plan : plans)
        needed += model::parameter_count(plan.kind, plan.inputs, plan.outputs, plan.options) +
                  2.0 * static_cast<double>(plan.inputs) + 1.0;
    if (plans.size() > 1) needed += static_cast<double>(plans.size());  // their weights
    if (needed != held) refuse(path, "it does not hold as many numbers as its architecture needs");
}

/// A predictor of the architecture with the file's parameters.
std::unique_ptr<model::Predictor> predictor_from(const std::string& path,
                                                 const io::TensorFile& file, const Plan& plan) {
    constexpr model::Use use{.training = false};
    try {
        model::check_size(plan.kind, plan.inputs, plan.outputs, plan.options, use);
    } catch (const Error& error) {
        throw data_error(fmt::format("{} cannot be used here: {}; use a machine with more memory",
                                     in_quotes(path), error.what()));
    }
    std::unique_ptr<model::Predictor> predictor;
    try {
        predictor =
            model::make_predictor(plan.kind, plan.inputs, plan.outputs, plan.options, 0, use);
    } catch (const Error& error) {
        refuse(path, fmt::format("in its architecture {}", complaint_of(error)));
    }
    std::vector<double> values(predictor->parameters().size());
    for (const auto& parameter : predictor->parameters().list())
        take(path, file, plan.prefix + parameter.name, type_of(parameter, plan.options.precision),
             shape_of(parameter), std::span(values).subspan(parameter.offset, parameter.size()));
    predictor->set_values(values);
    return predictor;
}

Voter voter_from(const std::string& path, const io::TensorFile& file, const Plan& plan) {
    Voter voter;
    voter.predictor = predictor_from(path, file, plan);
    auto& scaling = voter.scaling;
    if (plan.options.latent == 0)
        scaling.domain = field::make_domain(plan.options.domain, plan.inputs);
    scaling.placement.shift = take_list(path, file, plan.prefix + "scaling.shift", plan.inputs);
    scaling.placement.factor = take_list(path, file, plan.prefix + "scaling.factor", plan.inputs);
    return voter;
}

}  // namespace

TrainedModel load_model(const std::string& path) {
    const auto file = io::read_tensor_file(path);
    const Metadata metadata(path, file);
    const bool first = check_version(path, file, metadata);
    std::vector<Plan> plans;
    for (std::size_t v = 0; v < voters_in(path, metadata); ++v)
        plans.push_back(plan_from(path, metadata, v, first));
    check_held(path, file, plans);

    TrainedModel trained;
    std::size_t tensors = 1;
    const auto numbers = take_list(path, file, "scaling.numbers", 2 + plans.size());
    std::vector<double> weights{1.0};
    if (plans.size() > 1) {
        weights = take_list(path, file, "voters.weights", plans.size());
        ++tensors;
    }
    for (std::size_t v = 0; v < plans.size(); ++v) {
        auto voter = voter_from(path, file, plans[v]);
        voter.scaling.spread = v == 0 ? numbers[0] : numbers[2 + v];
        voter.weight = weights[v];
        tensors += voter.predictor->parameters().list().size() + 2;
        if (v == 0)
            static_cast<Voter&>(trained) = std::move(voter);
        else
            trained.others.push_back(std::move(voter));
    }
    if (tensors != file.tensors.size())
        refuse(path, "it holds other tensors than its architecture needs");
    const auto inputs = trained.predictor->inputs();
    trained.target_mean = numbers[1];
    trained.target_scale = numbers[2];
    trained.features = metadata.value<std::vector<std::string>>("features");
    trained.classes = metadata.value<std::vector<std::string>>("classes");
    trained.record = metadata.value<std::map<std::string, std::string>>("training");
    if (const auto* encoding = metadata.find("encoding")) {
        try {
            trained.encoding = data::Encoding::from_json(*encoding);
        } catch (const Error& error) {
            refuse(path, complaint_of(error));
        }
        if (trained.encoding->inputs() != inputs)
            refuse(path, "its encoding does not give as many inputs as its model takes");
    }
    if (const auto complaint = nonsense_in(trained)) refuse(path, *complaint);
    return trained;
}

}  // namespace deepsl::learner
