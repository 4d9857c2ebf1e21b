// Checkpoints: a run that is broken off and resumed ends with the bits of one that never was, and
// a file that does not fit is refused.
#include "deepsl/train/checkpoint.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "deepsl/data/generated.h"
#include "deepsl/io/file.h"
#include "deepsl/io/tensor_file.h"
#include "deepsl/model/kinds.h"
#include "deepsl/train/trainer.h"
#include "tensors.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

/// A file of the test's own, gone with it.
class Path {
public:
    Path()
        : path_((std::filesystem::temp_directory_path() /
                 ("deepsl_checkpoint_" + std::to_string(::getpid()) + ".state"))
                    .string()) {
        std::filesystem::remove(path_);
    }
    ~Path() { std::filesystem::remove(path_); }
    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;

    operator const std::string&() const { return path_; }

private:
    std::string path_;
};

Dataset moons(std::size_t samples, std::uint64_t seed) {
    const auto made = data::generate("moons", {samples, std::nullopt, seed});
    const auto x = torch::tensor(made.x, torch::kFloat64).view({-1, 2});
    return {x / 3.0 - 0.1, torch::tensor(made.label, torch::kInt64)};
}

model::ModelOptions small() {
    model::ModelOptions options;
    options.hidden = {8, 4};
    options.field_hidden = {4};
    options.eigenfunctions = 4;
    options.cells = 4;
    options.steps = 3;
    return options;
}

/// The seed makes no difference to a run that is resumed.
std::shared_ptr<model::PredictorImpl> fresh(std::uint64_t seed = 1, const std::string& kind = "dsl",
                                            const model::ModelOptions& options = small()) {
    at::set_num_threads(1);
    torch::manual_seed(seed);
    return model::make_predictor(kind, 2, 2, options);
}

TrainOptions quick(const std::string& optimiser, std::int64_t epochs = 5) {
    TrainOptions options;
    options.optimiser = optimiser;
    options.batch = 20;  // three steps an epoch
    options.epochs = epochs;
    options.patience = 0;
    options.learning_rate = 0.02;
    return options;
}

void expect_same_weights(const torch::nn::Module& a, const torch::nn::Module& b) {
    const auto compare = [](const auto& left, const auto& right) {
        ASSERT_EQ(left.size(), right.size());
        for (const auto& item : left)
            EXPECT_TRUE(same_bits(item.value(), right[item.key()])) << item.key();
    };
    compare(a.named_parameters(), b.named_parameters());
    compare(a.named_buffers(), b.named_buffers());
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// All but times.
void expect_same_record(const TrainingRecord& a, const TrainingRecord& b) {
    ASSERT_EQ(a.epochs.size(), b.epochs.size());
    for (std::size_t i = 0; i < a.epochs.size(); ++i) {
        const auto &x = a.epochs[i], &y = b.epochs[i];
        EXPECT_EQ(x.epoch, y.epoch);
        EXPECT_EQ(x.epochs, y.epochs);
        EXPECT_TRUE(same(x.loss, y.loss)) << i;
        EXPECT_TRUE(same(x.spectral, y.spectral)) << i;
        EXPECT_TRUE(same(x.train_metric, y.train_metric)) << i;
        EXPECT_TRUE(same(x.validation_loss, y.validation_loss)) << i;
        EXPECT_TRUE(same(x.validation_metric, y.validation_metric)) << i;
        EXPECT_TRUE(same(x.lambda_first, y.lambda_first)) << i;
        EXPECT_TRUE(same(x.lambda_last, y.lambda_last)) << i;
        EXPECT_EQ(x.failures, y.failures);
        EXPECT_EQ(x.failed_lines, y.failed_lines);
        EXPECT_EQ(x.validation_failed, y.validation_failed);
        EXPECT_EQ(x.skipped_steps, y.skipped_steps);
        EXPECT_EQ(x.best, y.best);
    }
    EXPECT_EQ(a.best_epoch, b.best_epoch);
    EXPECT_EQ(a.metric_name, b.metric_name);
    EXPECT_TRUE(same(a.best_metric, b.best_metric));
    EXPECT_EQ(a.stopped_early, b.stopped_early);
    EXPECT_EQ(a.interrupted, b.interrupted);
    EXPECT_EQ(a.failed_lines, b.failed_lines);
    EXPECT_EQ(a.failures, b.failures);
    EXPECT_EQ(a.skipped_steps, b.skipped_steps);
    EXPECT_EQ(a.training_rows, b.training_rows);
    EXPECT_EQ(a.validation_rows, b.validation_rows);
}

/// Ends a run after so many steps.
Callbacks stop_after(int steps) {
    Callbacks callbacks;
    callbacks.stop = [steps, done = 0]() mutable { return ++done == steps; };
    return callbacks;
}

/// Training data with rows that fail, and validation data.
struct Data {
    Dataset training = moons(60, 3), validation = moons(30, 4);

    Data() { training.x[7][0] = std::nan(""), training.x[20][1] = 5.0; }
};

void expect_same_when_broken(const std::string& kind, const TrainOptions& options,
                             const Dataset& validation, const std::vector<int>& breaks) {
    SCOPED_TRACE(kind + ", " + options.optimiser);
    const Data data;
    const Path path;
    auto whole = fresh(1, kind);
    const auto expected = train(*whole, data.training, validation, options);
    for (const int steps : breaks) {
        SCOPED_TRACE(steps);
        auto first = fresh(1, kind);
        const auto part = train(*first, data.training, validation, options, stop_after(steps),
                                {path, 100, 0.0, false});
        ASSERT_TRUE(part.interrupted);
        auto second = fresh(99, kind);
        std::vector<std::int64_t> told;
        Callbacks callbacks;
        callbacks.epoch = [&](const EpochReport& report) { told.push_back(report.epoch); };
        const auto record =
            train(*second, data.training, validation, options, callbacks, {path, 1, 0.0, true});
        expect_same_weights(*second, *whole);
        expect_same_record(record, expected);
        EXPECT_GE(record.seconds, 0.0);
        ASSERT_FALSE(told.empty());
        EXPECT_EQ(told.front(), static_cast<std::int64_t>(part.epochs.size()));
    }
}

TEST(Checkpoint, ABrokenRunEndsWithTheSameBits) {
    for (const char* optimiser : {"adam", "adamw", "fromage"}) {
        auto options = quick(optimiser);
        options.alpha = 1e-3;
        options.weight_decay = 0.01;
        // In the first epoch, in the middle of others, at the very end of one, in the last.
        expect_same_when_broken("dsl", options, moons(30, 4), {1, 5, 9, 14});
    }
}

TEST(Checkpoint, SoDoesOneThatSplitsOffItsValidation) {
    auto options = quick("adamw", 4);
    options.validation = 0.3;
    expect_same_when_broken("dsl", options, {}, {4});
    options.validation = 0.0;
    expect_same_when_broken("dsl", options, {}, {4});
}

TEST(Checkpoint, SoDoesEveryKindOfModel) {
    for (const char* kind : {"ablation", "mlp", "node"})
        expect_same_when_broken(kind, quick("adamw"), moons(30, 4), {7});
}

TEST(Checkpoint, EarlyStoppingIsTheSameAfterResuming) {
    auto options = quick("adam", 100);
    options.schedule = "constant";
    options.learning_rate = 0.1;
    options.patience = 3;
    const Data data;
    auto whole = fresh(1, "mlp");
    const auto expected = train(*whole, data.training, data.validation, options);
    ASSERT_TRUE(expected.stopped_early);
    const auto epochs = static_cast<int>(expected.epochs.size());
    // The second one between the best epoch and the end.
    expect_same_when_broken("mlp", options, data.validation, {4, 3 * epochs - 4});
}

TEST(Checkpoint, ARunThatIsOverStaysAsItIs) {
    for (const std::int64_t patience : {0, 1}) {
        const Path path;
        const Data data;
        auto options = quick("adamw", patience > 0 ? 60 : 3);
        options.patience = patience;
        auto model = fresh(1, "mlp"), again = fresh(2, "mlp");
        const auto record =
            train(*model, data.training, data.validation, options, {}, {path, 0, 0.0, false});
        EXPECT_EQ(record.stopped_early, patience > 0);
        expect_same_record(
            train(*again, data.training, data.validation, options, {}, {path, 0, 0.0, true}),
            record);
        expect_same_weights(*again, *model);
    }
}

TEST(Checkpoint, SeveralBreaksInOneRun) {
    const Data data;
    const Path path;
    const auto options = quick("adamw", 6);
    auto whole = fresh(), model = fresh();
    const auto expected = train(*whole, data.training, data.validation, options);
    Checkpointing checkpointing{path, 2, 0.0, false};
    auto record =
        train(*model, data.training, data.validation, options, stop_after(4), checkpointing);
    checkpointing.resume = true;
    for (int i = 0; i < 20 && record.interrupted; ++i) {
        model = fresh(static_cast<std::uint64_t>(i + 10));
        record =
            train(*model, data.training, data.validation, options, stop_after(5), checkpointing);
    }
    expect_same_record(record, expected);
    expect_same_weights(*model, *whole);
}

TEST(Checkpoint, IsWrittenWhenDue) {
    const Data data;
    const Path path;
    const auto options = quick("adamw", 5);
    const auto saved_after = [&](const Checkpointing& checkpointing) {
        std::vector<std::int64_t> epochs;
        Callbacks callbacks;
        callbacks.epoch = [&](const EpochReport& report) {
            if (checkpointing.path.empty()) return;
            const auto file = io::read_tensor_file(checkpointing.path);
            if (file.find("epochs.counts")->shape[0] == 6 * report.epoch)
                epochs.push_back(report.epoch);
        };
        std::filesystem::remove(static_cast<const std::string&>(path));
        auto model = fresh(1, "mlp");
        train(*model, data.training, data.validation, options, callbacks, checkpointing);
        return epochs;
    };
    EXPECT_EQ(saved_after({path, 1, 0.0, false}), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(saved_after({path, 2, 0.0, false}), (std::vector<std::int64_t>{2, 4, 5}));
    EXPECT_EQ(saved_after({path, 0, 1e-9, false}), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(saved_after({path, 0, 1e6, false}), (std::vector<std::int64_t>{5}));
    EXPECT_EQ(saved_after({"", 1, 0.0, false}), (std::vector<std::int64_t>{}));
    EXPECT_FALSE(std::filesystem::exists(static_cast<const std::string&>(path)));
}

/// F(x) = a x, and b x more in batches that hold a positive x: b has a gradient now and then.
class SometimesImpl : public model::PredictorImpl {
public:
    SometimesImpl() : PredictorImpl(1, 1) {
        a_ = register_parameter("a", torch::zeros({1, 1}, torch::kFloat64));
        b_ = register_parameter("b", torch::ones({1, 1}, torch::kFloat64));
    }
    model::Prediction forward(const Tensor& x) override {
        const bool both = x.gt(0.0).any().item<bool>();
        return {both ? x * a_ + x * b_ : x * a_,
                {},
                torch::ones({x.size(0)}, torch::kBool),
                std::vector<model::Outcome>(static_cast<std::size_t>(x.size(0)))};
    }
    std::vector<Tensor> linear_parameters() override { return {}; }

private:
    Tensor a_, b_;
};

// A gradient of zeros, which an earlier step leaves behind, moves a weight; none does not.
TEST(Checkpoint, RemembersWhichParametersHadAGradient) {
    const auto x = torch::tensor({1.0, -2.0, -1.0, -3.0, -0.5}, torch::kFloat64).unsqueeze(1);
    for (const char* optimiser : {"adamw", "fromage"}) {
        auto options = quick(optimiser, 6);
        options.batch = 1;
        options.validation = 0.0;
        const Path path;
        SometimesImpl whole;
        train(whole, {x, x}, {}, options);
        for (const int steps : {7, 13, 19, 27}) {
            SometimesImpl first, second;
            train(first, {x, x}, {}, options, stop_after(steps), {path, 1, 0.0, false});
            train(second, {x, x}, {}, options, {}, {path, 1, 0.0, true});
            expect_same_weights(second, whole);
        }
    }
}

class Refused : public testing::Test {
protected:
    void SetUp() override {
        auto model = fresh();
        train(*model, data_.training, data_.validation, options_, stop_after(5),
              {path_, 1, 0.0, false});
    }

    /// The message, after a look whether the model is as it was.
    template <class Error>
    std::string message(const TrainOptions& options, const Dataset& training,
                        const Dataset& validation,
                        const std::shared_ptr<model::PredictorImpl>& model) const {
        std::vector<Tensor> before;
        for (const auto& p : model->parameters()) before.push_back(p.detach().clone());
        try {
            train(*model, training, validation, options, {}, {path_, 1, 0.0, true});
        } catch (const Error& error) {
            const auto now = model->parameters();
            for (std::size_t i = 0; i < now.size(); ++i) EXPECT_TRUE(same_bits(now[i], before[i]));
            return error.what();
        }
        return "";
    }
    template <class Error>
    void expect(const std::string& part, const TrainOptions& options, const Data& data,
                const std::shared_ptr<model::PredictorImpl>& model) const {
        const auto found = message<Error>(options, data.training, data.validation, model);
        EXPECT_NE(found.find(part), std::string::npos) << found;
        EXPECT_NE(found.find("start afresh"), std::string::npos) << found;
    }

    Path path_;
    Data data_;
    TrainOptions options_ = quick("adamw");
};

TEST_F(Refused, OtherOptions) {
    auto options = options_;
    options.learning_rate = 0.03;
    expect<OptionError>("its learning-rate was '0.02', but is '0.03' now", options, data_, fresh());
    options = options_;
    options.optimiser = "adam";
    expect<OptionError>("its optimiser was 'adamw', but is 'adam' now", options, data_, fresh());
    options = options_;
    options.epochs = 50;
    expect<OptionError>("its epochs was '5', but is '50' now", options, data_, fresh());
}

TEST_F(Refused, OtherData) {
    auto data = data_;
    data.training.x = data.training.x.clone();
    data.training.x[0][0] += 1e-15;
    expect<OptionError>("other data", options_, data, fresh());
    data = data_;
    data.validation.target = 1 - data.validation.target;
    expect<OptionError>("other data", options_, data, fresh());
    data = data_;
    data.validation = {};
    expect<OptionError>("other data", options_, data, fresh());
}

TEST_F(Refused, OtherModels) {
    auto other = small();
    other.hidden = {8, 5};
    expect<OptionError>("another architecture", options_, data_, fresh(1, "dsl", other));
    other = small();
    other.precision = "float64";
    expect<OptionError>("another architecture", options_, data_, fresh(1, "dsl", other));
    expect<OptionError>("another architecture", options_, data_, fresh(1, "mlp"));
    // The same tensors, used in another way.
    for (const auto& change : std::vector<std::function<void(model::ModelOptions&)>>{
             [](auto& o) { o.activation = "leaky_relu"; }, [](auto& o) { o.cells = 5; },
             [](auto& o) { o.input_scale = 3.0; }, [](auto& o) { o.heads = "paper"; }}) {
        other = small();
        change(other);
        expect<OptionError>("answers otherwise", options_, data_, fresh(1, "dsl", other));
    }
}

TEST_F(Refused, DamagedFiles) {
    const std::string whole = io::read_file(path_, 1 << 24);
    for (const double share : {0.0, 0.01, 0.3, 0.9}) {
        io::write_file(
            path_,
            whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
        EXPECT_NE(message<io::FileError>(options_, data_.training, data_.validation, fresh()), "");
    }
    // A single bit of the weights, which no header could tell.
    for (const double share : {0.5, 0.7, 0.999}) {
        auto damaged = whole;
        damaged[static_cast<std::size_t>(share * static_cast<double>(whole.size()))] ^= 4;
        io::write_file(path_, damaged);
        EXPECT_NE(message<io::FileError>(options_, data_.training, data_.validation, fresh()), "");
    }
    io::write_file(path_, whole);
    auto model = fresh();
    EXPECT_FALSE(
        train(*model, data_.training, data_.validation, options_, {}, {path_, 1, 0.0, true})
            .interrupted);
}

TEST_F(Refused, ForeignFiles) {
    io::write_file(path_, "epoch,loss\n1,0.5\n");
    EXPECT_NE(message<io::FileError>(options_, data_.training, data_.validation, fresh()), "");
    io::write_tensor_file(path_, {{{"format", "deepsl model"}}, {}});
    expect<io::FileError>("no checkpoint", options_, data_, fresh());
    io::write_tensor_file(path_, {{{"format", "deepsl training"}, {"version", "7"}}, {}});
    expect<io::FileError>("version '7'", options_, data_, fresh());
    std::filesystem::remove(static_cast<const std::string&>(path_));
    EXPECT_NE(message<io::FileError>(options_, data_.training, data_.validation, fresh()), "");
}

TEST_F(Refused, BadRequests) {
    auto model = fresh();
    const auto attempt = [&](const Checkpointing& checkpointing) {
        train(*model, data_.training, data_.validation, options_, {}, checkpointing);
    };
    EXPECT_THROW(attempt({"", 1, 0.0, true}), OptionError);
    EXPECT_THROW(attempt({path_, -1, 0.0, false}), OptionError);
    EXPECT_THROW(attempt({path_, 1, -1.0, false}), OptionError);
    EXPECT_THROW(attempt({path_, 1, std::nan(""), false}), OptionError);
    EXPECT_THROW(attempt({"no such directory/file", 1, 0.0, false}), io::FileError);
}

}  // namespace
}  // namespace deepsl::train
