// The model file: what was saved is what is loaded, and nothing else is accepted.
#include "deepsl/io/model_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/io/file.h"
#include "deepsl/io/tensor_file.h"
#include "io/scratch.h"
#include "tensors.h"

namespace {

using namespace deepsl;

class ModelFile : public ::testing::Test {
protected:
    void SetUp() override {
        torch::manual_seed(3);
        model::ModelOptions options;
        options.hidden = options.field_hidden = {5, 4};
        options.eigenfunctions = 3;
        trained_.model = model::Model(2, 2, options);
        const auto x = torch::randn({50, 2}, torch::kFloat64) * 3.0 + 1.0;
        trained_.scaling = data::fit_scaling(x, options.domain);
        trained_.features = {"width", "height"};
        trained_.classes = {"no", "yes"};
        trained_.record = {{"epochs", "7"}, {"set", "a \"quoted\" name"}};
        const auto targets = torch::one_hot(torch::arange(50) % 2, 2);
        trained_.model->calibrate(trained_.scaling.forward(x), targets);
        const torch::NoGradGuard no_grad;
        for (const auto& p : trained_.model->linear_parameters()) p.normal_();
        path_ = scratch_.path("model_file_test.deepsl");
        io::save_model(path_, trained_);
        std::ifstream file(path_, std::ios::binary);
        std::stringstream content;
        content << file.rdbuf();
        bytes_ = content.str();
    }

    void write(const std::string& content) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
    }
    void expect_refused(const std::string& content, const std::string& what) const {
        write(content);
        try {
            io::load_model(path_);
            ADD_FAILURE() << "accepted: " << what;
        } catch (const io::FileError& error) {
            const std::string sentence = error.what();
            EXPECT_NE(sentence.find("model_file_test.deepsl"), std::string::npos) << sentence;
            EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
            EXPECT_LT(sentence.size(), 500u) << sentence;
        }
    }
    std::string with(const std::string& from, const std::string& to) const {
        const auto at = bytes_.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        EXPECT_EQ(from.size(), to.size()) << "the header keeps its length";
        auto changed = bytes_;
        changed.replace(at, from.size(), to);
        return changed;
    }

    test::Scratch scratch_;
    io::TrainedModel trained_;
    std::string path_, bytes_;
};

TEST_F(ModelFile, GivesTheSameBitsBack) {
    auto loaded = io::load_model(path_);
    EXPECT_EQ(loaded.features, trained_.features);
    EXPECT_EQ(loaded.classes, trained_.classes);
    EXPECT_EQ(loaded.record, trained_.record);
    const auto x = torch::randn({20, 2}, torch::kFloat64) * 3.0;
    const auto before = trained_.predict(x), after = loaded.predict(x);
    EXPECT_TRUE(before.y.equal(after.y));
    EXPECT_TRUE(before.lambda.equal(after.lambda));
    io::save_model(path_, loaded);
    std::ifstream file(path_, std::ios::binary);
    std::stringstream again;
    again << file.rdbuf();
    EXPECT_EQ(again.str(), bytes_);
}

TEST_F(ModelFile, KeepsNamesOfEveryKind) {
    trained_.features = {"length [mm]", R"({"a": [1]} \ ")"};
    trained_.classes = {"[", "]]{"};
    trained_.record["note"] = R"([[[{{{"\")";
    io::save_model(path_, trained_);
    const auto loaded = io::load_model(path_);
    EXPECT_EQ(loaded.features, trained_.features);
    EXPECT_EQ(loaded.classes, trained_.classes);
    EXPECT_EQ(loaded.record, trained_.record);
}

TEST_F(ModelFile, KeepsTheNumericsThatTheModelHasNow) {
    auto& numerics = trained_.model->numerics();
    numerics = numerics.finer(3);
    numerics.scheme = sturm::Scheme::midpoint;
    io::save_model(path_, trained_);
    auto loaded = io::load_model(path_);
    const auto x = torch::randn({20, 2}, torch::kFloat64);
    EXPECT_TRUE(same_bits(trained_.predict(x).y, loaded.predict(x).y));
    EXPECT_EQ(loaded.model->numerics().cells, numerics.cells);
}

TEST_F(ModelFile, WhatCannotBeReadBackIsNotWritten) {
    const auto refused = [&](const std::string& word) {
        try {
            io::save_model(path_, trained_);
            ADD_FAILURE() << "written: " << word;
        } catch (const io::FileError& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
        EXPECT_EQ(test::content_of(path_), bytes_) << "the old file is lost";
    };
    trained_.classes[0] = "caf\xe9";
    refused("UTF-8");
    trained_.classes[0] = "cafe";
    trained_.model->branches()[0]->set_field(
        std::make_shared<field::FunctionFieldImpl>([](const torch::Tensor& z) { return z; }));
    refused("field of your own");
}

TEST_F(ModelFile, TruncatedAnywhereIsRefused) {
    std::uint64_t header = 0;
    for (std::size_t i = 8; i-- > 0;) header = header * 256 + static_cast<unsigned char>(bytes_[i]);
    ASSERT_LT(header + 8, bytes_.size());
    for (std::size_t length = 0; length <= header + 8; ++length)
        expect_refused(bytes_.substr(0, length), "cut to " + std::to_string(length));
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i)
        expect_refused(bytes_.substr(0, random() % bytes_.size()), "cut at random");
}

TEST_F(ModelFile, OtherSizesAndNamesAreRefused) {
    expect_refused(with("\\\"hidden\\\":\\\"5-4\\\"", "\\\"hidden\\\":\\\"9-9\\\""), "layers");
    expect_refused(with("\\\"fields\\\":\\\"1\\\"", "\\\"fields\\\":\\\"9\\\""), "fields");
    expect_refused(with("\"inputs\":\"2\"", "\"inputs\":\"9\""), "inputs");
    expect_refused(with("\"outputs\":\"2\"", "\"outputs\":\"0\""), "outputs");
    expect_refused(with("\"version\":\"1\"", "\"version\":\"2\""), "version");
    expect_refused(with("deepsl model", "another file"), "format");
    expect_refused(with("\\\"rk4\\\"", "\\\"rk9\\\""), "method");
    expect_refused(with("scaling.shift", "scaling.swift"), "tensor name");
}

TEST_F(ModelFile, HugeLayersAreRefusedBeforeTheyAreAllocated) {
    auto file = io::read_tensor_file(path_);
    auto& architecture = file.metadata.at("architecture");
    const std::string from = "\"hidden\":\"5-4\"", to = "\"hidden\":\"65536-65536-65536\"";
    architecture.replace(architecture.find(from), from.size(), to);
    io::write_tensor_file(path_, file);
    EXPECT_THROW(io::load_model(path_), io::FileError);
}

TEST_F(ModelFile, NumbersThatAreNotFiniteAreRefused) {
    auto file = io::read_tensor_file(path_);
    for (auto& tensor : file.tensors)
        if (tensor.name == "field1.L.weight")
            std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{0xff});
    io::write_tensor_file(path_, file);
    EXPECT_THROW(io::load_model(path_), io::FileError);
}

TEST(Scaling, PutsDataInsideAndBack) {
    torch::manual_seed(1);
    const auto x = torch::randn({200, 3}, torch::kFloat64) * 5.0 + 100.0;
    for (const std::string domain : {"ball", "box"}) {
        const auto scaling = data::fit_scaling(x, domain);
        const auto z = scaling.forward(x);
        if (domain == "ball") {
            EXPECT_NEAR(z.norm(2, 1).max().item<double>(), 1.0 / 1.5, 1e-12);
            EXPECT_LE(scaling.forward(1e9 * x).norm(2, 1).max().item<double>(), 0.9 + 1e-12);
        } else {
            EXPECT_NEAR(z.min().item<double>(), 0.25, 1e-12);
            EXPECT_NEAR(z.max().item<double>(), 0.75, 1e-12);
            EXPECT_LE(scaling.forward(1e9 * x).max().item<double>(), 0.98);
        }
        EXPECT_TRUE(torch::allclose(scaling.inverse(z), x, 1e-12, 1e-9));
        EXPECT_EQ(scaling.pulled_in(x), 0);
        EXPECT_EQ(scaling.pulled_in(x * 1e6), 200);
    }
    EXPECT_THROW(data::fit_scaling(torch::full({2, 2}, NAN), "ball"), OptionError);
    const auto constant = data::fit_scaling(torch::ones({5, 2}), "box");
    EXPECT_TRUE(torch::isfinite(constant.forward(torch::ones({5, 2}))).all().item<bool>());
}

TEST(Scaling, StretchesColumnsByTheirWorth) {
    torch::manual_seed(1);
    const auto x = torch::rand({200, 3}, torch::kFloat64) + 7.0;
    const auto worth = torch::tensor({0.5, 2.0, 1.0}, torch::kFloat64);
    const auto factor_of = [&](const std::string& domain, const torch::Tensor& of_columns) {
        const auto scaling = data::fit_uniform_scaling(x, domain, of_columns);
        EXPECT_TRUE(torch::allclose(scaling.inverse(scaling.forward(x)), x, 1e-12));
        return scaling.factor;
    };
    const auto ball = factor_of("ball", worth);
    EXPECT_TRUE(torch::allclose(ball / ball[1], worth / 2.0, 1e-12));
    EXPECT_TRUE(torch::equal(factor_of("ball", torch::full({3}, 4.0)), factor_of("ball", {})));
    const auto stretch = factor_of("box", worth) / factor_of("box", {});
    EXPECT_TRUE(torch::allclose(stretch, worth / 2.0, 1e-12));
    const auto centre = 0.5 * (std::get<0>(x.min(0)) + std::get<0>(x.max(0))).unsqueeze(0);
    const auto middle = data::fit_uniform_scaling(x, "box", worth).forward(centre);
    EXPECT_TRUE(torch::allclose(middle, torch::full_like(middle, 0.5), 1e-12));
}

TEST(Scaling, TellsHowMuchAColumnSaysAboutTheTarget) {
    // A copy of the target, its negative, half of its variance, nothing, a constant.
    const auto x = torch::tensor({{0.0, 2.0, 0.0, 0.0, 3.0},
                                  {0.0, 2.0, 1.0, 1.0, 3.0},
                                  {1.0, 1.0, 1.0, 0.0, 3.0},
                                  {1.0, 1.0, 2.0, 1.0, 3.0}},
                                 torch::kFloat64);
    const auto wanted = torch::tensor({1.0, 1.0, 0.5, 0.0, 0.0}, torch::kFloat64);
    const auto labels = torch::tensor({0, 0, 1, 1}, torch::kInt64);
    EXPECT_TRUE(torch::allclose(data::association(x, labels), wanted, 0.0, 1e-12));
    const auto numbers = labels.to(torch::kFloat32).unsqueeze(1) * 9.0F - 4.0F;
    EXPECT_TRUE(torch::allclose(data::association(x, numbers), wanted, 0.0, 1e-12));
    // A hill, which a line does not see; and the third of three classes, which is half of all.
    const auto place = torch::tensor({{-1.0}, {0.0}, {1.0}}, torch::kFloat64);
    const auto hill = torch::tensor({{0.0}, {3.0}, {0.0}}, torch::kFloat64);
    EXPECT_NEAR(data::association(place, hill).item<double>(), 1.0, 1e-12);
    const auto third = torch::tensor({{0.0}, {0.0}, {1.0}}, torch::kFloat64);
    const auto order = torch::tensor({0, 1, 2}, torch::kInt64);
    EXPECT_NEAR(data::association(third, order).item<double>(), 0.5, 1e-12);
}

io::TrainedModel random_model(const std::string& preset) {
    auto options = model::model_preset(preset);
    options.hidden = options.field_hidden = {7, 5};
    options.precision = preset == "paper" ? "float64" : "float32";
    options.fields = 2;
    options.start_network = true;
    io::TrainedModel trained;
    trained.model = model::Model(3, 2, options);
    const auto x = torch::randn({40, 3}, torch::kFloat64);
    trained.scaling = data::fit_scaling(x, options.domain);
    trained.model->calibrate(trained.scaling.forward(x), x.narrow(1, 0, 2));
    const torch::NoGradGuard no_grad;
    for (const auto& p : trained.model->linear_parameters()) p.normal_();
    return trained;
}

// In a fresh process nothing is left of the one that saved the model. This test is both: without
// the variable it saves models and their predictions, and runs itself again with it.
TEST(FreshProcess, PredictsTheSameBits) {
    const std::string variable = "DEEPSL_TEST_SAVED_MODELS";
    const std::vector<std::string> presets{"default", "paper"};
    if (const char* folder = std::getenv(variable.c_str())) {
        const auto path = [&](const std::string& name) { return folder + ("/" + name); };
        for (const auto& preset : presets) {
            std::vector<torch::Tensor> saved;
            torch::load(saved, path(preset + ".pt"));
            const auto prediction = io::load_model(path(preset + ".deepsl")).predict(saved.at(0));
            ASSERT_TRUE(same_bits(prediction.y, saved.at(1))) << preset;
            ASSERT_TRUE(same_bits(prediction.lambda, saved.at(2))) << preset;
        }
        test::put(path("compared"), std::to_string(presets.size()));
        return;
    }
    torch::manual_seed(5);
    const test::Scratch scratch;
    for (const auto& preset : presets) {
        auto trained = random_model(preset);
        const auto x = torch::randn({100, 3}, torch::kFloat64);
        const auto prediction = trained.predict(x);
        ASSERT_TRUE(prediction.ok.all().item<bool>());
        ASSERT_GT(largest(prediction.y), 0.0);
        io::save_model(scratch.path(preset + ".deepsl"), trained);
        const std::vector<torch::Tensor> expected{x, prediction.y, prediction.lambda};
        torch::save(expected, scratch.path(preset + ".pt"));
    }
    const auto quoted = [](const std::string& text) { return " '" + text + "'"; };
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto log = scratch.path("log");
    const auto command = "env" + quoted(variable + "=" + scratch.path("")) + quoted(self) +
                         " --gtest_filter=FreshProcess.PredictsTheSameBits >" + quoted(log) +
                         " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << test::content_of(log);
    EXPECT_EQ(test::content_of(scratch.path("compared")), std::to_string(presets.size()))
        << "the second process compared nothing";
}

}  // namespace
