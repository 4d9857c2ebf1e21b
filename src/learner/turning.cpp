#include "deepsl/learner/turning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "deepsl/data/decoding.h"
#include "deepsl/train/metrics.h"

namespace deepsl::learner {
namespace {

constexpr int halvings = 20;
constexpr std::size_t between = 4;  // points between two nodes

/// A half of a line, from the row outwards.
struct HalfLine {
    std::vector<double> t;  // [point], the row's first
    Matrix<double> z;       // [point, coordinate]
};

double distance(std::span<const double> a, std::span<const double> b) {
    double square = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c) square += (a[c] - b[c]) * (a[c] - b[c]);
    return std::sqrt(square);
}

/// Through the row and the line's nodes on that side, to its end, and some points between them.
HalfLine half_line(const VoterInspection& row, const model::Inspection& seen, bool forwards) {
    const auto nodes = seen.t_nodes.columns(), n = seen.inputs;
    std::vector<double> t{0.0};
    std::vector<std::span<const double>> z{row.z.row(0)};
    for (std::size_t i = 0; i < nodes; ++i) {
        const auto node = forwards ? i : nodes - 1 - i;
        if ((seen.t_nodes(0, node) > 0.0) != forwards) continue;
        t.push_back(seen.t_nodes(0, node));
        z.push_back(seen.node(0, node));
    }
    t.push_back(forwards ? seen.t_plus[0] : seen.t_minus[0]);
    z.push_back(forwards ? seen.exit.row(0) : seen.entry.row(0));

    HalfLine half;
    half.z = Matrix<double>((t.size() - 1) * between + 1, n);
    for (std::size_t i = 0; i < half.z.rows(); ++i) {
        const auto from = std::min(i / between, t.size() - 2);
        const double part = static_cast<double>(i - from * between) / between;
        half.t.push_back(std::lerp(t[from], t[from + 1], part));
        for (std::size_t c = 0; c < n; ++c)
            half.z(i, c) = std::lerp(z[from][c], z[from + 1][c], part);
    }
    // The ends lie on the boundary itself, where a line has no length left.
    const auto last = half.z.rows() - 1;
    for (std::size_t c = 0; c < n; ++c)
        half.z(last, c) = std::lerp(half.z(last - 1, c), half.z(last, c), 0.99);
    return half;
}

/// The whole model, asked at points of a voter's domain.
class Answers {
public:
    Answers(const TrainedModel& model, const Voter& voter) : model_(model), voter_(voter) {}

    /// A class each; -1 where it fails.
    std::vector<std::int64_t> at(MatrixView<const double> z) const {
        const auto seen = model_.predict(voter_.scaling.inverse(z));
        std::vector<std::int64_t> answers;
        for (std::size_t i = 0; i < seen.size(); ++i)
            answers.push_back(seen.outcomes[i].ok() ? train::guess(seen.y.row(i)) : -1);
        return answers;
    }

private:
    const TrainedModel& model_;
    const Voter& voter_;
};

std::optional<Turning> first_turning(const Answers& answers, const HalfLine& half,
                                     std::int64_t label) {
    const auto seen = answers.at(half.z);
    double walked = 0.0;
    for (std::size_t i = 1; i < half.z.rows(); ++i) {
        const auto before = half.z.row(i - 1), after = half.z.row(i);
        if (seen[i] < 0) return {};
        if (seen[i] == label) {
            walked += distance(before, after);
            continue;
        }
        double same = 0.0, other = 1.0;
        Turning turning;
        turning.label = seen[i];
        Matrix<double> z(1, before.size());
        const auto go = [&](double part) {
            for (std::size_t c = 0; c < before.size(); ++c)
                z(0, c) = std::lerp(before[c], after[c], part);
        };
        for (int k = 0; k < halvings; ++k) {
            const double middle = std::midpoint(same, other);
            go(middle);
            const auto answer = answers.at(z)[0];
            if (answer == label) {
                same = middle;
            } else {
                other = middle;
                turning.label = answer;
            }
        }
        go(other);
        turning.t = std::lerp(half.t[i - 1], half.t[i], other);
        turning.distance = walked + distance(before, z.row(0));
        turning.z = z.values();
        return turning;
    }
    return {};
}

std::vector<ColumnChange> changes_of(const TrainedModel& model, const RowInspection& row,
                                     const Turning& turning) {
    const auto& z = turning.z;
    const auto& here = row.voter(turning.voter).z;
    const auto columns = columns_of(model);
    const Matrix<double> there(1, z.size(), z);
    const auto x = model.voter(turning.voter).scaling.inverse(there);
    const double all = std::pow(distance(here.row(0), z), 2);
    std::vector<const data::EncodedColumn*> encoded;
    if (model.encoding)
        for (const auto& column : model.encoding->columns())
            if (column.used()) encoded.push_back(&column);
    std::vector<ColumnChange> changes;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto& [name, first, count] = columns[c];
        ColumnChange change{c, 0.0, std::numeric_limits<double>::quiet_NaN()};
        for (auto i = first; i < first + count; ++i)
            change.share += std::pow(z[i] - here(0, i), 2) / std::max(all, 1e-300);
        if (encoded.empty())
            change.number = x(0, first);
        else if (encoded[c]->role == data::Role::number)
            change.number = data::number_at(*encoded[c], x(0, first));
        changes.push_back(change);
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return changes;
}

}  // namespace

std::optional<Turning> nearest_turning(const TrainedModel& model, const RowInspection& row) {
    // Behind an encoder no row belongs to a point of a line.
    if (!model.predicts_classes() || row.z.columns() != model.predictor->inputs() ||
        !row.predictions.prediction.outcomes[0].ok())
        return {};
    std::optional<Turning> nearest;
    for (std::size_t v = 0; v < model.voters(); ++v) {
        const auto& voter = model.voter(v);
        const auto& seen = row.voter(v);
        const Answers answers(model, voter);
        // So far rows of the training usually are from their middle.
        const double usual =
            voter.scaling.spread * std::sqrt(static_cast<double>(seen.z.columns()));
        for (std::size_t m = 0; m < seen.fields.size(); ++m) {
            for (const bool forwards : {false, true}) {
                if (!seen.fields[m].outcomes[0].ok()) continue;
                auto found = first_turning(answers, half_line(seen, seen.fields[m], forwards),
                                           row.predictions.label[0]);
                if (found && usual > 0.0) found->distance /= usual;
                if (!found || (nearest && nearest->distance <= found->distance)) continue;
                nearest = std::move(found);
                nearest->voter = v;
                nearest->field = m;
            }
        }
    }
    if (nearest) nearest->changes = changes_of(model, row, *nearest);
    return nearest;
}

}  // namespace deepsl::learner
