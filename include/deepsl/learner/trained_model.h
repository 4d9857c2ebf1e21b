// A trained model: a predictor, and all that lies between it and the data it was trained on.
//
//     row -> encoding -> x -> scaling -> z -> predictor -> F;   numbers: y = mean + scale F
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deepsl/data/encoding.h"
#include "deepsl/field/scaling.h"
#include "deepsl/image_shape.h"
#include "deepsl/matrix.h"
#include "deepsl/model/model.h"
#include "deepsl/model/predictor.h"

namespace deepsl::learner {

struct TrainedModel {
    std::unique_ptr<model::Predictor> predictor;
    std::optional<data::Encoding> encoding;  // of models for tables
    field::Scaling scaling;
    std::vector<std::string> features;  // names of the inputs; may be empty
    std::vector<std::string> classes;   // empty: it predicts numbers
    double target_mean = 0.0;           // of numbers: y = mean + scale F
    double target_scale = 1.0;
    std::map<std::string, std::string> record;  // of the training: settings and results, as text

    bool predicts_classes() const { return !classes.empty(); }

    /// The model as one with lines and eigenfunctions, or the one behind the encoder; nullptr for a
    /// baseline.
    const model::Model* with_lines() const;
    model::Model* with_lines();

    /// Where rows x [B, inputs], in the data's units, lie in the domain of that model: behind the
    /// encoder, if there is one.
    Matrix<double> coordinates(MatrixView<const double> x) const;

    /// Of models for images.
    std::optional<ImageShape> image() const;

    /// x [B, inputs] in the data's units, or as the encoding gives it. y are numbers in the
    /// target's units, or the scores of classes.
    model::Prediction predict(MatrixView<const double> x) const;
};

}  // namespace deepsl::learner
