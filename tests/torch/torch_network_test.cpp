// A module of LibTorch as a network of the engine: its gradients wherever a network may stand, and
// what it refuses.
#include "deepsl/torch/torch_network.h"

#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/error.h"
#include "deepsl/model/encoded.h"
#include "deepsl/model/mlp_model.h"
#include "deepsl/model/model.h"
#include "deepsl/parallel.h"
#include "deepsl/train/step.h"
#include "model/cases.h"
#include "model/differences.h"
#include "torch/modules.h"

namespace deepsl::libtorch::test {
namespace {

using model::test::expect_gradients_match, model::test::samples, model::test::small_options;

template <class Real>
model::BranchParts<Real> torch_parts(std::size_t n, bool directional) {
    using network::BoundedHead;
    const auto bounded = [&](BoundedHead head) {
        auto o = tanh_layers(n, {5}, 1);
        o.heads = {head};
        return perceptron<Real>(o);
    };
    model::BranchParts<Real> parts;
    parts.domain =
        field::make_domain(directional ? field::DomainKind::ball : field::DomainKind::box, n);
    if (directional) {
        parts.field = std::make_unique<field::DirectionalField<Real>>(
            n, perceptron<Real>(tanh_layers(n, {4}, n)));
    } else {
        auto o = tanh_layers(n, {4}, n);
        o.heads = {BoundedHead::sigmoid(0.01, 1.0)};
        parts.field = std::make_unique<field::NetworkField<Real>>(perceptron<Real>(o));
    }
    parts.coefficients = model::make_coefficients<Real>(bounded(BoundedHead::sigmoid(1.0, 10.0)),
                                                        bounded({0.0, 10.0, 0.0, 1.0}),
                                                        bounded(BoundedHead::sigmoid(0.1, 10.0)));
    parts.eigenfunctions = 3;
    parts.start = perceptron<Real>(tanh_layers(n, {4}, parts.eigenfunctions));
    return parts;
}

template <class Real>
std::unique_ptr<model::Model> torch_model(std::size_t n, bool directional,
                                          const Matrix<double>& x) {
    torch::manual_seed(1);
    std::vector<model::BranchParts<Real>> parts;
    parts.push_back(torch_parts<Real>(n, directional));
    auto model = model::make_model<Real>(2, std::move(parts), small_options(), 1);
    model->calibrate(x, model::test::random_matrix(x.rows(), 2, 3));
    model::test::shake(*model, 2);
    return model;
}

TEST(TorchNetwork, HasExactGradientsInFieldCoefficientsAndStart) {
    for (const bool directional : {true, false}) {
        SCOPED_TRACE(directional ? "directional field" : "positive field");
        const auto domain = directional ? field::DomainKind::ball : field::DomainKind::box;
        const auto x = samples(5, domain, 2);
        expect_gradients_match(*torch_model<double>(2, directional, x), x);
    }
}

TEST(TorchNetwork, HasExactGradientsAsAnEncoder) {
    torch::manual_seed(2);
    auto behind = model::make_model(3, 2, small_options(), 1);
    auto model = model::make_encoded<double>(make_torch_network<double>(small_encoder(3), 36),
                                             field::ball(3), std::move(behind), 1);
    const auto x = model::test::random_matrix(4, 36, 5);
    model->calibrate(x, model::test::random_matrix(4, 2, 6));
    model::test::shake(*model, 3);
    expect_gradients_match(*model, x);
}

TEST(TorchNetwork, HasExactGradientsAsABaseline) {
    torch::manual_seed(3);
    const torch::nn::Sequential layers(torch::nn::Linear(3, 4), torch::nn::SiLU(),
                                       torch::nn::Linear(4, 2));
    auto by_holder = make_torch_network<double>(layers, 3);
    auto by_any = make_torch_network<double>(torch::nn::AnyModule(torch::nn::Linear(3, 2)), 3);
    for (auto* const network : {&by_holder, &by_any})
        expect_gradients_match(
            *model::make_mlp_model<double>(std::move(*network), small_options(), 1),
            samples(5, field::DomainKind::ball, 3));
}

TEST(TorchNetwork, InFloatAgreesWithDouble) {
    const auto x = samples(20, field::DomainKind::ball, 2);
    const auto wide = torch_model<double>(2, true, x);
    const auto narrow = torch_model<float>(2, true, x);
    narrow->set_values(wide->parameters().values());
    const model::test::Seeds seeds(*wide, x.rows(), 1);
    const auto expected = gradients(*wide, x, seeds), found = gradients(*narrow, x, seeds);
    for (const auto& p : wide->parameters().list()) {
        double size = 0.0;
        for (std::size_t i = 0; i < p.size(); ++i)
            size = std::max(size, std::fabs(expected.parameters[p.offset + i]));
        for (std::size_t i = 0; i < p.size(); ++i)
            EXPECT_NEAR(found.parameters[p.offset + i], expected.parameters[p.offset + i],
                        2e-3 * size)
                << p.name << " " << i;
    }
}

TEST(TorchNetwork, GivesTheSameGradientOnAnyNumberOfThreads) {
    train::Dataset data;
    data.x = samples(100, field::DomainKind::ball, 2);
    for (std::size_t b = 0; b < data.x.rows(); ++b) data.labels.push_back(b % 2);
    const auto model = torch_model<double>(2, true, data.x);
    std::vector<std::size_t> rows(data.x.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const auto gradient = [&](int threads) {
        set_threads(threads);
        train::BatchPass pass(*model);
        std::vector<double> result(model->parameters().size());
        for (int repeat = 0; repeat < 3; ++repeat)
            pass.gradient(data, rows, train::Loss::cross_entropy, 1e-2, result);
        set_threads(1);
        return result;
    };
    const auto one = gradient(1), two = gradient(2), four = gradient(4);
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(two[i], one[i], 1e-12 * std::max(1.0, std::fabs(one[i])));
        EXPECT_NEAR(four[i], one[i], 1e-12 * std::max(1.0, std::fabs(one[i])));
    }
}

TEST(TorchNetwork, LeavesTheModulesOwnGradientsAlone) {
    torch::nn::Sequential module(torch::nn::Linear(3, 2));
    const auto network = make_torch_network<double>(module, 3);
    network::Parameters parameters;
    Random random(1);
    network->enrol(parameters, "", random);
    network::Tape tape;
    const std::vector<double> x{1.0, 2.0, 3.0}, dy{1.0, 1.0};
    std::vector<double> y(2), gradient(parameters.size());
    network->forward(x.data(), 1, y.data(), &tape);
    network->pullback(x.data(), 1, dy.data(), tape, nullptr, gradient.data());
    EXPECT_EQ(gradient, (std::vector<double>{1, 2, 3, 1, 2, 3, 1, 1}));
    for (const auto& parameter : module->parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(TorchNetwork, EnrolsWhatTheModuleHas) {
    torch::nn::Sequential module(torch::nn::Linear(3, 3), torch::nn::Linear(3, 2));
    module->children()[1]->named_parameters()["bias"].set_requires_grad(false);
    // A second name of the same tensor is no second tensor.
    module->register_parameter("again", module->children()[0]->named_parameters()["weight"]);
    const auto network = make_torch_network<float>(module, 3);
    network::Parameters parameters;
    Random random(1);
    network->enrol(parameters, "net", random);
    EXPECT_EQ(network->inputs(), 3U);
    EXPECT_EQ(network->outputs(), 2U);
    std::vector<std::string> names;
    for (const auto& p : parameters.list()) names.push_back(p.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"net.again", "net.0.bias", "net.1.weight", "net.1.bias"}));
    using network::Role;
    EXPECT_EQ(parameters.list()[0].role, Role::matrix);
    EXPECT_EQ(parameters.list()[1].role, Role::vector);
    EXPECT_EQ(parameters.list()[3].role, Role::measured);
    EXPECT_EQ(parameters.list()[0].shape, (std::vector<std::size_t>{3, 3}));
    EXPECT_EQ(parameters.values()[1], module->named_parameters()["again"][0][1].item<double>());

    auto values = parameters.values();
    std::iota(values.begin(), values.end(), 0.0);
    network->load(values);
    EXPECT_EQ(module->named_parameters()["1.weight"][1][2].item<double>(), 17.0);
    EXPECT_EQ(module->named_parameters()["1.bias"][1].item<double>(), 19.0);
}

TEST(TorchNetwork, HasNoRandomnessInIt) {
    torch::nn::Sequential module(torch::nn::Dropout(0.5), torch::nn::Linear(3, 2));
    EXPECT_TRUE(module->is_training());
    const auto network = make_torch_network<double>(module, 3);
    EXPECT_FALSE(module->is_training());
}

TEST(TorchNetwork, SaysWhatDoesNotFit) {
    const auto message = [](torch::nn::Sequential module, std::size_t inputs) -> std::string {
        try {
            make_torch_network<double>(std::move(module), inputs);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_EQ(message(torch::nn::Sequential(torch::nn::Linear(3, 2)), 4)
                  .find("the module torch::nn::SequentialImpl does not take rows [2, 4]: "),
              0U);
    EXPECT_EQ(
        message(torch::nn::Sequential(torch::nn::Flatten(torch::nn::FlattenOptions().start_dim(0))),
                3),
        "a network gives rows [2, outputs] for 2 rows, but the module "
        "torch::nn::SequentialImpl gave [6] of Double");
    EXPECT_THROW(TorchNetwork<float>(
                     nullptr, [](const torch::Tensor& x) { return x; }, 2),
                 Error);
}

TEST(TorchNetwork, UsesOneThreadOfTorch) {
    torch::set_num_threads(2);
    make_torch_network<float>(torch::nn::Sequential(torch::nn::Linear(2, 2)), 2);
    EXPECT_EQ(torch::get_num_threads(), 1);
}

}  // namespace
}  // namespace deepsl::libtorch::test
