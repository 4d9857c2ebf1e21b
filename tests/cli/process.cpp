#include "process.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace deepsl::test {
namespace {

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Files instead of pipes: the program may write as much as it likes to either without waiting
// for us to read.
File temporary() {
    File file(std::tmpfile());
    if (!file) throw std::runtime_error("cannot make a temporary file");
    return file;
}

std::string content(const File& file) {
    std::rewind(file.get());
    std::string text;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;)
        text.append(buffer, n);
    return text;
}

pid_t spawn(const std::vector<std::string>& arguments, int out, int err) {
    std::vector<char*> argv{const_cast<char*>(DEEPSL_PROGRAM)};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    // Whoever runs the tests in the background makes them ignore Ctrl-C; the program must not.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &interrupt);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failed = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error(std::string("cannot start ") + DEEPSL_PROGRAM);
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments) {
    const auto out = temporary(), err = temporary();
    Outcome outcome;
    outcome.exit_code = wait_for(spawn(arguments, fileno(out.get()), fileno(err.get())));
    outcome.out = content(out);
    outcome.err = content(err);
    return outcome;
}

Outcome run_program_into(const std::string& path, const std::vector<std::string>& arguments) {
    const File out(std::fopen(path.c_str(), "w"));
    const auto err = temporary();
    if (!out) throw std::runtime_error("cannot open " + path);
    Outcome outcome;
    outcome.exit_code = wait_for(spawn(arguments, fileno(out.get()), fileno(err.get())));
    outcome.err = content(err);
    return outcome;
}

Outcome run_program_on_full_disk(std::size_t bytes, const std::vector<std::string>& arguments) {
    // The child inherits both; a write beyond the limit then fails instead of ending it.
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{bytes, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto outcome = run_program(arguments);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    return outcome;
}

Outcome interrupt_program(const std::vector<std::string>& arguments, const std::string& text,
                          int signal, const std::function<void()>& first) {
    const auto out = temporary(), err = temporary();
    const pid_t child = spawn(arguments, fileno(out.get()), fileno(err.get()));
    // Read at a place of its own: the child writes where the shared offset stands.
    const auto said = [&] {
        std::string so_far(65536, '\0');
        const auto size = pread(fileno(err.get()), so_far.data(), so_far.size(), 0);
        return so_far.substr(0, size > 0 ? static_cast<std::size_t>(size) : 0).find(text) !=
               std::string::npos;
    };
    constexpr int most_tries = 3000;
    for (int i = 0; i < most_tries && !said(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (first) first();
    kill(child, signal);
    Outcome outcome;
    outcome.exit_code = wait_for(child);
    outcome.out = content(out);
    outcome.err = content(err);
    return outcome;
}

Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& text,
                        int signal) {
    const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[128];
    if (ours < 0 || ::grantpt(ours) != 0 || ::unlockpt(ours) != 0 ||
        ::ptsname_r(ours, name, sizeof name) != 0)
        throw std::runtime_error("cannot make a terminal");
    const int theirs = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    const auto out = temporary();
    const pid_t child = spawn(arguments, fileno(out.get()), theirs);
    ::close(theirs);
    Outcome outcome;
    bool sent = text.empty();
    // The end of a terminal is an error: nobody holds its other side any more.
    constexpr int longest_silence = 60'000;  // ms; then it is ended, and the test fails
    char buffer[4096];
    for (;;) {
        pollfd ready{ours, POLLIN, 0};
        if (::poll(&ready, 1, longest_silence) == 0) kill(child, SIGKILL);
        const ssize_t n = ::read(ours, buffer, sizeof buffer);
        if (n <= 0) break;
        outcome.err.append(buffer, static_cast<std::size_t>(n));
        if (sent || outcome.err.find(text) == std::string::npos) continue;
        kill(child, signal);
        sent = true;
    }
    ::close(ours);
    outcome.exit_code = wait_for(child);
    outcome.out = content(out);
    return outcome;
}

}  // namespace deepsl::test
