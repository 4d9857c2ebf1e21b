#include "deepsl/network/mlp.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <ATen/Parallel.h>

#include "network/mlp_kernel.h"
#include "network/real.h"

namespace deepsl::network {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

std::int64_t blocks_of(std::int64_t rows) {
    const auto block = static_cast<std::int64_t>(block_rows);
    return (rows + block - 1) / block;
}

/// Calls f(first row, rows) for every block, on all threads.
template <class F>
void for_blocks(std::int64_t rows, F f) {
    at::parallel_for(0, blocks_of(rows), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
            const std::size_t first = size(b) * block_rows;
            f(size(b), first, std::min(block_rows, size(rows) - first));
        }
    });
}

}  // namespace

/// Both types in one place, since autograd functions cannot be templates of one.
struct AnyPacked {
    Packed<float> f32;
    Packed<double> f64;

    template <class Real>
    auto& get() {
        if constexpr (std::is_same_v<Real, float>)
            return f32;
        else
            return f64;
    }
};

namespace {

class MlpFunction : public torch::autograd::Function<MlpFunction> {
public:
    static Tensor forward(AutogradContext* context, const Tensor& z,
                          const std::shared_ptr<AnyPacked>& packed, bool keep,
                          at::TensorList parameters) {
        const auto rows = z.size(0);
        const auto y = torch::empty({rows, parameters.back().size(0)}, z.options());
        with_real(z.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            const auto& p = packed->get<Real>();
            const auto per_row = p.saved_per_row();
            const auto saved =
                torch::empty({keep ? rows * static_cast<std::int64_t>(per_row) : 0}, z.options());
            const Real* from = z.data_ptr<Real>();
            Real* to = y.data_ptr<Real>();
            Real* room = keep ? saved.data_ptr<Real>() : nullptr;
            for_blocks(rows, [&](std::size_t, std::size_t first, std::size_t count) {
                kernel<Real>().forward(p, from + first * p.layers.inputs(), count,
                                       to + first * p.layers.outputs(),
                                       keep ? room + first * per_row : nullptr);
            });
            if (keep) {
                variable_list kept{z, saved};
                kept.insert(kept.end(), parameters.begin(), parameters.end());
                context->save_for_backward(kept);
            }
        });
        context->saved_data["packed"] =
            c10::IValue::make_capsule(c10::make_intrusive<Holder>(packed));
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& seeds) {
        const auto kept = context->get_saved_variables();
        const auto& z = kept[0];
        const auto& saved = kept[1];
        const auto packed = Holder::from(context->saved_data["packed"]);
        const auto dy = seeds[0].contiguous();
        const auto rows = z.size(0);
        const bool wants_z = context->needs_input_grad(0);
        bool wants_weights = false;
        for (std::size_t i = 2; i < kept.size(); ++i)
            wants_weights = wants_weights || kept[i].requires_grad();
        const auto dz = wants_z ? torch::empty_like(z) : Tensor();
        variable_list result{dz, Tensor(), Tensor()};

        with_real(z.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            const auto& p = packed->get<Real>();
            const auto parameters = static_cast<std::int64_t>(p.layers.parameters());
            // A sum per block, added in the blocks' order: the threads leave no trace in it.
            const auto sums =
                torch::zeros({wants_weights ? blocks_of(rows) : 0, parameters}, z.options());
            const Real* from = z.data_ptr<Real>();
            const Real* room = saved.data_ptr<Real>();
            const Real* seed = dy.data_ptr<Real>();
            Real* to = wants_z ? dz.data_ptr<Real>() : nullptr;
            Real* sum = sums.data_ptr<Real>();
            for_blocks(rows, [&](std::size_t b, std::size_t first, std::size_t count) {
                kernel<Real>().backward(p, from + first * p.layers.inputs(),
                                        room + first * p.saved_per_row(),
                                        seed + first * p.layers.outputs(), count,
                                        wants_z ? to + first * p.layers.inputs() : nullptr,
                                        wants_weights ? sum + b * p.layers.parameters() : nullptr);
            });
            const auto total = wants_weights ? add_in_order<Real>(sums) : Tensor();
            std::int64_t at = 0;
            for (std::size_t i = 2; i < kept.size(); ++i) {
                if (!wants_weights) {
                    result.emplace_back();
                    continue;
                }
                result.push_back(total.narrow(0, at, kept[i].numel()).view(kept[i].sizes()));
                at += kept[i].numel();
            }
        });
        return result;
    }

private:
    /// Keeps the rearranged weights alive until the backward sweep.
    struct Holder : torch::CustomClassHolder {
        explicit Holder(std::shared_ptr<AnyPacked> p) : packed(std::move(p)) {}
        static std::shared_ptr<AnyPacked> from(const c10::IValue& value) {
            return c10::static_intrusive_pointer_cast<Holder>(value.toCapsule())->packed;
        }
        std::shared_ptr<AnyPacked> packed;
    };

    template <class Real>
    static Tensor add_in_order(const Tensor& sums) {
        const auto blocks = size(sums.size(0)), parameters = size(sums.size(1));
        const auto total = torch::zeros({sums.size(1)}, sums.options());
        const Real* from = sums.data_ptr<Real>();
        Real* to = total.data_ptr<Real>();
        at::parallel_for(0, sums.size(1), 4096, [&](std::int64_t begin, std::int64_t end) {
            for (std::size_t b = 0; b < blocks; ++b)
                for (auto i = size(begin); i < size(end); ++i) to[i] += from[b * parameters + i];
        });
        return total;
    }
};

}  // namespace

void initialise(Tensor& weight, Initialiser initialiser, double gain) {
    const torch::NoGradGuard no_grad;
    if (initialiser == Initialiser::orthogonal) {
        torch::nn::init::orthogonal_(weight, gain);
    } else {
        torch::nn::init::xavier_uniform_(weight, gain);
    }
}

MlpImpl::MlpImpl(const MlpOptions& options) : options_(options) {
    std::vector<std::int64_t> sizes{options.inputs};
    sizes.insert(sizes.end(), options.hidden.begin(), options.hidden.end());
    sizes.push_back(options.outputs);
    for (const auto s : sizes)
        TORCH_CHECK(s > 0, "a network's layers need at least one unit each, but ", s, " was given");
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
        const bool last = l + 2 == sizes.size();
        auto weight = torch::empty({sizes[l + 1], sizes[l]});
        initialise(weight, options.initialiser, last ? options.last_gain : 1.0);
        const auto number = std::to_string(l + 1);
        register_parameter("weight" + number, weight);
        register_parameter("bias" + number, torch::zeros({sizes[l + 1]}));
    }
}

std::int64_t MlpImpl::flops_per_row() const {
    std::int64_t count = 0;
    for (const auto& p : named_parameters(false))
        if (p.value().dim() == 2) count += 2 * p.value().numel();
    return count;
}

Tensor MlpImpl::forward(const Tensor& z) {
    // Converting a module to another type replaces its tensors, so they are looked up each time.
    const auto current = parameters(false);
    const auto type = current.front().scalar_type();
    std::vector<Tensor> plain;  // by rows, whatever their layout
    for (const auto& p : current) plain.push_back(p.detach().contiguous());
    TORCH_CHECK(z.dim() == 2 && z.size(1) == options_.inputs, "the network takes rows of ",
                options_.inputs, " numbers, but got ", z.sizes());

    const auto packed = std::make_shared<AnyPacked>();
    with_real(type, [&](auto zero) {
        using Real = decltype(zero);
        Layers<Real> layers;
        layers.sizes.push_back(size(options_.inputs));
        for (std::size_t i = 0; i < current.size(); i += 2) {
            layers.sizes.push_back(size(current[i].size(0)));
            layers.weight.push_back(plain[i].template data_ptr<Real>());
            layers.bias.push_back(plain[i + 1].template data_ptr<Real>());
        }
        layers.tanh = options_.activation == Activation::tanh;
        layers.shift = static_cast<Real>(options_.shift);
        layers.scale = static_cast<Real>(options_.scale);
        if (const auto& head = options_.head) {
            const auto real = [](double number) { return static_cast<Real>(number); };
            layers.head = {true, real(head->centre), real(head->radius), real(head->shift),
                           real(head->slope)};
        }
        packed->get<Real>() = kernel<Real>().pack(layers);
    });
    bool keep = torch::GradMode::is_enabled() && z.requires_grad();
    if (torch::GradMode::is_enabled())
        for (const auto& p : current) keep = keep || p.requires_grad();
    return MlpFunction::apply(z.to(type).contiguous(), packed, keep, at::TensorList(current));
}

}  // namespace deepsl::network
