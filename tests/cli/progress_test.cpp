// Signs of life from long work, with a pace that a test can wait for.
#include "../../cli/progress.h"

#include <gtest/gtest.h>

namespace deepsl::cli {
namespace {

using namespace std::chrono_literals;

std::string told(bool shown, ProgressLine::Pace pace) {
    testing::internal::CaptureStderr();
    {
        ProgressLine progress(shown, "counting sheep", pace);
        progress.set(0.5);
        std::this_thread::sleep_for(300ms);
    }
    return testing::internal::GetCapturedStderr();
}

TEST(ProgressLine, WritesALineNowAndThenWhereThereIsNoTerminal) {
    const auto text = told(true, {20ms, 20ms, false});
    const std::string line =
        "deepsl: counting sheep: 50 %, 0 s so far, about 0 s left (Ctrl-C stops)\n";
    EXPECT_TRUE(text.starts_with(line + line)) << text;
    EXPECT_EQ(text.find_first_of("\r\033"), std::string::npos);
}

TEST(ProgressLine, ChangesOneLineOnATerminalAndRemovesItInTheEnd) {
    const auto text = told(true, {20ms, 20ms, true});
    EXPECT_TRUE(text.starts_with("\r\033[Kcounting sheep: 50 %")) << text;
    EXPECT_TRUE(text.ends_with("(Ctrl-C stops)\r\033[K")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(ProgressLine, SaysNothingOfShortWorkNorWhenItIsNotWanted) {
    EXPECT_EQ(told(true, {60s, 20ms, true}), "");
    EXPECT_EQ(told(false, {20ms, 20ms, false}), "");
}

TEST(ProgressLine, TellsWhatIsLeft) {
    EXPECT_EQ(progress_text(0.0, 12.7), "12 s so far");
    EXPECT_EQ(progress_text(0.25, 100.0), "25 %, 100 s so far, about 5 min left");
    EXPECT_EQ(progress_text(0.001, 30.0), "0 %, 30 s so far, about 8 h left");
    EXPECT_EQ(progress_text(1e-300, 30.0), "0 %, 30 s so far, about 277777 h left");
    EXPECT_EQ(progress_text(1.0, 7200.0), "100 %, 2 h so far, about 0 s left");
}

}  // namespace
}  // namespace deepsl::cli
