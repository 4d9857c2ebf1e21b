// Memory that is left, as the files of a system tell it.
#include "memory.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace deepsl {
namespace {

class Memory : public testing::Test {
protected:
    Memory()
        : root_(std::filesystem::temp_directory_path() /
                ("deepsl_memory_test_" + std::to_string(::getpid()))) {}
    ~Memory() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) const {
        const auto whole = root_ / path;
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream(whole) << text;
    }
    std::uint64_t available() const { return available_memory(root_.string()); }

private:
    std::filesystem::path root_;
};

TEST_F(Memory, IsEightGigabytesWhereNothingIsKnown) { EXPECT_EQ(available(), 8'000'000'000U); }

TEST_F(Memory, IsWhatTheSystemSays) {
    write("proc/meminfo", "MemTotal: 9000 kB\nMemFree:  10 kB\nMemAvailable:    5000 kB\n");
    EXPECT_EQ(available(), 5000U * 1024);
}

TEST_F(Memory, OfAContainerIsWhatItsGroupsLeave) {
    write("proc/meminfo", "MemAvailable: 5000000 kB\n");
    write("proc/self/cgroup", "0::/a/b\n");
    write("sys/fs/cgroup/a/b/memory.max", "max\n");
    EXPECT_EQ(available(), 5'120'000'000U);
    write("sys/fs/cgroup/a/memory.max", "1000000\n");
    write("sys/fs/cgroup/a/memory.current", "700000\n");
    EXPECT_EQ(available(), 300'000U);
    // Pages of files are given up when memory is wanted.
    write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 100000\n");
    EXPECT_EQ(available(), 400'000U);
    write("sys/fs/cgroup/a/memory.current", "2000000\n");
    EXPECT_EQ(available(), 0U);
}

TEST_F(Memory, OfTheOlderGroupsIsReadToo) {
    write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/jobs/seven\n");
    // The folder of the group itself is often not to be seen from inside.
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "400000\n");
    EXPECT_EQ(available(), 600'000U);
    write("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "500000\n");
    EXPECT_EQ(available(), 500'000U);
}

TEST(MemoryHere, IsPlausible) {
    EXPECT_GT(available_memory(), 1'000'000U);
    EXPECT_LT(available_memory(), std::uint64_t{1} << 50U);
}

}  // namespace
}  // namespace deepsl
