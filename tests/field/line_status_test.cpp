// What became of a line, in words.
#include "deepsl/field/line_status.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace deepsl::field {
namespace {

TEST(LineStatus, EachHasANameAndASentenceOfItsOwn) {
    std::set<std::string_view> names, sentences;
    for (const auto status :
         {LineStatus::ok, LineStatus::not_finite, LineStatus::outside, LineStatus::step_limit}) {
        names.insert(name(status));
        sentences.insert(sentence(status));
    }
    EXPECT_EQ(names, (std::set<std::string_view>{"ok", "not_finite", "outside", "step_limit"}));
    EXPECT_EQ(sentences.size(), 4U);
    EXPECT_NE(sentence(LineStatus::step_limit).find("raise max_steps"), std::string_view::npos);
}

}  // namespace
}  // namespace deepsl::field
