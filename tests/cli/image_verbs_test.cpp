// The verbs about images, run as processes: from a folder in MNIST's layout to predictions.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "directory.h"
#include "expect.h"
#include "process.h"

namespace {

using namespace deepsl::test;
using nlohmann::json;

class ImageVerbs : public InDirectory {
protected:
    static constexpr std::size_t side = 6;

    /// Images with a bright bar, upright (0) or lying (1), at one of four places.
    std::string folder() const {
        std::filesystem::create_directories(path("bars"));
        for (const auto& [part, count] : {std::pair{"train", 120U}, std::pair{"t10k", 40U}}) {
            auto images = big_endian({0x803, count, side, side});
            auto labels = big_endian({0x801, count});
            for (unsigned i = 0; i < count; ++i) {
                const unsigned label = i % 2, place = 1 + i / 2 % 4;
                labels += static_cast<char>(label);
                for (unsigned y = 0; y < side; ++y)
                    for (unsigned x = 0; x < side; ++x) {
                        const bool bright = (label == 0 ? x : y) == place;
                        images += static_cast<char>((bright ? 200 : 0) + (7 * i + x * y) % 40);
                    }
            }
            write("bars/" + std::string(part) + "-images-idx3-ubyte", images);
            write("bars/" + std::string(part) + "-labels-idx1-ubyte", labels);
        }
        return path("bars");
    }

    Outcome train(const std::string& data, Words words = {}) const {
        Words all{"train",
                  data,
                  "-o",
                  path("m.deepsl"),
                  "--encoder",
                  "8",
                  "--latent",
                  "8",
                  "--fields",
                  "2",
                  "--learning-rate",
                  "0.01",
                  "--epochs",
                  "30",
                  "--batch",
                  "16",
                  "--threads",
                  "1"};
        all.insert(all.end(), words.begin(), words.end());
        return run_program(all);
    }

private:
    static std::string big_endian(std::initializer_list<unsigned> numbers) {
        std::string bytes;
        for (const unsigned number : numbers)
            for (const unsigned shift : {24U, 16U, 8U, 0U})
                bytes += static_cast<char>((number >> shift) & 0xffU);
        return bytes;
    }
};

TEST_F(ImageVerbs, FromAFolderToPredictionsAndMetrics) {
    const auto data = folder();
    const auto trained = train(data, {"--crop", "1", "--json"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_NE(trained.err.find("120 images of 6 x 6 gray, 10 classes"), std::string::npos)
        << trained.err;
    EXPECT_NE(trained.err.find("30 epochs, the last one is kept"), std::string::npos);
    const auto result = json::parse(trained.out);
    EXPECT_EQ(result["rows"], 120);
    EXPECT_EQ(result["inputs"], 36);

    const auto evaluated = run_program({"evaluate", path("m.deepsl"), data, "--json"});
    ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
    EXPECT_EQ(json::parse(evaluated.out)["samples"], 40) << "the part test";
    EXPECT_GT(json::parse(evaluated.out)["accuracy"], 0.9);
    const auto on_train =
        run_program({"evaluate", path("m.deepsl"), data, "--json", "--part", "train"});
    EXPECT_EQ(json::parse(on_train.out)["samples"], 120);

    const auto predicted = run_program({"predict", path("m.deepsl"), data, "--proba"});
    ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
    EXPECT_TRUE(predicted.out.starts_with("class,p(0),p(1),")) << predicted.out;
    EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 41);

    const auto about = run_program({"inspect", path("m.deepsl")});
    EXPECT_NE(about.out.find("6 x 6 gray"), std::string::npos) << about.out;
    const auto one = run_program({"inspect", path("m.deepsl"), data, "--row", "3", "--json"});
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(json::parse(one.out)["fields"][0]["status"], "ok");
    const auto checked = run_program({"check", path("m.deepsl"), "--data", data});
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_F(ImageVerbs, ImagesToChooseTheEpochByAreOthers) {
    const auto data = folder();
    const auto trained = train(data, {"--model", "linear", "--validation-data", data});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_NE(trained.err.find("chosen by 40 other rows"), std::string::npos)
        << "the part test: " << trained.err;
    std::filesystem::remove(data + "/t10k-images-idx3-ubyte");
    const auto file = data + "/train-images-idx3-ubyte", labels = data + "/train-labels-idx1-ubyte";
    const auto same = train(file, {"--labels", labels, "--validation-data", file});
    EXPECT_EQ(same.exit_code, 3);
    EXPECT_NE(same.err.find("no images but those that are learned from"), std::string::npos)
        << same.err;
}

TEST_F(ImageVerbs, WhatHasNoEffectIsSaid) {
    const auto warned = train(folder(), {"--model", "linear", "--scale", "rank", "--drop", "x"});
    EXPECT_EQ(warned.exit_code, 0);
    EXPECT_NE(warned.err.find("--scale and --drop have no effect on images"), std::string::npos)
        << warned.err;
    EXPECT_NE(warned.err.find("8 of 10 classes have no image"), std::string::npos) << warned.err;
}

TEST_F(ImageVerbs, CheckTakesTheTrainingPart) {
    const auto data = folder();
    ASSERT_EQ(train(data).exit_code, 0);
    const auto checked = run_program(
        {"check", path("m.deepsl"), "--data", data, "--part", "train", "--threads", "1"});
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_F(ImageVerbs, ASwitchMayDoWithoutItsValue) {
    const auto data = folder();
    const auto predictions_after = [&](const Words& words) {
        const auto trained = train(data, words);
        EXPECT_EQ(trained.exit_code, 0) << trained.err;
        return run_program({"predict", path("m.deepsl"), data, "--proba"}).out;
    };
    const auto flipped = predictions_after({"--flip", "true", "--model", "linear"});
    EXPECT_EQ(predictions_after({"--flip", "--model", "linear"}), flipped);
    EXPECT_EQ(predictions_after({"--model", "linear", "--flip"}), flipped);
    EXPECT_NE(predictions_after({"--flip", "false", "--model", "linear"}), flipped);
    const auto refused = train(data, {"--flip", "yes"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("'yes'"), std::string::npos) << refused.err;
}

TEST_F(ImageVerbs, ThePaperAndOtherModelsTakeTheSameFolder) {
    const auto data = folder();
    for (const auto* kind : {"linear", "mlp", "node", "ablation"}) {
        const auto trained = train(data, {"--model", kind, "--epochs", "1", "--quiet"});
        EXPECT_EQ(trained.exit_code, 2) << "epochs are given twice";
        EXPECT_EQ(run_program({"train", data, "--model", kind, "--epochs", "1", "--quiet", "-o",
                               path("m.deepsl")})
                      .exit_code,
                  0)
            << kind;
    }
    const auto paper = run_program(
        {"train", data, "--preset", "paper", "--epochs", "1", "--quiet", "-o", path("p.deepsl")});
    EXPECT_EQ(paper.exit_code, 0) << paper.err;
}

TEST_F(ImageVerbs, MistakesAreAnsweredByASentence) {
    const auto data = folder();
    const auto expect = [](const Outcome& outcome, int code, const std::string& text) {
        EXPECT_EQ(outcome.exit_code, code) << outcome.err;
        EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    };
    expect(train(data, {"--target", "y"}), 2, "target names a column of a table");
    expect(train(data, {"--convolutions", "4"}), 2, "behind an encoder there are no images");
    expect(run_program({"cv", data}), 2, "cv takes tables");
    expect(run_program({"train", write("t.csv", "a,b\n1,2\n2,3\n"), "--labels", data}), 2,
           "labels belong to images");
    expect(run_program({"train", write("empty", ""), "--labels", data}), 3, "empty");
    expect(run_program({"train", data, data}), 2, "one folder or file of images");
    write("bars/train-labels-idx1-ubyte", "damaged");
    expect(train(data), 3, "train-labels-idx1-ubyte");
    EXPECT_FALSE(std::filesystem::exists(path("m.deepsl")));
}

}  // namespace
