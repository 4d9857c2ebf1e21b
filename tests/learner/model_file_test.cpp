// The model file: what was saved is what is loaded, and nothing else is accepted.
#include "deepsl/learner/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/io/checksum.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/model/ablation.h"
#include "deepsl/model/mlp_model.h"
#include "deepsl/model/model.h"
#include "deepsl/model/node.h"
#include "deepsl/network/mlp.h"
#include "deepsl/random.h"
#include "io/scratch.h"
#include "learner/trained.h"

namespace deepsl::learner {
namespace {

using test::random_rows;

class ModelFile : public ::testing::Test {
protected:
    void SetUp() override {
        model::ModelOptions options;
        options.hidden = options.field_hidden = {5, 4};
        options.eigenfunctions = 3;
        trained_ = test::random_model(2, 2, options);
        trained_.features = {"width", "height"};
        trained_.classes = {"no", "yes"};
        trained_.record = {{"epochs", "7"}, {"set", "a \"quoted\" name"}};
        path_ = scratch_.path("model_file_test.deepsl");
        save_model(path_, trained_);
        bytes_ = test::content_of(path_);
    }

    /// The sentence with which the file is refused, or nothing.
    std::string refusal() const {
        try {
            load_model(path_);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::data);
            return error.what();
        }
        return "";
    }
    void expect_refused(const std::string& content, const std::string& what) const {
        test::put(path_, content);
        const auto sentence = refusal();
        ASSERT_NE(sentence, "") << "accepted: " << what;
        EXPECT_NE(sentence.find("model_file_test.deepsl"), std::string::npos) << sentence;
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
        EXPECT_LT(sentence.size(), 500u) << sentence;
    }
    /// The file with a change of its content, and a checksum that fits.
    template <class Change>
    std::string refused_after(const Change& change) const {
        test::put(path_, bytes_);
        auto file = io::read_tensor_file(path_);
        change(file);
        file.metadata[io::checksum_key] = io::checksum_of(file);
        io::write_tensor_file(path_, file);
        return refusal();
    }
    std::string with_metadata(const std::string& key, const std::string& from,
                              const std::string& to) const {
        return refused_after([&](io::TensorFile& file) {
            auto& text = file.metadata.at(key);
            const auto at = text.find(from);
            ASSERT_NE(at, std::string::npos) << from;
            text.replace(at, from.size(), to);
        });
    }
    std::string with_number(const std::string& name, std::size_t at, double value) const {
        return refused_after([&](io::TensorFile& file) {
            for (auto& tensor : file.tensors)
                if (tensor.name == name && tensor.dtype == io::DType::f64)
                    std::memcpy(tensor.bytes.data() + at * sizeof value, &value, sizeof value);
        });
    }

    test::Scratch scratch_;
    TrainedModel trained_;
    std::string path_, bytes_;
};

TEST_F(ModelFile, GivesTheSameBitsBack) {
    const auto loaded = load_model(path_);
    EXPECT_EQ(loaded.features, trained_.features);
    EXPECT_EQ(loaded.classes, trained_.classes);
    EXPECT_EQ(loaded.record, trained_.record);
    const auto x = random_rows(20, 2, 7);
    const auto before = trained_.predict(x), after = loaded.predict(x);
    EXPECT_EQ(before.y, after.y);
    EXPECT_EQ(before.lambda, after.lambda);
    save_model(path_, loaded);
    EXPECT_EQ(test::content_of(path_), bytes_);
}

TEST_F(ModelFile, KeepsEveryKind) {
    for (const auto kind :
         {model::Kind::dsl, model::Kind::ablation, model::Kind::mlp, model::Kind::node})
        for (const auto precision : {model::Precision::float32, model::Precision::float64})
            for (const auto coefficients :
                 {model::CoefficientKind::networks, model::CoefficientKind::trunk}) {
                model::ModelOptions options;
                options.hidden = options.field_hidden = {4};
                options.precision = precision;
                options.coefficients = coefficients;
                const auto trained = test::random_model(3, 2, options, kind);
                save_model(path_, trained);
                const auto loaded = load_model(path_);
                EXPECT_EQ(loaded.predictor->kind(), kind);
                EXPECT_EQ(loaded.predictor->options().coefficients, coefficients);
                const auto x = random_rows(9, 3, 8);
                EXPECT_EQ(trained.predict(x).y, loaded.predict(x).y);
            }
}

TEST_F(ModelFile, KeepsEveryField) {
    for (const auto field : {field::FieldKind::directional, field::FieldKind::straight,
                             field::FieldKind::positive, field::FieldKind::gradient}) {
        model::ModelOptions options;
        options.hidden = {4};
        options.field_hidden = {5, 3};
        options.field = field;
        const auto trained = test::random_model(3, 2, options);
        save_model(path_, trained);
        const auto loaded = load_model(path_);
        EXPECT_EQ(loaded.predictor->options().field, field);
        const auto x = random_rows(9, 3, 8);
        EXPECT_EQ(trained.predict(x).y, loaded.predict(x).y);
    }
}

TEST_F(ModelFile, KeepsNamesOfEveryKind) {
    trained_.features = {"length [mm]", R"({"a": [1]} \ ")"};
    trained_.classes = {"[", "]]{\n\x1b[31m"};
    trained_.record["note"] = R"([[[{{{"\")";
    save_model(path_, trained_);
    const auto loaded = load_model(path_);
    EXPECT_EQ(loaded.features, trained_.features);
    EXPECT_EQ(loaded.classes, trained_.classes);
    EXPECT_EQ(loaded.record, trained_.record);
}

TEST_F(ModelFile, KeepsTheNumericsThatTheModelHasNow) {
    auto& model = *trained_.with_lines();
    auto numerics = model.numerics().finer(3);
    numerics.scheme = sturm::Scheme::midpoint;
    model.set_numerics(numerics);
    save_model(path_, trained_);
    const auto loaded = load_model(path_);
    const auto x = random_rows(20, 2, 9);
    EXPECT_EQ(trained_.predict(x).y, loaded.predict(x).y);
    EXPECT_EQ(loaded.with_lines()->numerics().cells, numerics.cells);
}

TEST_F(ModelFile, WhatCannotBeReadBackIsNotWritten) {
    const auto refused = [&](const TrainedModel& trained, const std::string& word) {
        try {
            save_model(path_, trained);
            ADD_FAILURE() << "written: " << word;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::output);
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
        EXPECT_EQ(test::content_of(path_), bytes_) << "the old file is lost";
    };
    trained_.classes[0] = "caf\xe9";
    refused(trained_, "UTF-8");
    trained_.classes[0] = "yes";
    refused(trained_, "two classes");
    trained_.classes[0] = "no";
    std::vector<model::BranchParts<float>> parts;
    parts.push_back(model::make_parts<float>(2, trained_.predictor->options()));
    trained_.predictor =
        model::make_model<float>(2, std::move(parts), trained_.predictor->options(), 1);
    refused(trained_, "of your own");
}

TEST_F(ModelFile, BaselinesWithPartsOfOnesOwnAreRefused) {
    const auto options = trained_.predictor->options();
    const auto network = [](std::size_t inputs, std::size_t outputs) {
        network::MlpOptions o;
        o.inputs = inputs, o.outputs = outputs;
        return std::make_unique<network::Mlp<float>>(o);
    };
    std::vector<std::unique_ptr<model::Predictor>> baselines;
    baselines.push_back(model::make_mlp_model<float>(network(2, 2), options, 1));
    baselines.push_back(model::make_node<float>(2, 2, network(2, 2), options, 1));
    baselines.push_back(model::make_ablation<float>(
        2, 2, model::make_parts<float>(3, options).coefficients, options, 1));
    for (auto& baseline : baselines) {
        trained_.predictor = std::move(baseline);
        try {
            save_model(path_, trained_);
            ADD_FAILURE() << "written: " << name(trained_.predictor->kind());
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::output);
            EXPECT_NE(std::string(error.what()).find("of your own"), std::string::npos)
                << error.what();
        }
        EXPECT_EQ(test::content_of(path_), bytes_) << "the old file is lost";
    }
}

TEST_F(ModelFile, AFullDiskDoesNotLoseTheModel) {
    const auto sentence = [&] {
        try {
            save_model_or_rescue(scratch_.path("no/such/folder/rescued_model_test.deepsl"),
                                 trained_);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::output);
            return std::string(error.what());
        }
        return std::string();
    }();
    const std::string start = "the model was written to '";
    const auto at = sentence.find(start);
    ASSERT_NE(at, std::string::npos) << sentence;
    const auto begin = at + start.size();
    const auto other = sentence.substr(begin, sentence.find('\'', begin) - begin);
    EXPECT_EQ(test::content_of(other), bytes_);
    std::filesystem::remove(other);
}

TEST_F(ModelFile, TruncatedAnywhereIsRefused) {
    Random random(1);
    std::uint64_t header = 0;
    for (std::size_t i = 8; i-- > 0;) header = header * 256 + static_cast<unsigned char>(bytes_[i]);
    ASSERT_LT(header + 8, bytes_.size());
    for (std::size_t length = 0; length <= header + 8; length += 1 + below(5, random))
        expect_refused(bytes_.substr(0, length), "cut to " + std::to_string(length));
    for (int i = 0; i < 300; ++i)
        expect_refused(bytes_.substr(0, below(bytes_.size(), random)), "cut at random");
}

TEST_F(ModelFile, AFlippedBitIsNoticedWhereverItIs) {
    // Every bit of the header's first bytes, and one of every byte of the file.
    auto changed = bytes_;
    const auto flip = [&](std::size_t byte, int bit) {
        changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
        expect_refused(changed, "bit " + std::to_string(bit) + " of byte " + std::to_string(byte));
        changed[byte] = bytes_[byte];
    };
    for (std::size_t byte = 0; byte < 8; ++byte)
        for (int bit = 0; bit < 8; ++bit) flip(byte, bit);
    Random random(2);
    for (std::size_t byte = 8; byte < bytes_.size() && !HasFailure(); ++byte)
        flip(byte, static_cast<int>(below(8, random)));
}

TEST_F(ModelFile, OtherSizesAndNamesAreRefused) {
    const auto refused = [&](const std::string& key, const std::string& from,
                             const std::string& to) {
        EXPECT_NE(with_metadata(key, from, to), "") << key << ": " << to;
    };
    refused("architecture", R"("hidden":"5-4")", R"("hidden":"9-9")");
    refused("architecture", R"("fields":"1")", R"("fields":"9")");
    refused("architecture", R"("coefficients":"networks")", R"("coefficients":"trunk")");
    refused("architecture", R"("coefficients":"networks",)", "");
    refused("architecture", R"("rk4")", R"("rk9")");
    refused("architecture", R"("cells")", R"("bells")");
    refused("architecture", "{", R"({"new":"1",)");
    refused("inputs", "2", "9");
    refused("inputs", "2", "-2");
    refused("inputs", "2", "1e99");
    refused("outputs", "2", "0");
    refused("version", "2", "3");
    refused("format", "deepsl model", "another file");
    refused("kind", "dsl", "svm");
    refused("kind", "dsl", "mlp");
    EXPECT_NE(refused_after([](io::TensorFile& file) { file.metadata.erase("domain"); }), "");
    EXPECT_NE(refused_after([](io::TensorFile& file) { file.tensors[0].name += 'x'; }), "");
    EXPECT_NE(refused_after([](io::TensorFile& file) { file.tensors.pop_back(); }), "");
}

TEST_F(ModelFile, EachRefusalEndsWithOneRemedyThatFits) {
    const auto expect = [&](const std::string& sentence, const std::string& rest) {
        EXPECT_EQ(sentence, "'" + path_ + "' cannot be used as a model: " + rest);
    };
    const std::string again = "; train the model again, or name another file";
    expect(with_metadata("version", "2", "4"),
           "it is of version '4', and this program reads versions 1 to 3; use the program that "
           "wrote it, or train the model again");
    expect(with_metadata("version", "2", "3"),
           "its version does not fit the number of its voters" + again);
    expect(with_metadata("format", "deepsl model", "another file"),
           "it is a safetensors file, but not one written by deepsl; name a file that 'deepsl "
           "train' wrote");
    expect(
        with_metadata("architecture", R"("rk4")", R"("rk9")"),
        "in its architecture method takes one of rk4, dormand_prince, but 'rk9' was given" + again);
    expect(with_metadata("architecture", R"("rk4")", R"("r; k")"),
           "in its architecture method takes one of rk4, dormand_prince, but 'r; k' was given" +
               again);
    expect(with_metadata("kind", "dsl", "svm"),
           "in its header kind takes one of dsl, ablation, mlp, node, linear, but 'svm' was given" +
               again);
    expect(
        refused_after([](io::TensorFile& file) {
            auto& text = file.metadata.at("architecture");
            for (const auto& [from, to] :
                 {std::pair<std::string, std::string>{"rk4", "dormand_prince"},
                  {R"("tolerance":"1e-05")", R"("tolerance":"1e-07")"}})
                text.replace(text.find(from), from.size(), to);
        }),
        "in its architecture tolerance must be 1e-06 or more where the networks are of precision "
        "float32, but is 1e-07" +
            again);
    expect(refused_after([](io::TensorFile& file) { file.metadata["encoding"] = "{}"; }),
           "the model's encoding makes no sense: it is not the JSON text that is expected" + again);
    auto changed = bytes_;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    test::put(path_, changed);
    expect(refusal(),
           "it is damaged, since its checksum differs; copy it again, from where it was written");
}

TEST_F(ModelFile, TheChecksumIsNeeded) {
    auto file = io::read_tensor_file(path_);
    file.metadata.erase(io::checksum_key);
    io::write_tensor_file(path_, file);
    EXPECT_NE(refusal().find("checksum"), std::string::npos);
    file.metadata["version"] = "1";  // which had none, nor what else is new
    file.metadata.erase("domain");
    auto& architecture = file.metadata.at("architecture");
    const std::string coefficients = R"("coefficients":"networks",)";
    architecture.erase(architecture.find(coefficients), coefficients.size());
    io::write_tensor_file(path_, file);
    EXPECT_EQ(refusal(), "");
}

TEST_F(ModelFile, WhatMakesNoSenseIsRefusedEvenWithAChecksum) {
    const auto expect = [](const std::string& sentence, const std::string& word) {
        EXPECT_NE(sentence.find(word), std::string::npos) << word << ": " << sentence;
    };
    for (const double factor : {0.0, -1.0, 1e308, 1e-320})
        expect(with_number("scaling.factor", 1, factor), "which no data give");
    expect(with_number("scaling.shift", 0, 1e300), "which no data give");
    for (const double spread : {-0.1, 3.0, 1e308})
        expect(with_number("scaling.numbers", 0, spread), "the spread");
    expect(with_number("scaling.numbers", 1, 0.5), "scores of classes");
    for (const double scale : {0.0, -1.0})
        expect(with_number("scaling.numbers", 2, scale), "its target has");
    for (const double scale : {0.0, -1.0})
        expect(with_number("field1.u_scale", 2, scale), "not positive");
    expect(with_number("scaling.shift", 0, std::nan("")), "NaN or infinite");
    expect(with_metadata("classes", R"(["no","yes"])", R"(["no","no"])"), "two classes 'no'");
    expect(with_metadata("classes", R"(["no","yes"])", R"(["a","b","c"])"), "3 classes");
    expect(with_metadata("classes", R"(["no","yes"])", R"(["a"])"),
           "it names 1 class, but has 2 outputs");
    expect(with_metadata("features", R"(["width","height"])", R"(["width"])"),
           "it names 1 input, but has 2");
    expect(with_metadata("architecture", R"("domain":"ball")", R"("domain":"box")"),
           "another domain");
    // A classifier without classes: it says what it predicts.
    expect(refused_after([](io::TensorFile& file) {
               file.metadata["classes"] = "[]";
               file.metadata["training"] = R"({"task":"classes"})";
           }),
           "names none");
}

TEST_F(ModelFile, HugeSizesAreRefusedBeforeTheyAreAllocated) {
    // Any of these would take all memory there is.
    EXPECT_NE(
        with_metadata("architecture", R"("hidden":"5-4")", R"("hidden":"65536-65536-65536-65536")"),
        "");
    EXPECT_NE(
        with_metadata("architecture", R"("field-hidden":"5-4")", R"("field-hidden":"65536-65536")"),
        "");
    EXPECT_NE(with_metadata("inputs", "2", "999999"), "");
    EXPECT_NE(with_metadata("outputs", "2", "999999"), "");
    EXPECT_NE(with_metadata("architecture", R"("eigenfunctions":"3")", R"("eigenfunctions":"200")"),
              "");
}

TEST_F(ModelFile, DeepJsonIsRefusedBeforeItIsParsed) {
    const std::string deep(100000, '[');
    for (const auto* key : {"architecture", "classes", "features", "training", "inputs"})
        EXPECT_NE(refused_after([&](io::TensorFile& file) { file.metadata[key] = deep; }), "")
            << key;
}

TEST_F(ModelFile, NumbersThatAreNotFiniteAreRefused) {
    EXPECT_NE(refused_after([](io::TensorFile& file) {
                  for (auto& tensor : file.tensors)
                      if (tensor.name == "field1.L.weight")
                          std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{0xff});
              }),
              "");
}

TEST_F(ModelFile, AMissingFileIsRefusedInASentence) {
    std::filesystem::remove(path_);
    EXPECT_NE(refusal().find("model_file_test.deepsl"), std::string::npos);
}

// In a fresh process nothing is left of the one that saved the model. This test is both: without
// the variable it saves models and their predictions, and runs itself again with it.
TEST(FreshProcess, PredictsTheSameBits) {
    const std::string variable = "DEEPSL_TEST_SAVED_MODELS";
    const std::vector<model::Preset> presets{model::Preset::standard, model::Preset::paper};
    const auto x = random_rows(100, 3, 5);
    const auto text_of = [&](const TrainedModel& trained) {
        const auto prediction = trained.predict(x);
        std::string text;
        for (const auto* values : {&prediction.y.values(), &prediction.lambda.values()})
            for (const double value : *values) text += option_text(value) + "\n";
        return text;
    };
    if (const char* folder = std::getenv(variable.c_str())) {
        const auto path = [&](const std::string& file) { return folder + ("/" + file); };
        for (const auto preset : presets) {
            const std::string file(name(preset));
            const auto saved = test::content_of(path(file + ".txt"));
            ASSERT_GT(saved.size(), 1000u);
            ASSERT_EQ(text_of(load_model(path(file + ".deepsl"))), saved) << file;
        }
        test::put(path("compared"), std::to_string(presets.size()));
        return;
    }
    const test::Scratch scratch;
    for (const auto preset : presets) {
        auto options = model::model_preset(preset);
        options.hidden = options.field_hidden = {7, 5};
        options.fields = 2;
        options.start_network = true;
        const auto trained = test::random_model(3, 2, options);
        const std::string file(name(preset));
        save_model(scratch.path(file + ".deepsl"), trained);
        test::put(scratch.path(file + ".txt"), text_of(trained));
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
}  // namespace deepsl::learner
