#include "deepsl/field/vector_field.h"

#include <cmath>

#include <ATen/Parallel.h>

#include "network/real.h"

namespace deepsl::field {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double bending = 0.8;

/// d + 0.8 r / sqrt(1 + |r|^2) for every row r [rows, n], in one pass over memory.
class Bend : public torch::autograd::Function<Bend> {
public:
    static Tensor forward(AutogradContext* context, const Tensor& r, const Tensor& d) {
        const auto a = torch::empty_like(r);
        with_real(r.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            const auto n = r.size(1);
            const Real* from = r.data_ptr<Real>();
            const Real* direction = d.data_ptr<Real>();
            Real* to = a.data_ptr<Real>();
            at::parallel_for(0, r.size(0), grain(n), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                    const Real factor = static_cast<Real>(bending) * shrink(from + row * n, n);
                    for (std::int64_t i = 0; i < n; ++i)
                        to[row * n + i] = direction[i] + factor * from[row * n + i];
                }
            });
        });
        context->save_for_backward({r});
        return a;
    }

    static variable_list backward(AutogradContext* context, const variable_list& seeds) {
        const auto r = context->get_saved_variables()[0];
        const auto seed = seeds[0].contiguous();
        const auto dr = torch::empty_like(r);
        with_real(r.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            const auto n = r.size(1);
            const Real* from = r.data_ptr<Real>();
            const Real* da = seed.data_ptr<Real>();
            Real* to = dr.data_ptr<Real>();
            at::parallel_for(0, r.size(0), grain(n), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                    const Real s = shrink(from + row * n, n);
                    Real product = 0;
                    for (std::int64_t i = row * n; i < (row + 1) * n; ++i)
                        product += from[i] * da[i];
                    const Real factor = static_cast<Real>(bending) * s;
                    for (std::int64_t i = row * n; i < (row + 1) * n; ++i)
                        to[i] = factor * (da[i] - s * s * product * from[i]);
                }
            });
        });
        return {dr, seed.sum(0)};
    }

private:
    /// 1 / sqrt(1 + |r|^2): keeps the result shorter than 1, and smooth at r = 0.
    template <class Real>
    static Real shrink(const Real* r, std::int64_t n) {
        Real square = 1;
        for (std::int64_t i = 0; i < n; ++i) square += r[i] * r[i];
        return 1 / std::sqrt(square);
    }
};

}  // namespace

PositiveFieldImpl::PositiveFieldImpl(network::MlpOptions options) {
    options.head = network::BoundedHead::sigmoid(0.01, 1.0);
    network_ = register_module("network", network::Mlp(options));
}

torch::Tensor PositiveFieldImpl::forward(const torch::Tensor& z) { return network_->forward(z); }

DirectionalFieldImpl::DirectionalFieldImpl(const network::MlpOptions& options, bool bends)
    : bending_(bends) {
    direction_ = register_parameter("direction", torch::ones({options.inputs}));
    set_direction(torch::randn({options.inputs}));
    if (bends) network_ = register_module("network", network::Mlp(options));
}

torch::Tensor DirectionalFieldImpl::forward(const torch::Tensor& z) {
    const auto d = direction();
    if (!bending_) return d.to(z.scalar_type()).expand_as(z);
    return Bend::apply(network_->forward(z), d);
}

std::int64_t DirectionalFieldImpl::flops_per_row() const {
    return bending_ ? network_->flops_per_row() : 0;
}

torch::Tensor DirectionalFieldImpl::direction() const { return direction_ / direction_.norm(); }

void DirectionalFieldImpl::set_direction(const torch::Tensor& direction) {
    TORCH_CHECK(direction.numel() == direction_.numel() && direction.norm().item<double>() > 0.0,
                "a direction needs ", direction_.numel(), " numbers that are not all zero");
    const torch::NoGradGuard no_grad;
    direction_.copy_(direction.reshape_as(direction_) / direction.norm());
}

}  // namespace deepsl::field
