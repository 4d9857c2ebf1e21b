// The size of the paper's mapping H, by a solver that shares nothing with the model's.
#include "deepsl/model/mapping.h"

#include <cmath>

#include <gtest/gtest.h>

namespace deepsl::model {
namespace {

using torch::Tensor;

Model bent_model(const std::string& domain) {
    torch::manual_seed(4);
    ModelOptions options;
    options.domain = domain;
    options.field = domain == "box" ? "positive" : "directional";
    options.hidden = options.field_hidden = {8, 8};
    options.last_gain = 2.0;
    options.eigenfunctions = 5;
    options.precision = "float64";
    return Model(3, 1, options);
}

Tensor samples(const Model& model) {
    const auto x = torch::randn({20, 3}, torch::kFloat64);
    return model->domain()->centre() + 0.3 * x / (1.0 + x.norm(2, 1, true));
}

double size_of_H(Model& model, const Tensor& x, double tolerance, std::int64_t cells) {
    model->numerics().trace.method = &field::dormand_prince();
    model->numerics().trace.tolerance = tolerance;
    model->numerics().cells = cells;
    const auto H = mapping_error(model, x, 0, 600);
    return std::max(H.exits.max().item<double>(), H.ends.max().item<double>());
}

TEST(Mapping, VanishesAtWhatAFineGridFinds) {
    for (const auto* domain : {"ball", "box"}) {
        auto model = bent_model(domain);
        const auto x = samples(model);
        const double coarse = size_of_H(model, x, 1e-1, 2);
        const double middle = size_of_H(model, x, 1e-4, 16);
        const double fine = size_of_H(model, x, 1e-10, 200);
        EXPECT_GT(coarse, 1e-2) << domain;
        EXPECT_LT(middle, 0.1 * coarse) << domain;
        EXPECT_LT(fine, 1e-5) << domain;
    }
}

TEST(Mapping, IsNotANumberForASampleThatFailed) {
    auto model = bent_model("ball");
    auto x = samples(model);
    x[3][0] = std::nan("");
    const auto H = mapping_error(model, x, 0, 100);
    EXPECT_TRUE(torch::isnan(H.exits[3]).all().item<bool>());
    EXPECT_TRUE(torch::isnan(H.ends[3]).all().item<bool>());
    EXPECT_TRUE(torch::isfinite(H.ends[4]).all().item<bool>());
}

}  // namespace
}  // namespace deepsl::model
