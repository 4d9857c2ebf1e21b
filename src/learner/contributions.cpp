#include "deepsl/learner/contributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "deepsl/error.h"

namespace deepsl::learner {
namespace {

// Gauss-Legendre on [0, 1] with five nodes.
constexpr std::array<double, 5> places{0.046910077030668, 0.230765344947158, 0.5, 0.769234655052841,
                                       0.953089922969332};
constexpr std::array<double, 5> weights{0.118463442528095, 0.239314335249683, 0.284444444444444,
                                        0.239314335249683, 0.118463442528095};
constexpr std::size_t first_panels = 2, most_panels = 256;
constexpr double tolerance = 1e-4;  // of the largest difference; what float32 gives

/// The straight way in the model's coordinates.
class Way {
public:
    Way(const TrainedModel& model, MatrixView<const double> x)
        : predictor_(*model.predictor),
          from_(model.scaling.forward(usual_row(model))),
          to_(model.scaling.forward(x)),
          pass_(predictor_.make_pass()) {}

    const Matrix<double>& from() const { return from_; }
    const Matrix<double>& to() const { return to_; }

    /// The integral of the gradients by z, times dz: [output, input]. False if a sample failed.
    bool integrate(std::size_t panels, Matrix<double>& parts) {
        const auto inputs = predictor_.inputs(), outputs = predictor_.outputs();
        parts = Matrix<double>(outputs, inputs, 0.0);
        bool complete = true;
        for (std::size_t panel = 0; panel < panels; ++panel) {
            z_.resize(places.size(), inputs);
            for (std::size_t i = 0; i < places.size(); ++i) {
                const double s =
                    (static_cast<double>(panel) + places[i]) / static_cast<double>(panels);
                for (std::size_t c = 0; c < inputs; ++c)
                    z_(i, c) = std::lerp(from_(0, c), to_(0, c), s);
            }
            for (std::size_t k = 0; k < outputs; ++k) {
                // Of each output its own sweep; the forward one leaves what a single sweep takes.
                const auto& prediction = pass_->forward(z_, true);
                complete = complete && prediction.failed() == 0;
                seeds_ = Matrix<double>(places.size(), outputs, 0.0);
                for (std::size_t i = 0; i < places.size(); ++i)
                    seeds_(i, k) = weights[i] / static_cast<double>(panels);
                pass_->backward(seeds_, {}, &gradient_);
                for (std::size_t i = 0; i < places.size(); ++i)
                    for (std::size_t c = 0; c < inputs; ++c)
                        parts(k, c) += gradient_(i, c) * (to_(0, c) - from_(0, c));
            }
        }
        return complete;
    }

private:
    const model::Predictor& predictor_;
    Matrix<double> from_, to_;
    std::unique_ptr<model::Pass> pass_;
    Matrix<double> z_, seeds_, gradient_;
};

}  // namespace

double Contributions::sum(std::size_t output) const {
    const auto of_output = parts.row(output);
    return std::accumulate(of_output.begin(), of_output.end(), 0.0);
}

Contributions contributions_of(const TrainedModel& model, MatrixView<const double> x) {
    if (model.image())
        throw argument_error(
            "contributions are those of a table's columns, and the model takes images");
    if (x.rows() != 1)
        throw argument_error(
            fmt::format("contributions are told of one row at a time, but got {}", x.rows()));
    Way way(model, x);
    const auto ends = [&](const Matrix<double>& z) { return model.predictor->predict(z); };
    const auto first = ends(way.from()), last = ends(way.to());
    const auto outputs = model.predictor->outputs();

    Contributions result;
    result.columns = columns_of(model);
    double largest = 0.0;
    for (std::size_t k = 0; k < outputs; ++k)
        largest = std::max(largest, std::fabs(last.y(0, k) - first.y(0, k)));
    Matrix<double> by_input;
    for (auto panels = first_panels;; panels *= 2) {
        result.complete = way.integrate(panels, by_input) && first.failed() + last.failed() == 0;
        result.gap = 0.0;
        for (std::size_t k = 0; k < outputs; ++k) {
            const auto row = by_input.row(k);
            const double sum = std::accumulate(row.begin(), row.end(), 0.0);
            result.gap = std::max(result.gap, std::fabs(last.y(0, k) - first.y(0, k) - sum));
        }
        if (result.gap <= tolerance * largest || panels >= most_panels || !result.complete) break;
    }

    const double unit = model.predicts_classes() ? 1.0 : model.target_scale;
    const double zero = model.predicts_classes() ? 0.0 : model.target_mean;
    result.gap *= unit;
    result.parts = Matrix<double>(outputs, result.columns.size(), 0.0);
    for (std::size_t k = 0; k < outputs; ++k) {
        result.usual.push_back(zero + unit * first.y(0, k));
        result.row.push_back(zero + unit * last.y(0, k));
        for (std::size_t c = 0; c < result.columns.size(); ++c)
            for (std::size_t i = 0; i < result.columns[c].count; ++i)
                result.parts(k, c) += unit * by_input(k, result.columns[c].first + i);
    }
    return result;
}

}  // namespace deepsl::learner
