// A trained model: a predictor, and all that lies between it and the data it was trained on.
//
//     row -> encoding -> x -> scaling -> z -> predictor -> F;   numbers: y = mean + scale F
//
// Several may vote, each with a scaling and a weight of its own: F is the mean of their numbers, or
// the logarithm of the mean of their probabilities.
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

/// A predictor, and the way into its domain.
struct Voter {
    std::unique_ptr<model::Predictor> predictor;
    field::Scaling scaling;
    double weight = 1.0;  // in the mean, over the sum of all

    /// The predictor as a model with lines and eigenfunctions, or the one behind the encoder;
    /// nullptr for a baseline.
    const model::Model* with_lines() const;
    model::Model* with_lines();

    /// Where rows x [B, inputs], in the data's units, lie in the domain of that model: behind the
    /// encoder, if there is one.
    Matrix<double> coordinates(MatrixView<const double> x) const;

    /// What it says by itself: F, in the model's units.
    model::Prediction ask(MatrixView<const double> x) const;
};

/// The first voter, which is mostly the only one, is the model itself.
struct TrainedModel : Voter {
    std::vector<Voter> others;               // that vote with it
    std::optional<data::Encoding> encoding;  // of models for tables
    std::vector<std::string> features;       // names of the inputs; may be empty
    std::vector<std::string> classes;        // empty: it predicts numbers
    double target_mean = 0.0;                // of numbers: y = mean + scale F
    double target_scale = 1.0;
    std::map<std::string, std::string> record;  // of the training: settings and results, as text

    bool predicts_classes() const { return !classes.empty(); }

    std::size_t voters() const { return 1 + others.size(); }
    const Voter& voter(std::size_t v) const { return v == 0 ? *this : others[v - 1]; }
    std::vector<double> weights() const;  // [voter]
    /// What all of them have learned, together.
    std::size_t learned_numbers() const;

    /// Of models for images.
    std::optional<ImageShape> image() const;

    /// x [B, inputs] in the data's units, or as the encoding gives it. y are numbers in the
    /// target's units, or the scores of classes. Eigenvalues are those of the first voter; a row
    /// fails where all voters do.
    model::Prediction predict(MatrixView<const double> x) const;
};

}  // namespace deepsl::learner
