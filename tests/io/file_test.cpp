// Files are written whole or not at all, and read with a limit.
#include "deepsl/io/file.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deepsl/text.h"
#include "scratch.h"

namespace deepsl::io {
namespace {

using test::content_of;
using test::put;
using test::Scratch;

/// The message of the Error that `action` throws; empty if it throws none.
std::string failure(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_EQ(error.kind(),
                  message.starts_with("cannot write") ? Error::Kind::output : Error::Kind::data);
        return message;
    }
    return "";
}

void expect_failure(const std::function<void()>& action, const std::string& path,
                    const std::string& reason) {
    const auto message = failure(action);
    EXPECT_NE(message.find("'" + path + "'"), std::string::npos) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    EXPECT_NE(message.find("; "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

void expect_write_fails(const std::string& path, const std::string& reason) {
    expect_failure([&] { write_file(path, "new"); }, path, reason);
}

void expect_read_fails(const std::string& path, const std::string& reason) {
    expect_failure([&] { read_file(path, 100); }, path, reason);
    expect_failure([&] { const InputFile file(path); }, path, reason);
}

/// The exit code of `action` in a process of its own.
int in_child(const std::function<int()>& action) {
    const auto child = ::fork();
    if (child == 0) ::_exit(action());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// As on a full disk: no file may grow beyond `bytes`.
void limit_files(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(WriteFile, WritesAndReplaces) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    write_file(path, "first");
    EXPECT_EQ(content_of(path), "first");
    const std::string second("second\0half", 11);
    write_file(path, second);
    EXPECT_EQ(content_of(path), second);
    write_file(path, "");
    EXPECT_EQ(content_of(path), "");
    EXPECT_EQ(scratch.entries(), 1U);
}

TEST(WriteFile, JoinsPieces) {
    const Scratch scratch;
    const std::string left = "left", right = "right";
    const std::span<const std::byte> pieces[] = {
        std::as_bytes(std::span(left)), {}, std::as_bytes(std::span(right))};
    write_pieces(scratch.path("a"), pieces);
    EXPECT_EQ(content_of(scratch.path("a")), "leftright");
}

TEST(WriteFile, KeepsTheOldFileWhenTheDiskIsFull) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    put(path, "old");
    const auto code = in_child([&] {
        limit_files(10'000);
        const auto message = failure([&] { write_file(path, std::string(20'000, 'x')); });
        return message.find("'" + path + "'") == std::string::npos ? 1 : 0;
    });
    EXPECT_EQ(code, 0);
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(scratch.entries(), 1U);
}

TEST(WriteFile, LeavesNothingWhenThereWasNoFile) {
    const Scratch scratch;
    const auto code = in_child([&] {
        limit_files(10'000);
        const std::string much(20'000, 'x');
        return failure([&] { write_file(scratch.path("a"), much); }).empty() ? 1 : 0;
    });
    EXPECT_EQ(code, 0);
    EXPECT_EQ(scratch.entries(), 0U);
}

TEST(WriteFile, ReportsAFullDevice) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
    expect_write_fails("/dev/full", "No space left");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(WriteFile, WritesToDevicesInsteadOfReplacingThem) {
    write_file("/dev/null", "nothing");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteFile, FollowsLinks) {
    const Scratch scratch;
    std::filesystem::create_directory(scratch.path("folder"));
    std::filesystem::create_symlink("folder/target", scratch.path("second"));
    std::filesystem::create_symlink("second", scratch.path("first"));
    for (const auto* content : {"new", "newer"}) {  // dangling at first
        write_file(scratch.path("first"), content);
        EXPECT_EQ(content_of(scratch.path("folder/target")), content);
        EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("first")));
        EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("second")));
    }
    std::filesystem::create_symlink("loop", scratch.path("loop"));
    expect_write_fails(scratch.path("loop"), "symbolic links");
}

TEST(WriteFile, KeepsPermissions) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    put(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    write_file(path, "new");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(WriteFile, AcceptsTheLongestName) {
    const Scratch scratch;
    const auto path = scratch.path(std::string(255, 'n'));
    write_file(path, "content");
    EXPECT_EQ(content_of(path), "content");
}

TEST(WriteFile, NamesWhatItCannotWrite) {
    const Scratch scratch;
    expect_write_fails(scratch.path("missing/a"), "No such file");
    std::filesystem::create_directory(scratch.path("folder"));
    expect_write_fails(scratch.path("folder"), "Is a directory");
    put(scratch.path("file"), "old");
    expect_write_fails(scratch.path("file/a"), "Not a directory");
    expect_write_fails("", "No such file");
    EXPECT_NE(failure([&] { write_file(std::string("a\0b", 3), "new"); }), "");
    EXPECT_EQ(scratch.entries(), 2U);
}

TEST(WriteFile, RespectsPermissions) {
    const Scratch scratch;
    const std::filesystem::perms everybody{0777}, nobody{0555};
    std::filesystem::permissions(scratch.path(""), everybody);
    put(scratch.path("file"), "old");
    std::filesystem::permissions(scratch.path("file"), nobody);
    std::filesystem::create_directory(scratch.path("folder"));
    put(scratch.path("folder/a"), "old");
    std::filesystem::permissions(scratch.path("folder/a"), everybody);
    std::filesystem::permissions(scratch.path("folder"), nobody);
    const auto code = in_child([&] {
        constexpr uid_t another = 65534;  // root may write everywhere
        if (::geteuid() == 0 && ::setuid(another) != 0) return 2;
        for (const auto* name : {"file", "folder/a"}) {
            const auto message = failure([&] { write_file(scratch.path(name), "new"); });
            if (message.find("Permission denied") == std::string::npos) return 1;
        }
        return 0;
    });
    EXPECT_EQ(code, 0);
    std::filesystem::permissions(scratch.path("folder"), everybody);
    EXPECT_EQ(content_of(scratch.path("file")) + content_of(scratch.path("folder/a")), "oldold");
}

TEST(ReadFile, ReadsUpToItsLimit) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 65'537U, 200'000U}) {
        std::string content(size, 'x');
        if (size > 0) content.back() = '\0';
        put(path, content);
        EXPECT_EQ(read_file(path, size), content);
        if (size > 0) expect_failure([&] { read_file(path, size - 1); }, path, "more than");
    }
}

TEST(WriteStream, WritesPiecesAsTheyAreMade) {
    const Scratch scratch;
    const auto path = scratch.path("file");
    int pieces = 0;
    write_stream(path, [&](std::string& piece) {
        EXPECT_EQ(piece, "");
        piece = pieces == 1 ? std::string() : std::string(100'000, static_cast<char>('a' + pieces));
        return pieces++ < 3;
    });
    EXPECT_EQ(content_of(path), std::string(100'000, 'a') + std::string(100'000, 'c'));
}

TEST(WriteStream, LeavesTheFileAloneWhenItsMakerFails) {
    const Scratch scratch;
    const auto path = scratch.path("file");
    put(path, "old");
    int pieces = 0;
    const auto fails = [&](std::string& piece) {
        if (pieces++ == 2) throw std::range_error("mine");
        piece = "new";
        return true;
    };
    EXPECT_THROW(write_stream(path, fails), std::range_error);
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("")), {}), 1);
    expect_failure(
        [] {
            write_stream("/dev/full", [](std::string& piece) {
                piece = "x";
                return true;
            });
        },
        "/dev/full", "No space");
}

TEST(ReadFile, LimitsWhatHasNoSize) {
    expect_failure([] { read_file("/dev/zero", 100'000); }, "/dev/zero", "more than the 100.0 kB");
    EXPECT_EQ(read_file("/dev/null", 0), "");
    // Whatever is allowed of a file: a device may have no end.
    expect_failure([] { read_file("/dev/zero", ~std::uint64_t{0}); }, "/dev/zero",
                   "more than the 1.0 MB");
}

TEST(ReadFile, WaitsForAPipe) {
    const Scratch scratch;
    const auto path = scratch.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    for (const std::size_t size : {std::size_t{0}, std::size_t{200'000}}) {
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            std::ofstream(path) << std::string(size, 'x');
        });
        EXPECT_EQ(read_file(path, 200'000), std::string(size, 'x'));
        other.join();
    }
}

TEST(ReadFile, NamesWhatItCannotRead) {
    const Scratch scratch;
    expect_read_fails(scratch.path("missing"), "No such file");
    std::filesystem::create_directory(scratch.path("folder"));
    expect_read_fails(scratch.path("folder"), "Is a directory");
    EXPECT_NE(failure([] { read_file(std::string("a\0b", 3), 100); }), "");
}

TEST(InputFile, ReadsAnywhereAndStopsAtTheEnd) {
    const Scratch scratch;
    const auto path = scratch.path("a");
    put(path, "0123456789");
    const InputFile file(path);
    EXPECT_EQ(file.size(), 10U);
    std::string part(3, ' ');
    file.read(7, std::as_writable_bytes(std::span(part)));
    EXPECT_EQ(part, "789");
    expect_failure([&] { file.read(8, std::as_writable_bytes(std::span(part))); }, path, "ends");
}

TEST(InputFile, DoesNotWaitForPipes) {
    const Scratch scratch;
    const auto path = scratch.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_failure([&] { const InputFile file(path); }, path, "a device or a pipe");
}

TEST(Messages, StayOnOneLine) {
    EXPECT_EQ(in_quotes("a\nb\x7f"), "'a?b?'");
    EXPECT_EQ(in_quotes("ab\xc3\xa9", 3), "'ab...'");
    EXPECT_EQ(shown_size(1), "1 byte");
    EXPECT_EQ(shown_size(812), "812 bytes");
    EXPECT_EQ(shown_size(3'200'000'000), "3.2 GB");
    EXPECT_EQ(shown_size(999'999), "1.0 MB");
    EXPECT_EQ(shown_size(~std::uint64_t{0}), "18.4 EB");
}

}  // namespace
}  // namespace deepsl::io
