#include "deepsl/torch/torch_network.h"

#include <algorithm>
#include <utility>

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "deepsl/error.h"

namespace deepsl::libtorch {
namespace {

template <class Real>
constexpr auto type_of() {
    return sizeof(Real) == sizeof(float) ? torch::kFloat32 : torch::kFloat64;
}

std::int64_t signed_size(std::size_t size) { return static_cast<std::int64_t>(size); }

/// Rows that somebody else owns, to be read.
template <class Real>
torch::Tensor tensor_of(const Real* rows, std::size_t count, std::size_t columns) {
    return torch::from_blob(const_cast<Real*>(rows), {signed_size(count), signed_size(columns)},
                            torch::TensorOptions(type_of<Real>()));
}

/// What one forward leaves for its pullback.
struct Graph {
    torch::Tensor x, y;
};

/// A thread of the engine has not heard of set_num_threads before torch tells it.
void begin_thread() {
    thread_local const bool begun = (at::init_num_threads(), true);
    static_cast<void>(begun);
}

std::vector<std::size_t> shape_of(const torch::Tensor& tensor) {
    std::vector<std::size_t> shape(tensor.sizes().begin(), tensor.sizes().end());
    if (shape.empty()) shape.push_back(1);
    return shape;
}

std::string text_of(at::IntArrayRef sizes) {
    return fmt::format("[{}]", fmt::join(sizes.begin(), sizes.end(), ", "));
}

}  // namespace

void use_one_torch_thread() {
    at::set_num_threads(1);
    // Whether torch has OpenBLAS, and so whether there is such a function, is known when it runs.
    if (void* const set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
        reinterpret_cast<void (*)(int)>(set)(1);
}

template <class Real>
TorchNetwork<Real>::TorchNetwork(const std::shared_ptr<torch::nn::Module>& module, Rows rows,
                                 std::size_t inputs)
    : rows_(std::move(rows)), module_(module), inputs_(inputs) {
    if (module_ == nullptr || !rows_)
        throw argument_error("a network by torch needs a module, but none was given");
    use_one_torch_thread();
    module_->to(torch::kCPU, type_of<Real>());
    module_->eval();
    for (const auto& item : module_->named_parameters()) {
        auto& parts = item.value().requires_grad() ? learned_ : fixed_;
        if (std::ranges::none_of(
                parts, [&](const Part& part) { return part.tensor.is_same(item.value()); }))
            parts.push_back({item.key(), item.value()});
    }
    // Mistakes show here, and not in the middle of a training.
    constexpr std::size_t tried = 2;
    const torch::NoGradGuard no_graph;
    const std::vector<Real> zeros(tried * inputs_, Real(0));
    const auto y = give(tensor_of(zeros.data(), tried, inputs_));
    if (y.dim() != 2 || y.size(0) != signed_size(tried) || y.size(1) < 1 ||
        y.scalar_type() != type_of<Real>())
        throw argument_error(fmt::format(
            "a network gives rows [{}, outputs] for {} rows, but the module {} gave {} of {}",
            tried, tried, module_->name(), text_of(y.sizes()), toString(y.scalar_type())));
    outputs_ = static_cast<std::size_t>(y.size(1));
}

template <class Real>
torch::Tensor TorchNetwork<Real>::give(const torch::Tensor& x) const {
    try {
        return rows_(x);
    } catch (const c10::Error& error) {
        throw argument_error(fmt::format("the module {} does not take rows {}: {}", module_->name(),
                                         text_of(x.sizes()), error.what_without_backtrace()));
    }
}

template <class Real>
void TorchNetwork<Real>::enrol(network::Parameters& parameters, const std::string& name, Random&) {
    using network::Role;
    const auto add = [&](Part& part, Role role) {
        part.offset = parameters.add(network::joined(name, part.name), shape_of(part.tensor), role);
        const auto values = part.tensor.detach().to(torch::kFloat64).contiguous();
        std::copy_n(values.template data_ptr<double>(), values.numel(),
                    parameters.values().data() + part.offset);
    };
    for (auto& part : learned_) add(part, part.tensor.dim() > 1 ? Role::matrix : Role::vector);
    for (auto& part : fixed_) add(part, Role::measured);
}

template <class Real>
void TorchNetwork<Real>::load(std::span<const double> values) {
    const torch::NoGradGuard no_graph;
    for (auto* const parts : {&learned_, &fixed_})
        for (auto& part : *parts)
            part.tensor.copy_(torch::from_blob(const_cast<double*>(values.data() + part.offset),
                                               part.tensor.sizes(), torch::kFloat64));
}

template <class Real>
void TorchNetwork<Real>::forward(const Real* x, std::size_t rows, Real* y,
                                 network::Tape* tape) const {
    if (rows == 0) return;
    begin_thread();
    const torch::AutoGradMode graph(tape != nullptr);
    auto input = tensor_of(x, rows, inputs_);
    // The graph outlives the caller's array.
    if (tape != nullptr) input = input.clone().requires_grad_();
    auto output = give(input);
    const auto values = output.detach().contiguous();
    std::copy_n(values.template data_ptr<Real>(), rows * outputs_, y);
    if (tape != nullptr)
        tape->push_object(std::make_shared<Graph>(Graph{std::move(input), std::move(output)}));
}

template <class Real>
void TorchNetwork<Real>::pullback(const Real*, std::size_t rows, const Real* dy,
                                  network::Tape& tape, Real* dx, Real* gradient) const {
    if (rows == 0) return;
    begin_thread();
    const auto graph = tape.pop_object<Graph>();
    torch::autograd::variable_list by;
    for (const auto& part : learned_) by.push_back(part.tensor);
    if (dx != nullptr) by.push_back(graph->x);
    torch::autograd::variable_list found(by.size());
    if (!by.empty() && graph->y.requires_grad())
        found = torch::autograd::grad({graph->y}, by, {tensor_of(dy, rows, outputs_)},
                                      /*retain_graph=*/false, /*create_graph=*/false,
                                      /*allow_unused=*/true);
    for (std::size_t i = 0; i < learned_.size(); ++i) {
        if (!found[i].defined()) continue;
        const auto part = found[i].contiguous();
        const auto* const from = part.template data_ptr<Real>();
        auto* const to = gradient + learned_[i].offset;
        for (std::int64_t j = 0; j < part.numel(); ++j) to[j] += from[j];
    }
    if (dx == nullptr) return;
    std::fill_n(dx, rows * inputs_, Real(0));
    if (found.back().defined()) {
        const auto part = found.back().contiguous();
        std::copy_n(part.template data_ptr<Real>(), rows * inputs_, dx);
    }
}

template class TorchNetwork<float>;
template class TorchNetwork<double>;

}  // namespace deepsl::libtorch
