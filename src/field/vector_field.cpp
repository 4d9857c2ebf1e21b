#include "deepsl/field/vector_field.h"

namespace deepsl::field {

PositiveFieldImpl::PositiveFieldImpl(const network::MlpOptions& options) {
    network_ = register_module("network", network::Mlp(options));
}

torch::Tensor PositiveFieldImpl::forward(const torch::Tensor& z) {
    return 0.01 + 0.99 * torch::sigmoid(network_->forward(z));
}

DirectionalFieldImpl::DirectionalFieldImpl(const network::MlpOptions& options, bool bending)
    : bending_(bending) {
    direction_ = register_parameter("direction", torch::ones({options.inputs}));
    set_direction(torch::randn({options.inputs}));
    if (bending) network_ = register_module("network", network::Mlp(options));
}

torch::Tensor DirectionalFieldImpl::forward(const torch::Tensor& z) {
    const auto d = direction();
    if (!bending_) return d.to(z.scalar_type()).expand_as(z);
    const auto raw = network_->forward(z);
    // |raw| / sqrt(1 + |raw|^2) < 1, smooth where raw = 0.
    const auto h = raw * torch::rsqrt(1.0 + raw.square().sum(1, true));
    return d + 0.8 * h;
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
