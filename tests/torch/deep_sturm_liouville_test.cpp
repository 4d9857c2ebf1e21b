// Deep Sturm-Liouville as a module of a torch program: what it gives, its gradients, and learning.
#include "deepsl/torch/deep_sturm_liouville.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/error.h"
#include "deepsl/model/mlp_model.h"
#include "deepsl/model/model.h"
#include "deepsl/parallel.h"
#include "model/cases.h"
#include "torch/modules.h"

namespace deepsl::libtorch::test {
namespace {

using model::test::random_matrix, model::test::samples, model::test::small_options;

torch::Tensor random_tensor(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    return tensor_of(
        random_matrix(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), seed));
}

/// Of 3 inputs and 2 outputs, with random weights everywhere.
DeepSturmLiouville shaken(Inputs given = Inputs::any, std::int64_t fields = 1) {
    model::test::Case c;
    c.n = 3;
    c.fields = fields;
    auto model = model::make_model(3, 2, small_options(c), 1);
    model->calibrate(samples(20, c), random_matrix(20, 2, 3));
    model::test::shake(*model, 2);
    return DeepSturmLiouville(std::move(model), given);
}

/// A number that depends on everything the module gives.
torch::Tensor scalar_of(const Evaluation& e) {
    const auto cy = random_tensor(e.y.size(0), e.y.size(1), 8);
    const auto cl = 0.01 * random_tensor(e.lambda.size(0), e.lambda.size(1), 9);
    return (e.y * cy).sum() + (e.lambda * cl).sum();
}

/// All derivatives by `tensor` against extrapolated central differences.
void expect_matches_differences(const std::function<double()>& value, torch::Tensor tensor,
                                const torch::Tensor& gradient, const std::string& name) {
    const torch::NoGradGuard no_graph;
    ASSERT_TRUE(gradient.defined()) << name;
    const double size = gradient.abs().max().item<double>();
    EXPECT_GT(size, 1e-9) << name;
    auto flat = tensor.view(-1);
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
        const double old = flat[i].item<double>();
        const auto central = [&](double h) {
            flat[i] = old + h;
            const double after = value();
            flat[i] = old - h;
            const double before = value();
            flat[i] = old;
            return (after - before) / (2.0 * h);
        };
        const double numeric = (4.0 * central(0.5e-4) - central(1e-4)) / 3.0;
        EXPECT_NEAR(gradient.reshape(-1)[i].item<double>(), numeric, 1e-6 * size)
            << name << " " << i;
    }
}

TEST(DeepSturmLiouvilleModule, GivesWhatTheEngineGives) {
    auto module = shaken(Inputs::inside, 2);
    const auto x = samples(50, field::DomainKind::ball, 3);
    const auto expected = module->predictor().predict(x);
    const auto found = module->evaluate(tensor_of(x));
    EXPECT_EQ(largest_difference(found.y, tensor_of(expected.y)), 0.0);
    EXPECT_EQ(largest_difference(found.lambda, tensor_of(expected.lambda)), 0.0);
    EXPECT_TRUE(found.ok.all().item<bool>());
    EXPECT_EQ(found.lambda.size(1), 8);
    EXPECT_TRUE(found.y.requires_grad());
    const torch::NoGradGuard no_graph;
    const auto again = module->forward(tensor_of(x));
    EXPECT_FALSE(again.requires_grad());
    EXPECT_TRUE(again.equal(found.y));
}

TEST(DeepSturmLiouvilleModule, HasExactGradients) {
    for (const auto given : {Inputs::any, Inputs::inside}) {
        SCOPED_TRACE(name(given));
        auto module = shaken(given);
        auto r = given == Inputs::any ? random_tensor(4, 3, 5)
                                      : tensor_of(samples(4, field::DomainKind::ball, 3, 5));
        r.requires_grad_();
        scalar_of(module->evaluate(r)).backward();
        const auto value = [&] { return scalar_of(module->evaluate(r)).item<double>(); };
        expect_matches_differences(value, r, r.grad(), "r");
        for (const auto& item : module->named_parameters())
            expect_matches_differences(value, item.value(), item.value().grad(), item.key());
    }
}

/// Networks of torch inside the module: a graph within a graph.
TEST(DeepSturmLiouvilleModule, HasExactGradientsWithTorchInside) {
    torch::manual_seed(1);
    auto parts = model::make_parts<double>(3, small_options());
    parts.field = std::make_unique<field::DirectionalField<double>>(
        3, perceptron<double>(tanh_layers(3, {4}, 3)));
    std::vector<model::BranchParts<double>> branches;
    branches.push_back(std::move(parts));
    auto model = model::make_model<double>(2, std::move(branches), small_options(), 1);
    model::test::shake(*model, 2);
    DeepSturmLiouville module(std::move(model));
    auto r = random_tensor(20, 3, 5).requires_grad_();
    for (const int threads : {1, 2}) {
        set_threads(threads);
        r.mutable_grad() = torch::Tensor();
        scalar_of(module->evaluate(r)).backward();
        set_threads(1);
        const auto value = [&] { return scalar_of(module->evaluate(r)).item<double>(); };
        expect_matches_differences(value, r, r.grad(), "r");
    }
}

TEST(DeepSturmLiouvilleModule, KeepsWhatABatchWasMadeWith) {
    auto module = shaken();
    const auto gradient = [&](const torch::Tensor& y, bool again = false) {
        return torch::autograd::grad({y.sum()}, module->parameters(), {}, again)[3].clone();
    };
    const auto r = random_tensor(20, 3, 5);
    const auto expected = gradient(module->forward(r));
    // Back twice.
    const auto y = module->forward(r);
    EXPECT_TRUE(gradient(y, true).equal(expected));
    EXPECT_TRUE(gradient(y).equal(expected));
    // Other values and other batches between forward and back.
    const auto held = module->forward(r);
    {
        const torch::NoGradGuard no_graph;
        for (auto& parameter : module->parameters()) parameter += 0.1;
    }
    const auto other = module->forward(r);
    EXPECT_TRUE(gradient(held).equal(expected));
    EXPECT_GT(largest_difference(gradient(other), expected), 1e-3);
    // A module that is gone before the way back.
    auto last = shaken();
    const auto orphan = last->forward(r);
    const auto parameters = last->parameters();
    last = nullptr;
    EXPECT_TRUE(torch::autograd::grad({orphan.sum()}, parameters)[3].equal(expected));
}

TEST(DeepSturmLiouvilleModule, SamplesThatFailAreZerosAndSaidToBe) {
    auto module = shaken();
    auto r = random_tensor(20, 3, 5);
    const auto whole = module->evaluate(r);
    r[7][1] = std::numeric_limits<double>::quiet_NaN();
    r.requires_grad_();
    const auto found = module->evaluate(r);
    EXPECT_EQ(found.ok.sum().item<std::int64_t>(), 19);
    EXPECT_FALSE(found.ok[7].item<bool>());
    EXPECT_EQ(module->outcomes()[7].line, field::LineStatus::not_finite);
    EXPECT_EQ(found.y[7].abs().sum().item<double>(), 0.0);
    EXPECT_EQ(found.lambda[7].abs().sum().item<double>(), 0.0);
    EXPECT_TRUE(found.y[8].equal(whole.y[8])) << "the others do not notice";
    scalar_of(found).backward();
    EXPECT_EQ(r.grad()[7].abs().sum().item<double>(), 0.0);
    EXPECT_TRUE(r.grad().isfinite().all().item<bool>());
    for (const auto& parameter : module->parameters())
        EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
}

TEST(DeepSturmLiouvilleModule, TakesWhateverAnEncoderGives) {
    auto module = shaken();
    for (const double size : {1e-8, 1.0, 1e3, 1e6})
        EXPECT_TRUE(module->evaluate(size * random_tensor(30, 3, 6)).ok.all().item<bool>()) << size;
}

TEST(DeepSturmLiouvilleModule, GivesTheSameOnAnyNumberOfThreadsAndInAnyPrecisionOfTensors) {
    auto module = shaken();
    // More rows than 64 chunks of the engine's size have.
    const auto r = random_tensor(1100, 3, 5);
    const auto gradients = [&](int threads, torch::Dtype type) {
        set_threads(threads);
        module->zero_grad();
        auto x = r.clone().to(type).requires_grad_();
        auto y = module->forward(x);
        EXPECT_EQ(y.scalar_type(), type);
        y.sum().backward();
        set_threads(1);
        std::vector<torch::Tensor> result{y.detach(), x.grad()};
        for (const auto& parameter : module->parameters())
            result.push_back(parameter.grad().clone());
        return result;
    };
    const auto one = gradients(1, torch::kFloat64), two = gradients(2, torch::kFloat64),
               narrow = gradients(1, torch::kFloat32);
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(two[i].equal(one[i])) << i;
        const double size = one[i].abs().max().item<double>();
        EXPECT_LT(largest_difference(narrow[i].to(torch::kFloat64), one[i]), 1e-4 * size) << i;
    }
}

TEST(DeepSturmLiouvilleModule, HasTheEnginesNamesAndRoles) {
    DeepSturmLiouville module(3, 2, small_options(), 1);
    std::set<std::string> learned, measured, expected_learned, expected_measured;
    for (const auto& item : module->named_parameters()) learned.insert(item.key());
    for (const auto& item : module->named_buffers()) measured.insert(item.key());
    std::size_t linear = 0, found = 0;
    for (const auto& p : module->predictor().parameters().list()) {
        (p.role == network::Role::measured ? expected_measured : expected_learned).insert(p.name);
        if (p.role == network::Role::linear) linear += p.size();
    }
    EXPECT_EQ(learned, expected_learned);
    EXPECT_EQ(measured, expected_measured);
    EXPECT_FALSE(measured.empty());
    for (const auto& tensor : module->parameters_of(network::Role::linear))
        found += static_cast<std::size_t>(tensor.numel());
    EXPECT_EQ(found, linear);
}

TEST(DeepSturmLiouvilleModule, CalibratesLikeTheEngine) {
    model::test::Case c;
    c.n = 3;
    auto model = model::make_model(3, 2, small_options(c), 4);
    DeepSturmLiouville module(3, 2, small_options(c), 4, Inputs::inside);
    const auto x = samples(40, c), y = random_matrix(40, 2, 3);
    model->calibrate(x, y);
    module->calibrate(tensor_of(x), tensor_of(y));
    EXPECT_EQ(module->predictor().parameters().values(), model->parameters().values());
}

TEST(DeepSturmLiouvilleModule, IsSavedLikeAnyOther) {
    auto module = shaken();
    std::stringstream file;
    torch::save(module, file);
    model::test::Case c;
    DeepSturmLiouville other(3, 2, small_options(c), 5);
    const auto r = random_tensor(5, 3, 6);
    EXPECT_GT(largest_difference(other->forward(r), module->forward(r)), 1e-3);
    torch::load(other, file);
    EXPECT_TRUE(other->forward(r).equal(module->forward(r)));
}

TEST(DeepSturmLiouvilleModule, MayBeABaseline) {
    DeepSturmLiouville module(model::make_mlp_model(3, 2, small_options(), 1));
    auto r = random_tensor(5, 3, 6).requires_grad_();
    const auto found = module->evaluate(r);
    EXPECT_EQ(found.lambda.size(1), 0);
    found.y.sum().backward();
    EXPECT_GT(r.grad().abs().max().item<double>(), 0.0);
}

/// Squares of bright pixels in one half of an image or the other, told apart behind a convolution.
TEST(DeepSturmLiouvilleModule, LearnsBehindAConvolution) {
    torch::manual_seed(1);
    auto images = 0.3 * torch::randn({64, 1, 6, 6});
    const auto labels = torch::arange(64) % 2;
    for (std::int64_t i = 0; i < 64; ++i) images[i][0].narrow(0, i % 2 == 0 ? 0 : 3, 3) += 0.6;
    auto options = small_options();
    options.precision = model::Precision::float32;
    auto encoder = small_encoder(3);
    DeepSturmLiouville head(3, 2, options, 1);
    const auto rows = images.flatten(1);
    head->calibrate(encoder->forward(rows), torch::one_hot(labels, 2));
    auto parameters = encoder->parameters();
    for (auto& parameter : head->parameters()) parameters.push_back(parameter);
    torch::optim::Adam adam(parameters, torch::optim::AdamOptions(1e-2));
    const auto loss = [&] {
        const auto found = head->evaluate(encoder->forward(rows));
        return torch::nn::functional::cross_entropy(found.y, labels) +
               1e-5 * found.lambda.abs().mean();
    };
    const double before = loss().item<double>();
    loss().backward();
    {
        // The first step of Adam, as long for all numbers, may go too far; a short one along the
        // gradient cannot.
        const torch::NoGradGuard guard;
        for (auto& parameter : parameters)
            if (parameter.grad().defined()) parameter -= 1e-2 * parameter.grad();
    }
    EXPECT_LT(loss().item<double>(), before);
    for (int step = 0; step < 60; ++step) {
        adam.zero_grad();
        loss().backward();
        adam.step();
    }
    EXPECT_LT(loss().item<double>(), 0.2 * before);
    const auto found = head->forward(encoder->forward(rows)).argmax(1);
    EXPECT_GE((found == labels).sum().item<std::int64_t>(), 62);
}

TEST(DeepSturmLiouvilleModule, SaysWhatDoesNotFit) {
    DeepSturmLiouville module(3, 2, small_options(), 1);
    try {
        module->forward(torch::zeros({5, 4}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "the input must have the shape [batch, 3], but it has [5, 4]");
    }
    EXPECT_THROW(module->forward(torch::zeros({3})), Error);
    EXPECT_THROW(module->forward(torch::zeros({5, 3}, torch::kInt64)), Error);
    EXPECT_THROW(module->calibrate(torch::zeros({5, 3}), torch::zeros({5, 1})), Error);
    EXPECT_THROW(DeepSturmLiouville(std::unique_ptr<model::Predictor>()), Error);
    EXPECT_EQ(module->forward(torch::zeros({0, 3})).size(0), 0);
}

}  // namespace
}  // namespace deepsl::libtorch::test
