// Small images to learn from, and a training on them that takes seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "deepsl/data/images.h"
#include "deepsl/learner/rules.h"
#include "deepsl/learner/task.h"
#include "deepsl/random.h"

namespace deepsl::test {

/// Noise of 8 x 8 pixels with a bright bar, upright or lying: its direction is the class.
inline std::shared_ptr<const data::Images> bars(std::size_t count, std::uint64_t seed,
                                                std::size_t channels = 1) {
    data::Images images;
    images.shape = {8, 8, channels};
    images.classes = {"upright", "lying"};
    images.path = "bars";
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
        const auto label = below(2, random), place = 1 + below(6, random);
        images.labels.push_back(static_cast<std::int64_t>(label));
        for (std::size_t y = 0; y < 8; ++y)
            for (std::size_t x = 0; x < 8; ++x)
                for (std::size_t c = 0; c < channels; ++c) {
                    const bool bright = (label == 0 ? x : y) == place;
                    images.bytes.push_back(
                        static_cast<std::uint8_t>(below(60, random) + (bright ? 150 : 0)));
                }
    }
    return std::make_shared<const data::Images>(std::move(images));
}

/// Small networks, seconds of work.
inline learner::Task small_image_task(const data::Images& images, model::Preset preset,
                                      std::int64_t epochs = 12,
                                      model::Kind kind = model::Kind::dsl) {
    auto task = learner::task_for(images, preset, kind);
    auto& model = task.model;
    const auto smaller = [](std::vector<std::int64_t>& sizes) {
        for (auto& size : sizes) size = (size + 7) / 8;
    };
    for (auto* sizes : {&model.encoder, &model.encoder_hidden, &model.convolutions,
                        &model.field_convolutions, &model.hidden, &model.field_hidden})
        smaller(*sizes);
    model.latent = (model.latent + 15) / 16;
    model.cells = 4;
    model.steps = 2;
    model.fields = 1;
    task.train.batch = 32;
    task.train.epochs = epochs;
    task.train.validation = 0.2;
    task.epoch_folds = 0;
    return task;
}

}  // namespace deepsl::test
