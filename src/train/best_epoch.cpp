#include "train/best_epoch.h"

#include <cmath>
#include <limits>

namespace deepsl::train {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Rank::Rank(double more, double less)
    : score(std::isnan(more) ? -infinity : more), loss(std::isnan(less) ? infinity : less) {}

bool Rank::better_than(const Rank& other) const {
    return score > other.score || (score == other.score && loss < other.loss);
}

Rank BestEpoch::rank_of(const EpochReport& report) const {
    if (!validated_) return {-(report.loss + report.spectral), 0.0};
    switch (options_.best) {
        case Best::metric: break;
        case Best::loss: return {-report.validation_loss, 0.0};
    }
    return {report.validation_metric, report.validation_loss};
}

void BestEpoch::judge(EpochReport& report) {
    const auto rank = rank_of(report);
    // An epoch that was named is wanted, whatever its training loss.
    const bool named = !validated_ && options_.stop_epoch > 0;
    report.best = named || !best_ || rank.better_than(*best_);
    if (!report.best) return;
    best_ = rank;
    epoch_ = report.epoch;
    metric_ = validated_ ? report.validation_metric : report.train_metric;
}

bool BestEpoch::patience_ends(std::int64_t epoch) const {
    return epoch < options_.last_epoch() && options_.patience > 0 &&
           epoch - epoch_ >= options_.patience;
}

}  // namespace deepsl::train
