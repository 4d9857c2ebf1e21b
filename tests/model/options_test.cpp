// Options of a model: what may not be, how many numbers they make, and what does not fit in memory.
#include "deepsl/model/options.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"
#include "deepsl/model/size.h"
#include "deepsl/parallel.h"
#include "deepsl/random.h"

namespace deepsl::model {
namespace {

template <class Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::argument);
        return error.what();
    }
    return "";
}

void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(ModelOptions, PresetsAreGood) {
    for (const auto preset : {Preset::standard, Preset::paper})
        EXPECT_NO_THROW(check_model(model_preset(preset)));
    const auto paper = model_preset(Preset::paper);
    EXPECT_EQ(paper.domain, field::DomainKind::box);
    EXPECT_EQ(paper.field, field::FieldKind::positive);
    EXPECT_EQ(paper.heads, HeadKind::paper);
    EXPECT_EQ(paper.hidden, (std::vector<std::int64_t>{128, 64, 32}));
    EXPECT_EQ(paper.last_gain, 1.0);
}

TEST(ModelOptions, BadValuesAreNamed) {
    ModelOptions options;
    options.fields = 65;
    const auto fields = error_of([&] { check_model(options); });
    expect_contains(fields, "fields takes a whole number from 1 to 64, but '65' was given");
    options = {};
    options.hidden = {3, 0};
    expect_contains(error_of([&] { check_model(options); }), "hidden takes");
    options = {};
    options.input_scale = 0.0;
    expect_contains(error_of([&] { check_model(options); }), "input-scale takes");
    options = {};
    options.normalise = options.start_network = true;
    options.eigenfunctions = options.cells / 2;
    expect_contains(error_of([&] { check_model(options); }), "take normalise false");
    options.start_network = false;
    EXPECT_NO_THROW(check_model(options));
    ++options.eigenfunctions;
    expect_contains(error_of([&] { check_model(options); }), "raise cells");
}

/// L.weight [outputs, d] of a model with three outputs and five eigenfunctions.
std::vector<double> linear_start(Kind kind, double gain) {
    ModelOptions options;
    options.eigenfunctions = 5;
    options.initialiser = network::Initialiser::orthogonal;
    options.linear_gain = gain;
    options.precision = Precision::float64;
    const auto predictor = make_predictor(kind, 2, 3, options, 5);
    const auto& parameters = predictor->parameters();
    for (const auto& parameter : parameters.list())
        if (parameter.name.ends_with("L.weight"))
            return {parameters.values().begin() + static_cast<std::ptrdiff_t>(parameter.offset),
                    parameters.values().begin() +
                        static_cast<std::ptrdiff_t>(parameter.offset + parameter.size())};
    return {};
}

TEST(ModelOptions, TheLinearMapStartsAtZeroOrLikeOtherMatrices) {
    for (const auto kind : {Kind::dsl, Kind::ablation}) {
        EXPECT_EQ(linear_start(kind, 0.0), std::vector<double>(15, 0.0));
        const auto L = linear_start(kind, 2.0);
        ASSERT_EQ(L.size(), 15U);
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                double product = 0.0;
                for (std::size_t i = 0; i < 5; ++i) product += L[a * 5 + i] * L[b * 5 + i];
                EXPECT_NEAR(product, a == b ? 4.0 : 0.0, 1e-12) << "rows " << a << " and " << b;
            }
    }
}

// What an option is changed to, from `base` below.
const std::map<std::string, std::string, std::less<>> other_values{
    {"domain", "box"},
    {"field", "straight"},
    {"fields", "2"},
    {"directions", "kernel"},
    {"eigenfunctions", "4"},
    {"coefficients", "trunk"},
    {"hidden", "5"},
    {"activation", "leaky_relu"},
    {"field-hidden", "5"},
    {"field-activation", "leaky_relu"},
    {"initialiser", "orthogonal"},
    {"last-gain", "0.7"},
    {"linear-gain", "0.7"},
    {"heads", "paper"},
    {"start-network", "true"},
    {"normalise", "true"},
    {"basis-scale", "none"},
    {"input-scale", "2"},
    {"method", "rk4"},
    {"steps", "3"},
    {"tolerance", "1e-12"},
    {"max-steps", "1"},
    {"cells", "3"},
    {"scheme", "midpoint"},
    {"precision", "float32"},
    {"image", "3-4-1"},
    {"convolutions", "3"},
    {"field-convolutions", "3"},
    {"kernel", "1"},
    {"halving", "max"},
    {"encoder", "3"},
    {"encoder-hidden", "3"},
    {"latent", "4"},
    {"encoder-activation", "tanh"},
    {"encoder-initialiser", "glorot"}};

/// A row of numbers, an image, and an image behind an encoder: each option matters somewhere.
std::vector<ModelOptions> bases() {
    ModelOptions table;
    table.hidden = table.field_hidden = {4};
    table.eigenfunctions = 3;
    table.cells = 9;
    table.last_gain = 0.5;
    table.precision = Precision::float64;
    auto image = table, encoded = table;
    image.image = encoded.image = {4, 3, 1};
    image.convolutions = image.field_convolutions = {2};
    encoded.encoder = {2};
    encoded.encoder_hidden = {4};
    encoded.latent = 3;
    return {table, image, encoded};
}

/// What a model predicts for some samples, and which numbers it has learned from.
std::vector<double> behaviour(Kind kind, const ModelOptions& options) {
    Random random(3);
    const std::size_t inputs = options.image.empty() ? 2 : 12;
    Matrix<double> x(6, inputs), targets(6, 1);
    for (double& value : x.values()) value = uniform(random, 0.05, 0.25);
    for (double& value : targets.values()) value = uniform(random, -1.0, 1.0);
    const auto predictor = make_predictor(kind, inputs, 1, options, 5);
    predictor->calibrate(x, targets);
    if (kind == Kind::node) {  // its last stage begins at 0, and would hide the others
        std::vector<double> values(predictor->parameters().values().begin(),
                                   predictor->parameters().values().end());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] += 0.1 * std::sin(1.0 + static_cast<double>(i));
        predictor->set_values(values);
    }
    const auto prediction = predictor->predict(x);
    std::vector<double> all(predictor->parameters().values().begin(),
                            predictor->parameters().values().end());
    for (std::size_t i = 0; i < x.rows(); ++i)
        all.push_back(prediction.outcomes[i].ok() ? prediction.y(i, 0) : -1e9);
    return all;
}

TEST(ModelOptions, AKindReadsThoseThatChangeIt) {
    const auto differs = [](Kind kind, const ModelOptions& base, const Option& option,
                            field::MethodKind method) {
        // Fixed steps must not be more than the limit.
        if (option.name == "max-steps" && method == field::MethodKind::rk4) return false;
        ModelOptions from = base, to;
        from.method = method;
        to = from;
        visit_model(to, [&](const Option& each, auto& value) {
            if (each.name == option.name) {
                const auto other = other_values.find(option.name);
                ASSERT_NE(other, other_values.end()) << option.name;
                parse_option(option, other->second, value);
            }
        });
        try {
            check_model(to);
        } catch (const Error&) {
            return false;  // what is missing here another base has
        }
        return behaviour(kind, from) != behaviour(kind, to);
    };
    const auto all = bases();
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node, Kind::linear})
        visit_model(all.front(), [&](const Option& option, const auto&) {
            // Fixed steps have a number, adaptive ones a tolerance and a limit.
            bool changes = false;
            for (const auto& base : all) {
                const bool image = option.name == "image" || option.name == "convolutions" ||
                                   option.name == "field-convolutions" || option.name == "encoder";
                if (image && base.image.empty()) continue;  // rows of numbers have none
                changes |= differs(kind, base, option, field::MethodKind::rk4) ||
                           differs(kind, base, option, field::MethodKind::dormand_prince);
            }
            EXPECT_EQ(reads(kind, option.name), changes) << name(kind) << ": " << option.name;
        });
    EXPECT_FALSE(reads(Kind::dsl, "epochs"));
}

TEST(ModelOptions, FloatsHoldNoSmallTolerance) {
    ModelOptions options;
    options.tolerance = 1e-7;
    EXPECT_NO_THROW(check_model(options)) << "fixed steps have no tolerance";
    options.method = field::MethodKind::dormand_prince;
    expect_contains(error_of([&] { check_model(options); }), "is 1e-07; raise it");
    options.precision = Precision::float64;
    EXPECT_NO_THROW(check_model(options));
}

TEST(ModelOptions, AGradientFieldHasALayerOfTanh) {
    ModelOptions options;
    options.field = field::FieldKind::gradient;
    EXPECT_NO_THROW(check_model(options));
    options.field_activation = network::Activation::leaky_relu;
    expect_contains(error_of([&] { check_model(options); }),
                    "field-activation must be tanh where the field is gradient");
    options.field_activation = network::Activation::tanh;
    options.field_hidden = {};
    expect_contains(error_of([&] { check_model(options); }), "field-hidden must name a layer");
    options.field_hidden = {8};
    options.field_convolutions = {4};
    expect_contains(error_of([&] { check_model(options); }), "has no field-convolutions");
}

TEST(ModelOptions, LinesCanEnd) {
    ModelOptions options;
    options.steps = options.max_steps = 50;
    EXPECT_NO_THROW(check_model(options));
    options.steps = 51;
    expect_contains(error_of([&] { check_model(options); }),
                    "takes 51 steps a side, but is given up after 50; lower steps");
    options.method = field::MethodKind::dormand_prince;
    EXPECT_NO_THROW(check_model(options)) << "it chooses its steps";
}

TEST(ParameterCount, IsThatOfTheMethod) {
    ModelOptions o;
    o.hidden = {5};
    o.field_hidden = {4, 3};
    o.eigenfunctions = 6;
    // 2 inputs, 3 outputs. A coefficient: (2+1)5 + (5+1)1 = 21. The field's network: (2+1)4 +
    // (4+1)3 + (3+1)2 = 35, its direction 2. Means and scales 12, the linear map (6+1)3.
    const double basis = 12.0 + 21.0;
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 2 + 35 + 3 * 21 + basis);
    o.fields = 4;
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 4 * (2 + 35 + 3 * 21 + basis));
    o.fields = 1;
    o.field = field::FieldKind::straight;
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 2 + 3 * 21 + basis);
    o.field = field::FieldKind::positive;
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 35 + 3 * 21 + basis);
    o.field = field::FieldKind::gradient;  // its first layer alone: W 4 x 2, b and s 4 each
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 2 + 16 + 3 * 21 + basis);
    o.field = field::FieldKind::positive;
    o.coefficients = CoefficientKind::trunk;  // (2+1)5 + (5+1)3
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 35 + 33 + basis);
    o.start_network = true;  // (2+1)5 + (5+1)6
    EXPECT_EQ(parameter_count(Kind::dsl, 2, 3, o), 35 + 33 + 51 + basis);
    o.coefficients = CoefficientKind::networks;  // with time: (3+1)5 + 6
    EXPECT_EQ(parameter_count(Kind::ablation, 2, 3, o), 3 * 26 + basis);
    EXPECT_EQ(parameter_count(Kind::mlp, 2, 3, o), 15 + 18);
    EXPECT_EQ(parameter_count(Kind::node, 2, 3, o), 35 + 9);
}

TEST(ParameterCount, IsThatOfTheModelsThatAreMade) {
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node})
        for (const auto field : {field::FieldKind::directional, field::FieldKind::straight,
                                 field::FieldKind::positive, field::FieldKind::gradient})
            for (const auto coefficients : {CoefficientKind::networks, CoefficientKind::trunk})
                for (const bool start : {false, true}) {
                    ModelOptions o;
                    o.field = field;
                    o.coefficients = coefficients;
                    o.start_network = start;
                    o.hidden = {7, 5};
                    o.field_hidden = {3};
                    o.fields = 2;
                    const auto made = make_predictor(kind, 4, 3, o, 1);
                    EXPECT_EQ(parameter_count(kind, 4, 3, o),
                              static_cast<double>(made->parameters().size()))
                        << name(kind) << " " << name(field) << " " << name(coefficients);
                }
}

TEST(ParameterCount, OfAModelThatDoesNotFitIsToldBeforeItIsMade) {
    ModelOptions large;
    large.hidden = {65536, 65536, 65536};
    expect_contains(error_of([&] { make_predictor(Kind::mlp, 4, 3, large, 1); }), "lower hidden");
}

TEST(MemoryNeeded, GrowsWithWhatItIsFor) {
    const ModelOptions few;
    const double usual = memory_needed(Kind::dsl, 10, 2, few);
    EXPECT_GT(usual, 1e5);
    EXPECT_LT(usual, 1e8);
    auto more = few;
    more.cells *= 100;
    EXPECT_GT(memory_needed(Kind::dsl, 10, 2, more), 20.0 * usual);
    more = few;
    more.fields = 7;
    EXPECT_NEAR(memory_needed(Kind::dsl, 10, 2, more), 7.0 * usual, 1e-9 * usual);
    more = few;
    more.normalise = true, more.cells = 400, more.eigenfunctions = 200;
    auto plain = more;
    plain.normalise = false;
    EXPECT_GT(memory_needed(Kind::dsl, 10, 2, more), 1.5 * memory_needed(Kind::dsl, 10, 2, plain));
    more = few;
    more.steps = 6000;
    const double by_steps = memory_needed(Kind::dsl, 10, 2, more);
    EXPECT_GT(by_steps, 10.0 * usual);
    more.max_steps = 100;
    EXPECT_LT(memory_needed(Kind::dsl, 10, 2, more), 0.2 * by_steps);
    more.field = field::FieldKind::straight;
    EXPECT_LT(memory_needed(Kind::dsl, 10, 2, more), usual);
    // A batch of any size: one tape a thread. More chunks have more gradients, up to a number.
    const auto of_batch = [&](std::size_t rows) {
        return memory_needed(Kind::dsl, 10, 2, few, {.rows = rows});
    };
    EXPECT_NEAR(of_batch(3 * chunk_rows) - of_batch(2 * chunk_rows),
                parameter_count(Kind::dsl, 10, 2, few) * sizeof(double), 1e-6 * usual);
    EXPECT_EQ(of_batch(training_lanes * chunk_rows), usual);
    EXPECT_EQ(of_batch(1000 * chunk_rows), usual);
}

TEST(MemoryNeeded, DependsOnTheThreads) {
    ModelOptions options;
    options.cells = options.steps = 40;
    constexpr Use prediction{.training = false};
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node}) {
        const double training = memory_needed(kind, 10, 2, options);
        const double one = memory_needed(kind, 10, 2, options, prediction);
        EXPECT_LT(one, training) << name(kind);
        set_threads(4);
        EXPECT_GT(memory_needed(kind, 10, 2, options), training) << name(kind);
        EXPECT_EQ(memory_needed(kind, 10, 2, options, {.rows = 1}),
                  (set_threads(1), memory_needed(kind, 10, 2, options, {.rows = 1})))
            << name(kind) << ": one chunk is the work of one thread";
        set_threads(4);
        EXPECT_GT(memory_needed(kind, 10, 2, options, prediction), 1.5 * one) << name(kind);
        set_threads(1);
    }
}

// The tape of a real chunk is most of what training takes: the estimate is of its size.
TEST(MemoryNeeded, IsAboutWhatTheTapeOfAChunkHolds) {
    ModelOptions options;
    options.cells = 40;
    options.steps = 40;
    const auto model = make_predictor(Kind::dsl, 10, 2, options, 1);
    Matrix<double> x(chunk_rows, 10);
    Random random(1);
    for (double& value : x.values()) value = uniform(random, -0.2, 0.2);
    const auto pass = model->make_pass();
    pass->forward(x, true);
    const double tapes = static_cast<double>(pass->tape_bytes());
    const double estimate = memory_needed(Kind::dsl, 10, 2, options);
    EXPECT_GT(estimate, tapes);
    EXPECT_LT(estimate, 4.0 * tapes);
}

TEST(CheckSize, TakesWhatFits) {
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node})
        for (const auto preset : {Preset::standard, Preset::paper})
            EXPECT_NO_THROW(check_size(kind, 50, 10, model_preset(preset)));
}

TEST(CheckSize, OfPredictionTakesWhatCannotBeTrained) {
    // Some 80 % of the memory would go into tapes of a batch.
    ModelOptions options;
    options.hidden = {4096};
    options.cells = 1;
    while (memory_needed(Kind::dsl, 10, 2, options) < 1e12) options.cells *= 2;
    expect_contains(error_of([&] { check_size(Kind::dsl, 10, 2, options); }),
                    "training this model");
    EXPECT_LT(memory_needed(Kind::dsl, 10, 2, options, {.training = false}), 1e10);
    options.hidden = {65536, 65536, 65536};
    expect_contains(error_of([&] { check_size(Kind::dsl, 10, 2, options, {.training = false}); }),
                    "predicting with this model");
}

TEST(CheckSize, RefusesWhatDoesNotAndSaysWhatToLower) {
    ModelOptions large;
    large.hidden = {65536, 65536, 65536};
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp}) {
        const auto error = error_of([&] { check_size(kind, 10, 2, large); });
        expect_contains(error, "B of memory, most of it for the");
        expect_contains(error, "lower hidden");
        EXPECT_EQ(error.find('\n'), std::string::npos);
    }
    EXPECT_NO_THROW(check_size(Kind::node, 10, 2, large)) << "it has no such layers";
    large = {};
    large.field_hidden = {65536, 65536, 65536};
    expect_contains(error_of([&] { check_size(Kind::node, 10, 2, large); }), "lower field-hidden");
    large = {};
    large.cells = 10000;
    large.fields = 64;
    large.hidden = {4096};
    const auto lines = std::to_string(chunk_rows) + " lines";
    expect_contains(error_of([&] { check_size(Kind::dsl, 10, 2, large); }), "networks on " + lines);
    expect_contains(error_of([&] { check_size(Kind::dsl, 10, 2, large); }),
                    "lower fields, cells or hidden");
    large = {};
    large.steps = 10000;
    large.max_steps = 1000000;
    large.field_hidden = {65536};
    expect_contains(error_of([&] { check_size(Kind::dsl, 10, 2, large); }), "steps of " + lines);
    expect_contains(error_of([&] { check_size(Kind::dsl, 10, 2, large); }), "lower steps or");
    // As large as options can be, and more inputs than any table has.
    large.hidden = large.field_hidden = std::vector<std::int64_t>(20, 65536);
    large.fields = 64, large.cells = 10000, large.eigenfunctions = 200;
    for (const auto kind : {Kind::dsl, Kind::ablation, Kind::mlp, Kind::node})
        expect_contains(error_of([&] { check_size(kind, 1'000'000'000'000, 1'000'000, large); }),
                        "available");
}

}  // namespace
}  // namespace deepsl::model
