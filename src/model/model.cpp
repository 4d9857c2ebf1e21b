#include "deepsl/model/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "deepsl/field/kernel_guess.h"
#include "deepsl/parallel.h"
#include "model/networks.h"
#include "model/ridge.h"
#include "model/shapes.h"

namespace deepsl::model {
namespace {

template <class Real>
class ModelOf;

/// A chunk through all fields: their predictions add up, their spectra stand side by side, and a
/// sample that failed in one of them has failed.
template <class Real>
class ModelPass final : public Pass {
public:
    explicit ModelPass(const ModelOf<Real>& model)
        : model_(model), memory_(model.fields()), gradient_(model.parameters().size(), Real(0)) {}

    void regularise(double weight) override { energy_weight_ = weight; }

    const Prediction& forward(MatrixView<const double> x, bool keep) override {
        check_inputs(x, model_.inputs());
        const auto samples = x.rows(), d = model_.eigenvalues() / model_.fields();
        x_.assign(x.data(), x.data() + samples * x.columns());
        prediction_.resize(samples, model_.outputs(), model_.eigenvalues());
        std::fill_n(prediction_.y.data(), samples * model_.outputs(), 0.0);
        prediction_.penalty.assign(energy_weight_ > 0.0 ? samples : 0, 0.0);
        std::fill(prediction_.outcomes.begin(), prediction_.outcomes.end(), Outcome{});
        for (std::size_t m = 0; m < model_.fields(); ++m) {
            auto& memory = memory_[m];
            model_.branch(m).forward(x_.data(), samples, model_.numerics(), memory, keep,
                                     energy_weight_ > 0.0);
            for (std::size_t b = 0; b < samples; ++b) {
                auto& outcome = prediction_.outcomes[b];
                if (outcome.ok()) outcome = memory.outcomes[b];
                if (!outcome.ok()) continue;
                model_.branch(m).add_output(memory, b, prediction_.y.row(b));
                if (energy_weight_ > 0.0)
                    prediction_.penalty[b] += energy_weight_ * model_.branch(m).energy(memory, b);
                std::copy_n(memory.pairs.solution.lambda.data() + b * d, d,
                            prediction_.lambda.row(b).data() + m * d);
            }
        }
        ok_.assign(samples, 1);
        for (std::size_t b = 0; b < samples; ++b) {
            if (prediction_.outcomes[b].ok()) continue;
            ok_[b] = 0;
            std::ranges::fill(prediction_.y.row(b), 0.0);
            std::ranges::fill(prediction_.lambda.row(b), 0.0);
            if (energy_weight_ > 0.0) prediction_.penalty[b] = 0.0;
        }
        return prediction_;
    }

    void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                  Matrix<double>* dx) override {
        const auto samples = prediction_.size(), d = model_.eigenvalues() / model_.fields();
        check_seeds(dy, samples, model_.outputs(), "y");
        if (!dlambda.empty()) check_seeds(dlambda, samples, model_.eigenvalues(), "lambda");
        if (dx != nullptr) {
            dx->resize(samples, model_.inputs());
            std::ranges::fill(dx->values(), 0.0);
            dx_.resize(samples * model_.inputs());
        }
        for (std::size_t m = 0; m < model_.fields(); ++m) {
            if (!dlambda.empty()) {
                dlambda_.resize(samples, d);
                for (std::size_t b = 0; b < samples; ++b)
                    std::copy_n(dlambda.row(b).data() + m * d, d, dlambda_.row(b).data());
            }
            model_.branch(m).backward(
                dy, dlambda.empty() ? dlambda : MatrixView<const double>(dlambda_), energy_weight_,
                ok_, model_.numerics(), memory_[m], dx != nullptr ? dx_.data() : nullptr,
                gradient_.data());
            for (std::size_t i = 0; dx != nullptr && i < dx_.size(); ++i)
                dx->values()[i] += static_cast<double>(dx_[i]);
        }
    }

    void add_gradient(std::span<double> total) override {
        for (std::size_t i = 0; i < gradient_.size(); ++i)
            total[i] += static_cast<double>(gradient_[i]);
        std::fill(gradient_.begin(), gradient_.end(), Real(0));
    }

    std::size_t tape_bytes() const override {
        std::size_t bytes = 0;
        for (const auto& memory : memory_) bytes += memory.tape.capacity();
        return bytes;
    }

private:
    const ModelOf<Real>& model_;
    std::vector<BranchMemory<Real>> memory_;  // [field]
    std::vector<Real> gradient_, x_, dx_;
    Matrix<double> dlambda_;
    std::vector<char> ok_;
    double energy_weight_ = 0.0;
    Prediction prediction_;
};

template <class Real>
class ModelOf final : public Model {
public:
    ModelOf(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
            std::vector<BranchParts<Real>> parts, bool built_in, std::uint64_t seed)
        : Model(inputs, outputs, options, parts.front().domain), built_in_(built_in) {
        Random random(seed);
        for (auto& part : parts) {
            branches_.push_back(std::make_unique<Branch<Real>>(std::move(part), outputs));
            branches_.back()->enrol(parameters_, "field" + std::to_string(branches_.size()),
                                    random);
        }
        set_values(parameters_.values());
    }

    std::size_t fields() const override { return branches_.size(); }
    std::size_t eigenvalues() const override {
        return branches_.size() * branches_.front()->basis().size();
    }
    bool built_in() const override { return built_in_; }
    const Branch<Real>& branch(std::size_t m) const { return *branches_[m]; }

    std::unique_ptr<Pass> make_pass() const override {
        return std::make_unique<ModelPass<Real>>(*this);
    }

    double flops_per_sample() const override {
        double sum = 0.0;
        for (const auto& branch : branches_) sum += branch->flops_per_sample(numerics_);
        return sum;
    }

    void calibrate(MatrixView<const double> x, MatrixView<const double> targets) override;
    Inspection inspect(MatrixView<const double> x, std::size_t field,
                       const Numerics& numerics) const override;
    Matrix<double> field_at(MatrixView<const double> z, std::size_t field) const override;
    CoefficientValues coefficients_at(MatrixView<const double> z, std::size_t field) const override;

private:
    void load(std::span<const double> values) override {
        for (auto& branch : branches_) branch->load(values);
    }
    const Branch<Real>& checked_branch(std::size_t field) const {
        if (field >= branches_.size())
            throw argument_error("there is no field " + std::to_string(field + 1) +
                                 "; the model has " + std::to_string(branches_.size()));
        return *branches_[field];
    }

    std::vector<std::unique_ptr<Branch<Real>>> branches_;
    bool built_in_;
};

bool all_finite(std::span<const double> row) {
    return std::ranges::all_of(row, [](double c) { return std::isfinite(c); });
}

template <class Real>
void ModelOf<Real>::calibrate(MatrixView<const double> x, MatrixView<const double> targets) {
    check_inputs(x, inputs());
    if (targets.rows() != x.rows())
        throw argument_error("there are " + std::to_string(x.rows()) + " samples, but " +
                             std::to_string(targets.rows()) + " rows of targets");
    std::vector<std::size_t> usable;
    for (std::size_t b = 0; b < x.rows(); ++b)
        if (all_finite(x.row(b)) && all_finite(targets.row(b))) usable.push_back(b);
    if (usable.empty()) return;
    const auto samples = Matrix<double>(x).rows_at(usable);
    // The left singular vectors of a linear guess are the directions that matter, in order.
    const auto directions =
        options().directions == Directions::kernel
            ? field::kernel_directions(samples, Matrix<double>(targets).rows_at(usable), fields())
            : ridge_directions(samples, Matrix<double>(targets).rows_at(usable), fields());
    auto values = parameters_.values();
    for (std::size_t m = 0; m < std::min(fields(), directions.rows()); ++m)
        branches_[m]->field().set_direction(directions.row(m), values);
    set_values(values);

    constexpr std::size_t most = 4096;
    const auto count = std::min(samples.rows(), most), d = branches_.front()->basis().size();
    for (auto& branch : branches_) {
        Matrix<double> u(count, d);
        std::vector<Outcome> outcomes(count);
        for_each((count + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
            const auto first = chunk * chunk_rows, rows = std::min(chunk_rows, count - first);
            const auto part = samples.part(first, rows);
            const std::vector<Real> own(part.data(), part.data() + rows * inputs());
            BranchMemory<Real> memory;
            branch->forward(own.data(), rows, numerics_, memory, false);
            std::copy_n(memory.pairs.solution.u.data(), rows * d, u.row(first).data());
            std::copy_n(memory.outcomes.data(), rows, outcomes.data() + first);
        });
        branch->basis().measure(u, outcomes, values);
    }
    set_values(values);
}

template <class Real>
Inspection ModelOf<Real>::inspect(MatrixView<const double> x, std::size_t field,
                                  const Numerics& numerics) const {
    const auto& branch = checked_branch(field);
    check_inputs(x, inputs());
    const std::vector<Real> own(x.data(), x.data() + x.rows() * x.columns());
    BranchMemory<Real> memory;
    branch.forward(own.data(), x.rows(), numerics, memory, false, true);

    const auto& grid = memory.grid;
    const auto& solution = memory.pairs.solution;
    Inspection all;
    all.samples = x.rows(), all.inputs = inputs(), all.outputs = outputs();
    all.cells = grid.cells, all.nodes = grid.nodes, all.d = branch.basis().size();
    const auto nodes = all.cells * all.nodes;
    const auto matrix = [&](const auto& from, std::size_t columns) {
        return Matrix<double>(all.samples, columns,
                              std::vector<double>(from, from + all.samples * columns));
    };
    all.z.assign(grid.z.begin(),
                 grid.z.begin() + static_cast<std::ptrdiff_t>(all.samples * nodes * inputs()));
    all.entry = matrix(grid.entry(), inputs());
    all.exit = matrix(grid.exit.data(), inputs());
    all.t_minus = grid.t_minus, all.t_plus = grid.t_plus, all.residual = grid.residual;
    all.length = matrix(grid.length.data(), all.cells);
    all.P = matrix(memory.P.data(), nodes);
    all.q = matrix(memory.q.data(), nodes);
    all.w = matrix(memory.w.data(), nodes);
    all.lambda = matrix(solution.lambda.data(), all.d);
    all.u = matrix(solution.u.data(), all.d);
    all.u_edges = solution.u_edges, all.f_edges = solution.f_edges;
    all.passes = Matrix<int>(all.samples, all.d, solution.passes);
    all.outcomes = memory.outcomes;
    all.t_edges = Matrix<double>(all.samples, all.cells + 1);
    all.t_nodes = Matrix<double>(all.samples, nodes);
    all.basis = Matrix<double>(all.samples, all.d);
    all.constant.assign(branch.basis().bias().begin(), branch.basis().bias().end());
    all.sum_edges.assign(all.samples * outputs() * (all.cells + 1), 0.0);
    std::vector<double> u(all.d), scaled(all.d);
    const auto shares = sturm::nodes(numerics.scheme);
    for (std::size_t b = 0; b < all.samples; ++b) {
        double t = all.t_minus[b];
        for (std::size_t c = 0; c < all.cells; ++c) {
            all.t_edges(b, c) = t;
            for (std::size_t i = 0; i < all.nodes; ++i)
                all.t_nodes(b, c * all.nodes + i) = t + shares[i] * all.length(b, c);
            t += all.length(b, c);
        }
        all.t_edges(b, all.cells) = t;
        branch.basis().scaled(all.u.row(b), all.basis.row(b));
        for (std::size_t o = 0; o < outputs(); ++o)
            for (std::size_t i = 0; i < all.d; ++i)
                all.contributions.push_back(all.basis(b, i) *
                                            branch.basis().weight()[o * all.d + i]);
        for (std::size_t e = 0; e <= all.cells; ++e) {
            for (std::size_t i = 0; i < all.d; ++i) u[i] = all.u_along(b, i)[e];
            branch.basis().scaled(u, scaled);
            for (std::size_t o = 0; o < outputs(); ++o)
                all.sum_edges[(b * outputs() + o) * (all.cells + 1) + e] = std::inner_product(
                    scaled.begin(), scaled.end(),
                    branch.basis().weight().begin() + static_cast<std::ptrdiff_t>(o * all.d), 0.0);
        }
        all.steps.push_back(memory.lines.step_count(b));
    }
    return all;
}

template <class Real>
Matrix<double> ModelOf<Real>::field_at(MatrixView<const double> z, std::size_t field) const {
    check_inputs(z, inputs());
    const std::vector<Real> own(z.data(), z.data() + z.rows() * z.columns());
    std::vector<Real> a(own.size());
    checked_branch(field).field().forward(own.data(), z.rows(), a.data(), nullptr);
    return {z.rows(), z.columns(), std::vector<double>(a.begin(), a.end())};
}

template <class Real>
CoefficientValues ModelOf<Real>::coefficients_at(MatrixView<const double> z,
                                                 std::size_t field) const {
    check_inputs(z, inputs());
    const std::vector<Real> own(z.data(), z.data() + z.rows() * z.columns());
    std::vector<Real> P(z.rows()), q(z.rows()), w(z.rows());
    checked_branch(field).coefficients().forward(own.data(), z.rows(),
                                                 {P.data(), q.data(), w.data()}, nullptr);
    return {{P.begin(), P.end()}, {q.begin(), q.end()}, {w.begin(), w.end()}};
}

/// Of images with an auto-encoder, where that is asked for and the field has a network.
template <class Real>
std::unique_ptr<field::VectorField<Real>> make_built_in_field(std::size_t inputs,
                                                              const ModelOptions& options,
                                                              double centre) {
    const auto plan = field_plan(inputs, options, centre);
    if (!plan.up) return field::make_field<Real>(options.field, plan.mlp, inputs);
    switch (options.field) {
        case field::FieldKind::directional:
            return std::make_unique<field::DirectionalField<Real>>(inputs,
                                                                   make_network<Real>(plan));
        case field::FieldKind::positive:
            return std::make_unique<field::NetworkField<Real>>(
                make_network<Real>(plan.bounded({network::BoundedHead::sigmoid(0.01, 1.0)})));
        case field::FieldKind::straight:
        case field::FieldKind::gradient:
            return field::make_field<Real>(options.field, plan.mlp, inputs);
    }
    throw argument_error("there is no such field");
}

template <class Real>
std::unique_ptr<Model> built_in_model(std::size_t inputs, std::size_t outputs,
                                      const ModelOptions& options, std::uint64_t seed) {
    std::vector<BranchParts<Real>> parts;
    for (std::int64_t m = 0; m < options.fields; ++m)
        parts.push_back(make_parts<Real>(inputs, options));
    return std::make_unique<ModelOf<Real>>(inputs, outputs, options, std::move(parts), true, seed);
}

}  // namespace

Model::Model(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
             field::DomainPointer domain)
    : Predictor(inputs, outputs),
      options_(options),
      numerics_(numerics_of(options)),
      domain_(std::move(domain)) {}

void Model::set_numerics(const Numerics& numerics) {
    field::check_trace(numerics.trace, numerics.least_tolerance);
    if (numerics.cells < 1) throw argument_error("a line needs at least one cell a side");
    numerics_ = numerics;
}

ModelOptions Model::options() const {
    auto options = options_;
    options.method = numerics_.trace.method->adaptive() ? field::MethodKind::dormand_prince
                                                        : field::MethodKind::rk4;
    options.steps = numerics_.trace.steps;
    options.tolerance = numerics_.trace.tolerance;
    options.max_steps = numerics_.trace.max_steps;
    options.cells = static_cast<std::int64_t>(numerics_.cells);
    options.scheme = numerics_.scheme;
    return options;
}

template <class Real>
BranchParts<Real> make_parts(std::size_t inputs, const ModelOptions& options) {
    BranchParts<Real> parts;
    parts.domain = field::make_domain(options.domain, inputs);
    const double centre = parts.domain->centre();
    parts.field = make_built_in_field<Real>(inputs, options, centre);
    parts.coefficients = make_coefficients<Real>(inputs, options, centre);
    parts.eigenfunctions = static_cast<std::size_t>(options.eigenfunctions);
    if (options.start_network)
        parts.start =
            make_network<Real>(coefficient_plan(inputs, parts.eigenfunctions, options, centre));
    parts.normalise = options.normalise;
    parts.basis_scale = options.basis_scale;
    parts.linear_start = {options.initialiser, options.linear_gain};
    return parts;
}

std::unique_ptr<Model> make_model(std::size_t inputs, std::size_t outputs,
                                  const ModelOptions& options, std::uint64_t seed) {
    check_model(options);
    switch (options.precision) {
        case Precision::float32: return built_in_model<float>(inputs, outputs, options, seed);
        case Precision::float64: return built_in_model<double>(inputs, outputs, options, seed);
    }
    throw argument_error("there is no such precision");
}

template <class Real>
std::unique_ptr<Model> make_model(std::size_t outputs, std::vector<BranchParts<Real>> parts,
                                  const ModelOptions& options, std::uint64_t seed) {
    if (parts.empty()) throw argument_error("a model needs at least one field");
    for (const auto& part : parts)
        if (part.domain == nullptr || part.field == nullptr || part.coefficients == nullptr)
            throw argument_error("each field of a model needs a domain, a field and coefficients");
    auto own = options;
    own.precision = sizeof(Real) == sizeof(float) ? Precision::float32 : Precision::float64;
    own.fields = static_cast<std::int64_t>(parts.size());
    own.eigenfunctions = static_cast<std::int64_t>(parts.front().eigenfunctions);
    check_model(own);
    const auto inputs = parts.front().domain->dimensions();
    for (const auto& part : parts)
        if (part.domain->dimensions() != inputs ||
            part.eigenfunctions != parts.front().eigenfunctions)
            throw argument_error(
                "all fields of a model need a domain of the same dimensions and "
                "as many eigenfunctions");
    return std::make_unique<ModelOf<Real>>(inputs, outputs, own, std::move(parts), false, seed);
}

template BranchParts<float> make_parts(std::size_t, const ModelOptions&);
template BranchParts<double> make_parts(std::size_t, const ModelOptions&);
template std::unique_ptr<Model> make_model(std::size_t, std::vector<BranchParts<float>>,
                                           const ModelOptions&, std::uint64_t);
template std::unique_ptr<Model> make_model(std::size_t, std::vector<BranchParts<double>>,
                                           const ModelOptions&, std::uint64_t);

}  // namespace deepsl::model
