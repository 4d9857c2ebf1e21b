#include "deepsl/model/ablation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deepsl/error.h"
#include "deepsl/field/domain.h"
#include "deepsl/model/basis.h"
#include "deepsl/model/eigenpairs.h"
#include "deepsl/parallel.h"
#include "model/baseline_pass.h"
#include "model/networks.h"

namespace deepsl::model {
namespace {

template <class Real>
struct AblationParts {
    std::unique_ptr<Coefficients<Real>> coefficients;
    Basis basis;
    bool normalise;
    std::size_t cells;  // of [0, 1]
    sturm::Scheme scheme;
    std::vector<Real> times;  // of the nodes, then of the start
};

template <class Real>
class AblationPass final : public BaselinePass<Real> {
public:
    AblationPass(const Predictor& model, const AblationParts<Real>& parts)
        : BaselinePass<Real>(model), parts_(parts), outputs_(model.outputs()) {}

    const Prediction& forward(MatrixView<const double> x, bool keep) override {
        const auto d = parts_.basis.size();
        this->begin(x, outputs_, d);
        do {
            evaluate_coefficients(keep ? &tape_ : nullptr);
        } while (this->drop_failed());
        if (rows_.empty()) return prediction_;
        solve_problems();
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            prediction_.outcomes[rows_[r]] = outcomes_[r];
            if (!outcomes_[r].ok()) continue;
            parts_.basis.add(u(r), prediction_.y.row(rows_[r]));
            std::copy_n(pairs_.solution.lambda.data() + r * d, d,
                        prediction_.lambda.row(rows_[r]).data());
        }
        return prediction_;
    }

    void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                  Matrix<double>* dx) override;

    /// Eigenfunctions of the last forward, by sample, from row `first` of `all` on.
    void put_functions(std::size_t first, Matrix<double>& all) const {
        for (std::size_t r = 0; r < rows_.size(); ++r)
            if (outcomes_[r].ok()) std::ranges::copy(u(r), all.row(first + rows_[r]).begin());
    }

private:
    using BaselinePass<Real>::inputs_, BaselinePass<Real>::rows_, BaselinePass<Real>::tape_;
    using BaselinePass<Real>::prediction_;

    std::span<const double> u(std::size_t r) const {
        return {pairs_.solution.u.data() + r * parts_.basis.size(), parts_.basis.size()};
    }
    std::size_t nodes() const { return parts_.times.size() - 1; }

    void evaluate_coefficients(network::Tape* tape);
    void solve_problems();

    const AblationParts<Real>& parts_;
    std::size_t outputs_;
    std::vector<Real> z_, P_, q_, w_;      // at the nodes [row, node], then at the starts [row]
    std::vector<Real> dz_, dP_, dq_, dw_;  // derivatives by them
    std::vector<double> length_, du_, dlambda_;
    Eigenpairs pairs_;
    std::vector<Outcome> outcomes_;  // [row]
};

/// P, q and w at all nodes of the samples that take part. 1/p is wanted at t = 0, too: there u' = 1
/// is turned into p u'.
template <class Real>
void AblationPass<Real>::evaluate_coefficients(network::Tape* tape) {
    const auto samples = rows_.size(), n = inputs_, count = samples * (nodes() + 1);
    tape_.clear();
    if (samples == 0) return;
    z_.resize(count * (n + 1));
    P_.resize(count), q_.resize(count), w_.resize(count);
    Real* to = z_.data();
    const auto put = [&](std::size_t r, Real time) {
        to = std::copy_n(this->sample(rows_[r]), n, to);
        *to++ = time;
    };
    for (std::size_t r = 0; r < samples; ++r)
        for (std::size_t i = 0; i < nodes(); ++i) put(r, parts_.times[i]);
    for (std::size_t r = 0; r < samples; ++r) put(r, parts_.times[nodes()]);
    parts_.coefficients->forward(z_.data(), count, {P_.data(), q_.data(), w_.data()}, tape);
    const auto finite = [&](std::size_t at) {
        return std::isfinite(P_[at]) && std::isfinite(q_[at]) && std::isfinite(w_[at]);
    };
    for (std::size_t r = 0; r < samples; ++r) {
        bool all = finite(samples * nodes() + r);
        for (std::size_t i = 0; all && i < nodes(); ++i) all = finite(r * nodes() + i);
        if (!all) this->set_status(rows_[r], field::LineStatus::not_finite);
    }
}

template <class Real>
void AblationPass<Real>::solve_problems() {
    const auto samples = rows_.size(), cells = parts_.cells;
    const auto inside = static_cast<std::ptrdiff_t>(samples * nodes());
    length_.assign(samples * cells, 1.0 / static_cast<double>(cells));
    pairs_.problems = samples, pairs_.cells = cells, pairs_.d = parts_.basis.size();
    pairs_.scheme = parts_.scheme, pairs_.length = length_;
    pairs_.normalised = parts_.normalise;
    pairs_.P.assign(P_.begin(), P_.end());
    pairs_.q.assign(q_.begin(), q_.begin() + inside);
    pairs_.w.assign(w_.begin(), w_.begin() + inside);
    solve(pairs_);
    outcomes_.assign(samples, Outcome{});
    parts_.basis.mark(pairs_.solution, outcomes_);
}

template <class Real>
void AblationPass<Real>::backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                                  Matrix<double>* dx) {
    if (dx != nullptr) this->begin_dx(*dx);
    const auto samples = rows_.size(), n = inputs_, d = parts_.basis.size();
    if (samples == 0) return;
    du_.assign(samples * d, 0.0);
    dlambda_.assign(dlambda.empty() ? 0 : samples * d, 0.0);
    for (std::size_t r = 0; r < samples; ++r) {
        if (!outcomes_[r].ok()) continue;
        parts_.basis.pullback(u(r), dy.row(rows_[r]), {du_.data() + r * d, d},
                              this->gradient_.data());
        if (!dlambda.empty()) std::copy_n(dlambda.row(rows_[r]).data(), d, dlambda_.data() + r * d);
    }
    pull_back(pairs_, dlambda_, du_);

    const auto count = samples * (nodes() + 1), inside = samples * nodes();
    const auto narrowed = [](const std::vector<double>& from, Real* to) {
        std::transform(from.begin(), from.end(), to, [](double c) { return static_cast<Real>(c); });
    };
    dP_.resize(count);
    narrowed(pairs_.gradient.P, dP_.data());
    narrowed(pairs_.gradient.P_start, dP_.data() + inside);
    dq_.assign(count, Real(0)), dw_.assign(count, Real(0));
    narrowed(pairs_.gradient.q, dq_.data());
    narrowed(pairs_.gradient.w, dw_.data());
    dz_.resize(dx != nullptr ? z_.size() : 0);
    parts_.coefficients->pullback(z_.data(), count, {dP_.data(), dq_.data(), dw_.data()}, tape_,
                                  dx != nullptr ? dz_.data() : nullptr, this->gradient_.data());
    if (dx == nullptr) return;
    const auto add = [&](std::size_t r, std::size_t at) {
        for (std::size_t i = 0; i < n; ++i)
            (*dx)(rows_[r], i) += static_cast<double>(dz_[at * (n + 1) + i]);
    };
    for (std::size_t r = 0; r < samples; ++r) {
        for (std::size_t i = 0; i < nodes(); ++i) add(r, r * nodes() + i);
        add(r, inside + r);
    }
}

template <class Real>
class AblationOf final : public Ablation {
public:
    /// Without coefficients of the caller's: those that the options ask for.
    AblationOf(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
               std::unique_ptr<Coefficients<Real>> own, std::uint64_t seed)
        : Ablation(inputs, outputs),
          options_(options),
          built_in_(own == nullptr),
          parts_(parts(inputs, outputs, options, std::move(own))) {
        Random random(seed);
        parts_.coefficients->enrol(parameters_, "", random);
        parts_.basis.enrol(parameters_, "");
        parts_.basis.start(parameters_, {options.initialiser, options.linear_gain}, random);
        set_values(parameters_.values());
    }

    std::size_t eigenvalues() const override { return parts_.basis.size(); }
    ModelOptions options() const override { return options_; }
    bool built_in() const override { return built_in_; }
    double flops_per_sample() const override {
        return static_cast<double>(parts_.times.size() * parts_.coefficients->flops_per_row());
    }
    std::unique_ptr<Pass> make_pass() const override {
        return std::make_unique<AblationPass<Real>>(*this, parts_);
    }

    Spectrum spectrum(MatrixView<const double> x) const override;
    void calibrate(MatrixView<const double> x, MatrixView<const double> targets) override;

private:
    static AblationParts<Real> parts(std::size_t inputs, std::size_t outputs, const ModelOptions& o,
                                     std::unique_ptr<Coefficients<Real>> coefficients) {
        const double centre = field::make_domain(o.domain, inputs)->centre(), start = centre - 0.5;
        if (coefficients == nullptr)
            coefficients = make_coefficients<Real>(inputs + 1, without_convolutions(o), centre);
        const Basis basis(static_cast<std::size_t>(o.eigenfunctions), outputs, o.basis_scale);
        const auto cells = 2 * static_cast<std::size_t>(o.cells);
        const double length = 1.0 / static_cast<double>(cells);
        std::vector<Real> times;
        for (std::size_t c = 0; c < cells; ++c)
            for (const double share : sturm::nodes(o.scheme))
                times.push_back(
                    static_cast<Real>(start + length * (static_cast<double>(c) + share)));
        times.push_back(static_cast<Real>(start));
        return {std::move(coefficients), basis, o.normalise, cells, o.scheme, std::move(times)};
    }
    void load(std::span<const double> values) override {
        parts_.coefficients->load(values);
        parts_.basis.load(values);
    }

    ModelOptions options_;
    bool built_in_;
    AblationParts<Real> parts_;
};

template <class Real>
Spectrum AblationOf<Real>::spectrum(MatrixView<const double> x) const {
    const auto rows = x.rows(), d = eigenvalues();
    Spectrum all{Matrix<double>(rows, d), Matrix<double>(rows, d), std::vector<Outcome>(rows)};
    for_each((rows + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows;
        AblationPass<Real> pass(*this, parts_);
        const auto& part = pass.forward(x.part(first, std::min(chunk_rows, rows - first)), false);
        std::ranges::copy(part.lambda.values(), all.lambda.row(first).begin());
        std::ranges::copy(part.outcomes, all.outcomes.data() + first);
        pass.put_functions(first, all.u);
    });
    return all;
}

/// Measures the scale of the basis.
template <class Real>
void AblationOf<Real>::calibrate(MatrixView<const double> x, MatrixView<const double>) {
    constexpr std::size_t most = 4096;
    std::vector<std::size_t> finite;
    for (std::size_t b = 0; b < x.rows() && finite.size() < most; ++b)
        if (usable(x.row(b).data(), x.columns())) finite.push_back(b);
    Matrix<double> part(finite.size(), x.columns());
    for (std::size_t i = 0; i < finite.size(); ++i)
        std::ranges::copy(x.row(finite[i]), part.row(i).begin());
    const auto found = spectrum(part);
    auto values = parameters_.values();
    parts_.basis.measure(found.u, found.outcomes, values);
    set_values(values);
}

}  // namespace

std::unique_ptr<Ablation> make_ablation(std::size_t inputs, std::size_t outputs,
                                        const ModelOptions& options, std::uint64_t seed) {
    check_model(options);
    switch (options.precision) {
        case Precision::float32:
            return std::make_unique<AblationOf<float>>(inputs, outputs, options, nullptr, seed);
        case Precision::float64:
            return std::make_unique<AblationOf<double>>(inputs, outputs, options, nullptr, seed);
    }
    throw argument_error("there is no such precision");
}

template <class Real>
std::unique_ptr<Ablation> make_ablation(std::size_t inputs, std::size_t outputs,
                                        std::unique_ptr<Coefficients<Real>> coefficients,
                                        const ModelOptions& options, std::uint64_t seed) {
    if (coefficients == nullptr)
        throw argument_error("an ablation needs coefficients, but none were given");
    const auto own = with_precision<Real>(options);
    return std::make_unique<AblationOf<Real>>(inputs, outputs, own, std::move(coefficients), seed);
}

template std::unique_ptr<Ablation> make_ablation(std::size_t, std::size_t,
                                                 std::unique_ptr<Coefficients<float>>,
                                                 const ModelOptions&, std::uint64_t);
template std::unique_ptr<Ablation> make_ablation(std::size_t, std::size_t,
                                                 std::unique_ptr<Coefficients<double>>,
                                                 const ModelOptions&, std::uint64_t);

}  // namespace deepsl::model
