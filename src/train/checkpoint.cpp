#include "deepsl/train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/io/checksum.h"

namespace deepsl::train {
namespace {

void add(const Dataset& data, io::Hash& hash) {
    const auto add_matrix = [&](const Matrix<double>& matrix) {
        hash.add(static_cast<std::uint64_t>(matrix.columns()));
        hash.add(std::as_bytes(std::span(matrix.values())));
    };
    add_matrix(data.x);
    if (data.source) {
        data.source->add_to(hash);
        hash.add(std::as_bytes(std::span(data.places)));
        if (data.scaling) {
            hash.add(std::as_bytes(std::span(data.scaling->placement.shift)));
            hash.add(std::as_bytes(std::span(data.scaling->placement.factor)));
        }
    }
    hash.add(std::as_bytes(std::span(data.labels)));
    add_matrix(data.numbers);
}

std::string text_of(const network::Parameter& tensor) {
    return fmt::format("{} [{}]", tensor.name, fmt::join(tensor.shape, ", "));
}

bool has_moments(OptimiserKind kind) {
    switch (kind) {
        case OptimiserKind::adamw:
        case OptimiserKind::adam: return true;
        case OptimiserKind::fromage: return false;
    }
    return false;
}

}  // namespace

void check_checkpointing(const Checkpointing& c) {
    if (c.every_epochs < 0)
        throw argument_error(fmt::format(
            "a checkpoint every {} epochs cannot be; use 1 or more, or 0 for never by number",
            c.every_epochs));
    if (!(c.every_seconds >= 0.0 && std::isfinite(c.every_seconds)))
        throw argument_error(fmt::format(
            "a checkpoint every {} seconds cannot be; use more than 0, or 0 for never by time",
            c.every_seconds));
    if (c.resume && c.path.empty())
        throw argument_error("to resume, name the file of the checkpoint");
}

std::string hash_of(const model::Prediction& prediction) {
    io::Hash hash;
    hash.add(std::as_bytes(std::span(prediction.y.values())));
    hash.add(std::as_bytes(std::span(prediction.lambda.values())));
    for (const auto& outcome : prediction.outcomes) hash.add(outcome.name());
    return hash.text();
}

Fingerprint fingerprint(const model::Predictor& model, const Dataset& training,
                        const Dataset& validation, const TrainOptions& options) {
    Fingerprint run;
    visit_train(options, [&](const Option& option, const auto& value) {
        run.options[std::string(option.name)] = option_text(value);
    });
    io::Hash hash;
    add(training, hash);
    add(validation, hash);
    run.data = hash.text();
    run.kind = name(model.kind());
    run.precision = name(model.options().precision);
    for (const auto& tensor : model.parameters().list()) run.tensors.push_back(text_of(tensor));
    run.parameters = model.parameters().size();
    run.moments = has_moments(options.optimiser);
    return run;
}

}  // namespace deepsl::train
