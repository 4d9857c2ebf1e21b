// The figures of a report, each an SVG element for the page. All bear empty arrays and values that
// are not finite.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/report/page.h"

namespace deepsl::report::detail {

// Beyond these a page would grow without showing more.
inline constexpr std::size_t most_points = 4000;
inline constexpr std::size_t most_lines = 120;
inline constexpr std::size_t most_samples = 6;
inline constexpr std::size_t most_fields = 6;
inline constexpr std::size_t most_sample_lines = 12;  // samples times fields

inline constexpr std::array<const char*, most_samples> sample_letters = {"A", "B", "C",
                                                                         "D", "E", "F"};

// report.cpp ------------------------------------------------------------------------------------

/// At least one.
std::size_t field_count(const Report& report);
std::size_t shown_fields(const Report& report);
std::size_t shown_samples(const Report& report);
std::size_t most_lines_each(const Report& report);  // of a field

/// "one", "two", ..
std::string count_word(std::size_t count);

// report_plane.cpp ------------------------------------------------------------------------------

/// Whether there is anything to draw in the plane.
bool has_plane(const Report& report);

/// An invisible element that holds the decision maps as images, for the figures to refer to.
std::string map_images(const Report& report);

/// Regions, points, field lines, outline and the chosen samples.
std::string plane_figure(const Report& report);

/// The regions of the other model, with the points it was tested on.
std::string baseline_figure(const Report& report);

/// One sample's line in the plane; those of other fields are pale.
std::string locator_figure(const Report& report, std::size_t sample, std::size_t field);

// report_curves.cpp -----------------------------------------------------------------------------

/// A regression in one dimension.
std::string fit_figure(const Report& report);

/// One field's spectra; the axes are those of all fields, so that they can be compared.
std::string spectra_figure(const std::vector<std::vector<SpectrumBand>>& fields, std::size_t field);
std::string loss_figure(const Report& report);
std::string metric_figure(const Report& report);
std::string eigenvalue_figure(const Report& report);

// report_sample.cpp -----------------------------------------------------------------------------

/// The size and the colour of the figures of one line.
struct LineLook {
    double width, tall, low;
    const char* colour;
};

std::string coefficients_figure(const SampleLine& line, const LineLook& look);
std::string eigenfunctions_figure(const SampleLine& line, const LineLook& look);
std::string spectrum_figure(const SampleLine& line, const LineLook& look);
std::string basis_figure(const SampleLine& line, const LineLook& look);

/// From the constant to the scores, field by field and function by function.
std::string scores_figure(const Report& report, const Sample& sample);

/// The scores as sums on paper: the constant, what each field adds, the total.
std::string shares_table(const Report& report, const Sample& sample);

// columns.cpp -----------------------------------------------------------------------------------

/// Bars to the right and to the left of zero, the largest first; the rest of many are summed up
/// where they add up.
std::string bars_figure(std::vector<ColumnBar> bars, double width, bool add_up);

}  // namespace deepsl::report::detail
