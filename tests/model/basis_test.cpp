// How the eigenfunctions' values are scaled, by figures measured once on training data.
#include "deepsl/model/basis.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace deepsl::model {
namespace {

/// The scaled values of u = (5, 2), by figures measured on (1, 0), (3, 0) and a sample that failed.
std::array<double, 2> scaled_by(BasisScale rule) {
    network::Parameters parameters;
    Basis basis(2, 1, rule);
    basis.enrol(parameters, "f");
    std::vector<Outcome> outcomes(3);
    outcomes[1].eigen = sturm::Status::overflow;
    basis.measure(Matrix<double>(3, 2, {1.0, 0.0, 100.0, 100.0, 3.0, 0.0}), outcomes,
                  parameters.values());
    basis.load(parameters.values());
    std::array<double, 2> result{};
    basis.scaled(std::array{5.0, 2.0}, result);
    return result;
}

TEST(BasisScale, SubtractsTheMeanAndDividesByTheSize) {
    EXPECT_EQ(scaled_by(BasisScale::none), (std::array{5.0, 2.0}));
    EXPECT_EQ(scaled_by(BasisScale::mean), (std::array{3.0, 2.0}));
    EXPECT_NEAR(scaled_by(BasisScale::rms)[0], 5.0 / std::sqrt(5.0), 1e-14);
    EXPECT_NEAR(scaled_by(BasisScale::centred)[0], 3.0 / std::sqrt(2.0), 1e-14);
}

// F = 2 u_1 / 4 + u_2 on cells of lengths 1 and 2, with u_1 = 0, 8, 8 and u_2 = 3, 1, 0 at the
// edges: it rises by 4 - 2 and by -1, so that the mean of its squared slope is (2^2 / 1 + 1 / 2)
// / 3.
TEST(BasisEnergy, IsTheMeanSquareOfTheSlope) {
    network::Parameters parameters;
    Basis basis(2, 1, BasisScale::none);
    basis.enrol(parameters, "f");
    auto values = parameters.values();
    for (const auto& tensor : parameters.list()) {
        if (tensor.name.ends_with("u_scale")) values[tensor.offset] = 4.0;
        if (tensor.name.ends_with("u_mean")) values[tensor.offset] = 17.0;  // does not matter
        if (tensor.name.ends_with("L.weight"))
            values[tensor.offset] = 2.0, values[tensor.offset + 1] = 1.0;
        if (tensor.name.ends_with("L.bias")) values[tensor.offset] = -3.0;
    }
    basis.load(values);
    const std::array u{0.0, 8.0, 8.0, 3.0, 1.0, 0.0};
    EXPECT_NEAR(basis.energy(u, std::array{1.0, 2.0}), 1.5, 1e-15);
    const std::array flat{5.0, 5.0, 5.0, 1.0, 1.0, 1.0};
    EXPECT_EQ(basis.energy(flat, std::array{1.0, 2.0}), 0.0);
    // Of a clock that runs twice as fast a quarter is left.
    EXPECT_NEAR(basis.energy(u, std::array{2.0, 4.0}), 1.5 / 4.0, 1e-15);
}

}  // namespace
}  // namespace deepsl::model
