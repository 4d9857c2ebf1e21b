// The plane of a report: decision maps and field lines over a domain of two dimensions.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/learner/trained_model.h"
#include "deepsl/report/page.h"

namespace deepsl::learner::detail {

report::Curve outline_of(const field::Scaling& scaling);

/// An empty map over the whole domain.
report::DecisionMap empty_map(const field::Scaling& scaling, std::size_t cells);

/// What the model decides in the middle of each cell that lies inside the domain.
void fill(report::DecisionMap& map, const TrainedModel& trained);

/// Lines of all fields, about `most` together, evenly spaced. [field, line]
std::vector<std::vector<report::Curve>> field_lines(const TrainedModel& trained, std::size_t most,
                                                    int finer);

}  // namespace deepsl::learner::detail
