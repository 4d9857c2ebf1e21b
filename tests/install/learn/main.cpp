// Learns from arrays, saves the model, loads it and predicts: the program that README.md shows.
#include <cstddef>
#include <cstdio>
#include <utility>

#include <deepsl/learner/apply.h>
#include <deepsl/learner/learn.h>
#include <deepsl/learner/model_file.h>
#include <deepsl/parallel.h>

using namespace deepsl;

// Points of the plane and their class: inside a disc, or not.
learner::Samples disc(std::size_t count, Random random) {
    learner::Samples samples;
    samples.rows.x = Matrix<double>(count, 2);
    for (std::size_t i = 0; i < count; ++i) {
        const double a = samples.rows.x(i, 0) = uniform(random, -1.0, 1.0);
        const double b = samples.rows.x(i, 1) = uniform(random, -1.0, 1.0);
        samples.rows.labels.push_back(a * a + b * b < 0.5 ? 1 : 0);
    }
    samples.classes = {"outside", "inside"};
    return samples;
}

int main() {
    set_threads(available_threads());
    auto samples = disc(500, Random(1));
    auto task = learner::preset_task(model::Preset::standard);
    learner::follow_rules(samples.size(), samples.classes.size(), task);
    const auto learned = learner::learn(learner::prepare(std::move(samples), {}, task), task);
    learner::save_model("disc.deepsl", learned.model);

    const auto model = learner::load_model("disc.deepsl");
    const auto fresh = disc(1000, Random(2));
    const auto predictions = learner::predict(model, fresh.rows.x);
    const auto score = learner::evaluate(model, fresh.rows);  // accuracy, AUC, F1, ..
    for (std::size_t i = 0; i < 3; ++i)
        std::printf("(%5.2f, %5.2f)  P(inside) = %.3f\n", fresh.rows.x(i, 0), fresh.rows.x(i, 1),
                    predictions.probability(i, 1));
    std::printf("accuracy %.3f\n", score.metrics[0].value);
    return predictions.failed == 0 && score.metrics[0].value > 0.9 ? 0 : 1;
}
