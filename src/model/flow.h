// The flow of many rows along a field for a unit of time, and back.
//
//     dz/dt = f(z),  0 <= t <= 1
//
// Each row has steps of its own, so it has the same bits alone and in any batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "deepsl/field/line_status.h"
#include "deepsl/field/method.h"
#include "deepsl/field/step.h"
#include "deepsl/network/network.h"

namespace deepsl::model {

struct FlowOptions {
    const field::Method* method = &field::rk4();
    std::size_t steps = 6;          // of a fixed method; an adaptive one starts with such a step
    double tolerance = 1e-5;        // of an adaptive method, per step and coordinate
    std::int64_t max_steps = 1000;  // of an adaptive method, rejected ones included
};

/// Memory is reused from call to call.
template <class Real>
class Flow {
public:
    Flow(const network::Network<Real>& f, const FlowOptions& options);

    /// From z(0) [rows, n] to z(1). The tape, or null, is cleared first.
    void forward(const Real* start, std::size_t rows, network::Tape* tape);

    /// A row that could not be followed to the end is not in the batch of those that could.
    field::LineStatus status(std::size_t row) const { return status_[row]; }
    /// z(1) [n] of a row that is ok.
    const Real* end(std::size_t row) const { return end_.data() + row * n_; }

    /// From derivatives by z(1) [rows, n] to those by z(0). Rows that are not ok pass nothing on.
    void pullback(const Real* dend, network::Tape& tape, Real* dstart, Real* gradient);

private:
    /// One Runge-Kutta step of the rows that are still on their way.
    struct Round {
        std::size_t rows = 0;
        std::vector<double> h;        // [row]
        std::vector<Real> points, k;  // [stage, row, n]

        void resize(std::size_t count, std::size_t stages, std::size_t n) {
            rows = count;
            h.resize(count);
            points.resize(stages * count * n);
            k.resize(stages * count * n);
        }
        field::StepRows<Real> step(std::size_t n) {
            return {rows, n, h.data(), points.data(), k.data()};
        }
    };

    /// The lengths of a row's steps from t = 0 to t = 1.
    const std::vector<double>& steps_of(std::size_t row) const {
        return method_.adaptive() ? chosen_[row] : fixed_;
    }
    bool drop_failed();
    void gather(const Real* start);
    void choose_steps(const Real* start);
    void judge(Round& round, Round& next);
    void follow(const Real* start, network::Tape* tape);

    const network::Network<Real>& f_;
    const field::Method& method_;
    FlowOptions options_;
    std::size_t n_;
    std::vector<field::LineStatus> status_;    // [row]
    std::vector<Real> end_;                    // [row, n]
    std::vector<double> fixed_;                // the steps of a method without tolerance
    std::vector<std::vector<double>> chosen_;  // those of an adaptive one  [row]
    std::vector<double> left_;                 // time still to go          [row]
    std::vector<std::size_t> going_, go_on_;   // rows of a round while steps are chosen
    // Rows that are ok, those with most steps first: a round has the first ones of the round
    // before.
    std::vector<std::size_t> order_;
    std::vector<Real> start_, slope_;  // z(0) and f there, in this order  [row, n]
    std::vector<Round> rounds_;
    std::size_t rounds_used_ = 0;
    std::vector<Real> dz_, dk_, by_point_, by_slope_;
};

extern template class Flow<float>;
extern template class Flow<double>;

}  // namespace deepsl::model
