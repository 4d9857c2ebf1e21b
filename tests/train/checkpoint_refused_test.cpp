// Checkpoints that do not fit are refused, and leave the model as it was.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/io/file.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/parallel.h"
#include "deepsl/train/checkpoint.h"
#include "deepsl/train/trainer.h"
#include "train/interrupted.h"

namespace deepsl::train {
namespace {

class Refused : public testing::Test {
protected:
    void SetUp() override {
        train(*linear(1), data_.training, data_.validation, options_, stop_after(5),
              {path_, 1, 0.0, false});
    }

    /// The message, after a look whether the model is as it was.
    std::string message(Error::Kind kind, const TrainOptions& options, const Data& data,
                        model::Predictor& model) const {
        const auto before = model.parameters().values();
        try {
            train(model, data.training, data.validation, options, {}, {path_, 1, 0.0, true});
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            EXPECT_TRUE(same_bits(model.parameters().values(), before));
            return error.what();
        }
        return "";
    }
    void expect(Error::Kind kind, const std::string& part, const TrainOptions& options,
                const Data& data, model::Predictor& model) const {
        const auto what = message(kind, options, data, model);
        EXPECT_NE(what.find(part), std::string::npos) << what;
        EXPECT_NE(what.find("start afresh"), std::string::npos) << what;
    }

    static constexpr auto argument = Error::Kind::argument, unreadable = Error::Kind::data;
    Path path_;
    Data data_;
    TrainOptions options_ = quick(OptimiserKind::adamw);
};

TEST_F(Refused, OtherOptions) {
    auto options = options_;
    options.learning_rate = 0.03;
    expect(argument, "its learning-rate was '0.02', but is '0.03' now", options, data_, *linear(1));
    options = options_;
    options.optimiser = OptimiserKind::adam;
    expect(argument, "its optimiser was 'adamw', but is 'adam' now", options, data_, *linear(1));
    options = options_;
    options.epochs = 50;
    expect(argument, "its epochs was '5', but is '50' now", options, data_, *linear(1));
}

TEST_F(Refused, OtherData) {
    auto other = data_;
    other.training.x(0, 0) += 1e-15;
    expect(argument, "other data", options_, other, *linear(1));
    other = data_;
    for (auto& label : other.validation.labels) label = 1 - label;
    expect(argument, "other data", options_, other, *linear(1));
    other = data_;
    other.validation = {};
    expect(argument, "other data", options_, other, *linear(1));
}

TEST_F(Refused, OtherModels) {
    LinearModel wider(2, 2, 4), of_another_kind(2, 2, 3), shifted(2, 2, 3);
    expect(argument, "another architecture", options_, data_, wider);
    of_another_kind.set_kind(model::Kind::node);
    expect(argument, "another architecture", options_, data_, of_another_kind);
    // The same tensors, used in another way.
    shifted.set_offset(1e-9);
    expect(argument, "predicts something else", options_, data_, shifted);
}

TEST_F(Refused, OtherOptionsOfAModel) {
    train(*predictor(model::Kind::dsl)(1), data_.training, data_.validation, options_,
          stop_after(5), {path_, 1, 0.0, false});
    auto other = small();
    other.hidden = {8, 5};
    expect(argument, "another architecture", options_, data_,
           *predictor(model::Kind::dsl, other)(1));
    other = small();
    other.precision = model::Precision::float64;
    expect(argument, "another architecture", options_, data_,
           *predictor(model::Kind::dsl, other)(1));
    for (const auto& change : std::vector<std::function<void(model::ModelOptions&)>>{
             [](auto& o) { o.activation = network::Activation::leaky_relu; },
             [](auto& o) { o.cells = 5; }, [](auto& o) { o.input_scale = 3.0; },
             [](auto& o) { o.heads = model::HeadKind::paper; }}) {
        other = small();
        change(other);
        expect(argument, "predicts something else", options_, data_,
               *predictor(model::Kind::dsl, other)(1));
    }
}

TEST_F(Refused, DamagedFiles) {
    const std::string whole = io::read_file(path_, 1 << 24);
    for (const double share : {0.0, 0.01, 0.3, 0.9}) {
        io::write_file(
            path_,
            whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
        EXPECT_NE(message(unreadable, options_, data_, *linear(1)), "");
    }
    // Any single bit: of the header, of the values, of the figures.
    for (std::size_t at = 0; at < whole.size(); at += 37) {
        auto damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        io::write_file(path_, damaged);
        const auto model = linear(1);
        try {
            train(*model, data_.training, data_.validation, options_, {}, {path_, 1, 0.0, true});
            ADD_FAILURE() << "byte " << at << " of " << whole.size();
        } catch (const Error&) {
        }
    }
    io::write_file(path_, whole);
    const auto model = linear(1);
    EXPECT_FALSE(
        train(*model, data_.training, data_.validation, options_, {}, {path_, 1, 0.0, true})
            .interrupted);
}

TEST_F(Refused, ForeignFiles) {
    io::write_file(path_, "epoch,loss\n1,0.5\n");
    EXPECT_NE(message(unreadable, options_, data_, *linear(1)), "");
    io::write_tensor_file(path_, {{{"format", "deepsl model"}}, {}});
    expect(unreadable, "no checkpoint", options_, data_, *linear(1));
    for (const char* version : {"1", "7"}) {
        io::write_tensor_file(path_, {{{"format", "deepsl training"}, {"version", version}}, {}});
        expect(unreadable,
               "version '" + std::string(version) + "', and this program reads version 2", options_,
               data_, *linear(1));
        EXPECT_THROW(check_state(path_), Error);
    }
    std::filesystem::remove(static_cast<const std::string&>(path_));
    EXPECT_NE(message(unreadable, options_, data_, *linear(1)), "");
}

TEST_F(Refused, BadRequests) {
    const auto model = linear(1);
    const auto kind_of = [&](const Checkpointing& checkpointing) {
        try {
            train(*model, data_.training, data_.validation, options_, {}, checkpointing);
        } catch (const Error& error) {
            return error.kind();
        }
        ADD_FAILURE() << "it was accepted";
        return Error::Kind::output;
    };
    EXPECT_EQ(kind_of({"", 1, 0.0, true}), argument);
    EXPECT_EQ(kind_of({path_, -1, 0.0, false}), argument);
    EXPECT_EQ(kind_of({path_, 1, -1.0, false}), argument);
    EXPECT_EQ(kind_of({path_, 1, std::nan(""), false}), argument);
    EXPECT_EQ(kind_of({"no such directory/file", 1, 0.0, false}), Error::Kind::output);
}

}  // namespace
}  // namespace deepsl::train
