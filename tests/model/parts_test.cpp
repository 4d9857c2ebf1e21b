// Models of parts from outside that lack something: a domain without a closed form for straight
// lines, and parts that do not fit each other.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

/// z_1^4 + .. + z_n^4 < 1, by g = (sum z_i^4 - 1) / 4. Exits of straight lines are not known.
class Cushion final : public field::Domain {
public:
    using Domain::Domain;
    explicit Cushion(std::size_t n) : Domain(n) {}

    double level(std::span<const double> z) const override {
        double sum = 0.0;
        for (const double c : z) sum += c * c * c * c;
        return 0.25 * (sum - 1.0);
    }
    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        for (std::size_t i = 0; i < z.size(); ++i) gradient[i] = z[i] * z[i] * z[i];
    }
    double centre() const override { return 0.0; }
    double pace(std::span<const double> a) const override {
        double sum = 0.0;
        for (const double c : a) sum += c * c * c * c;
        return 0.5 * std::pow(sum, 0.25);
    }
    void pace_gradient(std::span<const double> a, std::span<double> gradient) const override {
        const double length = 2.0 * pace(a);
        for (std::size_t i = 0; i < a.size(); ++i)
            gradient[i] = length > 0.0 ? 0.5 * std::pow(a[i] / length, 3.0) : 0.0;
    }
    bool pull_in(std::span<double>) const override { return false; }
    field::Placement place(MatrixView<const double> x, bool by_column,
                           std::span<const double> stretch) const override {
        return field::ball(dimensions())->place(x, by_column, stretch);
    }
    Matrix<double> outline() const override { return field::ball(2)->outline(); }
    std::array<double, 2> bounds() const override { return {-1.0, 1.0}; }
};

std::unique_ptr<Model> on_cushion(FieldKind kind, std::size_t n, const ModelOptions& options) {
    Case c;
    c.field = kind;
    c.n = n;
    std::vector<BranchParts<double>> parts;
    parts.push_back(make_parts<double>(n, small_options(c)));
    parts.back().domain = std::make_shared<Cushion>(n);
    return make_model<double>(2, std::move(parts), options, 3);
}

TEST(Parts, StraightLinesLeaveADomainWithoutClosedForm) {
    Random random(1);
    for (const std::size_t n : {1U, 2U, 5U})
        for (const auto& x :
             {samples(20, DomainKind::ball, n), samples(20, DomainKind::ball, n, 2, 0.999)}) {
            const auto model = on_cushion(FieldKind::straight, n, small_options());
            const auto found = model->inspect(x);
            const auto a = model->field_at(x.part(0, 1), 0);
            for (std::size_t b = 0; b < 20; ++b) {
                EXPECT_TRUE(found.outcomes[b].ok());
                EXPECT_EQ(found.steps[b], 2);
                EXPECT_LE(found.residual[b], 1e-13);
                // By bisection.
                for (const double sign : {-1.0, 1.0}) {
                    double low = 0.0, high = 4.0;
                    for (int i = 0; i < 80; ++i) {
                        const double t = 0.5 * (low + high);
                        std::vector<double> z;
                        for (std::size_t k = 0; k < n; ++k)
                            z.push_back(x(b, k) + sign * t * a(0, k));
                        (model->domain()->level(z) < 0.0 ? low : high) = t;
                    }
                    EXPECT_NEAR(sign > 0.0 ? found.t_plus[b] : -found.t_minus[b], high, 1e-12);
                }
            }
        }
}

TEST(Parts, GradientsInADomainOfOnesOwn) {
    for (const auto kind :
         {FieldKind::directional, FieldKind::straight, FieldKind::positive, FieldKind::gradient}) {
        const auto x = samples(4, DomainKind::ball, 3);
        const auto model = on_cushion(kind, 3, small_options());
        EXPECT_FALSE(model->built_in());
        model->calibrate(x, random_matrix(4, 2, 1));
        shake(*model, 4);
        expect_gradients_match(*model, x);
    }
}

TEST(Parts, ThatDoNotFitAreRefused) {
    const auto o = small_options();
    const auto message = [&](const auto& change) -> std::string {
        std::vector<BranchParts<double>> parts;
        parts.push_back(make_parts<double>(2, o));
        parts.push_back(make_parts<double>(2, o));
        change(parts);
        try {
            make_model<double>(1, std::move(parts), o, 1);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::argument);
            return error.what();
        }
        return "";
    };
    using Parts = std::vector<BranchParts<double>>;
    EXPECT_EQ(message([](Parts&) {}), "");
    EXPECT_NE(message([](Parts& parts) { parts.clear(); }), "");
    EXPECT_NE(message([](Parts& parts) { parts[1].domain = field::ball(3); }), "");
    EXPECT_NE(message([](Parts& parts) {
                  for (auto& part : parts) part.domain = field::ball(3);
              }).find("field takes 2"),
              std::string::npos);
    EXPECT_NE(message([](Parts& parts) { parts[1].eigenfunctions = 3; }), "");
    EXPECT_NE(message([](Parts& parts) {
                  network::MlpOptions mlp;
                  mlp.inputs = 2;
                  mlp.outputs = 3;  // instead of 4
                  parts[0].start = std::make_unique<network::Mlp<double>>(mlp);
              }).find("start network"),
              std::string::npos);
    EXPECT_NE(message([](Parts& parts) { parts[0].domain = nullptr; }), "");
    EXPECT_NE(message([](Parts& parts) { parts[1].field = nullptr; }), "");
    EXPECT_NE(message([](Parts& parts) { parts[0].coefficients = nullptr; }), "");
}

}  // namespace
}  // namespace deepsl::model::test
