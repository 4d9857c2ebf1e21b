// Models with all that belongs to one that was trained, without training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "deepsl/learner/trained_model.h"
#include "deepsl/matrix.h"
#include "deepsl/random.h"

namespace deepsl::test {

/// Normal, about 1, three wide.
inline Matrix<double> random_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    Random random(seed);
    Matrix<double> x(rows, columns);
    for (double& value : x.values()) value = 1.0 + 3.0 * normal(random);
    return x;
}

/// Calibrated, with a random last map, which would start at 0.
inline learner::TrainedModel random_model(std::size_t inputs, std::size_t outputs,
                                          const model::ModelOptions& options,
                                          model::Kind kind = model::Kind::dsl) {
    learner::TrainedModel trained;
    trained.predictor = model::make_predictor(kind, inputs, outputs, options, 3);
    const auto x = random_rows(50, inputs, 4), targets = random_rows(50, outputs, 5);
    trained.scaling = field::fit_scaling(x, field::make_domain(options.domain, inputs));
    trained.predictor->calibrate(trained.scaling.forward(x), targets);
    const auto& parameters = trained.predictor->parameters();
    auto values = parameters.values();
    Random random(6);
    for (const auto& parameter : parameters.list())
        if (parameter.role == network::Role::linear)
            for (std::size_t i = 0; i < parameter.size(); ++i)
                values[parameter.offset + i] = normal(random);
    trained.predictor->set_values(values);
    return trained;
}

}  // namespace deepsl::test
