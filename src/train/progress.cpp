#include "deepsl/train/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "deepsl/text.h"
#include "deepsl/train/metrics.h"

namespace deepsl::train {
namespace {

std::string failures_text(const Failures& failures) {
    std::string text;
    for (const auto& [name, count] : failures)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    return text;
}

/// Why it ended before its last epoch, if it did.
std::string ending(const TrainingRecord& record) {
    if (record.interrupted) return " (interrupted)";
    if (!record.stopped_early) return "";
    const auto idle = static_cast<std::int64_t>(record.epochs.size()) - record.best_epoch;
    return fmt::format(" (stopped after {} without improvement)", counted(idle, "epoch"));
}

/// Four decimals; where training diverges, the figures of what it has come to.
std::string figure(double value) {
    constexpr double wide = 1e4;
    return std::fabs(value) < wide ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
}

int digits(std::int64_t value) { return static_cast<int>(fmt::formatted_size("{}", value)); }

}  // namespace

std::string duration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0.0 || seconds > 1e12) return "?";
    const auto whole = std::llround(seconds);
    if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string epoch_line(const EpochReport& report, std::string_view metric_name) {
    auto line = fmt::format("epoch {:>{}}/{}  loss {:<8.4g}", report.epoch, digits(report.epochs),
                            report.epochs, report.loss);
    if (report.spectral > 0.0) line += fmt::format("  spectral {:<9.3g}", report.spectral);
    line += fmt::format("  {} {}", metric_name, figure(report.train_metric));
    if (!std::isnan(report.validation_metric))
        line += fmt::format("  validation {}, {}{}", figure(report.validation_loss),
                            figure(report.validation_metric), report.best ? " *" : "  ");
    line += fmt::format("  failed {}", report.failed_lines);
    if (!report.failures.empty()) line += fmt::format(" ({})", failures_text(report.failures));
    if (report.validation_failed > 0) line += fmt::format(" + {}", report.validation_failed);
    if (!std::isnan(report.lambda_first))
        line += fmt::format("  lambda {:.3g} .. {:.4g}", report.lambda_first, report.lambda_last);
    if (report.skipped_steps > 0) line += fmt::format("  skipped steps {}", report.skipped_steps);
    return line + fmt::format("  {:.0f} samples/s  {} left", report.samples_per_second,
                              duration(report.seconds_left));
}

std::string progress_bar(const Progress& progress, int width) {
    const auto fraction = std::clamp(progress.fraction, 0.0, 1.0);
    std::string text;
    // The last column stays free: many terminals break the line when it is used.
    const auto room = static_cast<std::size_t>(std::max(width - 1, 0));
    constexpr std::size_t least_bar = 12, most_bar = 32;
    for (const auto& part : {fmt::format("{:3.0f} %", std::floor(100.0 * fraction)),
                             fmt::format("  epoch {}/{}", progress.epoch, progress.epochs),
                             fmt::format("  loss {:.4g}", progress.loss),
                             fmt::format("  {} left", duration(progress.seconds_left))}) {
        if (least_bar + text.size() + part.size() > room) break;
        text += part;
    }
    const auto bar = std::min(most_bar, room - std::min(room, text.size()));
    if (bar < 4) return text;
    const auto inner = bar - 3;  // two brackets and a space
    const auto full = static_cast<std::size_t>(std::floor(fraction * static_cast<double>(inner)));
    return fmt::format("[{:#<{}}{:-<{}}] {}", "", full, "", inner - full, text);
}

std::string summary_line(const TrainingRecord& record) {
    const bool validated = record.validation_rows > 0;
    auto line = record.voters > 0
                    ? fmt::format("{} trained in {}, {} on rows left out {}",
                                  counted(record.voters, "model"), duration(record.seconds),
                                  metric_title(record.metric_name), figure(record.fold_metric))
                    : fmt::format("{} in {}{}, best {} with {}{} {}",
                                  counted(record.epochs.size(), "epoch"), duration(record.seconds),
                                  ending(record), record.best_epoch,
                                  validated ? "validation " : "training ",
                                  metric_title(record.metric_name), figure(record.best_metric));
    if (record.failed_lines > 0)
        line += fmt::format(", {} failed ({})", counted(record.failed_lines, "line"),
                            failures_text(record.failures));
    if (record.skipped_steps > 0)
        line += fmt::format(", {} skipped", counted(record.skipped_steps, "step"));
    return line;
}

}  // namespace deepsl::train
