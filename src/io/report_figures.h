// The figures of a report, each an SVG element for the page. All bear empty arrays and values that
// are not finite.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/io/report.h"

namespace deepsl::io::detail {

// Beyond these a page would grow without showing more.
inline constexpr std::size_t most_points = 4000;
inline constexpr std::size_t most_lines = 120;
inline constexpr std::size_t most_samples = 6;

inline constexpr std::array<const char*, most_samples> sample_letters = {"A", "B", "C",
                                                                         "D", "E", "F"};

// report_plane.cpp ------------------------------------------------------------------------------

/// Whether there is anything to draw in the plane.
bool has_plane(const Report& report);

/// An invisible element that holds the decision maps as images, for the figures to refer to.
std::string map_images(const Report& report);

/// Regions, points, field lines, outline and the chosen samples.
std::string plane_figure(const Report& report);

/// The regions of the other model, with the points it was tested on.
std::string baseline_figure(const Report& report);

/// One sample's line in the plane.
std::string locator_figure(const Report& report, std::size_t sample);

// report_curves.cpp -----------------------------------------------------------------------------

/// A regression in one dimension.
std::string fit_figure(const Report& report);

std::string spectra_figure(const std::vector<SpectrumBand>& bands);
std::string loss_figure(const Report& report);
std::string metric_figure(const Report& report);
std::string eigenvalue_figure(const Report& report);

// report_sample.cpp -----------------------------------------------------------------------------

std::string coefficients_figure(const SampleLine& sample);
std::string eigenfunctions_figure(const SampleLine& sample);
std::string spectrum_figure(const SampleLine& sample);
std::string basis_figure(const SampleLine& sample);
std::string scores_figure(const Report& report, const SampleLine& sample);

}  // namespace deepsl::io::detail
