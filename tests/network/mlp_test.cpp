// The network against plain torch, its bits in any batch and on any number of threads, and the
// initial weights.
#include "deepsl/network/mlp.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "network/mlp_kernel.h"
#include "tensors.h"

namespace deepsl::network {
namespace {

using torch::Tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// W h + b and the activation, in torch. `margin` becomes the smallest |W h + b| of hidden units:
/// where it is within rounding of 0, a leaky ReLU may have either slope.
Tensor reference(const std::vector<Tensor>& parameters, const MlpOptions& o, const Tensor& z,
                 double* margin = nullptr) {
    auto h = o.scale * (z - o.shift);
    for (std::size_t l = 0; l < parameters.size(); l += 2) {
        h = torch::matmul(h, parameters[l].t()) + parameters[l + 1];
        if (l + 2 == parameters.size()) break;
        if (margin != nullptr && h.numel() > 0)
            *margin = std::min(*margin, h.detach().abs().min().item<double>());
        h = o.activation == Activation::tanh ? torch::tanh(h)
                                             : torch::where(h > 0, h, leaky_slope * h);
    }
    if (o.head)
        h = o.head->centre + o.head->radius * torch::tanh(o.head->slope * (h - o.head->shift));
    return h;
}

/// The largest difference, relative to the largest entry of b.
double difference(const Tensor& a, const Tensor& b) {
    EXPECT_EQ(a.sizes(), b.sizes());
    if (a.numel() == 0) return 0.0;
    const auto wide = b.detach().to(torch::kFloat64);
    const auto error = (a.detach().to(torch::kFloat64) - wide).abs().max().item<double>();
    return error / std::max(wide.abs().max().item<double>(), 1e-300);
}

MlpOptions shape(std::int64_t in, std::vector<std::int64_t> hidden, std::int64_t out,
                 Activation activation) {
    MlpOptions o;
    o.inputs = in;
    o.hidden = std::move(hidden);
    o.outputs = out;
    o.activation = activation;
    return o;
}

Mlp make(const MlpOptions& options, torch::ScalarType type) {
    Mlp mlp(options);
    const torch::NoGradGuard no_grad;
    for (auto& p : mlp->parameters())
        if (p.dim() == 1) p.normal_(0.0, 0.3);
    mlp->to(type);
    return mlp;
}

/// Forward and all gradients against torch in float64.
void compare(const MlpOptions& options, std::int64_t rows, torch::ScalarType type) {
    SCOPED_TRACE(testing::Message()
                 << options.inputs << " -> " << options.hidden.size() << " hidden -> "
                 << options.outputs << ", " << rows << " rows, " << type);
    const double tolerance = type == torch::kFloat32 ? 2e-5 : 1e-12;
    Mlp mlp = make(options, type);
    Tensor z, wide, y;
    std::vector<Tensor> copies;
    for (int attempt = 0; attempt < 50; ++attempt) {
        z = torch::randn({rows, options.inputs}, type).requires_grad_(true);
        wide = z.detach().to(torch::kFloat64).requires_grad_(true);
        copies.clear();
        for (const auto& p : mlp->parameters())
            copies.push_back(p.detach().to(torch::kFloat64).requires_grad_(true));
        double margin = infinity;
        y = reference(copies, options, wide, &margin);
        if (options.activation == Activation::tanh || margin > 4e-6) break;
    }
    const auto own = mlp->forward(z);
    ASSERT_EQ(own.scalar_type(), type);
    EXPECT_LE(difference(own, y), tolerance);

    const auto seed = torch::randn_like(own);
    own.backward(seed);
    y.backward(seed.to(torch::kFloat64));
    EXPECT_LE(difference(z.grad(), wide.grad()), tolerance) << "by the inputs";
    const auto parameters = mlp->named_parameters();
    for (std::size_t i = 0; i < copies.size(); ++i) {
        ASSERT_TRUE(parameters[i].value().grad().defined());
        EXPECT_LE(difference(parameters[i].value().grad(), copies[i].grad()), tolerance)
            << "by " << parameters[i].key();
    }
}

const auto types = {torch::kFloat32, torch::kFloat64};
const auto activations = {Activation::leaky_relu, Activation::tanh};

TEST(Mlp, AgreesWithTorchInEverySizeAndDepth) {
    torch::manual_seed(1);
    const std::vector<std::vector<std::int64_t>> hidden{
        {}, {1}, {5}, {13}, {130}, {5, 13}, {130, 1, 5}, {13, 130, 13}, {8, 16, 32}};
    for (const auto type : types)
        for (const auto activation : activations)
            for (const auto& layers : hidden)
                for (const std::int64_t inputs : {1, 5, 130})
                    for (const std::int64_t outputs : {1, 13})
                        compare(shape(inputs, layers, outputs, activation), 7, type);
}

TEST(Mlp, AgreesWithTorchForEveryNumberOfRows) {
    torch::manual_seed(2);
    for (const auto type : types)
        for (const auto activation : activations)
            for (const std::int64_t rows : {0, 1, 2, 3, 4, 5, 11, 12, 13, 127, 128, 129, 300})
                compare(shape(5, {13, 6}, 3, activation), rows, type);
}

TEST(Mlp, ShiftsAndScalesItsInputs) {
    torch::manual_seed(3);
    for (const auto type : types) {
        auto options = shape(5, {13}, 2, Activation::tanh);
        options.shift = 0.5;
        options.scale = 4.0;
        compare(options, 130, type);
        options.hidden = {};
        compare(options, 130, type);
    }
}

TEST(Mlp, HeadsBoundTheOutputs) {
    torch::manual_seed(12);
    for (const auto type : types) {
        for (const auto& head :
             {BoundedHead::sigmoid(0.01, 1.0), BoundedHead::sigmoid(1.0, 10.0, 2.0),
              BoundedHead{0.0, 10.0, 0.0, 0.1}}) {
            for (const auto& hidden : {std::vector<std::int64_t>{}, {5}, {13, 130}}) {
                for (const std::int64_t outputs : {1, 13, 130}) {
                    auto options = shape(7, hidden, outputs, Activation::tanh);
                    options.head = head;
                    for (const std::int64_t rows : {1, 13, 130}) compare(options, rows, type);
                }
            }
            // Whatever comes in, even infinity, stays within the bounds.
            auto options = shape(2, {}, 1, Activation::tanh);
            options.head = head;
            Mlp mlp = make(options, type);
            const auto z = torch::tensor(
                {{1.0, 2.0}, {1e30, 1.0}, {-1e30, 1.0}, {infinity, 1.0}, {-infinity, 1.0}});
            const auto y = mlp->forward(z.to(type)).to(torch::kFloat64);
            EXPECT_GE(y.min().item<double>(), head.centre - head.radius - 1e-6) << y;
            EXPECT_LE(y.max().item<double>(), head.centre + head.radius + 1e-6) << y;
        }
        auto options = shape(3, {4}, 2, Activation::tanh);
        Mlp plain = make(options, type);
        options.head = BoundedHead::sigmoid(0.1, 10.0, 1.5);
        Mlp bounded = make(options, type);
        const torch::NoGradGuard no_grad;
        for (std::size_t i = 0; i < plain->parameters().size(); ++i)
            bounded->parameters()[i].copy_(plain->parameters()[i]);
        const auto z = torch::randn({50, 3}, type);
        EXPECT_LE(
            difference(bounded->forward(z), 0.1 + 9.9 * torch::sigmoid(plain->forward(z) - 1.5)),
            type == torch::kFloat32 ? 1e-6 : 1e-14);
    }
}

TEST(Mlp, TakesInputsOfAnyLayoutAndType) {
    torch::manual_seed(4);
    const auto options = shape(5, {13}, 2, Activation::tanh);
    Mlp mlp = make(options, torch::kFloat32);
    const auto plain = torch::randn({9, 5});
    const auto y = mlp->forward(plain);
    EXPECT_TRUE(same_bits(mlp->forward(plain.t().contiguous().t()), y));
    EXPECT_TRUE(same_bits(mlp->forward(torch::cat({plain, plain}, 1).narrow(1, 0, 5)), y));

    auto wide = plain.to(torch::kFloat64).requires_grad_(true);
    auto narrow = plain.clone().requires_grad_(true);
    const auto from_wide = mlp->forward(wide);
    EXPECT_EQ(from_wide.scalar_type(), torch::kFloat32);
    EXPECT_TRUE(same_bits(from_wide, y));
    from_wide.sum().backward();
    mlp->forward(narrow).sum().backward();
    EXPECT_EQ(wide.grad().scalar_type(), torch::kFloat64);
    EXPECT_TRUE(same_bits(wide.grad().to(torch::kFloat32), narrow.grad()));
}

TEST(Mlp, TakesSeedsOfAnyLayout) {
    torch::manual_seed(5);
    Mlp mlp = make(shape(5, {13}, 4, Activation::tanh), torch::kFloat64);
    const auto z = torch::randn({9, 5}, torch::kFloat64);
    const auto seed = torch::randn({4, 9}, torch::kFloat64).t();
    const auto gradients = [&](const Tensor& s) {
        const auto y = mlp->forward(z);
        return torch::autograd::grad({y}, mlp->parameters(), {s});
    };
    const auto a = gradients(seed), b = gradients(seed.contiguous());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_bits(a[i], b[i]));
}

TEST(Mlp, WeightsMayHaveAnyLayout) {
    torch::manual_seed(6);
    const auto options = shape(5, {5}, 2, Activation::tanh);
    Mlp mlp = make(options, torch::kFloat64);
    const auto parameters = mlp->parameters();
    parameters[0].set_data(parameters[0].detach().t().contiguous().t());
    ASSERT_FALSE(parameters[0].is_contiguous());
    const auto z = torch::randn({9, 5}, torch::kFloat64);
    EXPECT_LE(difference(mlp->forward(z), reference(parameters, options, z)), 1e-13);
}

TEST(Mlp, FrozenWeightsGetNoGradientAndDisturbNone) {
    torch::manual_seed(7);
    Mlp mlp = make(shape(5, {13, 6}, 2, Activation::tanh), torch::kFloat64);
    const auto data = torch::randn({9, 5}, torch::kFloat64);
    auto z = data.clone().requires_grad_(true);
    mlp->forward(z).square().sum().backward();
    const auto expected = z.grad().clone();
    const auto expected_bias = mlp->parameters().back().grad().clone();

    mlp->zero_grad();
    for (auto& p : mlp->parameters()) p.set_requires_grad(false);
    z = data.clone().requires_grad_(true);
    mlp->forward(z).square().sum().backward();
    EXPECT_TRUE(same_bits(z.grad(), expected));

    mlp->parameters().back().set_requires_grad(true);
    mlp->forward(data).square().sum().backward();
    EXPECT_TRUE(same_bits(mlp->parameters().back().grad(), expected_bias));

    const torch::NoGradGuard no_grad;
    EXPECT_FALSE(mlp->forward(z).requires_grad());
}

TEST(Mlp, ARowHasTheSameBitsInAnyBatch) {
    torch::manual_seed(8);
    for (const auto type : types) {
        for (const auto activation : activations) {
            for (const auto& hidden : {std::vector<std::int64_t>{}, {13}, {130, 33, 5}}) {
                auto options = shape(7, hidden, 3, activation);
                if (hidden.size() != 1) options.head = BoundedHead::sigmoid(0.01, 1.0);
                Mlp mlp = make(options, type);
                const auto z = torch::randn({300, 7}, type).requires_grad_(true);
                const auto seed = torch::randn({300, 3}, type);
                const auto y = mlp->forward(z);
                const auto dz = torch::autograd::grad({y}, {z}, {seed})[0];
                const auto check = [&](std::int64_t first, std::int64_t rows) {
                    const auto part = z.detach().narrow(0, first, rows).requires_grad_(true);
                    const auto own = mlp->forward(part);
                    const auto gradient =
                        torch::autograd::grad({own}, {part}, {seed.narrow(0, first, rows)})[0];
                    EXPECT_TRUE(same_bits(own, y.narrow(0, first, rows))) << first << " " << rows;
                    EXPECT_TRUE(same_bits(gradient, dz.narrow(0, first, rows)))
                        << first << " " << rows;
                };
                for (const std::int64_t row : {0, 1, 11, 12, 127, 128, 129, 255, 256, 298, 299})
                    check(row, 1);
                for (const std::int64_t rows : {2, 3, 4, 5, 13, 127, 129}) check(100, rows);
            }
        }
    }
}

TEST(Mlp, ThreadsLeaveNoTrace) {
    torch::manual_seed(9);
    const int before = at::get_num_threads();
    for (const auto type : types) {
        Mlp mlp = make(shape(7, {130, 33}, 3, Activation::tanh), type);
        const auto z = torch::randn({1000, 7}, type).requires_grad_(true);
        const auto seed = torch::randn({1000, 3}, type);
        std::vector<std::vector<Tensor>> runs;
        for (const int threads : {1, 2}) {
            at::set_num_threads(threads);
            auto wanted = mlp->parameters();
            wanted.push_back(z);
            const auto y = mlp->forward(z);
            runs.push_back(torch::autograd::grad({y}, wanted, {seed}));
            runs.back().push_back(y);
        }
        for (std::size_t i = 0; i < runs[0].size(); ++i)
            EXPECT_TRUE(same_bits(runs[0][i], runs[1][i])) << i;
    }
    at::set_num_threads(before);
}

TEST(Mlp, ATypeOrAWidthThatDoesNotFitIsNamed) {
    Mlp mlp(shape(5, {4}, 2, Activation::tanh));
    for (const auto& wrong : {torch::zeros({3, 4}), torch::zeros({5}), torch::zeros({2, 3, 5})}) {
        try {
            mlp->forward(wrong);
            FAIL() << "no exception for " << wrong.sizes();
        } catch (const c10::Error& error) {
            const std::string text = error.what_without_backtrace();
            EXPECT_NE(text.find("rows of 5 numbers"), std::string::npos) << text;
            std::ostringstream sizes;
            sizes << wrong.sizes();
            EXPECT_NE(text.find(sizes.str()), std::string::npos) << text;
        }
    }
    EXPECT_THROW(Mlp(shape(0, {4}, 2, Activation::tanh)), c10::Error);
    EXPECT_THROW(Mlp(shape(3, {4, 0}, 2, Activation::tanh)), c10::Error);
    mlp->to(torch::kFloat16);
    EXPECT_THROW(mlp->forward(torch::zeros({3, 5})), c10::Error);
}

TEST(Mlp, CountsItsOperations) {
    EXPECT_EQ(Mlp(shape(5, {7, 3}, 2, Activation::tanh))->flops_per_row(),
              2 * (5 * 7 + 7 * 3 + 3 * 2));
}

TEST(MlpStart, GlorotFillsItsInterval) {
    torch::manual_seed(10);
    auto options = shape(40, {60}, 50, Activation::tanh);
    options.last_gain = 0.1;
    Mlp mlp(options);
    const auto p = mlp->named_parameters();
    const double bounds[] = {std::sqrt(6.0 / 100.0), 0.1 * std::sqrt(6.0 / 110.0)};
    for (int l = 0; l < 2; ++l) {
        const auto weight = p["weight" + std::to_string(l + 1)];
        const double largest = weight.abs().max().item<double>();
        EXPECT_LE(largest, bounds[l] * (1.0 + 1e-6));
        EXPECT_GT(largest, 0.98 * bounds[l]);
        EXPECT_NEAR(weight.mean().item<double>(), 0.0, 0.05 * bounds[l]);
        EXPECT_NEAR(weight.std().item<double>(), bounds[l] / std::sqrt(3.0), 0.05 * bounds[l]);
        EXPECT_EQ(p["bias" + std::to_string(l + 1)].abs().max().item<double>(), 0.0);
    }
}

TEST(MlpStart, OrthogonalMatricesAreOrthogonalTimesTheGain) {
    torch::manual_seed(11);
    auto options = shape(7, {20}, 5, Activation::tanh);
    options.initialiser = Initialiser::orthogonal;
    options.last_gain = 0.25;
    Mlp mlp(options);
    const auto tall = mlp->named_parameters()["weight1"].detach();
    const auto flat = mlp->named_parameters()["weight2"].detach();
    EXPECT_LE((tall.t().mm(tall) - torch::eye(7)).abs().max().item<double>(), 1e-5);
    EXPECT_LE((flat.mm(flat.t()) - 0.0625 * torch::eye(5)).abs().max().item<double>(), 1e-6);
}

TEST(MlpStart, TheSeedDecides) {
    const auto weights = [](std::uint64_t seed) {
        torch::manual_seed(seed);
        return Mlp(shape(3, {4}, 2, Activation::tanh))->parameters()[0].detach().clone();
    };
    EXPECT_TRUE(same_bits(weights(1), weights(1)));
    EXPECT_FALSE(same_bits(weights(1), weights(2)));
}

}  // namespace
}  // namespace deepsl::network
