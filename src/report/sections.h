// The sections of a report's page: each adds its figures and a few words about them, or nothing if
// there is nothing to show.
#pragma once

#include <string>

#include "deepsl/report/page.h"

namespace deepsl::report::detail {

/// Two dimensions: decision regions, field lines, the other model's regions.
void append_plane(std::string& out, const Report& report);

/// One dimension: data and curves.
void append_fit(std::string& out, const Report& report);

/// The chosen samples, step by step.
void append_samples(std::string& out, const Report& report);

/// How much the model relies on each column.
void append_importance(std::string& out, const Report& report);

void append_spectra(std::string& out, const Report& report);
void append_training(std::string& out, const Report& report);

}  // namespace deepsl::report::detail
