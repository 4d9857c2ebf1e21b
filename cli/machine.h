// Signals that ask the program to end: Ctrl-C (SIGINT), and SIGTERM, which batch systems send.
#pragma once

#include <atomic>

// NOLINTNEXTLINE(modernize-deprecated-headers): sigaction is POSIX, and <csignal> need not have it
#include <signal.h>

namespace deepsl::cli {

/// While it lives, the first of these signals is only noted, so that work can be brought to a tidy
/// end; the second one ends the process at once, as usual. A signal that is ignored stays ignored.
class Interrupt {
public:
    Interrupt() {
        noted() = 0;
        for (int i = 0; i < count; ++i) {
            struct sigaction action {};
            action.sa_handler = &note;
            ::sigaction(signals[i], &action, &old_[i]);
            if (old_[i].sa_handler == SIG_IGN) ::sigaction(signals[i], &old_[i], nullptr);
        }
    }
    ~Interrupt() {
        for (int i = 0; i < count; ++i) ::sigaction(signals[i], &old_[i], nullptr);
    }
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static bool asked() { return noted() != 0; }

    /// The one that was noted; SIGINT if none was.
    static int signal() { return asked() ? noted().load() : SIGINT; }

    /// For people.
    static const char* name() { return signal() == SIGTERM ? "SIGTERM" : "Ctrl-C"; }

private:
    static constexpr int count = 2;
    static constexpr int signals[count] = {SIGINT, SIGTERM};

    static void note(int signal) {
        noted() = signal;
        for (const int each : signals) {
            struct sigaction now {};
            if (::sigaction(each, nullptr, &now) != 0 || now.sa_handler != &note) continue;
            now.sa_handler = SIG_DFL;
            ::sigaction(each, &now, nullptr);
        }
    }

    static std::atomic<int>& noted() {
        static std::atomic<int> signal{0};
        return signal;
    }

    struct sigaction old_[count] {};
};

}  // namespace deepsl::cli
