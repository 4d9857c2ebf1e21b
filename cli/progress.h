// A sign of life from work that may take long: on a terminal one line that changes, elsewhere a
// line now and then. Work that is done within a second shows nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "error.h"

namespace deepsl::cli {

/// "43 %, 12 s so far, about 16 s left"; only the time if no share of the work is known.
inline std::string progress_text(double share, double seconds) {
    const auto time = [](double amount) {
        const auto whole = static_cast<long>(std::min(amount, 1e9));
        return whole < 120    ? fmt::format("{} s", whole)
               : whole < 7200 ? fmt::format("{} min", whole / 60)
                              : fmt::format("{} h", whole / 3600);
    };
    if (!(share > 0.0)) return fmt::format("{} so far", time(seconds));
    return fmt::format("{:.0f} %, {} so far, about {} left", 100.0 * std::min(share, 1.0),
                       time(seconds), time(seconds * (1.0 / std::min(share, 1.0) - 1.0)));
}

class ProgressLine {
public:
    struct Pace {
        std::chrono::milliseconds first, next;
        bool in_place;  // each line in the place of the one before

        static Pace of_stderr() {
            using namespace std::chrono_literals;
            return ::isatty(STDERR_FILENO) == 1 ? Pace{1s, 250ms, true} : Pace{10s, 10s, false};
        }
    };

    /// `what` is printable: "finding 100 eigenvalues".
    ProgressLine(bool shown, std::string what, Pace pace = Pace::of_stderr())
        : what_(std::move(what)), pace_(pace) {
        if (!shown) return;
        try {
            // Of its own, since work tells how far it is at its own pace.
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {
            // Without a thread the work is done all the same.
        }
    }
    ~ProgressLine() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
        thread_.join();
        if (drawn_) tell("\r\033[K");
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void set(double share) { share_ = share; }

private:
    void run() {
        std::unique_lock lock(mutex_);
        const auto is_done = [this] { return done_; };
        for (auto wait = pace_.first; !changed_.wait_for(lock, wait, is_done); wait = pace_.next) {
            const std::chrono::duration<double> passed = Clock::now() - start_;
            const auto text =
                fmt::format("{}: {} (Ctrl-C stops)", what_, progress_text(share_, passed.count()));
            tell(pace_.in_place ? "\r\033[K" + text : fmt::format("deepsl: {}\n", text));
            drawn_ = pace_.in_place;
        }
    }

    using Clock = std::chrono::steady_clock;
    std::string what_;
    Pace pace_;
    Clock::time_point start_ = Clock::now();
    std::atomic<double> share_{0.0};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false, drawn_ = false;
    std::thread thread_;
};

}  // namespace deepsl::cli
