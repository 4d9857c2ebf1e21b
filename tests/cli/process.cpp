#include "process.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
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

int spawn_and_wait(const std::vector<std::string>& arguments, int out, int err) {
    std::vector<char*> argv{const_cast<char*>(DEEPSL_PROGRAM)};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    pid_t child = 0;
    const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error(std::string("cannot start ") + DEEPSL_PROGRAM);
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments) {
    const auto out = temporary(), err = temporary();
    Outcome outcome;
    outcome.exit_code = spawn_and_wait(arguments, fileno(out.get()), fileno(err.get()));
    outcome.out = content(out);
    outcome.err = content(err);
    return outcome;
}

Outcome run_program_into(const std::string& path, const std::vector<std::string>& arguments) {
    const File out(std::fopen(path.c_str(), "w"));
    const auto err = temporary();
    if (!out) throw std::runtime_error("cannot open " + path);
    Outcome outcome;
    outcome.exit_code = spawn_and_wait(arguments, fileno(out.get()), fileno(err.get()));
    outcome.err = content(err);
    return outcome;
}

}  // namespace deepsl::test
