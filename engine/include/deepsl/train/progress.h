// Training as text: a line for each epoch, and a bar for the moment between two of them. Pure
// functions; the program decides where to print, and shows the bar on a terminal only.
#pragma once

#include <string>
#include <string_view>

#include "deepsl/train/record.h"

namespace deepsl::train {

/// "epoch  3/60  loss 0.3124  accuracy 0.9120  validation 0.3202, 0.9030 *  failed 2 (outside 2)
/// lambda 1.52 .. 203  4012 samples/s  0:42 left", all in one line. A star marks the best epoch so
/// far. A spectral term of 0, and what a report does not have, is left out.
std::string epoch_line(const EpochReport& report, std::string_view metric_name);

/// "[#######-------------]  35 %  epoch 3/60  loss 0.3124  0:42 left", without an end of line.
/// `width` is that of the terminal: the bar shrinks, then parts from the right are dropped.
std::string progress_bar(const Progress& progress, int width = 80);

/// How it went: epochs, best epoch and metric, time, failures by name. One line.
std::string summary_line(const TrainingRecord& record);

/// "0:42", "12:05", "3:20:00"; "?" if unknown.
std::string duration(double seconds);

}  // namespace deepsl::train
