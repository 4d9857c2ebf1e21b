// Training as it is watched: a line for each epoch and, on a terminal, a bar below them. All of it
// goes to standard error, which leaves standard output to results.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "deepsl/text.h"
#include "deepsl/train/progress.h"
#include "deepsl/train/trainer.h"
#include "error.h"
#include "machine.h"

namespace deepsl::cli {

class TrainingDisplay {
public:
    enum class Show { nothing, bar, epochs };  // each shows what those before it show, too

    TrainingDisplay(Show show, std::string metric_name)
        : show_(show), metric_(std::move(metric_name)), terminal_(::isatty(STDERR_FILENO) == 1) {}

    /// They refer to this display, and end training at Ctrl-C or SIGTERM.
    train::Callbacks callbacks() {
        train::Callbacks callbacks;
        callbacks.stop = [] { return Interrupt::asked(); };
        callbacks.warning = [this](const std::string& what) {
            warning(what + "; the training goes on");
        };
        if (show_ == Show::epochs) {
            callbacks.epoch = [this](const train::EpochReport& report) {
                line(train::epoch_line(report, metric_));
            };
        }
        callbacks.fold = [this](const train::FoldReport& report) {
            const auto setting =
                report.plans > 1 ? fmt::format("  setting {}", report.plan + 1) : "";
            line(fmt::format("fold {}/{}{}  best epoch {}  loss {:.4g}  {} {:.4f}", report.fold,
                             report.folds, setting, report.best_epoch, report.best_loss, metric_,
                             report.best_metric));
        };
        if (show_ != Show::nothing && terminal_)
            callbacks.progress = [this](const train::Progress& progress) { bar(progress); };
        return callbacks;
    }

    /// A remark, unless the user asked for silence.
    void line(std::string_view text) {
        if (show_ == Show::nothing) return;
        tell(fmt::format("{}{}\n", erase_bar(), printable(text)));
    }

    /// What the user has to know in any case.
    void warning(std::string_view text) {
        tell(erase_bar());
        warn(printable(text));
    }

private:
    using Clock = std::chrono::steady_clock;

    std::string_view erase_bar() {
        const bool drawn = bar_drawn_;
        bar_drawn_ = false;
        return drawn ? "\r\033[K" : "";
    }

    void bar(const train::Progress& progress) {
        const auto now = Clock::now();
        if (now - last_bar_ < std::chrono::milliseconds(80)) return;
        last_bar_ = now;
        struct winsize size {};
        const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
        tell("\r\033[K" + train::progress_bar(progress, known ? size.ws_col : 80));
        bar_drawn_ = true;
    }

    Show show_;
    std::string metric_;
    bool terminal_, bar_drawn_ = false;
    Clock::time_point last_bar_{};
};

}  // namespace deepsl::cli
