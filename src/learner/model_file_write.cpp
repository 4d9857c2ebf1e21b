#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/error.h"
#include "deepsl/io/checksum.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/text.h"
#include "learner/model_file_checks.h"
#include "learner/model_file_format.h"

namespace deepsl::learner {
namespace {

using nlohmann::json;

io::StoredTensor stored(std::string name, io::DType type, std::span<const double> values,
                        std::vector<std::int64_t> shape) {
    io::StoredTensor result{std::move(name), type, std::move(shape), {}};
    if (type == io::DType::f64) {
        const auto bytes = std::as_bytes(values);
        result.bytes.assign(bytes.begin(), bytes.end());
    } else {
        const std::vector<float> rounded(values.begin(), values.end());
        const auto bytes = std::as_bytes(std::span(rounded));
        result.bytes.assign(bytes.begin(), bytes.end());
    }
    return result;
}

/// A list of numbers.
io::StoredTensor stored(std::string name, const std::vector<double>& values) {
    return stored(std::move(name), io::DType::f64, values,
                  {static_cast<std::int64_t>(values.size())});
}

template <class T>
std::string as_json(const std::string& path, const T& value) {
    try {
        return json(value).dump();
    } catch (const json::type_error&) {
        throw output_error(fmt::format(
            "cannot write {}: a name of a feature or class is not UTF-8; convert the data first",
            in_quotes(path)));
    }
}

/// Architecture, parameters and scaling of a voter.
void put_voter(const std::string& path, const Voter& voter, const std::string& prefix,
               io::TensorFile& file) {
    const auto& model = *voter.predictor;
    if (!model.built_in())
        throw output_error(fmt::format(
            "cannot write {}: a model with a field, coefficients, a domain or a network of your "
            "own has no file format; save the values of its parameters yourself",
            in_quotes(path)));
    const auto options = model.options();
    std::map<std::string, std::string> architecture;
    model::visit_model(options, [&](const Option& option, const auto& value) {
        architecture[std::string(option.name)] = option_text(value);
    });
    file.metadata[prefix + "kind"] = name(model.kind());
    file.metadata[prefix + "architecture"] = json(architecture).dump();
    file.metadata[prefix + "domain"] = name(options.domain);
    const auto& parameters = model.parameters();
    for (const auto& parameter : parameters.list())
        file.tensors.push_back(
            stored(prefix + parameter.name, type_of(parameter, options.precision),
                   std::span(parameters.values()).subspan(parameter.offset, parameter.size()),
                   shape_of(parameter)));
    file.tensors.push_back(stored(prefix + "scaling.shift", voter.scaling.placement.shift));
    file.tensors.push_back(stored(prefix + "scaling.factor", voter.scaling.placement.factor));
}

/// Everything about a model but its checksum.
io::TensorFile file_of(const std::string& path, const TrainedModel& trained) {
    io::TensorFile file;
    auto& m = file.metadata;
    m["format"] = model_format;
    m["version"] = trained.others.empty() ? model_version : voters_version;
    if (!trained.others.empty()) m["voters"] = json(trained.voters()).dump();
    if (trained.encoding) m["encoding"] = trained.encoding->to_json();
    m["inputs"] = json(trained.predictor->inputs()).dump();
    m["outputs"] = json(trained.predictor->outputs()).dump();
    m["features"] = as_json(path, trained.features);
    m["classes"] = as_json(path, trained.classes);
    m["training"] = as_json(path, trained.record);
    std::vector<double> numbers{trained.scaling.spread, trained.target_mean, trained.target_scale};
    for (std::size_t v = 0; v < trained.voters(); ++v) {
        put_voter(path, trained.voter(v), prefix_of(v), file);
        if (v > 0) numbers.push_back(trained.voter(v).scaling.spread);
    }
    file.tensors.push_back(stored("scaling.numbers", numbers));
    if (!trained.others.empty())
        file.tensors.push_back(stored("voters.weights", trained.weights()));
    return file;
}

}  // namespace

void save_model(const std::string& path, const TrainedModel& trained) {
    auto file = file_of(path, trained);
    if (const auto complaint = nonsense_in(trained))
        throw output_error(
            fmt::format("cannot write {}: what is to be saved makes no sense as a model: {}",
                        in_quotes(path), *complaint));
    file.metadata[io::checksum_key] = io::checksum_of(file);
    io::write_tensor_file(path, file);
}

void save_model_or_rescue(const std::string& path, const TrainedModel& trained) {
    try {
        save_model(path, trained);
    } catch (const Error& error) {
        std::filesystem::path other;
        try {
            const auto name = std::filesystem::path(path);
            other = std::filesystem::temp_directory_path() / name.filename();
            for (int k = 2; std::filesystem::exists(other); ++k)
                other.replace_filename(
                    fmt::format("{}-{}{}", name.stem().string(), k, name.extension().string()));
            save_model(other.string(), trained);
        } catch (const std::exception&) {
            throw error;
        }
        throw output_error(fmt::format("{}; the model was written to {} instead", error.what(),
                                       in_quotes(other.string())));
    }
}

}  // namespace deepsl::learner
