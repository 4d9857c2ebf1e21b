// The machine under the program: how many threads it may use, and Ctrl-C.
#pragma once

#include <atomic>
#include <csignal>

#include <sched.h>
#include <signal.h>

namespace deepsl::cli {

/// The cores this process may run on, which in a container are fewer than the machine has.
inline int available_threads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

/// While it lives, the first Ctrl-C is only noted, so that work can be brought to a tidy end; the
/// second one ends the process at once, as usual. Where Ctrl-C is ignored, it stays ignored.
class Interrupt {
public:
    Interrupt() {
        asked_flag() = false;
        struct sigaction action {};
        action.sa_handler = [](int) { asked_flag() = true; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(SIGINT, &action, &old_);
        if (old_.sa_handler == SIG_IGN) ::sigaction(SIGINT, &old_, nullptr);
    }
    ~Interrupt() { ::sigaction(SIGINT, &old_, nullptr); }
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static bool asked() { return asked_flag(); }

private:
    static std::atomic<bool>& asked_flag() {
        static std::atomic<bool> flag{false};
        return flag;
    }
    struct sigaction old_ {};
};

}  // namespace deepsl::cli
