// Which epoch of a run is the best so far, and whether it is time to stop.
#pragma once

#include <cstdint>
#include <optional>

#include "deepsl/train/options.h"
#include "deepsl/train/record.h"

namespace deepsl::train {

/// By what epochs are compared: a score, where more is better, then a loss, where less is. NaN is
/// worse than any number.
struct Rank {
    double score, loss;

    Rank(double more, double less);
    bool better_than(const Rank& other) const;
};

class BestEpoch {
public:
    BestEpoch(const TrainOptions& options, bool validated)
        : options_(options), validated_(validated) {}

    /// The next epoch; marks its report if it is the best so far.
    void judge(EpochReport& report);

    std::int64_t epoch() const { return epoch_; }
    double metric() const { return metric_; }
    /// Whether options.patience epochs have passed without improvement after this one.
    bool patience_ends(std::int64_t epoch) const;

private:
    Rank rank_of(const EpochReport& report) const;

    const TrainOptions& options_;
    bool validated_;
    std::optional<Rank> best_;
    std::int64_t epoch_ = 0;
    double metric_ = EpochReport::none;
};

}  // namespace deepsl::train
