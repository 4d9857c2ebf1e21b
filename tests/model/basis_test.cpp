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

}  // namespace
}  // namespace deepsl::model
