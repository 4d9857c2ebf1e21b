// Outcomes of samples, and tensors that tell the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// Which outcomes are ok  [B]
inline torch::Tensor mask_of(const std::vector<Outcome>& outcomes) {
    const auto mask = torch::empty({static_cast<std::int64_t>(outcomes.size())}, torch::kBool);
    std::transform(outcomes.begin(), outcomes.end(), mask.data_ptr<bool>(),
                   [](const Outcome& outcome) { return outcome.ok(); });
    return mask;
}

/// Those rows that are ok so far and hold NaN or infinite numbers have failed.
inline void mark_not_finite(const torch::Tensor& rows, std::vector<Outcome>& outcomes) {
    const auto finite = torch::isfinite(rows.detach()).all(1);
    for (std::size_t b = 0; b < outcomes.size(); ++b)
        if (outcomes[b].ok() && !finite.data_ptr<bool>()[b])
            outcomes[b].line = field::LineStatus::not_finite;
}

/// Zeros stand for rows that failed, so that no gradient becomes NaN.
inline torch::Tensor only_ok(const torch::Tensor& rows, const std::vector<Outcome>& outcomes) {
    return torch::where(mask_of(outcomes).unsqueeze(1), rows, torch::zeros_like(rows));
}

/// The prediction of a model without eigenvalues.
inline Prediction plain_prediction(const torch::Tensor& y, std::vector<Outcome> outcomes) {
    mark_not_finite(y, outcomes);
    return {only_ok(y, outcomes), {}, mask_of(outcomes), std::move(outcomes)};
}

}  // namespace deepsl::model
