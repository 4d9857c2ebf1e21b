// Small tables to learn from, and the sentence of an Error.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/tables.h"
#include "deepsl/error.h"
#include "deepsl/learner/rules.h"
#include "deepsl/learner/task.h"
#include "deepsl/random.h"

namespace deepsl::test {

/// `rows` rows of one input x; y has `classes` classes, or numbers if there are none.
inline data::Table plain_table(std::size_t rows, std::size_t classes) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < rows; ++i) {
        x.push_back(static_cast<double>(i * i % 97));
        y.push_back(classes > 0 ? static_cast<double>(i % classes)
                                : 0.5 * static_cast<double>(i % 89));
    }
    return table({numbers("x", x), numbers("y", y)});
}

/// Two numbers, of which `noise` says nothing, and a colour; `kind` is in or out by a circle, which
/// red ones are never in. `size` is a number of about 100, the same in another guise.
inline data::Table round_table(std::size_t rows, std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<double> width, height, noise, size;
    std::vector<std::string> colour, kind;
    for (std::size_t i = 0; i < rows; ++i) {
        width.push_back(uniform(random, -1.0, 1.0));
        height.push_back(uniform(random, 9.0, 11.0));
        noise.push_back(normal(random));
        colour.emplace_back(i % 4 == 0 ? "red" : i % 2 == 0 ? "green" : "blue");
        const double radius = std::hypot(width.back(), height.back() - 10.0);
        const bool in = colour.back() != "red" && radius < 0.8;
        kind.emplace_back(in ? "in" : "out");
        size.push_back(100.0 + 20.0 * radius + (colour.back() == "red" ? 15.0 : 0.0));
    }
    return table({numbers("width", width), numbers("height", height), numbers("noise", noise),
                  texts("colour", colour), numbers("size", size), texts("kind", kind)});
}

/// Small networks and few epochs.
inline learner::Task small_task(const data::Table& table, const std::string& target,
                                std::int64_t epochs = 15) {
    auto task = learner::task_for(table, target, model::Preset::standard,
                                  learner::TargetKind::automatic, learner::Effort::quick);
    task.dropped = {target == "kind" ? "size" : "kind"};
    task.model.hidden = task.model.field_hidden = {8, 6};
    task.model.eigenfunctions = 4;
    task.model.cells = 4;
    task.model.steps = 3;
    task.train.epochs = epochs;
    task.train.patience = 0;
    task.train.batch = 16;
    task.train.learning_rate = 1e-2;
    task.train.weight_decay = 0.1;
    task.train.warm_up = 0.0;
    return task;
}

/// The same, whose three folds vote.
inline learner::Task voting_task(const data::Table& table, const std::string& target,
                                 std::int64_t epochs) {
    auto task = small_task(table, target, epochs);
    task.epoch_folds = 3;
    task.after_folds = learner::AfterFolds::vote;
    return task;
}

/// The kind and the sentence of the Error that `call` throws.
template <class Call>
std::string sentence_of(Error::Kind kind, const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    } catch (const std::exception& error) {
        return std::string("another exception: ") + error.what();
    }
    return "no exception";
}

}  // namespace deepsl::test
