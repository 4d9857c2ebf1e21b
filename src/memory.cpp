#include "memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace deepsl {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t when_unknown = 8'000'000'000;

/// The number after a word at the beginning of a line.
std::optional<std::uint64_t> entry(const std::string& path, const std::string& word) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream parts(line);
        std::string first;
        std::uint64_t value = 0;
        if (parts >> first >> value && first == word) return value;
    }
    return {};
}

std::optional<std::uint64_t> number(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t value = 0;
    if (file >> value) return value;
    return {};  // no such file, or "max"
}

/// The files of one version of control groups.
struct Names {
    const char *limit, *usage, *cache;
};
constexpr Names version1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Names version2{"memory.max", "memory.current", "inactive_file"};

/// The least room in a group and those around it. Pages of files that nobody uses would be given
/// up.
std::uint64_t group_room(const std::string& mount, std::string group, const Names& names) {
    std::uint64_t least = unknown;
    for (;;) {
        while (group.ends_with('/')) group.pop_back();
        const auto folder = mount + group + "/";
        if (const auto limit = number(folder + names.limit)) {
            const auto used = number(folder + names.usage).value_or(0);
            const auto cache = entry(folder + "memory.stat", names.cache).value_or(0);
            const auto taken = used > cache ? used - cache : 0;
            least = std::min(least, *limit > taken ? *limit - taken : 0);
        }
        if (group.empty()) return least;
        group.erase(std::min(group.rfind('/'), group.size()));
    }
}

}  // namespace

std::uint64_t available_memory(const std::string& root) {
    std::uint64_t least = unknown;
    if (const auto kilobytes = entry(root + "/proc/meminfo", "MemAvailable:"))
        least = *kilobytes * 1024;
    const auto mount = root + "/sys/fs/cgroup";
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // number:controllers:/group
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto group = line.substr(second + 1);
        if (controllers.empty()) {
            least = std::min(least, group_room(mount, group, version2));
        } else if (controllers == "memory") {
            least = std::min(least, group_room(mount + "/memory", group, version1));
        }
    }
    return least == unknown ? when_unknown : least;
}

}  // namespace deepsl
