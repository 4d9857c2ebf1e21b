// The figures of one epoch of training, from the predictions that its steps made anyway.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"
#include "deepsl/train/loss.h"
#include "deepsl/train/metrics.h"
#include "deepsl/train/record.h"

namespace deepsl::train {

/// Gathered batch by batch; means are over samples that are ok.
struct EpochSums {
    double data = 0.0, spectral = 0.0, first = 0.0, last = 0.0;
    std::int64_t kept = 0, seen = 0;
    bool has_lambda = false;
    std::vector<torch::Tensor> y, ok, target;

    void add(const model::Prediction& prediction, const torch::Tensor& labels,
             const BatchLoss& batch) {
        const torch::NoGradGuard no_grad;
        const auto weight = static_cast<double>(batch.kept);
        data += weight * batch.data;
        spectral += weight * batch.spectral;
        kept += batch.kept;
        seen += labels.size(0);
        y.push_back(prediction.y.detach());
        ok.push_back(prediction.ok);
        target.push_back(labels);
        if (!prediction.lambda.defined() || batch.kept == 0) return;
        const auto lambda = prediction.lambda.detach().index({prediction.ok});
        first += lambda.amin(1).sum().item<double>();
        last += lambda.amax(1).sum().item<double>();
        has_lambda = true;
    }

    double mean(double sum) const {
        return kept > 0 ? sum / static_cast<double>(kept) : std::numeric_limits<double>::infinity();
    }

    void report_to(EpochReport& report) const {
        report.loss = mean(data);
        report.spectral = kept > 0 ? mean(spectral) : 0.0;
        report.train_metric =
            metrics(torch::cat(y), torch::cat(target), torch::cat(ok)).front().value;
        if (!has_lambda) return;
        report.lambda_first = mean(first);
        report.lambda_last = mean(last);
    }
};

}  // namespace deepsl::train
