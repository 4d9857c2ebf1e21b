// The file of a checkpoint, in the safetensors layout. Texts: what the run is a run of, random
// numbers, failures by epoch, a checksum over everything. Tensors: values, best, mean and square
// [parameters]; counts of the optimiser; the figures of all epochs.
#include <array>
#include <cstring>
#include <locale>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/io/checksum.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/random.h"
#include "deepsl/text.h"
#include "deepsl/train/checkpoint.h"

namespace deepsl::train {
namespace {

using io::DType;
using io::StoredTensor;
using io::TensorFile;

constexpr std::string_view format = "deepsl training";
constexpr std::string_view version = "2";

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw data_error(
        fmt::format("{} cannot be resumed from: {}; name another file, or start afresh",
                    in_quotes(path), what));
}

[[noreturn]] void refuse_run(const std::string& path, const std::string& what) {
    throw argument_error(
        fmt::format("{} belongs to another run: {}; resume with the same, or start afresh",
                    in_quotes(path), what));
}

template <class Number>
constexpr DType dtype_of = std::is_same_v<Number, double> ? DType::f64 : DType::i64;

template <class Number>
void store(TensorFile& file, std::string name, const std::vector<Number>& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    file.tensors.push_back({std::move(name),
                            dtype_of<Number>,
                            {static_cast<std::int64_t>(numbers.size())},
                            {bytes.begin(), bytes.end()}});
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
constexpr std::size_t numbers_per_report = 10, counts_per_report = 6;  // best is the last count

void store_reports(TensorFile& file, const std::vector<EpochReport>& reports) {
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
    store(file, "epochs.numbers", numbers);
    store(file, "epochs.counts", counts);
    file.metadata["failures"] = failures;
}

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)), file_(io::read_tensor_file(path_)) {
        if (text("format") != format) refuse(path_, "it is no checkpoint of a training");
        if (text("version") != version)
            refuse(path_, fmt::format("it is of version {}, and this program reads version {}",
                                      in_quotes(text("version")), version));
        if (text(io::checksum_key) != io::checksum_of(file_)) refuse(path_, "it is damaged");
    }

    std::string text(const std::string& key) const {
        const auto place = file_.metadata.find(key);
        return place == file_.metadata.end() ? std::string() : place->second;
    }

    /// A list of any length.
    template <class Number>
    std::vector<Number> list(const std::string& name) const {
        const auto* stored = file_.find(name);
        if (stored == nullptr || stored->dtype != dtype_of<Number> || stored->shape.size() != 1)
            refuse(path_,
                   fmt::format("its tensor {} is missing or of another shape", in_quotes(name)));
        std::vector<Number> numbers(stored->bytes.size() / sizeof(Number));
        if (!numbers.empty())
            std::memcpy(numbers.data(), stored->bytes.data(), numbers.size() * sizeof(Number));
        return numbers;
    }

    /// A list of this length.
    template <class Number>
    std::vector<Number> list(const std::string& name, std::size_t count) const {
        auto numbers = list<Number>(name);
        if (numbers.size() != count)
            refuse(path_, fmt::format("its tensor {} has {} numbers instead of {}", in_quotes(name),
                                      numbers.size(), count));
        return numbers;
    }

    /// Throws Error unless the file belongs to this run.
    void expect(const Fingerprint& run) const {
        for (const auto& [name, value] : run.options) {
            const auto there = text("option." + name);
            if (there != value)
                refuse_run(path_, fmt::format("its {} was {}, but is {} now", name,
                                              in_quotes(there), in_quotes(value)));
        }
        if (text("data") != run.data)
            refuse_run(path_,
                       "it learned from other data, or in other variants, or their scale or "
                       "relevance was another");
        const bool fits = text("kind") == run.kind && text("precision") == run.precision &&
                          text("tensors") == fmt::format("{}", fmt::join(run.tensors, "\n"));
        if (!fits) refuse_run(path_, "its model has another architecture");
    }

    std::vector<EpochReport> reports() const {
        const auto counts = list<std::int64_t>("epochs.counts");
        std::vector<EpochReport> result(counts.size() / counts_per_report);
        const auto numbers = list<double>("epochs.numbers", result.size() * numbers_per_report);
        const auto* number = numbers.data();
        const auto* count = counts.data();
        for (std::size_t i = 0; i < result.size(); ++i) {
            visit_numbers(result[i], [&](double& to) { to = *number++; });
            visit_counts(result[i], [&](std::int64_t& to) { to = *count++; });
            result[i].best = *count++ == 1;
            if (result[i].epoch != static_cast<std::int64_t>(i) + 1)
                refuse(path_, "its epochs are not in order");
        }
        add_failures(result);
        return result;
    }

    std::string random() const {
        std::istringstream words(text("random"));
        words.imbue(std::locale::classic());
        Random engine;
        if (!(words >> engine)) refuse(path_, "its random numbers make no sense");
        return text("random");
    }

private:
    void add_failures(std::vector<EpochReport>& reports) const {
        std::istringstream failures(text("failures"));
        for (std::string epoch, name, failed; failures >> epoch >> name >> failed;) {
            const auto at = to_number<std::size_t>(epoch).value_or(0);
            if (at < 1 || at > reports.size()) refuse(path_, "its failures make no sense");
            reports[at - 1].failures[name] = to_number<std::int64_t>(failed).value_or(0);
        }
    }

    std::string path_;
    TensorFile file_;
};

}  // namespace

void save_state(const std::string& path, const TrainingState& state, const Fingerprint& run) {
    TensorFile file;
    auto& m = file.metadata;
    m["format"] = std::string(format);
    m["version"] = std::string(version);
    for (const auto& [name, value] : run.options) m["option." + name] = value;
    m["data"] = run.data;
    m["kind"] = run.kind;
    m["precision"] = run.precision;
    m["tensors"] = fmt::format("{}", fmt::join(run.tensors, "\n"));
    m["predictions"] = state.predictions;
    m["random"] = state.random;
    store(file, "values", state.values);
    store(file, "best", state.best);
    const auto& o = state.optimiser;
    store(file, "mean", o.mean);
    store(file, "square", o.square);
    store(file, "optimiser.counts", std::vector{o.steps, o.done, o.skipped});
    store(file, "seconds", std::vector{state.seconds});
    store_reports(file, state.epochs);
    m[io::checksum_key] = io::checksum_of(file);
    io::write_tensor_file(path, file);
}

void check_state(const std::string& path) { const Reader file(path); }

TrainingState load_state(const std::string& path, const Fingerprint& run) {
    const Reader file(path);
    file.expect(run);
    TrainingState state;
    state.epochs = file.reports();
    state.values = file.list<double>("values", run.parameters);
    state.best = file.list<double>("best", state.epochs.empty() ? 0 : run.parameters);
    auto& o = state.optimiser;
    o.mean = file.list<double>("mean", run.moments ? run.parameters : 0);
    o.square = file.list<double>("square", run.moments ? run.parameters : 0);
    const auto counts = file.list<std::int64_t>("optimiser.counts", 3);
    o.steps = counts[0];
    o.done = counts[1];
    o.skipped = counts[2];
    state.random = file.random();
    state.seconds = file.list<double>("seconds", 1)[0];
    state.predictions = file.text("predictions");
    return state;
}

}  // namespace deepsl::train
