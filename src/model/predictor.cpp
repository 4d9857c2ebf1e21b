#include "deepsl/model/predictor.h"

#include <algorithm>
#include <mutex>

#include "deepsl/error.h"
#include "deepsl/parallel.h"
#include "model/shapes.h"

namespace deepsl::model {

std::string_view Outcome::name() const {
    return line != field::LineStatus::ok ? field::name(line) : sturm::name(eigen);
}

std::string_view Outcome::sentence() const {
    return line != field::LineStatus::ok ? field::sentence(line) : sturm::sentence(eigen);
}

std::size_t Prediction::failed() const {
    return static_cast<std::size_t>(std::count_if(
        outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return !outcome.ok(); }));
}

void Prediction::resize(std::size_t rows, std::size_t outputs, std::size_t eigenvalues) {
    y.resize(rows, outputs);
    lambda.resize(rows, eigenvalues);
    outcomes.resize(rows);
}

void Prediction::put(std::size_t first, const Prediction& part) {
    std::copy_n(part.y.data(), part.size() * y.columns(), y.data() + first * y.columns());
    std::copy_n(part.lambda.data(), part.size() * lambda.columns(),
                lambda.data() + first * lambda.columns());
    std::copy(part.outcomes.begin(), part.outcomes.end(),
              outcomes.begin() + static_cast<std::ptrdiff_t>(first));
}

Predictor::Predictor(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {
    if (inputs == 0 || outputs == 0)
        throw argument_error("a model needs inputs and outputs, but " + std::to_string(inputs) +
                             " and " + std::to_string(outputs) + " were given");
}

void Predictor::calibrate(MatrixView<const double>, MatrixView<const double>) {}

void Predictor::set_values(std::span<const double> values) {
    if (values.size() != parameters_.size())
        throw argument_error("the model has " + std::to_string(parameters_.size()) +
                             " numbers, but " + std::to_string(values.size()) + " were given");
    if (values.data() != parameters_.values().data())
        std::copy(values.begin(), values.end(), parameters_.values().begin());
    if (options().precision == Precision::float32) parameters_.round_to_float();
    load(parameters_.values());
}

Prediction Predictor::predict(MatrixView<const double> x) const {
    check_inputs(x, inputs_);
    Prediction all;
    all.resize(x.rows(), outputs_, eigenvalues());
    std::vector<std::unique_ptr<Pass>> idle;
    std::mutex guard;
    for_each((x.rows() + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
        std::unique_ptr<Pass> pass;
        {
            const std::lock_guard lock(guard);
            if (!idle.empty()) {
                pass = std::move(idle.back());
                idle.pop_back();
            }
        }
        if (!pass) pass = make_pass();
        const auto first = chunk * chunk_rows;
        all.put(first, pass->forward(x.part(first, std::min(chunk_rows, x.rows() - first)), false));
        const std::lock_guard lock(guard);
        idle.push_back(std::move(pass));
    });
    return all;
}

}  // namespace deepsl::model
