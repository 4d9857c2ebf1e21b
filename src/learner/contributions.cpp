#include "deepsl/learner/contributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "learner/vote.h"

namespace deepsl::learner {
namespace {

// Gauss-Legendre on [0, 1] with five nodes.
constexpr std::array<double, 5> places{0.046910077030668, 0.230765344947158, 0.5, 0.769234655052841,
                                       0.953089922969332};
constexpr std::array<double, 5> weights{0.118463442528095, 0.239314335249683, 0.284444444444444,
                                        0.239314335249683, 0.118463442528095};
constexpr std::size_t first_panels = 2, most_panels = 256;
constexpr double tolerance = 1e-4;  // of the largest difference; what float32 gives

/// The straight way of one voter, in its own coordinates.
struct Leg {
    const model::Predictor* predictor;
    Matrix<double> from, to;
    std::unique_ptr<model::Pass> pass;
    Matrix<double> z, seeds, gradient;

    Leg(const Voter& voter, MatrixView<const double> usual, MatrixView<const double> x)
        : predictor(voter.predictor.get()),
          from(voter.scaling.forward(usual)),
          to(voter.scaling.forward(x)),
          pass(predictor->make_pass()) {}

    /// The nodes of a panel.
    void go(std::size_t panel, std::size_t panels) {
        z.resize(places.size(), from.columns());
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double s = (static_cast<double>(panel) + places[i]) / static_cast<double>(panels);
            for (std::size_t c = 0; c < from.columns(); ++c)
                z(i, c) = std::lerp(from(0, c), to(0, c), s);
        }
    }
};

/// All voters walk at once, since what each adds depends on what all of them say.
class Way {
public:
    Way(const TrainedModel& model, MatrixView<const double> x)
        : classes_(model.predicts_classes()),
          outputs_(model.predictor->outputs()),
          says_(model.weights()) {
        const auto usual = usual_row(model);
        for (std::size_t v = 0; v < model.voters(); ++v)
            legs_.emplace_back(model.voter(v), usual, x);
    }

    /// The integral of the gradients by z, times dz: [output, input]. False if a sample failed.
    bool integrate(std::size_t panels, Matrix<double>& parts) {
        parts = Matrix<double>(outputs_, legs_.front().from.columns(), 0.0);
        bool complete = true;
        for (std::size_t panel = 0; panel < panels && complete; ++panel) {
            std::vector<model::Prediction> votes;
            for (auto& leg : legs_) {
                leg.go(panel, panels);
                votes.push_back(leg.pass->forward(leg.z, false));
                complete = complete && votes.back().failed() == 0;
            }
            for (std::size_t v = 0; v < legs_.size() && complete; ++v)
                for (std::size_t k = 0; k < outputs_; ++k)
                    add(votes, v, k, 1.0 / static_cast<double>(panels), parts);
        }
        return complete;
    }

private:
    /// What voter v adds to output k on a panel of this length.
    void add(const std::vector<model::Prediction>& votes, std::size_t v, std::size_t k,
             double length, Matrix<double>& parts) {
        auto& leg = legs_[v];
        leg.pass->forward(leg.z, true);  // of each output a sweep of its own
        leg.seeds.resize(places.size(), outputs_);
        for (std::size_t i = 0; i < places.size(); ++i) {
            vote_gradient(votes, says_, classes_, i, k, v, leg.seeds.row(i));
            for (double& seed : leg.seeds.row(i)) seed *= weights[i] * length;
        }
        leg.pass->backward(leg.seeds, {}, &leg.gradient);
        for (std::size_t i = 0; i < places.size(); ++i)
            for (std::size_t c = 0; c < parts.columns(); ++c)
                parts(k, c) += leg.gradient(i, c) * (leg.to(0, c) - leg.from(0, c));
    }

    bool classes_;
    std::size_t outputs_;
    std::vector<double> says_;  // [voter]
    std::vector<Leg> legs_;
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
    const auto first = model.predict(usual_row(model)), last = model.predict(x);
    const auto outputs = model.predictor->outputs();
    const double unit = model.predicts_classes() ? 1.0 : model.target_scale;

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
            const double sum = unit * std::accumulate(row.begin(), row.end(), 0.0);
            result.gap = std::max(result.gap, std::fabs(last.y(0, k) - first.y(0, k) - sum));
        }
        if (result.gap <= tolerance * largest || panels >= most_panels || !result.complete) break;
    }

    result.parts = Matrix<double>(outputs, result.columns.size(), 0.0);
    for (std::size_t k = 0; k < outputs; ++k) {
        result.usual.push_back(first.y(0, k));
        result.row.push_back(last.y(0, k));
        for (std::size_t c = 0; c < result.columns.size(); ++c)
            for (std::size_t i = 0; i < result.columns[c].count; ++i)
                result.parts(k, c) += unit * by_input(k, result.columns[c].first + i);
    }
    return result;
}

}  // namespace deepsl::learner
