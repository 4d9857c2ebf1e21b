// What a column of a training table is to a model, judged by its cells and its name.
#pragma once

#include <optional>
#include <string>

#include "deepsl/data/encoding.h"

namespace deepsl::data {

struct Judgement {
    Role role = Role::number;
    std::string why;  // for what is dropped
};

/// `wanted` is the caller's choice. Throws Error for a column of numbers that a few texts
/// would turn into an identifier.
Judgement judge(const Table& table, const Column& column, std::optional<Role> wanted);

/// For a column of numbers that a few texts make useless.
[[noreturn]] void refuse_stray(const Table& table, const Column& column);

}  // namespace deepsl::data
