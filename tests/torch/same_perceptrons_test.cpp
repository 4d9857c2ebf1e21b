// Deep Sturm-Liouville with perceptrons of LibTorch is the same as with the built-in ones.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/model.h"
#include "model/cases.h"
#include "model/differences.h"
#include "torch/modules.h"

namespace deepsl::libtorch::test {
namespace {

using model::ModelOptions;

std::vector<std::size_t> sizes(const std::vector<std::int64_t>& option) {
    return {option.begin(), option.end()};
}

/// The model that the options ask for, of torch's layers.
std::unique_ptr<model::Model> torch_twin(std::size_t n, const ModelOptions& o) {
    using network::BoundedHead;
    model::BranchParts<double> parts;
    parts.domain = field::make_domain(o.domain, n);
    const auto layers = [&](const std::vector<std::int64_t>& hidden, std::size_t outputs,
                            network::Activation activation, std::vector<BoundedHead> heads) {
        auto options = tanh_layers(n, sizes(hidden), outputs);
        options.activation = activation;
        options.shift = parts.domain->centre();
        options.scale = o.input_scale;
        options.heads = std::move(heads);
        return perceptron<double>(options);
    };
    const auto coefficient = [&](BoundedHead head) {
        return layers(o.hidden, 1, o.activation, {head});
    };
    if (o.field == field::FieldKind::positive)
        parts.field = std::make_unique<field::NetworkField<double>>(
            layers(o.field_hidden, n, o.field_activation, {BoundedHead::sigmoid(0.01, 1.0)}));
    else
        parts.field = std::make_unique<field::DirectionalField<double>>(
            n, layers(o.field_hidden, n, o.field_activation, {}));
    const bool calm = o.heads == model::HeadKind::calm;
    parts.coefficients = model::make_coefficients<double>(
        coefficient(BoundedHead::sigmoid(1.0, 10.0, calm ? 2.0 : 0.0)),
        coefficient({0.0, 10.0, 0.0, calm ? 0.1 : 1.0}),
        coefficient(BoundedHead::sigmoid(0.1, 10.0, calm ? 1.5 : 0.0)));
    parts.eigenfunctions = static_cast<std::size_t>(o.eigenfunctions);
    if (o.start_network) parts.start = layers(o.hidden, parts.eigenfunctions, o.activation, {});
    parts.basis_scale = o.basis_scale;
    std::vector<model::BranchParts<double>> branches;
    branches.push_back(std::move(parts));
    return model::make_model<double>(3, std::move(branches), o, 1);
}

void expect_close(std::span<const double> found, std::span<const double> expected,
                  const std::string& what) {
    double size = 0.0;
    for (const double c : expected) size = std::max(size, std::fabs(c));
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_GT(size, 0.0) << what;
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-11 * size) << what << " " << i;
}

TEST(TorchPerceptrons, PredictAndLearnLikeBuiltInOnes) {
    model::test::Case ours, paper, adaptive;
    ours.n = paper.n = adaptive.n = 4;
    paper.preset = model::Preset::paper;
    paper.domain = field::DomainKind::box;
    paper.field = field::FieldKind::positive;
    paper.heads = model::HeadKind::paper;
    paper.activation = network::Activation::leaky_relu;
    adaptive.method = field::MethodKind::dormand_prince;  // some steps are tried again
    for (const auto& c : {ours, paper, adaptive}) {
        SCOPED_TRACE(testing::PrintToString(c));
        const auto options = model::test::small_options(c);
        const auto x = model::test::samples(30, c), y = model::test::random_matrix(30, 3, 4);
        auto built_in = model::make_model(c.n, 3, options, 1);
        built_in->calibrate(x, y);
        model::test::shake(*built_in, 2);
        auto twin = torch_twin(c.n, options);
        ASSERT_EQ(twin->parameters().size(), built_in->parameters().size());
        for (std::size_t i = 0; i < twin->parameters().list().size(); ++i)
            ASSERT_EQ(twin->parameters().list()[i].shape, built_in->parameters().list()[i].shape);
        twin->set_values(built_in->parameters().values());

        const auto expected = built_in->predict(x), found = twin->predict(x);
        EXPECT_EQ(expected.failed(), 0U);
        expect_close(found.y.values(), expected.y.values(), "y");
        expect_close(found.lambda.values(), expected.lambda.values(), "lambda");
        const model::test::Seeds seeds(*built_in, x.rows(), 7);
        const auto by_torch = gradients(*twin, x, seeds), by_us = gradients(*built_in, x, seeds);
        expect_close(by_torch.x.values(), by_us.x.values(), "dx");
        for (const auto& p : built_in->parameters().list())
            if (p.role != network::Role::measured)
                expect_close(std::span(by_torch.parameters).subspan(p.offset, p.size()),
                             std::span(by_us.parameters).subspan(p.offset, p.size()), p.name);

        // And calibrated by itself, it measures the same.
        auto again = torch_twin(c.n, options);
        auto fresh = model::make_model(c.n, 3, options, 1);
        again->set_values(fresh->parameters().values());
        again->calibrate(x, y), fresh->calibrate(x, y);
        expect_close(again->parameters().values(), fresh->parameters().values(), "calibrated");
    }
}

}  // namespace
}  // namespace deepsl::libtorch::test
