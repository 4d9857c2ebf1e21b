// Runs the program under test as its users do: as a process, without a shell in between.
#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace deepsl::test {

struct Outcome {
    int exit_code = -1;  // -1 if it was ended by a signal
    std::string out;
    std::string err;
};

/// The program is the one named by the compile definition DEEPSL_PROGRAM.
Outcome run_program(const std::vector<std::string>& arguments);

/// The same with standard output sent to `path`; `out` stays empty.
Outcome run_program_into(const std::string& path, const std::vector<std::string>& arguments);

/// The same, sent a signal (Ctrl-C if not told otherwise) as soon as standard error holds `text`.
/// Before that, `first` is done.
Outcome interrupt_program(const std::vector<std::string>& arguments, const std::string& text,
                          int signal = SIGINT, const std::function<void()>& first = {});

/// The same with standard error on a terminal, sent `signal` as soon as it shows `text`; `err` is
/// what the terminal got. Without a text it runs to its end.
Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& text = "",
                        int signal = SIGINT);

/// The same where no file can grow beyond `bytes`, as on a full disk.
Outcome run_program_on_full_disk(std::size_t bytes, const std::vector<std::string>& arguments);

}  // namespace deepsl::test
