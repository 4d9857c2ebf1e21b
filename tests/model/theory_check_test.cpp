// The check itself: it passes a model that is as it should be, and each of its figures leaves its
// bound when what it measures is spoilt.
#include "deepsl/model/theory_check.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace deepsl::model {
namespace {

using torch::Tensor;

ModelOptions small(const std::string& precision = "float64") {
    ModelOptions options;
    options.hidden = options.field_hidden = {8, 8};
    options.precision = precision;
    return options;
}

/// Coefficients that change much along a line, on the coarsest grid there is.
ModelOptions coarse() {
    auto options = small();
    options.last_gain = 4.0;
    options.cells = options.steps = 1;
    return options;
}

Tensor samples(std::int64_t count) {
    const auto x = torch::randn({count, 2}, torch::kFloat64);
    return 0.4 * x / (1.0 + x.norm(2, 1, true));
}

Model calibrated(const ModelOptions& options, const Tensor& x) {
    Model model(2, 2, options);
    model->calibrate(x, x);
    const torch::NoGradGuard no_grad;
    for (auto& branch : model->branches()) branch->linear()->weight.normal_();
    return model;
}

/// The field (1, slope(z)).
void bend(Branch& branch, const field::FunctionFieldImpl::Function& slope) {
    branch->set_field(std::make_shared<field::FunctionFieldImpl>([slope](const Tensor& z) {
        const auto y = slope(z);
        return torch::stack({torch::ones_like(y), y}, 1);
    }));
}

class TheoryCheck : public ::testing::Test {
protected:
    void SetUp() override { torch::manual_seed(1); }

    void check(Model& model, const Tensor& x, int finer = 8) {
        figures_ = check_theory(model, x, finer);
    }
    const Figure& figure(std::string_view name) const {
        static const Figure missing{"", "", NAN, NAN, false, ""};
        const auto found = std::find_if(figures_.begin(), figures_.end(),
                                        [&](const Figure& f) { return f.name == name; });
        EXPECT_NE(found, figures_.end()) << name;
        return found == figures_.end() ? missing : *found;
    }
    double value(std::string_view name) const { return figure(name).value; }
    std::vector<std::string_view> names(bool ok) const {
        std::vector<std::string_view> result;
        for (const auto& f : figures_)
            if (f.ok() == ok) result.push_back(f.name);
        return result;
    }

    std::vector<Figure> figures_;
    const std::vector<std::string_view> none_;
};

TEST_F(TheoryCheck, PassesAModelAsItShouldBe) {
    for (const std::string precision : {"float32", "float64"}) {
        for (const std::string scheme : {"magnus4", "midpoint"}) {
            SCOPED_TRACE(precision + ", " + scheme);
            auto options = small(precision);
            options.scheme = scheme;
            options.fields = 2;
            const auto x = samples(16);
            auto model = calibrated(options, x);
            check(model, x);
            EXPECT_EQ(figures_.size(), 11u);
            EXPECT_EQ(names(false), none_);
        }
    }
}

TEST_F(TheoryCheck, LeavesTheModelAsItWas) {
    const auto x = samples(4);
    auto model = calibrated(small(), x);
    const auto y = model->predict(x).y;
    check(model, x);
    EXPECT_EQ(model->numerics().cells, small().cells);
    EXPECT_EQ(model->numerics().trace.steps, small().steps);
    EXPECT_TRUE(model->predict(x).y.equal(y));
}

TEST_F(TheoryCheck, RefusesWhatItCannotLookAt) {
    auto model = calibrated(small(), samples(4));
    EXPECT_THROW(check(model, torch::zeros({4, 3})), c10::Error);
    EXPECT_THROW(check(model, torch::zeros({0, 2})), c10::Error);
    EXPECT_THROW(check(model, torch::zeros({4, 2}), 0), c10::Error);
}

// With the paper's heads, weights of zero mean 1/p = 5.5, q = 0 and w = 5.05.
TEST_F(TheoryCheck, AgreesWithConstantCoefficients) {
    auto options = model_preset("paper");
    options.precision = "float64";
    options.eigenfunctions = 4;
    Model model(1, 1, options);
    auto& branch = model->branches().front();
    branch->set_field(std::make_shared<field::FunctionFieldImpl>(
        [](const Tensor& z) { return torch::full_like(z, 0.5); }));
    const torch::NoGradGuard no_grad;
    for (auto& p : branch->parameters()) p.zero_();
    branch->linear()->weight.fill_(1.0);
    check(model, torch::tensor({{0.2}, {0.7}}, torch::kFloat64));
    EXPECT_EQ(names(false), none_);
    const double k = std::numbers::pi / 2.0;  // lines take a time of 2
    EXPECT_NEAR(value("gap"), (4.0 - 1.0) * k * k / (5.5 * 5.05), 1e-10);
    // No grid resolves a constant better than another.
    for (const auto* name : {"H", "prediction", "lambda"}) EXPECT_LT(value(name), 1e-9) << name;
}

TEST_F(TheoryCheck, CountsLinesThatFailInAnyField) {
    auto options = small();
    options.fields = 2;
    const auto x = samples(32);
    auto model = calibrated(options, x);
    bend(model->branches()[1], [](const Tensor& z) {
        return torch::where(z.select(1, 1) > 0.1, torch::full({}, NAN, z.options()),
                            torch::zeros({}, z.options()));
    });
    check(model, x);
    const auto expected = (x.select(1, 1) > 0.1).sum().item<double>();
    EXPECT_GT(expected, 0.0);
    EXPECT_EQ(value("failed_lines"), expected);
    EXPECT_EQ(names(false), std::vector<std::string_view>{"failed_lines"});
}

// Coarse steps reach to where the field is NaN, fine ones do not: a model that predicts nothing on
// its own grid must not pass because it would on a finer one.
TEST_F(TheoryCheck, CountsSamplesThatFailOnTheModelsOwnGrid) {
    const auto x = samples(8);
    auto model = calibrated(small(), x);
    bend(model->branches()[0], [](const Tensor& z) {
        return torch::where(z.norm(2, 1) > 1.03, torch::full({}, NAN, z.options()),
                            torch::zeros({}, z.options()));
    });
    model->numerics().cells = model->numerics().trace.steps = 2;
    ASSERT_FALSE(model->predict(x).ok.any().item<bool>());
    check(model, x, 32);
    EXPECT_EQ(value("failed_lines"), 8.0);
}

TEST_F(TheoryCheck, SaysNothingElseIfEveryLineFails) {
    auto model = calibrated(small(), samples(5));
    bend(model->branches()[0], [](const Tensor& z) { return z.select(1, 0) * NAN; });
    check(model, samples(5));
    ASSERT_EQ(figures_.size(), 1u);
    EXPECT_EQ(value("failed_lines"), 5.0);
    EXPECT_FALSE(figures_.front().ok());
}

TEST_F(TheoryCheck, NoticesAGridThatIsTooCoarse) {
    const auto x = samples(64);
    auto model = calibrated(coarse(), x);
    check(model, x);
    for (const auto* name : {"H", "orthogonality", "zeros", "prediction", "classes", "lambda"})
        EXPECT_FALSE(figure(name).ok()) << name << " " << value(name);
    // It was the grid, not the model.
    model->numerics().cells = model->numerics().trace.steps = 64;
    check(model, x, 1);
    EXPECT_EQ(names(false), none_);
}

// One edge inside a line shows no change of sign: only u_1 seems to have its zeros.
TEST_F(TheoryCheck, CountsZerosOnTheGridItLooksAt) {
    auto options = small();
    options.cells = 1;
    const auto x = samples(8);
    auto model = calibrated(options, x);
    check(model, x, 1);
    EXPECT_EQ(value("zeros"), 8.0 * static_cast<double>(options.eigenfunctions - 1));
}

// Where a field jumps, Runge-Kutta steps from another point make another line.
TEST_F(TheoryCheck, NoticesLinesThatDependOnWhereTheyBegin) {
    const auto x = samples(32);
    auto model = calibrated(small(), x);
    bend(model->branches()[0], [](const Tensor& z) {
        return 0.9 * torch::sin(40.0 * z.select(1, 0) + 17.0 * z.select(1, 1)).sign();
    });
    check(model, x);
    EXPECT_FALSE(figure("same_line").ok()) << value("same_line");
    EXPECT_FALSE(figure("prediction").ok()) << value("prediction");
    // Along each of these lines the eigenproblem is solved as well as along any other.
    for (const auto* name : {"failed_lines", "exit", "ends", "H", "orthogonality", "zeros"})
        EXPECT_TRUE(figure(name).ok()) << name << " " << value(name);
}

// In the middle of each step, and only there, the field is 1e8 or -1e8 across: the second and the
// third slope cancel, but for their rounding, which stays in the point where the line ends.
TEST_F(TheoryCheck, NoticesEndsOffTheBoundary) {
    constexpr int finer = 8;
    auto model = calibrated(small(), samples(8));
    const double speed = 1.25;  // of (1, 0.75); a step crosses half of 1 / steps widths
    const double step = 1.0 / (model->numerics().trace.steps * finer * speed);
    bend(model->branches()[0], [&](const Tensor& z) {
        const auto constant = [&](double y) { return torch::full({}, y, z.options()); };
        const auto across = torch::where(z.select(1, 1).abs() > 1.0, constant(-1e8), constant(1e8));
        const auto middle = torch::cos(2.0 * std::numbers::pi / step * z.select(1, 0)) < 0.0;
        return torch::where(middle, across, constant(0.75));
    });
    check(model, torch::tensor({{0.0, 0.1}, {0.0, -0.3}}, torch::kFloat64), finer);
    EXPECT_EQ(value("failed_lines"), 0.0);
    EXPECT_FALSE(figure("exit").ok()) << value("exit");
    EXPECT_LT(value("exit"), 1e-6);
}

// u_200 turns a hundred times in each of two cells. It is followed from either end to the edge
// where it is largest: if that is the other end, in one of two directions, rounding shows there.
TEST_F(TheoryCheck, NoticesRoundingAtTheEnds) {
    auto options = small();
    options.cells = 1;
    options.eigenfunctions = 200;
    options.field = "straight";
    const auto x = samples(8);
    Model model(2, 2, options);
    double worst = 0.0;
    for (const double direction : {1.0, -1.0}) {
        const auto along = torch::tensor({direction, 0.0}, torch::kFloat64);
        dynamic_cast<field::DirectionalFieldImpl&>(model->branches()[0]->field())
            .set_direction(along);
        check(model, x, 1);
        worst = std::max(worst, value("ends"));
        EXPECT_EQ(figure("ends").ok(), value("ends") <= 1e-12);
    }
    EXPECT_GT(worst, 1e-12);
    EXPECT_LT(worst, 1e-6);
}

// The commutators in Magnus' method of order 4 grow like lambda, on such a grid beyond what has an
// exponential: H is then unknown, and what is unknown is not in bounds.
TEST_F(TheoryCheck, DoesNotPassWhatItCannotCompute) {
    auto options = small();
    options.cells = 1;
    options.eigenfunctions = 200;
    const auto x = samples(8);
    auto model = calibrated(options, x);
    check(model, x, 1);
    EXPECT_FALSE(figure("H").ok()) << value("H");
}

TEST_F(TheoryCheck, AFigureThatIsNaNIsNotInBounds) {
    EXPECT_FALSE((Figure{"", "", NAN, 1.0, false, ""}.ok()));
    EXPECT_FALSE((Figure{"", "", NAN, 0.0, true, ""}.ok()));
    EXPECT_TRUE((Figure{"", "", 1.0, 1.0, false, ""}.ok()));
    EXPECT_FALSE((Figure{"", "", 0.0, 0.0, true, ""}.ok()));
}

}  // namespace
}  // namespace deepsl::model
