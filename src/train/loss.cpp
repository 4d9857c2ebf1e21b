#include "deepsl/train/loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "deepsl/error.h"
#include "deepsl/option.h"

namespace deepsl::train {
namespace {

double hinge(std::span<const double> y, std::size_t label, double* dy) {
    if (y.size() == 1) {
        const double sign = label == 1 ? 1.0 : -1.0;
        const double loss = std::max(0.0, 1.0 - sign * y[0]);
        if (dy != nullptr) dy[0] = loss > 0.0 ? -sign : 0.0;
        return loss;
    }
    const auto margin = [&](std::size_t j) { return y[j] + (j == label ? 0.0 : 1.0); };
    std::size_t worst = 0;
    for (std::size_t j = 1; j < y.size(); ++j)
        if (margin(j) > margin(worst)) worst = j;
    if (dy != nullptr) {
        std::fill_n(dy, y.size(), 0.0);
        dy[worst] += 1.0;
        dy[label] -= 1.0;
    }
    return margin(worst) - y[label];
}

double cross_entropy(std::span<const double> y, std::size_t label, double* dy) {
    if (y.size() == 1) {
        const double sign = label == 1 ? 1.0 : -1.0, z = -sign * y[0];
        if (dy != nullptr) dy[0] = -sign / (1.0 + std::exp(-z));
        return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
    }
    const double largest = *std::max_element(y.begin(), y.end());
    double sum = 0.0;
    for (const double value : y) sum += std::exp(value - largest);
    if (dy != nullptr) {
        for (std::size_t j = 0; j < y.size(); ++j) dy[j] = std::exp(y[j] - largest) / sum;
        dy[label] -= 1.0;
    }
    return std::log(sum) + (largest - y[label]);
}

double squared(std::span<const double> y, std::span<const double> numbers, double* dy) {
    const auto outputs = static_cast<double>(y.size());
    double sum = 0.0;
    for (std::size_t j = 0; j < y.size(); ++j) {
        const double error = y[j] - numbers[j];
        sum += error * error;
        if (dy != nullptr) dy[j] = 2.0 * error / outputs;
    }
    return sum / outputs;
}

/// The spectral term of one sample, with its derivative.
double spectral(std::span<const double> lambda, double alpha, double* dlambda) {
    const double factor = alpha / static_cast<double>(lambda.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < lambda.size(); ++i) {
        sum += std::abs(lambda[i]);
        if (dlambda != nullptr)
            dlambda[i] = lambda[i] > 0.0 ? factor : lambda[i] < 0.0 ? -factor : 0.0;
    }
    return factor * sum;
}

}  // namespace

Loss loss_for(Loss option, bool labels) {
    if (option == Loss::automatic) return labels ? Loss::cross_entropy : Loss::squared;
    if ((option == Loss::squared) != labels) return option;
    throw argument_error(
        "loss '" + std::string(name(option)) + "' does not fit " +
        (labels ? "classes; use hinge or cross_entropy" : "targets that are numbers; use squared"));
}

LossSums& LossSums::operator+=(const LossSums& other) {
    data += other.data;
    spectral += other.spectral;
    kept += other.kept;
    return *this;
}

double LossSums::mean_data() const {
    return kept > 0 ? data / static_cast<double>(kept) : std::numeric_limits<double>::infinity();
}

double LossSums::mean_spectral() const {
    return kept > 0 ? spectral / static_cast<double>(kept) : 0.0;
}

double sample_loss(Loss loss, std::span<const double> y, std::int64_t label,
                   std::span<const double> numbers, double* dy) {
    switch (loss) {
        case Loss::hinge: return hinge(y, static_cast<std::size_t>(label), dy);
        case Loss::cross_entropy: return cross_entropy(y, static_cast<std::size_t>(label), dy);
        case Loss::squared: return squared(y, numbers, dy);
        case Loss::automatic: break;
    }
    return sample_loss(loss_for(loss, numbers.empty()), y, label, numbers, dy);
}

LossSums loss_sums(Loss loss, const model::Prediction& prediction, const Targets& targets,
                   double alpha, LossSeeds* seeds) {
    const auto& [y, lambda, outcomes, penalty] = prediction;
    const bool with_spectrum = alpha > 0.0 && lambda.columns() > 0;
    if (seeds != nullptr) {
        seeds->y.resize(y.rows(), y.columns());
        seeds->lambda.resize(with_spectrum ? y.rows() : 0, lambda.columns());
    }
    LossSums sums;
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
        double* dy = seeds != nullptr ? seeds->y.row(b).data() : nullptr;
        double* dlambda = seeds != nullptr && with_spectrum ? seeds->lambda.row(b).data() : nullptr;
        if (!outcomes[b].ok()) {
            if (dy != nullptr) std::fill_n(dy, y.columns(), 0.0);
            if (dlambda != nullptr) std::fill_n(dlambda, lambda.columns(), 0.0);
            continue;
        }
        const bool labels = targets.has_labels();
        sums.data += sample_loss(loss, y.row(b), labels ? targets.labels[b] : 0,
                                 labels ? std::span<const double>() : targets.numbers.row(b), dy);
        if (with_spectrum) sums.spectral += spectral(lambda.row(b), alpha, dlambda);
        if (!penalty.empty()) sums.spectral += penalty[b];
        ++sums.kept;
    }
    return sums;
}

}  // namespace deepsl::train
