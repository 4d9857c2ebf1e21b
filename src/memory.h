// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace deepsl {

/// In bytes: what the system says is available, or less where a control group (a container) allows
/// less; 8 GB where nothing is known. `root` stands before the paths of the system's files.
std::uint64_t available_memory(const std::string& root = "");

}  // namespace deepsl
