// inspect --report of a model of images, as a process.
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "directory.h"
#include "expect.h"
#include "process.h"

namespace deepsl::test {
namespace {

/// A bright row or a bright column in 6 x 6 pixels, as IDX.
class ImagePages : public InDirectory {
protected:
    std::string images(const std::string& name, int count) const {
        std::string bytes("\0\0\x08\x03\0\0\0\0\0\0\0\x06\0\0\0\x06", 16);
        bytes[7] = static_cast<char>(count);
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < 36; ++k)
                bytes += static_cast<char>(
                    (i % 2 == 0 ? k / 6 : k % 6) == 1 + i % 4 ? 120 : (i * k) % 40);
        return write(name, bytes);
    }
    std::string labels(const std::string& name, int count) const {
        std::string text;
        for (int i = 0; i < count; ++i) text += i % 2 == 0 ? "row\n" : "column <b>\n";
        return write(name, text);
    }
    std::string model() const {
        const auto trained =
            run_program({"train", images("train", 40), "--labels", labels("train.txt", 40),
                         "--encoder", "4", "--latent", "3", "--epochs", "2", "--threads", "1",
                         "--quiet", "-o", path("m.deepsl")});
        EXPECT_EQ(trained.exit_code, 0) << trained.err;
        return path("m.deepsl");
    }
};

TEST_F(ImagePages, AreWrittenWithAndWithoutLabelsAndForOneImage) {
    const auto file = model(), test = images("test", 30), names = labels("test.txt", 30);
    const auto page = path("page.html");
    const auto all =
        run_program({"inspect", file, test, "--labels", names, "--report", page, "--quiet"});
    ASSERT_EQ(all.exit_code, 0) << all.err;
    auto html = read(page);
    EXPECT_NE(html.find("What is taken for what"), std::string::npos);
    EXPECT_NE(html.find("of 30 images"), std::string::npos);
    EXPECT_EQ(html.find("column <b>"), std::string::npos) << "names are escaped";

    const auto one =
        run_program({"inspect", file, test, "--row", "7", "--report", page, "--quiet"});
    ASSERT_EQ(one.exit_code, 0) << one.err;
    html = read(page);
    EXPECT_NE(html.find("<h3>Image 7</h3>"), std::string::npos);
    EXPECT_EQ(html.find("What is taken for what"), std::string::npos);
    EXPECT_NE(one.out.find("image 7: "), std::string::npos) << one.out;

    const auto none = run_program({"inspect", file, test, "--report", page, "--quiet"});
    ASSERT_EQ(none.exit_code, 0) << none.err;
    EXPECT_NE(read(page).find("Close decisions"), std::string::npos);

    expect_error(run_program({"inspect", file, test, "--row", "31", "--report", page}), 3,
                 {"has 30 images", "image 31 was asked for"});
}

}  // namespace
}  // namespace deepsl::test
