#include "deepsl/torch/deep_sturm_liouville.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "deepsl/error.h"
#include "deepsl/model/model.h"
#include "torch/evaluator.h"

namespace deepsl::libtorch {
namespace {

std::int64_t signed_size(std::size_t size) { return static_cast<std::int64_t>(size); }

std::vector<std::int64_t> signed_shape(const std::vector<std::size_t>& shape) {
    return {shape.begin(), shape.end()};
}

torch::Tensor in_double(const torch::Tensor& tensor) {
    return tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
}

Matrix<double> matrix_of(const torch::Tensor& tensor, std::size_t columns, const char* what) {
    if (tensor.dim() != 2 || tensor.size(1) != signed_size(columns))
        throw argument_error(
            fmt::format("{} must have the shape [batch, {}], but it has [{}]", what, columns,
                        fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", ")));
    const auto own = in_double(tensor);
    const auto* const data = own.data_ptr<double>();
    return {static_cast<std::size_t>(own.size(0)), columns,
            std::vector<double>(data, data + own.numel())};
}

torch::Tensor tensor_of(const Matrix<double>& matrix) {
    return torch::from_blob(const_cast<double*>(matrix.data()),
                            {signed_size(matrix.rows()), signed_size(matrix.columns())},
                            torch::kFloat64)
        .clone();
}

/// A batch between forward and backward, in torch's hands.
struct Kept : torch::CustomClassHolder {
    Kept(const std::shared_ptr<Evaluator>& of, std::vector<double> values, Matrix<double> r)
        : evaluator(of), batch(of, std::move(values), std::move(r)) {}

    std::shared_ptr<const Evaluator> evaluator;
    Batch batch;
};
using KeptPointer = c10::intrusive_ptr<Kept>;

/// y and lambda as a function of r and of the parameters that learn; the batch has their values.
struct EvaluateFunction : torch::autograd::Function<EvaluateFunction> {
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                  const torch::Tensor& /*r*/,
                                                  const at::TensorList& /*parameters*/,
                                                  const KeptPointer& kept) {
        context->saved_data["kept"] = c10::IValue::make_capsule(kept);
        context->set_materialize_grads(false);
        const auto& prediction = kept->batch.forward(true);
        return {tensor_of(prediction.y), tensor_of(prediction.lambda)};
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& seeds) {
        const auto capsule = context->saved_data["kept"].toCapsule();
        auto& kept = static_cast<Kept&>(*capsule);
        const auto& parameters = kept.evaluator->predictor().parameters();
        const auto& prediction = kept.batch.prediction();

        const auto dy = seeds[0].defined()
                            ? matrix_of(seeds[0], prediction.y.columns(), "dF")
                            : Matrix<double>(prediction.size(), prediction.y.columns());
        const auto dlambda = seeds[1].defined()
                                 ? matrix_of(seeds[1], prediction.lambda.columns(), "dlambda")
                                 : Matrix<double>();
        const auto gradient = torch::zeros({signed_size(parameters.size())}, torch::kFloat64);
        const bool by_r = context->needs_input_grad(0);
        Matrix<double> dr;
        kept.batch.backward(dy, dlambda, {gradient.data_ptr<double>(), parameters.size()},
                            by_r ? &dr : nullptr);

        torch::autograd::variable_list result{by_r ? tensor_of(dr) : torch::Tensor()};
        for (const auto& p : parameters.list())
            if (p.role != network::Role::measured)
                result.push_back(gradient.narrow(0, signed_size(p.offset), signed_size(p.size()))
                                     .view(signed_shape(p.shape)));
        result.emplace_back();  // the batch is no tensor
        return result;
    }
};

std::unique_ptr<model::Predictor> checked(std::unique_ptr<model::Predictor> predictor) {
    if (predictor == nullptr) throw argument_error("a module needs a model, but none was given");
    return predictor;
}

field::DomainPointer entered_domain(const model::Predictor& predictor, Inputs given) {
    switch (given) {
        case Inputs::any:
            if (const auto* const model = dynamic_cast<const model::Model*>(&predictor))
                return model->domain();
            return field::make_domain(predictor.options().domain, predictor.inputs());
        case Inputs::inside: return nullptr;
    }
    throw argument_error("there are no such inputs");
}

}  // namespace

DeepSturmLiouvilleImpl::DeepSturmLiouvilleImpl(std::size_t inputs, std::size_t outputs,
                                               const model::ModelOptions& options,
                                               std::uint64_t seed, Inputs given)
    : DeepSturmLiouvilleImpl(model::make_model(inputs, outputs, options, seed), given) {}

DeepSturmLiouvilleImpl::DeepSturmLiouvilleImpl(std::unique_ptr<model::Predictor> predictor,
                                               Inputs given)
    : torch::nn::Module("DeepSturmLiouville") {
    auto own = checked(std::move(predictor));
    auto entered = entered_domain(*own, given);
    evaluator_ = std::make_shared<Evaluator>(std::move(own), std::move(entered));
    enlist();
    take_values();
}

DeepSturmLiouvilleImpl::~DeepSturmLiouvilleImpl() = default;

/// "field1.P.weight1" is weight1 of a module P in a module field1: torch's names have no dots.
void DeepSturmLiouvilleImpl::enlist() {
    const auto type = evaluator_->predictor().options().precision == model::Precision::float32
                          ? torch::kFloat32
                          : torch::kFloat64;
    for (const auto& p : evaluator_->predictor().parameters().list()) {
        torch::nn::Module* owner = this;
        std::size_t from = 0;
        for (auto dot = p.name.find('.'); dot != std::string::npos; dot = p.name.find('.', from)) {
            const auto name = p.name.substr(from, dot - from);
            const auto children = owner->named_children();
            const auto* const child = children.find(name);
            owner =
                child != nullptr
                    ? child->get()
                    : owner->register_module(name, std::make_shared<torch::nn::Module>(name)).get();
            from = dot + 1;
        }
        const auto last = p.name.substr(from);
        const bool learns = p.role != network::Role::measured;
        // What has been measured is not rounded.
        const auto zeros = torch::zeros(signed_shape(p.shape), learns ? type : torch::kFloat64);
        if (learns)
            learned_.push_back({owner->register_parameter(last, zeros), p.role, p.offset});
        else
            measured_.push_back({owner->register_buffer(last, zeros), p.role, p.offset});
    }
}

std::vector<double> DeepSturmLiouvilleImpl::present_values() const {
    std::vector<double> values(evaluator_->predictor().parameters().size());
    for (const auto* const parts : {&learned_, &measured_})
        for (const auto& part : *parts) {
            if (!part.tensor.device().is_cpu())
                throw argument_error(
                    "Deep Sturm-Liouville works on the CPU; leave its parameters there");
            const auto own = in_double(part.tensor);
            std::copy_n(own.data_ptr<double>(), own.numel(), values.data() + part.offset);
        }
    return values;
}

void DeepSturmLiouvilleImpl::take_values() {
    const torch::NoGradGuard no_graph;
    const auto& values = evaluator_->predictor().parameters().values();
    for (auto* const parts : {&learned_, &measured_})
        for (auto& part : *parts)
            part.tensor.copy_(torch::from_blob(const_cast<double*>(values.data() + part.offset),
                                               part.tensor.sizes(), torch::kFloat64));
}

torch::Tensor DeepSturmLiouvilleImpl::forward(const torch::Tensor& r) { return evaluate(r).y; }

Evaluation DeepSturmLiouvilleImpl::evaluate(const torch::Tensor& r) {
    if (!r.is_floating_point())
        throw argument_error(fmt::format("the input must be of floating point, but it is of {}",
                                         toString(r.scalar_type())));
    const auto kept = c10::make_intrusive<Kept>(
        evaluator_, present_values(), matrix_of(r, evaluator_->predictor().inputs(), "the input"));
    std::vector<torch::Tensor> learned;
    for (const auto& part : learned_) learned.push_back(part.tensor);
    const bool graph =
        torch::GradMode::is_enabled() &&
        (r.requires_grad() || std::ranges::any_of(learned, [](const torch::Tensor& parameter) {
             return parameter.requires_grad();
         }));
    torch::autograd::variable_list found;
    if (graph) {
        // Device and precision of r are torch's matter, on the way back, too.
        found = EvaluateFunction::apply(r.to(torch::kCPU, torch::kFloat64), at::TensorList(learned),
                                        kept);
    } else {
        const auto& prediction = kept->batch.forward(false);
        found = {tensor_of(prediction.y), tensor_of(prediction.lambda)};
    }
    Evaluation result;
    result.y = found[0].to(r.options());
    result.lambda = found[1].to(r.options());
    result.outcomes = outcomes_ = kept->batch.prediction().outcomes;
    result.ok = torch::empty({r.size(0)}, torch::kBool);
    std::ranges::transform(outcomes_, result.ok.data_ptr<bool>(), &model::Outcome::ok);
    result.ok = result.ok.to(r.device());
    return result;
}

void DeepSturmLiouvilleImpl::calibrate(const torch::Tensor& r, const torch::Tensor& targets) {
    auto& model = evaluator_->predictor();
    auto given = matrix_of(r, model.inputs(), "the input");
    const auto wanted = matrix_of(targets, model.outputs(), "the target");
    const std::lock_guard lock(evaluator_->in_use());
    evaluator_->load(present_values());
    model.calibrate(evaluator_->enter(std::move(given)), wanted);
    take_values();
}

std::vector<torch::Tensor> DeepSturmLiouvilleImpl::parameters_of(network::Role role) const {
    std::vector<torch::Tensor> result;
    for (const auto& part : learned_)
        if (part.role == role) result.push_back(part.tensor);
    return result;
}

const model::Predictor& DeepSturmLiouvilleImpl::predictor() {
    const std::lock_guard lock(evaluator_->in_use());
    evaluator_->load(present_values());
    return evaluator_->predictor();
}

}  // namespace deepsl::libtorch
