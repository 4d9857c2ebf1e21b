#include "deepsl/model/coefficients.h"

#include <array>
#include <utility>
#include <vector>

#include "deepsl/error.h"
#include "deepsl/network/mlp.h"
#include "model/networks.h"

namespace deepsl::model {
namespace {

/// The bounded heads of the coefficients, so that no problem can be singular.
struct Heads {
    network::BoundedHead P, q, w;
};

Heads make_heads(HeadKind kind) {
    using network::BoundedHead;
    switch (kind) {
        case HeadKind::calm:
            return {BoundedHead::sigmoid(1.0, 10.0, 2.0), BoundedHead{0.0, 10.0, 0.0, 0.1},
                    BoundedHead::sigmoid(0.1, 10.0, 1.5)};
        case HeadKind::paper:
            return {BoundedHead::sigmoid(1.0, 10.0, 0.0), BoundedHead{0.0, 10.0, 0.0, 1.0},
                    BoundedHead::sigmoid(0.1, 10.0, 0.0)};
    }
    throw argument_error("there are no such heads");
}

/// A network each, as in the paper.
template <class Real>
class ThreeNetworks final : public Coefficients<Real> {
public:
    using Part = std::unique_ptr<network::Network<Real>>;

    ThreeNetworks(Part P, Part q, Part w) : P_(std::move(P)), q_(std::move(q)), w_(std::move(w)) {}
    ThreeNetworks(const NetworkPlan& plan, const Heads& heads)
        : ThreeNetworks(make_network<Real>(plan.bounded({heads.P})),
                        make_network<Real>(plan.bounded({heads.q})),
                        make_network<Real>(plan.bounded({heads.w}))) {}

    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override {
        P_->enrol(parameters, network::joined(name, "P"), random);
        q_->enrol(parameters, network::joined(name, "q"), random);
        w_->enrol(parameters, network::joined(name, "w"), random);
    }
    void load(std::span<const double> values) override {
        P_->load(values);
        q_->load(values);
        w_->load(values);
    }
    void forward(const Real* z, std::size_t rows, CoefficientRows<Real> out,
                 network::Tape* tape) const override {
        P_->forward(z, rows, out.P, tape);
        q_->forward(z, rows, out.q, tape);
        w_->forward(z, rows, out.w, tape);
    }
    void pullback(const Real* z, std::size_t rows, CoefficientRows<const Real> seeds,
                  network::Tape& tape, Real* dz, Real* gradient) const override {
        const auto count = rows * P_->inputs();
        thread_local std::vector<Real> part;
        part.resize(std::max(part.size(), dz != nullptr ? count : 0));
        Real* const by_z = dz != nullptr ? part.data() : nullptr;
        const auto add = [&] {
            for (std::size_t i = 0; dz != nullptr && i < count; ++i) dz[i] += part[i];
        };
        w_->pullback(z, rows, seeds.w, tape, dz, gradient);
        q_->pullback(z, rows, seeds.q, tape, by_z, gradient);
        add();
        P_->pullback(z, rows, seeds.P, tape, by_z, gradient);
        add();
    }
    std::size_t flops_per_row() const override {
        return P_->flops_per_row() + q_->flops_per_row() + w_->flops_per_row();
    }

private:
    Part P_, q_, w_;
};

/// One network with an output for each: a third of the work.
template <class Real>
class Trunk final : public Coefficients<Real> {
public:
    Trunk(const NetworkPlan& plan, const Heads& heads)
        : trunk_(make_network<Real>(plan.bounded({heads.P, heads.q, heads.w}))) {}

    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override {
        trunk_->enrol(parameters, network::joined(name, "coefficients"), random);
    }
    void load(std::span<const double> values) override { trunk_->load(values); }
    void forward(const Real* z, std::size_t rows, CoefficientRows<Real> out,
                 network::Tape* tape) const override {
        auto& all = rows_of(rows);
        trunk_->forward(z, rows, all.data(), tape);
        for (std::size_t r = 0; r < rows; ++r) {
            out.P[r] = all[3 * r];
            out.q[r] = all[3 * r + 1];
            out.w[r] = all[3 * r + 2];
        }
    }
    void pullback(const Real* z, std::size_t rows, CoefficientRows<const Real> seeds,
                  network::Tape& tape, Real* dz, Real* gradient) const override {
        auto& all = rows_of(rows);
        for (std::size_t r = 0; r < rows; ++r) {
            all[3 * r] = seeds.P[r];
            all[3 * r + 1] = seeds.q[r];
            all[3 * r + 2] = seeds.w[r];
        }
        trunk_->pullback(z, rows, all.data(), tape, dz, gradient);
    }
    std::size_t flops_per_row() const override { return trunk_->flops_per_row(); }

private:
    static std::vector<Real>& rows_of(std::size_t rows) {
        thread_local std::vector<Real> memory;
        if (memory.size() < 3 * rows) memory.resize(3 * rows);
        return memory;
    }

    std::unique_ptr<network::Network<Real>> trunk_;
};

}  // namespace

template <class Real>
std::unique_ptr<Coefficients<Real>> make_coefficients(std::size_t inputs,
                                                      const ModelOptions& options, double centre) {
    const auto heads = make_heads(options.heads);
    switch (options.coefficients) {
        case CoefficientKind::networks:
            return std::make_unique<ThreeNetworks<Real>>(
                coefficient_plan(inputs, 1, options, centre), heads);
        case CoefficientKind::trunk:
            return std::make_unique<Trunk<Real>>(coefficient_plan(inputs, 3, options, centre),
                                                 heads);
    }
    throw argument_error("there are no such coefficients");
}

template <class Real>
std::unique_ptr<Coefficients<Real>> make_coefficients(std::unique_ptr<network::Network<Real>> P,
                                                      std::unique_ptr<network::Network<Real>> q,
                                                      std::unique_ptr<network::Network<Real>> w) {
    for (const auto* const network : {P.get(), q.get(), w.get()})
        if (network == nullptr || network->outputs() != 1 || network->inputs() != P->inputs())
            throw argument_error(
                "coefficients need three networks that take the same coordinates and give one "
                "number each");
    return std::make_unique<ThreeNetworks<Real>>(std::move(P), std::move(q), std::move(w));
}

template std::unique_ptr<Coefficients<float>> make_coefficients(
    std::unique_ptr<network::Network<float>>, std::unique_ptr<network::Network<float>>,
    std::unique_ptr<network::Network<float>>);
template std::unique_ptr<Coefficients<double>> make_coefficients(
    std::unique_ptr<network::Network<double>>, std::unique_ptr<network::Network<double>>,
    std::unique_ptr<network::Network<double>>);
template std::unique_ptr<Coefficients<float>> make_coefficients(std::size_t, const ModelOptions&,
                                                                double);
template std::unique_ptr<Coefficients<double>> make_coefficients(std::size_t, const ModelOptions&,
                                                                 double);

}  // namespace deepsl::model
