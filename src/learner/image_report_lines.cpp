#include "learner/image_report_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "deepsl/learner/inspect.h"
#include "deepsl/model/model.h"

namespace deepsl::learner::detail {
namespace {

constexpr std::size_t most_lines = 6, most_functions = 5, score_points = 49, nearest_images = 2;

/// Row numbers, evenly chosen.
std::vector<std::size_t> evenly(std::size_t count, std::size_t most) {
    std::vector<std::size_t> rows(std::min(count, most));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i * count / rows.size();
    return rows;
}

std::vector<double> numbers(std::span<const double> values) {
    return {values.begin(), values.end()};
}

/// A line as points between which one may interpolate.
class LinePoints {
public:
    /// The only sample of an inspection, which is at z.
    LinePoints(const model::Inspection& seen, std::span<const double> z) {
        const auto nodes = seen.cells * seen.nodes;
        add(seen.t_minus[0], seen.entry.row(0));
        for (std::size_t i = 0; i < nodes; ++i) {
            if (t_.back() < 0.0 && seen.t_nodes(0, i) > 0.0) add(0.0, z);
            add(seen.t_nodes(0, i), seen.node(0, i));
        }
        add(seen.t_plus[0], seen.exit.row(0));
    }

    Matrix<double> at(const std::vector<double>& places) const {
        Matrix<double> points(places.size(), z_.front().size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto above = std::clamp<std::ptrdiff_t>(
                std::lower_bound(t_.begin(), t_.end(), places[i]) - t_.begin(), 1,
                static_cast<std::ptrdiff_t>(t_.size()) - 1);
            const auto b = static_cast<std::size_t>(above), a = b - 1;
            const double share = (places[i] - t_[a]) / (t_[b] - t_[a]);
            for (std::size_t c = 0; c < points.columns(); ++c)
                points(i, c) = std::lerp(z_[a][c], z_[b][c], share);
        }
        return points;
    }

private:
    void add(double t, std::span<const double> z) {
        if (!t_.empty() && t <= t_.back()) return;
        t_.push_back(t);
        z_.push_back(numbers(z));
    }

    std::vector<double> t_;
    std::vector<std::vector<double>> z_;
};

/// So many places from end to end, evenly on either side of the sample, which is one of them.
std::vector<double> places_of(double t_minus, double t_plus, std::size_t count) {
    const double steps = static_cast<double>(count - 1);
    const double before =
        std::clamp(std::round(steps * -t_minus / (t_plus - t_minus)), 1.0, steps - 1.0);
    std::vector<double> places;
    for (double i = 0.0; i < before; i += 1.0) places.push_back(t_minus * (1.0 - i / before));
    for (double i = 0.0; i <= steps - before; i += 1.0)
        places.push_back(t_plus * (i / (steps - before)));
    return places;
}

double distance(std::span<const double> point, double centre) {
    double square = 0.0;
    for (const double c : point) square += (c - centre) * (c - centre);
    return std::sqrt(square);
}

/// The stretch about the sample where images may lie, at least a tenth of the line to each side.
std::pair<double, double> inhabited(const LinePoints& line, double t_minus, double t_plus,
                                    double centre, double reach) {
    constexpr int steps = 64;
    const auto until = [&](double end) {
        for (int i = steps / 10; i < steps; ++i) {
            const double t = end * i / steps;
            if (distance(line.at({t}).row(0), centre) > reach) return t;
        }
        return end;
    };
    return {until(t_minus), until(t_plus)};
}

/// What the model says at places of a line. At its very ends a point may lie beyond the boundary
/// by rounding: it is asked just before.
model::Prediction asked_anew(const model::Model& model, const LinePoints& line,
                             std::vector<double> places, double t_minus, double t_plus) {
    const double room = 1e-3 * (t_plus - t_minus);
    for (double& t : places) t = std::clamp(t, t_minus + room, t_plus - room);
    return model.predict(line.at(places));
}

void add_pictures(const LineDrawing& drawing, const Matrix<double>& points, std::size_t image,
                  std::vector<report::LinePlace>& places) {
    if (drawing.neighbours != nullptr) {
        for (std::size_t i = 0; i < places.size(); ++i)
            for (const auto& [number, distance] :
                 drawing.neighbours->nearest(points.row(i), nearest_images, image)) {
                const bool labelled = !drawing.images.labels.empty();
                places[i].nearest.push_back(
                    {drawing.painter.paint(drawing.images, number), number,
                     labelled ? static_cast<int>(drawing.images.labels[number]) : -1, distance});
            }
        return;
    }
    const auto pixels = drawing.model.scaling.inverse(points);
    const auto& shape = drawing.images.shape;
    std::size_t sample = 0;
    while (places[sample].t < 0.0) ++sample;
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].picture = drawing.painter.paint(pixels.row(i));
        for (std::size_t k = 0; k < shape.pixels(); ++k) {
            double change = 0.0;
            for (std::size_t c = k * shape.channels; c < (k + 1) * shape.channels; ++c)
                change += pixels(i, c) - pixels(sample, c);
            places[i].change.push_back(
                static_cast<float>(change / static_cast<double>(shape.channels)));
        }
    }
}

report::ImageLine image_line(const LineDrawing& drawing, const Matrix<double>& z, std::size_t image,
                             std::size_t field) {
    const auto& model = *drawing.model.with_lines();
    const auto seen = model.inspect(z, field, model.numerics().finer(drawing.finer));
    report::ImageLine result;
    result.field = field;
    if (!seen.outcomes[0].ok()) return result;
    auto& line = result.line;
    line.t_minus = seen.t_minus[0];
    line.t_plus = seen.t_plus[0];
    line.t = numbers(seen.t_nodes.row(0));
    for (const double P : seen.P.row(0)) line.p.push_back(1.0 / P);
    line.q = numbers(seen.q.row(0));
    line.w = numbers(seen.w.row(0));
    line.u_t = numbers(seen.t_edges.row(0));
    for (std::size_t i = 0; i < std::min(most_functions, seen.d); ++i)
        line.u.push_back(numbers(seen.u_along(0, i)));
    line.lambda = numbers(seen.lambda.row(0));
    line.u_at_x = numbers(seen.basis.row(0));
    const auto classes = drawing.model.classes.size();
    result.added.assign(classes, {});
    for (std::size_t e = 0; e <= seen.cells; ++e) {
        std::vector<double> sums;
        for (std::size_t o = 0; o < seen.outputs; ++o) sums.push_back(seen.sum_along(0, o)[e]);
        sums = class_scores(sums);
        for (std::size_t k = 0; k < classes; ++k) result.added[k].push_back(sums[k]);
    }

    const LinePoints points(seen, z.row(0));
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < score_points; ++i)
        result.score_t.push_back(
            std::lerp(line.t_minus, line.t_plus, static_cast<double>(i) / (score_points - 1)));
    const auto between = asked_anew(model, points, result.score_t, line.t_minus, line.t_plus);
    result.scores.assign(classes, std::vector<double>(score_points, unknown));
    for (std::size_t i = 0; i < score_points; ++i) {
        if (!between.outcomes[i].ok()) continue;
        const auto scores = class_scores(between.y.row(i));
        for (std::size_t k = 0; k < classes; ++k) result.scores[k][i] = scores[k];
    }

    std::pair ends(line.t_minus, line.t_plus);
    if (drawing.neighbours != nullptr)
        ends = inhabited(points, line.t_minus, line.t_plus, model.domain()->centre(),
                         drawing.neighbours->reach());
    const auto t = places_of(ends.first, ends.second, drawing.neighbours != nullptr ? 9 : 11);
    const auto answers = asked_anew(model, points, t, line.t_minus, line.t_plus);
    for (std::size_t i = 0; i < t.size(); ++i) {
        auto& place = result.places.emplace_back();
        place.t = t[i];
        if (!answers.outcomes[i].ok()) continue;
        place.scores = class_scores(answers.y.row(i));
        place.probabilities.resize(classes);
        class_probabilities(answers.y.row(i), place.probabilities);
    }
    add_pictures(drawing, points.at(t), image, result.places);
    return result;
}

}  // namespace

Painter::Painter(const data::Images& images) : shape_(images.shape) {
    for (const float value : images.floats) {
        low_ = std::min(low_, static_cast<double>(value));
        high_ = std::max(high_, static_cast<double>(value));
    }
}

report::Picture Painter::paint(std::span<const double> values) const {
    const bool colour = shape_.channels == 3;
    report::Picture picture{shape_.height, shape_.width, colour ? 3U : 1U, {}};
    const auto add = [&](double value) {
        const double share = std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
        picture.pixels.push_back(
            static_cast<std::uint8_t>(std::lround(255.0 * (std::isnan(share) ? 0.0 : share))));
    };
    for (std::size_t k = 0; k < shape_.pixels(); ++k) {
        const auto pixel = values.subspan(k * shape_.channels, shape_.channels);
        if (colour)
            std::for_each(pixel.begin(), pixel.end(), add);
        else
            add(std::accumulate(pixel.begin(), pixel.end(), 0.0) /
                static_cast<double>(shape_.channels));
    }
    return picture;
}

report::Picture Painter::paint(const data::Images& images, std::size_t image) const {
    return paint(row_of(images, image).row(0));
}

Neighbours::Neighbours(const TrainedModel& model, const data::Images& images, std::size_t most)
    : rows_(evenly(images.size(), most)) {
    // So many at a time, lest all images be held as numbers.
    constexpr std::size_t block = 256;
    z_ = Matrix<double>(rows_.size(), model.with_lines()->inputs());
    for (std::size_t first = 0; first < rows_.size(); first += block) {
        const auto count = std::min(block, rows_.size() - first);
        Matrix<double> x(count, images.shape.size());
        for (std::size_t i = 0; i < count; ++i) {
            const auto row = row_of(images, rows_[first + i]);
            std::copy(row.values().begin(), row.values().end(), x.row(i).begin());
        }
        const auto z = model.coordinates(x);
        std::copy(z.values().begin(), z.values().end(), z_.row(first).begin());
        for (std::size_t i = 0; i < count; ++i) {
            const double far = distance(z.row(i), model.with_lines()->domain()->centre());
            if (!std::isnan(far)) reach_ = std::max(reach_, far);
        }
    }
}

std::vector<std::pair<std::size_t, double>> Neighbours::nearest(std::span<const double> point,
                                                                std::size_t count,
                                                                std::size_t without) const {
    std::vector<std::pair<std::size_t, double>> all;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i] == without) continue;
        double square = 0.0;
        for (std::size_t c = 0; c < point.size(); ++c)
            square += (z_(i, c) - point[c]) * (z_(i, c) - point[c]);
        if (!std::isnan(square)) all.emplace_back(rows_[i], std::sqrt(square));
    }
    const auto kept = std::min(count, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                      [](const auto& a, const auto& b) {
                          return std::pair(a.second, a.first) < std::pair(b.second, b.first);
                      });
    all.resize(kept);
    return all;
}

double Neighbours::usual_distance() const {
    constexpr std::size_t asked = 200;
    std::vector<double> distances;
    for (const auto i : evenly(rows_.size(), asked)) {
        const auto found = nearest(z_.row(i), 1, rows_[i]);
        if (!found.empty()) distances.push_back(found[0].second);
    }
    if (distances.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
}

Matrix<double> row_of(const data::Images& images, std::size_t image) {
    std::vector<float> pixels(images.shape.size());
    images.read(image, pixels);
    return {1, pixels.size(), {pixels.begin(), pixels.end()}};
}

std::vector<double> class_scores(std::span<const double> y) {
    if (y.size() == 1) return {-0.5 * y[0], 0.5 * y[0]};
    return numbers(y);
}

report::ImageSample image_sample(const LineDrawing& drawing, std::size_t image, bool all_fields) {
    const auto& [model, images, painter, neighbours, finer] = drawing;
    const auto row = inspect_image(model, images, image);
    report::ImageSample sample;
    sample.number = image;
    if (!images.names.empty()) sample.name = images.names[image];
    sample.picture = painter.paint(images, image);
    if (!images.labels.empty()) sample.actual = static_cast<int>(images.labels[image]);
    const auto& outcome = row.predictions.prediction.outcomes[0];
    if (!outcome.ok()) {
        sample.failure = outcome.sentence();
        return sample;
    }
    sample.predicted = static_cast<int>(row.predictions.label[0]);
    sample.probabilities = numbers(row.predictions.probability.row(0));
    sample.constant = class_scores(row.constant);
    for (const auto& field : row.fields) {
        std::vector<double> sums;
        for (std::size_t o = 0; o < field.outputs; ++o) {
            const auto parts = field.contribution(0, o);
            sums.push_back(std::accumulate(parts.begin(), parts.end(), 0.0));
        }
        sample.shares.push_back(class_scores(sums));
    }
    std::vector<std::size_t> order(row.fields.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto share = [&](std::size_t m) {
        return sample.shares[m][static_cast<std::size_t>(sample.predicted)];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
    order.resize(std::min(order.size(), all_fields ? most_lines : 1));
    for (const auto m : order) {
        auto line = image_line(drawing, row.z, image, m);
        if (!line.places.empty()) sample.lines.push_back(std::move(line));
    }
    return sample;
}

}  // namespace deepsl::learner::detail
