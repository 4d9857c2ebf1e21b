#include "deepsl/io/model_file.h"

#include <cstddef>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/io/file.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/model/kinds.h"
#include "deepsl/text.h"

namespace deepsl::io {
namespace {

using nlohmann::json;
using torch::Tensor;

constexpr std::string_view format = "deepsl model";
constexpr std::string_view version = "1";

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw FileError(
        fmt::format("{} cannot be used as a model: {}; train it again, or name another "
                    "file",
                    in_quotes(path), what));
}

StoredTensor stored(const std::string& name, const Tensor& tensor) {
    const auto plain = tensor.detach().contiguous();
    const bool wide = plain.scalar_type() == torch::kFloat64;
    StoredTensor result{name, wide ? DType::f64 : DType::f32, plain.sizes().vec(), {}};
    result.bytes.resize(plain.nbytes());
    if (!result.bytes.empty()) std::memcpy(result.bytes.data(), plain.data_ptr(), plain.nbytes());
    return result;
}

/// All tensors of a module by name, those that learn and those that do not.
std::vector<std::pair<std::string, Tensor>> tensors_of(const torch::nn::Module& model) {
    std::vector<std::pair<std::string, Tensor>> result;
    for (const auto& p : model.named_parameters()) result.emplace_back(p.key(), p.value());
    for (const auto& b : model.named_buffers()) result.emplace_back(b.key(), b.value());
    return result;
}

void load_into(const std::string& path, const TensorFile& file, const std::string& name,
               Tensor& tensor) {
    const auto* found = file.find(name);
    if (found == nullptr) refuse(path, fmt::format("its tensor {} is missing", in_quotes(name)));
    const auto type = tensor.scalar_type() == torch::kFloat64 ? DType::f64 : DType::f32;
    if (found->dtype != type || found->shape != tensor.sizes().vec())
        refuse(path, fmt::format("its tensor {} does not fit its architecture", in_quotes(name)));
    const torch::NoGradGuard no_grad;
    if (!found->bytes.empty())
        std::memcpy(tensor.data_ptr(), found->bytes.data(), found->bytes.size());
    if (!torch::isfinite(tensor).all().item<bool>())
        refuse(path, fmt::format("its tensor {} holds NaN or infinite numbers", in_quotes(name)));
}

/// How many numbers the model of such an architecture holds at least, found without making it.
double numbers_in(const std::string& kind, double inputs, double outputs,
                  const model::ModelOptions& o) {
    const auto mlp = [](double in, const std::vector<std::int64_t>& hidden, double out) {
        double count = 0.0;
        for (const auto h : hidden) {
            count += (in + 1.0) * static_cast<double>(h);
            in = static_cast<double>(h);
        }
        return count + (in + 1.0) * out;
    };
    const auto d = static_cast<double>(o.eigenfunctions);
    if (kind == "mlp") return mlp(inputs, o.hidden, outputs);
    if (kind == "node") return mlp(inputs, o.field_hidden, inputs);
    if (kind == "ablation") return 3.0 * mlp(inputs + 1.0, o.hidden, 1.0);
    double one = 3.0 * mlp(inputs, o.hidden, 1.0) + 2.0 * d + (d + 1.0) * outputs;
    if (o.start_network) one += mlp(inputs, o.hidden, d);
    if (o.field != "straight") one += mlp(inputs, o.field_hidden, inputs);
    if (o.field != "positive") one += inputs;
    return one * static_cast<double>(o.fields);
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

template <class T>
std::string as_json(const std::string& path, const T& value) {
    try {
        return json(value).dump();
    } catch (const json::type_error&) {
        throw FileError(fmt::format(
            "cannot write {}: a name of a feature or class is not UTF-8; convert the data first",
            in_quotes(path)));
    }
}

class Metadata {
public:
    Metadata(const std::string& path, const TensorFile& file) : path_(path), file_(file) {}

    const std::string& text(const std::string& key) const {
        const auto found = file_.metadata.find(key);
        if (found == file_.metadata.end())
            refuse(path_, fmt::format("its header lacks {}", in_quotes(key)));
        return found->second;
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

private:
    const std::string& path_;
    const TensorFile& file_;
};

model::ModelOptions options_from(const std::string& path, const Metadata& metadata) {
    const auto written = metadata.value<std::map<std::string, std::string>>("architecture");
    model::ModelOptions options;
    std::size_t used = 0;
    model::visit_model(options, [&](const Option& option, auto& value) {
        const auto found = written.find(std::string(option.name));
        if (found == written.end())
            refuse(path, fmt::format("its architecture lacks {}", in_quotes(option.name)));
        try {
            parse_option(option, found->second, value);
        } catch (const OptionError& error) {
            refuse(path, fmt::format("in its architecture {}", error.what()));
        }
        ++used;
    });
    if (used != written.size()) refuse(path, "its architecture has an option unknown here");
    return options;
}

}  // namespace

model::PredictorImpl& TrainedModel::predictor() {
    return model.is_empty() ? *baseline : static_cast<model::PredictorImpl&>(*model);
}

model::Prediction TrainedModel::predict(const Tensor& x) {
    auto prediction = predictor().predict(scaling.forward(x));
    if (classes.empty()) prediction.y = target_mean + target_scale * prediction.y;
    return prediction;
}

void save_model(const std::string& path, const TrainedModel& trained) {
    auto all = trained;
    auto& model = all.predictor();
    const bool dsl = !trained.model.is_empty();
    const auto options = dsl ? trained.model->options() : trained.architecture;
    const bool positive = options.field == "positive";
    for (auto& branch : dsl ? all.model->branches() : std::vector<model::Branch>{})
        if (positive
                ? dynamic_cast<const field::PositiveFieldImpl*>(&branch->field()) == nullptr
                : dynamic_cast<const field::DirectionalFieldImpl*>(&branch->field()) == nullptr)
            throw FileError(fmt::format(
                "cannot write {}: a model with a field of your own has no file format; save its "
                "parameters with torch::save",
                in_quotes(path)));
    std::map<std::string, std::string> architecture;
    model::visit_model(options, [&](const Option& option, const auto& value) {
        architecture[std::string(option.name)] = option_text(value);
    });
    TensorFile file;
    auto& m = file.metadata;
    m["format"] = format;
    m["version"] = version;
    m["kind"] = trained.kind;
    if (trained.encoding) m["encoding"] = trained.encoding->to_json();
    m["architecture"] = json(architecture).dump();
    m["inputs"] = json(model.inputs()).dump();
    m["outputs"] = json(model.outputs()).dump();
    m["features"] = as_json(path, trained.features);
    m["classes"] = as_json(path, trained.classes);
    m["training"] = as_json(path, trained.record);
    for (const auto& [name, tensor] : tensors_of(model))
        file.tensors.push_back(stored(name, tensor));
    file.tensors.push_back(stored("scaling.shift", trained.scaling.shift));
    file.tensors.push_back(stored("scaling.factor", trained.scaling.factor));
    const std::vector<double> numbers{trained.scaling.spread, trained.target_mean,
                                      trained.target_scale};
    file.tensors.push_back(stored("scaling.numbers", torch::tensor(numbers, torch::kFloat64)));
    write_tensor_file(path, file);
}

TrainedModel load_model(const std::string& path) {
    const auto file = read_tensor_file(path);
    const Metadata metadata(path, file);
    const auto written_format = file.metadata.find("format");
    if (written_format == file.metadata.end() || written_format->second != format)
        refuse(path, "it is a safetensors file, but not one written by deepsl");
    if (metadata.text("version") != version) {
        refuse(path, fmt::format("it is of version {}, and this program reads version {}",
                                 in_quotes(metadata.text("version")), version));
    }
    const auto options = options_from(path, metadata);
    const auto inputs = metadata.value<std::int64_t>("inputs");
    const auto outputs = metadata.value<std::int64_t>("outputs");
    const auto written_kind = file.metadata.find("kind");
    const auto kind = written_kind == file.metadata.end() ? "dsl" : written_kind->second;
    double held = 0.0;
    for (const auto& tensor : file.tensors)
        held += static_cast<double>(tensor.bytes.size() / size_of(tensor.dtype));
    const bool sizes_fit = inputs > 0 && outputs > 0 && inputs < 1'000'000 && outputs < 1'000'000;
    // Checked before the model is made, which allocates as much as its architecture says.
    if (!sizes_fit ||
        numbers_in(kind, static_cast<double>(inputs), static_cast<double>(outputs), options) > held)
        refuse(path, "it holds fewer numbers than its architecture needs");

    TrainedModel trained;
    trained.kind = kind;
    try {
        if (kind == "dsl") {
            trained.model = model::Model(inputs, outputs, options);
        } else {
            trained.architecture = options;
            trained.baseline = model::make_predictor(kind, inputs, outputs, options);
        }
    } catch (const OptionError& error) {
        refuse(path, fmt::format("in its architecture {}", error.what()));
    }
    auto tensors = tensors_of(trained.predictor());
    if (tensors.size() + 3 != file.tensors.size())
        refuse(path, "it holds other tensors than its architecture needs");
    for (auto& [name, tensor] : tensors) load_into(path, file, name, tensor);
    auto& s = trained.scaling;
    s.ball = options.domain == "ball";
    s.shift = torch::zeros({inputs}, torch::kFloat64);
    s.factor = torch::zeros({inputs}, torch::kFloat64);
    auto numbers = torch::zeros({3}, torch::kFloat64);
    load_into(path, file, "scaling.shift", s.shift);
    load_into(path, file, "scaling.factor", s.factor);
    load_into(path, file, "scaling.numbers", numbers);
    s.spread = numbers[0].item<double>();
    trained.target_mean = numbers[1].item<double>();
    trained.target_scale = numbers[2].item<double>();
    trained.features = metadata.value<std::vector<std::string>>("features");
    trained.classes = metadata.value<std::vector<std::string>>("classes");
    trained.record = metadata.value<std::map<std::string, std::string>>("training");
    const auto many = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    if (const auto encoding = file.metadata.find("encoding"); encoding != file.metadata.end()) {
        try {
            trained.encoding = data::Encoding::from_json(encoding->second);
        } catch (const data::InputError& error) {
            refuse(path, error.what());
        }
        if (many(trained.encoding->input_names()) != inputs)
            refuse(path, "its encoding does not give as many inputs as its model takes");
    }
    if ((!trained.features.empty() && many(trained.features) != inputs) ||
        (!trained.classes.empty() && many(trained.classes) != outputs && outputs != 1))
        refuse(path, "its names are not as many as its inputs and outputs");
    return trained;
}

}  // namespace deepsl::io
