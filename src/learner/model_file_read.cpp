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

model::ModelOptions options_from(const std::string& path, const Metadata& metadata, bool first) {
    auto written = metadata.value<std::map<std::string, std::string>>("architecture");
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
    if (number != model_version && number != first_model_version)
        refuse(path,
               fmt::format("it is of version {}, and this program reads versions {} and {}",
                           in_quotes(number, 20), first_model_version, model_version),
               other_program);
    const bool first = number == first_model_version;
    const auto* checksum = metadata.find(io::checksum_key);
    if (checksum == nullptr && !first) refuse(path, "its header lacks its checksum");
    if (checksum != nullptr && *checksum != io::checksum_of(file))
        refuse(path, "it is damaged, since its checksum differs", copy_again);
    return first;
}

/// A predictor of the architecture with the file's parameters.
std::unique_ptr<model::Predictor> predictor_from(const std::string& path,
                                                 const io::TensorFile& file,
                                                 const Metadata& metadata,
                                                 const model::ModelOptions& options) {
    // Files before there were baselines do not tell.
    const auto* written_kind = metadata.find("kind");
    const auto kind = written_kind == nullptr
                          ? model::Kind::dsl
                          : metadata.choice_of<model::Kind>("kind", *written_kind);
    const auto inputs = metadata.value<std::int64_t>("inputs");
    const auto outputs = metadata.value<std::int64_t>("outputs");
    constexpr std::int64_t most = 1'000'000;
    if (inputs < 1 || outputs < 1 || inputs > most || outputs > most)
        refuse(path, "the number of its inputs or outputs makes no sense");
    const auto n = static_cast<std::size_t>(inputs), k = static_cast<std::size_t>(outputs);
    double held = 0.0;
    for (const auto& tensor : file.tensors)
        held += static_cast<double>(tensor.bytes.size()) /
                static_cast<double>(io::size_of(tensor.dtype));
    const double of_scaling = 2.0 * static_cast<double>(inputs) + 3.0;
    // Checked before the model is made, which allocates as much as its architecture says.
    if (model::parameter_count(kind, n, k, options) + of_scaling != held)
        refuse(path, "it does not hold as many numbers as its architecture needs");
    constexpr model::Use use{.training = false};
    try {
        model::check_size(kind, n, k, options, use);
    } catch (const Error& error) {
        throw data_error(fmt::format("{} cannot be used here: {}; use a machine with more memory",
                                     in_quotes(path), error.what()));
    }
    std::unique_ptr<model::Predictor> predictor;
    try {
        predictor = model::make_predictor(kind, n, k, options, 0, use);
    } catch (const Error& error) {
        refuse(path, fmt::format("in its architecture {}", complaint_of(error)));
    }
    const auto& list = predictor->parameters().list();
    if (list.size() + 3 != file.tensors.size())
        refuse(path, "it holds other tensors than its architecture needs");
    std::vector<double> values(predictor->parameters().size());
    for (const auto& parameter : list)
        take(path, file, parameter.name, type_of(parameter, options.precision), shape_of(parameter),
             std::span(values).subspan(parameter.offset, parameter.size()));
    predictor->set_values(values);
    return predictor;
}

}  // namespace

TrainedModel load_model(const std::string& path) {
    const auto file = io::read_tensor_file(path);
    const Metadata metadata(path, file);
    const bool first = check_version(path, file, metadata);
    const auto options = options_from(path, metadata, first);

    TrainedModel trained;
    trained.predictor = predictor_from(path, file, metadata, options);
    const auto inputs = trained.predictor->inputs();
    if (!first &&
        metadata.choice_of<field::DomainKind>("domain", metadata.text("domain")) != options.domain)
        refuse(path, "its scaling was made for another domain");
    auto& scaling = trained.scaling;
    if (options.latent == 0) scaling.domain = field::make_domain(options.domain, inputs);
    scaling.placement.shift = take_list(path, file, "scaling.shift", inputs);
    scaling.placement.factor = take_list(path, file, "scaling.factor", inputs);
    const auto numbers = take_list(path, file, "scaling.numbers", 3);
    scaling.spread = numbers[0];
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
