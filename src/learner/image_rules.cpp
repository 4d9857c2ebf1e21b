// Settings for images: the rules of docs/images.md, and the paper's protocols.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/learner/rules.h"
#include "deepsl/text.h"

namespace deepsl::learner {
namespace {

/// What the paper says of MNIST. It states neither strides, batch, nodes and steps nor how the rate
/// goes on: these were chosen for accuracy per hour.
void paper_gray(Task& task) {
    auto& model = task.model;
    model.convolutions = {32, 64, 128};
    model.hidden = {32, 32, 16};
    model.activation = network::Activation::tanh;
    model.field_convolutions = {32, 64};
    model.field_hidden = {32};
    model.field_activation = network::Activation::tanh;
    model.initialiser = network::Initialiser::orthogonal;
    model.steps = 2;
    model.cells = 4;
    task.train.batch = 64;
    task.train.epochs = 10;
}

/// The same of CIFAR-10.
void paper_colour(Task& task) {
    auto& model = task.model;
    model.encoder = {32, 64, 128};
    model.halving = model::Halving::max;  // 11 points better than strides on validation images
    model.encoder_hidden = {512, 256};
    model.latent = 128;
    model.encoder_activation = network::Activation::leaky_relu;
    model.encoder_initialiser = network::Initialiser::glorot;
    model.hidden = {128, 64, 66};
    model.activation = network::Activation::leaky_relu;
    model.field_hidden = {256, 256, 256};
    model.field_activation = network::Activation::tanh;
    model.start_network = true;
    model.steps = 2;
    model.cells = 4;
    task.train.batch = 64;
    task.train.epochs = 80;
}

void paper_images(bool gray, Task& task) {
    gray ? paper_gray(task) : paper_colour(task);
    // Fromage changes weights by a share of their size: from 0 they would take hundreds of steps.
    task.model.linear_gain = 1.0;
    auto& train = task.train;
    train.loss = train::Loss::cross_entropy;
    train.alpha = 1e-4;
    train.optimiser = train::OptimiserKind::fromage;
    train.learning_rate = 1e-2;
    train.schedule = train::Schedule::cosine;
    train.validation = 0.0;
    train.stop_epoch = train.epochs;
    train.patience = 0;
    // Behind an encoder it is the latent numbers that lie in the box.
    task.pixels = gray ? PixelScale::range : PixelScale::standard;
}

/// A few convolutions, and Deep Sturm-Liouville on what they find. The encoder has freedom enough,
/// so what stands behind it is simple: straight lines in many directions, coefficients whose
/// networks have no hidden layers.
void default_images(std::size_t count, bool gray, Task& task) {
    auto& model = task.model;
    model.encoder = gray ? std::vector<std::int64_t>{16, 16, 32, 32, 64, 64}
                         : std::vector<std::int64_t>{32, 32, 64, 64, 128, 128};
    model.halving = model::Halving::max;
    model.latent = 64;
    model.fields = 16;
    model.field = field::FieldKind::straight;
    if (task.kind == model::Kind::dsl) {
        model.hidden.clear();
    } else {
        model.hidden = {32, 16};
        model.input_scale = 8.0;  // what encoders give lies in the inner half of the ball
    }
    // Behind an encoder that learns, functions of few zeros say enough, and more of them learn
    // worse.
    model.eigenfunctions = 2;
    // Else networks raise u without bounds behind barriers, and few images make them too sure.
    model.normalise = true;
    // At their natural size, which is small at first, so that the encoder learns; but less their
    // mean, since the first function is nearly constant, and L would begin as a large bias.
    model.basis_scale = model::BasisScale::mean;
    model.linear_gain = 1.0;
    auto& train = task.train;
    train.batch = 64;
    train.learning_rate = 2e-3;
    train.weight_decay = 0.1;
    const double least_steps = count < 1000 ? 500.0 : 1000.0;
    const double steps_an_epoch =
        std::ceil(static_cast<double>(count) / static_cast<double>(train.batch));
    train.epochs = std::max<std::int64_t>(
        10, static_cast<std::int64_t>(std::ceil(least_steps / steps_an_epoch)));
    train.patience = patience_for(train.epochs);
    train.best = train::Best::loss;
    train.warm_up = image_warm_up(count, train);
    // To the end of the schedule with all images: held out ones chose worse epochs.
    train.validation = 0.0;
    train.stop_epoch = train.epochs;
}

}  // namespace

double image_warm_up(std::size_t count, const train::TrainOptions& train) {
    constexpr double rising_steps = 200.0;
    const double steps = std::ceil(static_cast<double>(count) / static_cast<double>(train.batch)) *
                         static_cast<double>(train.epochs);
    return std::min(0.4, rising_steps / steps);
}

Task task_for(const data::Images& images, model::Preset preset, model::Kind kind) {
    if (images.labels.empty())
        throw data_error(fmt::format("{} has no labels; name a file of them with --labels",
                                     in_quotes(images.path)));
    if (images.classes.size() < 2)
        throw data_error(fmt::format("all images of {} are of one class; there is nothing to learn",
                                     in_quotes(images.path)));
    auto task = preset_task(preset);
    task.kind = kind;
    task.target = "class";
    task.target_kind = TargetKind::classes;
    const auto& [height, width, channels] = images.shape;
    task.model.image = {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width),
                        static_cast<std::int64_t>(channels)};
    switch (preset) {
        case model::Preset::standard: default_images(images.size(), channels == 1, task); break;
        case model::Preset::paper: paper_images(channels == 1, task); break;
    }
    return task;
}

}  // namespace deepsl::learner
