#include "deepsl/model/model.h"

#include <algorithm>
#include <limits>

#include "model/networks.h"
#include "model/ridge.h"

namespace deepsl::model {
namespace {

using torch::Tensor;

constexpr double least_float_tolerance = 1e-6;  // of an adaptive method, per step

Numerics numerics_of(const ModelOptions& options) {
    Numerics numerics;
    numerics.trace.method = &method_of(options);
    numerics.trace.steps = static_cast<int>(options.steps);
    numerics.trace.tolerance = options.tolerance;
    numerics.trace.max_steps = static_cast<int>(options.max_steps);
    numerics.cells = options.cells;
    numerics.least_tolerance = options.precision == "float64" ? 1e-13 : least_float_tolerance;
    numerics.scheme = scheme_of(options);
    return numerics;
}

const ModelOptions& checked(const ModelOptions& options) {
    check_model(options);
    return options;
}

/// What the lines alone tell.
std::vector<Outcome> outcomes_of(const field::FieldLines& lines) {
    const auto status = lines.status();
    std::vector<Outcome> outcomes(status.size());
    for (std::size_t b = 0; b < status.size(); ++b) outcomes[b].line = status[b];
    return outcomes;
}

}  // namespace

Numerics Numerics::finer(int factor) const {
    Numerics result = *this;
    result.trace.steps *= factor;
    result.trace.max_steps *= factor;
    result.trace.tolerance =
        std::min(trace.tolerance, std::max(trace.tolerance / factor, least_tolerance));
    result.cells *= factor;
    return result;
}

ModelOptions model_preset(std::string_view name) {
    ModelOptions options;
    if (name == "default") return options;
    if (name != "paper")
        throw OptionError("there is no preset '" + std::string(name) + "'; use default or paper");
    options.domain = "box";
    options.field = "positive";
    options.eigenfunctions = 10;
    options.hidden = {128, 64, 32};
    options.activation = "leaky_relu";
    options.field_hidden = {128, 64, 32};
    options.field_activation = "tanh";
    options.last_gain = 1.0;
    options.heads = "paper";
    options.input_scale = 4.0;
    return options;
}

void check_model(const ModelOptions& options) {
    visit_model(options, CheckOption{});
    const bool narrow = options.precision == "float32";
    if (options.method != "rk4" && narrow && options.tolerance < least_float_tolerance)
        throw OptionError(
            "tolerance must be 1e-06 or more where the networks are of precision float32, but is " +
            option_text(options.tolerance) + "; raise it, or use precision float64");
}

BranchImpl::BranchImpl(std::int64_t inputs, std::int64_t outputs, const ModelOptions& options)
    : domain_(domain_of(inputs, options)) {
    auto mlp = network_options(inputs, inputs, options, domain_->centre());
    mlp.hidden = options.field_hidden;
    mlp.activation = activation_of(options.field_activation);
    if (options.field == "positive") {
        field_ = register_module("field", std::make_shared<field::PositiveFieldImpl>(mlp));
    } else {
        field_ = register_module("field", std::make_shared<field::DirectionalFieldImpl>(
                                              mlp, options.field != "straight"));
    }
    mlp = network_options(inputs, 1, options, domain_->centre());
    const Heads heads(options);
    mlp.head = heads.P;
    P_ = register_module("P", network::Mlp(mlp));
    mlp.head = heads.q;
    q_ = register_module("q", network::Mlp(mlp));
    mlp.head = heads.w;
    w_ = register_module("w", network::Mlp(mlp));
    if (options.start_network) {
        mlp.head.reset();
        mlp.outputs = options.eigenfunctions;
        v_ = register_module("v", network::Mlp(mlp));
    }
    basis_ = Basis(*this, outputs, options);
}

Coefficients BranchImpl::coefficients(const Tensor& z) {
    return {P_->forward(z).squeeze(1), q_->forward(z).squeeze(1), w_->forward(z).squeeze(1)};
}

LineProblems BranchImpl::problems(const field::LineGrid& grid, const Numerics& numerics) {
    const auto samples = grid.z.size(0);
    const auto shape = grid.z.sizes().slice(0, 3);
    const auto z = grid.z.reshape({-1, grid.z.size(3)});
    // 1/p is wanted where the line enters, too: there u' = v is turned into p u'.
    const auto P = P_->forward(torch::cat({z, grid.entry})).squeeze(1);
    const auto v = v_.is_empty() ? Tensor() : 1.0 + v_->forward(grid.entry);
    return {P.narrow(0, 0, z.size(0)).reshape(shape),
            q_->forward(z).reshape(shape),
            w_->forward(z).reshape(shape),
            grid.length,
            P.narrow(0, z.size(0), samples),
            v,
            numerics.scheme};
}

void BranchImpl::set_field(field::VectorFieldPointer field) {
    field->to(linear()->weight.scalar_type());
    field_ = replace_module("field", std::move(field));
}

Prediction BranchImpl::forward(const Tensor& x, const Numerics& numerics) {
    const auto lines = field::trace(*field_, domain_, x, numerics.trace);
    const auto grid = field::grid(lines, numerics.cells, numerics.scheme);
    return basis_.predict(eigenpairs(problems(grid, numerics), basis_.size()), outcomes_of(lines));
}

Inspection BranchImpl::inspect(const Tensor& x, const Numerics& numerics) {
    const torch::NoGradGuard no_grad;
    const auto lines = field::trace(*field_, domain_, x, numerics.trace);
    const auto grid = field::grid(lines, numerics.cells, numerics.scheme);
    const auto on_line = problems(grid, numerics);
    const auto pairs = eigenpairs(on_line, basis_.size(), true);

    Inspection all;
    all.grid = grid;
    const auto cells = grid.length.size(1);
    all.t_edges = torch::zeros({x.size(0), cells + 1}, torch::kFloat64);
    all.t_edges.narrow(1, 1, cells).copy_(grid.length.cumsum(1));
    all.t_edges += grid.t_minus.unsqueeze(1);
    const auto nodes = sturm::nodes(numerics.scheme);
    const auto shares = torch::tensor(std::vector<double>(nodes.begin(), nodes.end()));
    all.t_nodes = all.t_edges.narrow(1, 0, cells).unsqueeze(2) + grid.length.unsqueeze(2) * shares;
    all.P = on_line.P.to(torch::kFloat64);
    all.q = on_line.q.to(torch::kFloat64);
    all.w = on_line.w.to(torch::kFloat64);
    all.lambda = pairs.lambda;
    all.u_edges = pairs.u_edges;
    all.f_edges = pairs.f_edges;
    all.u = pairs.u;
    all.basis = basis_.scaled(pairs.u);
    all.contributions = all.basis.unsqueeze(1) * linear()->weight;
    all.constant = linear()->bias.detach().clone();
    all.passes = pairs.passes;
    all.steps = lines.step_counts();
    all.outcomes = outcomes_of(lines);
    basis_.mark(pairs, all.outcomes);
    return all;
}

void BranchImpl::calibrate(const Tensor& x, const Numerics& numerics) {
    const auto seen = inspect(x, numerics);
    basis_.measure(seen.u, seen.outcomes);
}

std::int64_t BranchImpl::coefficient_flops_per_node() const {
    return P_->flops_per_row() + q_->flops_per_row() + w_->flops_per_row();
}

ModelImpl::ModelImpl(std::int64_t inputs, std::int64_t outputs, const ModelOptions& options)
    : PredictorImpl(inputs, outputs),
      options_(checked(options)),
      numerics_(numerics_of(options)),
      domain_(domain_of(inputs, options)) {
    for (std::int64_t m = 0; m < options.fields; ++m)
        branches_.push_back(
            register_module("field" + std::to_string(m + 1), Branch(inputs, outputs, options)));
    set_precision(*this, options);
}

std::vector<Tensor> ModelImpl::linear_parameters() {
    std::vector<Tensor> result;
    for (auto& branch : branches_)
        for (const auto& p : branch->linear()->parameters()) result.push_back(p);
    return result;
}

Prediction ModelImpl::term(std::size_t field, const Tensor& x) {
    return branches_[field]->forward(x.to(scalar_type()), numerics_);
}

Prediction ModelImpl::forward(const Tensor& x) {
    std::vector<Prediction> predictions;
    for (std::size_t m = 0; m < terms(); ++m) predictions.push_back(term(m, x));
    return sum(predictions);
}

ModelOptions ModelImpl::options() const {
    auto options = options_;
    options.method = numerics_.trace.method->name;
    options.steps = numerics_.trace.steps;
    options.tolerance = numerics_.trace.tolerance;
    options.max_steps = numerics_.trace.max_steps;
    options.cells = numerics_.cells;
    options.scheme = numerics_.scheme == sturm::Scheme::midpoint ? "midpoint" : "magnus4";
    return options;
}

Inspection ModelImpl::inspect(const Tensor& x, std::int64_t field) {
    TORCH_CHECK(field >= 0 && field < options_.fields, "there is no field ", field);
    return branches_[static_cast<std::size_t>(field)]->inspect(x.to(scalar_type()), numerics_);
}

void ModelImpl::calibrate(const Tensor& x, const Tensor& targets) {
    const torch::NoGradGuard no_grad;
    const auto finite = torch::isfinite(x).all(1).logical_and(torch::isfinite(targets).all(1));
    if (!finite.all().item<bool>()) return calibrate(x.index({finite}), targets.index({finite}));
    if (x.size(0) == 0) return;
    // The left singular vectors of a linear guess are the directions that matter, in order.
    const auto weights = ridge_weights(x.to(torch::kFloat64), targets.to(torch::kFloat64));
    const auto directions = std::get<0>(torch::linalg_svd(weights, true));
    for (std::size_t m = 0; m < branches_.size(); ++m) {
        auto* field = dynamic_cast<field::DirectionalFieldImpl*>(&branches_[m]->field());
        if (field != nullptr && static_cast<std::int64_t>(m) < inputs())
            field->set_direction(directions.select(1, static_cast<std::int64_t>(m)));
        const auto part = x.narrow(0, 0, std::min<std::int64_t>(x.size(0), 4096));
        branches_[m]->calibrate(part.to(scalar_type()), numerics_);
    }
}

}  // namespace deepsl::model
