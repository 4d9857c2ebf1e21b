#include "deepsl/train/checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <locale>
#include <random>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deepsl/io/tensor_file.h"
#include "deepsl/text.h"
#include "train/hash.h"
#include "train/snapshot.h"

namespace deepsl::train {
namespace {

using io::DType;
using io::StoredTensor;
using io::TensorFile;
using torch::Tensor;

constexpr std::string_view format = "deepsl training";
constexpr std::string_view version = "1";

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw io::FileError(
        fmt::format("{} cannot be resumed from: {}; name another file, or start afresh",
                    in_quotes(path), what));
}

[[noreturn]] void refuse_run(const std::string& path, const std::string& what) {
    throw OptionError(
        fmt::format("{} belongs to another run: {}; resume with the same, or start afresh",
                    in_quotes(path), what));
}

std::span<const std::byte> bytes_of(const Tensor& contiguous) {
    return {static_cast<const std::byte*>(contiguous.data_ptr()), contiguous.nbytes()};
}

constexpr std::array types{
    std::pair{torch::kFloat32, DType::f32}, std::pair{torch::kFloat64, DType::f64},
    std::pair{torch::kInt64, DType::i64},   std::pair{torch::kInt32, DType::i32},
    std::pair{torch::kUInt8, DType::u8},    std::pair{torch::kBool, DType::boolean}};

DType dtype_of(const Tensor& tensor) {
    const auto* found = std::find_if(types.begin(), types.end(), [&](const auto& pair) {
        return pair.first == tensor.scalar_type();
    });
    TORCH_CHECK(found != types.end(), "a checkpoint cannot hold ", tensor.scalar_type());
    return found->second;
}

StoredTensor stored(std::string name, const Tensor& tensor) {
    const auto plain = tensor.detach().contiguous();
    const auto bytes = bytes_of(plain);
    return {std::move(name), dtype_of(plain), plain.sizes().vec(), {bytes.begin(), bytes.end()}};
}

/// The numbers of a report, apart from its failures by name, which are written as text.
template <class Report, class Visitor>
void visit_numbers(Report& r, Visitor visitor) {
    for (auto* number :
         {&r.loss, &r.spectral, &r.train_metric, &r.validation_loss, &r.validation_metric,
          &r.lambda_first, &r.lambda_last, &r.samples_per_second, &r.seconds, &r.seconds_left})
        visitor(*number);
}
template <class Report, class Visitor>
void visit_counts(Report& r, Visitor visitor) {
    for (auto* count :
         {&r.epoch, &r.epochs, &r.failed_lines, &r.validation_failed, &r.skipped_steps})
        visitor(*count);
}

void write_reports(const std::vector<EpochReport>& reports, TensorFile& file) {
    std::vector<double> numbers;
    std::vector<std::int64_t> counts;
    std::string failures;
    for (const auto& report : reports) {
        visit_numbers(report, [&](double number) { numbers.push_back(number); });
        visit_counts(report, [&](std::int64_t count) { counts.push_back(count); });
        counts.push_back(report.best ? 1 : 0);
        for (const auto& [name, count] : report.failures)
            failures += fmt::format("{} {} {}\n", report.epoch, name, count);
    }
    file.tensors.push_back(stored("epochs.numbers", torch::tensor(numbers, torch::kFloat64)));
    file.tensors.push_back(stored("epochs.counts", torch::tensor(counts, torch::kInt64)));
    file.metadata["failures"] = failures;
}

/// Over everything in the file but itself.
std::string checksum(const TensorFile& file) {
    Hash hash;
    for (const auto& [key, value] : file.metadata) {
        if (key == "checksum") continue;
        hash.add(key);
        hash.add(value);
    }
    std::vector<const StoredTensor*> order;  // that of the file is not the one of writing
    for (const auto& tensor : file.tensors) order.push_back(&tensor);
    std::sort(order.begin(), order.end(),
              [](const auto* left, const auto* right) { return left->name < right->name; });
    for (const auto* tensor : order) {
        hash.add(tensor->name);
        hash.add(io::name(tensor->dtype));
        hash.add(tensor->shape);
        hash.add(tensor->bytes);
    }
    return hash.text();
}

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)), file_(io::read_tensor_file(path_)) {
        if (text("format") != format) refuse(path_, "it is no checkpoint of a training");
        if (text("version") != version)
            refuse(path_, fmt::format("it is of version {}, and this program reads version {}",
                                      in_quotes(text("version")), version));
        if (text("checksum") != checksum(file_)) refuse(path_, "it is damaged");
    }

    std::string text(const std::string& key) const {
        const auto found = file_.metadata.find(key);
        return found == file_.metadata.end() ? std::string() : found->second;
    }

    /// A tensor of the example's type and shape.
    Tensor tensor(const std::string& name, const Tensor& like) const {
        const auto* found = file_.find(name);
        if (found == nullptr || found->dtype != dtype_of(like) ||
            found->shape != like.sizes().vec())
            refuse(path_,
                   fmt::format("its tensor {} is missing or of another shape", in_quotes(name)));
        const auto result = torch::empty(like.sizes(), like.scalar_type());
        if (!found->bytes.empty())
            std::memcpy(result.data_ptr(), found->bytes.data(), found->bytes.size());
        return result;
    }

    /// A list of numbers, of any length or of `count`.
    template <class Number>
    std::vector<Number> list(const std::string& name, std::int64_t count = -1) const {
        const auto* found = file_.find(name);
        if (count < 0 && found != nullptr && found->shape.size() == 1) count = found->shape[0];
        const auto type = c10::CppTypeToScalarType<Number>::value;
        const Tensor values = tensor(name, torch::empty({std::max<std::int64_t>(count, 0)}, type));
        const auto* first = values.data_ptr<Number>();
        return {first, first + values.numel()};
    }

    /// Throws OptionError unless the file belongs to this run.
    void expect(const Fingerprint& run) const {
        for (const auto& [name, value] : run.options) {
            const auto there = text("option." + name);
            if (there != value)
                refuse_run(path_, fmt::format("its {} was {}, but is {} now", name,
                                              in_quotes(there), in_quotes(value)));
        }
        if (text("data") != run.data)
            refuse_run(path_,
                       "it learned from other data, or their --scale or --relevance was another");
        std::size_t own = 0;
        for (const auto& tensor : file_.tensors) own += tensor.name.rfind("model.", 0) == 0;
        bool fits = own == run.tensors.size();
        for (std::size_t i = 0; fits && i < own; ++i) {
            const auto* found = file_.find("model." + run.tensors[i]);
            fits = found != nullptr && found->dtype == dtype_of(run.examples[i]) &&
                   found->shape == run.examples[i].sizes().vec();
        }
        if (!fits) refuse_run(path_, "its model has another architecture");
    }

    std::vector<EpochReport> reports() const {
        const auto numbers = list<double>("epochs.numbers");
        const auto counts = list<std::int64_t>("epochs.counts");
        std::size_t number = 0, count = 0;
        std::vector<EpochReport> result;
        while (number < numbers.size() && count < counts.size()) {
            EpochReport report;
            visit_numbers(report, [&](double& to) {
                to = number < numbers.size() ? numbers[number++] : EpochReport::none;
            });
            const auto next = [&] { return count < counts.size() ? counts[count++] : -1; };
            visit_counts(report, [&](std::int64_t& to) { to = next(); });
            report.best = next() == 1;
            result.push_back(report);
            if (report.epoch != static_cast<std::int64_t>(result.size()))
                refuse(path_, "its epochs are not in order");
        }
        std::istringstream failures(text("failures"));
        for (std::string epoch, name, failed; failures >> epoch >> name >> failed;) {
            const auto at = to_number<std::size_t>(epoch).value_or(0);
            if (at < 1 || at > result.size()) refuse(path_, "its failures make no sense");
            result[at - 1].failures[name] = to_number<std::int64_t>(failed).value_or(0);
        }
        return result;
    }

    std::string random() const {
        std::istringstream words(text("random"));
        words.imbue(std::locale::classic());
        std::mt19937_64 engine;
        if (!(words >> engine)) refuse(path_, "its random numbers make no sense");
        return text("random");
    }

private:
    std::string path_;
    TensorFile file_;
};

}  // namespace

void check_checkpointing(const Checkpointing& c) {
    if (c.every_epochs < 0)
        throw OptionError(fmt::format(
            "a checkpoint every {} epochs cannot be; use 1 or more, or 0 for never by number",
            c.every_epochs));
    if (!(c.every_seconds >= 0.0 && std::isfinite(c.every_seconds)))
        throw OptionError(fmt::format(
            "a checkpoint every {} seconds cannot be; use more than 0, or 0 for never by time",
            c.every_seconds));
    if (c.resume && c.path.empty()) throw OptionError("to resume, name the file of the checkpoint");
}

std::string hash_of(const std::vector<Tensor>& tensors) {
    Hash hash;
    for (const auto& tensor : tensors) {
        hash.add(tensor.defined() ? std::string_view(c10::toString(tensor.scalar_type())) : "none");
        if (!tensor.defined()) continue;
        const auto plain = tensor.detach().contiguous();
        hash.add(std::span<const std::int64_t>(plain.sizes().data(), plain.sizes().size()));
        hash.add(bytes_of(plain));
    }
    return hash.text();
}

Fingerprint fingerprint(const model::PredictorImpl& model, const Dataset& training,
                        const Dataset& validation, const TrainOptions& options) {
    Fingerprint run;
    visit_train(options, [&](const Option& option, const auto& value) {
        run.options[std::string(option.name)] = option_text(value);
    });
    run.data = hash_of({training.x, training.target, validation.x, validation.target});
    for (const auto& p : model.named_parameters()) run.tensors.push_back(p.key());
    run.parameters = run.tensors.size();
    for (const auto& b : model.named_buffers()) run.tensors.push_back(b.key());
    run.examples = tensors_of(model);
    return run;
}

void save_state(const std::string& path, const TrainingState& state, const Fingerprint& run) {
    TensorFile file;
    auto& m = file.metadata;
    m["format"] = format;
    m["version"] = version;
    for (const auto& [name, value] : run.options) m["option." + name] = value;
    m["data"] = run.data;
    m["answer"] = state.answer;
    m["random"] = state.random;
    const auto add = [&](const std::string& name, const Tensor& tensor) {
        if (tensor.defined()) file.tensors.push_back(stored(name, tensor));
    };
    for (std::size_t i = 0; i < state.weights.size(); ++i)
        add("model." + run.tensors[i], state.weights[i]);
    for (std::size_t i = 0; i < state.best.size(); ++i)
        add("best." + run.tensors[i], state.best[i]);
    const auto& o = state.optimiser;
    for (std::size_t i = 0; i < o.steps.size(); ++i) {
        add("mean." + run.tensors[i], o.mean[i]);
        add("square." + run.tensors[i], o.square[i]);
    }
    add("optimiser.steps", torch::tensor(o.steps, torch::kInt64));
    add("optimiser.had_gradient", torch::tensor(o.had_gradient, torch::kInt64));
    add("optimiser.counts", torch::tensor({o.done, o.skipped}, torch::kInt64));
    add("seconds", torch::tensor({state.seconds}, torch::kFloat64));
    write_reports(state.epochs, file);
    m["checksum"] = checksum(file);
    io::write_tensor_file(path, file);
}

void check_state(const std::string& path) { const Reader file(path); }

TrainingState load_state(const std::string& path, const Fingerprint& run) {
    const Reader file(path);
    file.expect(run);
    TrainingState state;
    state.epochs = file.reports();
    for (std::size_t i = 0; i < run.tensors.size(); ++i) {
        const auto& like = run.examples[i];
        state.weights.push_back(file.tensor("model." + run.tensors[i], like));
        if (!state.epochs.empty())
            state.best.push_back(file.tensor("best." + run.tensors[i], like));
    }
    auto& o = state.optimiser;
    const auto counts = file.list<std::int64_t>("optimiser.counts", 2);
    o.done = counts[0];
    o.skipped = counts[1];
    const auto parameters = static_cast<std::int64_t>(run.parameters);
    o.steps = file.list<std::int64_t>("optimiser.steps", parameters);
    o.had_gradient = file.list<std::int64_t>("optimiser.had_gradient", parameters);
    for (std::size_t i = 0; i < o.steps.size(); ++i) {
        const auto moment = [&](const char* name) {
            return o.steps[i] == 0 ? Tensor()
                                   : file.tensor(name + ("." + run.tensors[i]), run.examples[i]);
        };
        o.mean.push_back(moment("mean"));
        o.square.push_back(moment("square"));
    }
    state.random = file.random();
    state.seconds = file.list<double>("seconds", 1)[0];
    state.answer = file.text("answer");
    return state;
}

}  // namespace deepsl::train
