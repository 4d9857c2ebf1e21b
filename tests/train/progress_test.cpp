// Training as text.
#include "deepsl/train/progress.h"

#include <gtest/gtest.h>

namespace deepsl::train {
namespace {

EpochReport report() {
    EpochReport r;
    r.epoch = 3;
    r.epochs = 60;
    r.loss = 0.31244;
    r.spectral = 0.0;
    r.train_metric = 0.912;
    r.validation_loss = 0.32017;
    r.validation_metric = 0.903;
    r.lambda_first = 1.519;
    r.lambda_last = 203.04;
    r.samples_per_second = 4012.4;
    r.seconds_left = 42.2;
    return r;
}

TEST(EpochLine, TellsAllFigures) {
    auto r = report();
    EXPECT_EQ(epoch_line(r, "accuracy"),
              "epoch  3/60  loss 0.3124    accuracy 0.9120  validation 0.3202, 0.9030    failed 0  "
              "lambda 1.52 .. 203  4012 samples/s  0:42 left");
    r.best = true;
    r.spectral = 0.001214;
    r.failed_lines = 5;
    r.failures = {{"not_finite", 2}, {"outside", 3}};
    r.validation_failed = 1;
    r.skipped_steps = 4;
    EXPECT_EQ(
        epoch_line(r, "r2"),
        "epoch  3/60  loss 0.3124    spectral 0.00121    r2 0.9120  validation 0.3202, 0.9030 *  "
        "failed 5 (not_finite 2, outside 3) + 1  lambda 1.52 .. 203  skipped steps 4  "
        "4012 samples/s  0:42 left");
}

TEST(EpochLine, LeavesOutWhatThereIsNot) {
    auto r = report();
    r.validation_metric = r.lambda_first = r.lambda_last = EpochReport::none;
    r.best = true;  // by the loss on the rows that are learned from, which tells nobody anything
    const auto line = epoch_line(r, "accuracy");
    EXPECT_EQ(line.find("validation"), std::string::npos) << line;
    EXPECT_EQ(line.find("lambda"), std::string::npos) << line;
    EXPECT_EQ(line.find("nan"), std::string::npos) << line;
    EXPECT_EQ(line.find('*'), std::string::npos) << line;
}

TEST(ProgressBar, FillsWithTheFraction) {
    const Progress half{3, 60, 0.5, 0.3124, 42.0};
    EXPECT_EQ(progress_bar(half),
              "[##############---------------]  50 %  epoch 3/60  loss 0.3124  0:42 left");
    EXPECT_EQ(progress_bar({3, 60, 0.0, 0.3124, 42.0}).substr(0, 31),
              "[-----------------------------]");
    EXPECT_EQ(progress_bar({3, 60, 1.0, 0.3124, 42.0}).substr(0, 37),
              "[#############################] 100 %");
}

TEST(ProgressBar, FitsIntoTheTerminal) {
    const Progress progress{123, 1000, 0.371, 1234567.0, 1e6};
    for (int width = 1; width < 120; ++width) {
        const auto bar = progress_bar(progress, width);
        EXPECT_LT(bar.size(), static_cast<std::size_t>(width)) << bar;
        EXPECT_EQ(bar.find('\n'), std::string::npos);
    }
    EXPECT_NE(progress_bar(progress, 40).find(" 37 %"), std::string::npos);
}

TEST(Duration, ReadsLikeAClock) {
    EXPECT_EQ(duration(0.0), "0:00");
    EXPECT_EQ(duration(59.6), "1:00");
    EXPECT_EQ(duration(725.0), "12:05");
    EXPECT_EQ(duration(12000.0), "3:20:00");
    EXPECT_EQ(duration(EpochReport::none), "?");
    EXPECT_EQ(duration(1e300), "?");
}

TEST(SummaryLine, TellsHowItEnded) {
    TrainingRecord record;
    record.epochs.resize(17);
    record.best_epoch = 12;
    record.metric_name = "accuracy";
    record.best_metric = 0.92345;
    record.seconds = 65.0;
    EXPECT_EQ(summary_line(record), "17 epochs in 1:05, best 12 with training accuracy 0.9234");
    record.validation_rows = 20;
    record.stopped_early = true;
    record.failed_lines = 3;
    record.failures = {{"outside", 3}};
    record.skipped_steps = 1;
    EXPECT_EQ(
        summary_line(record),
        "17 epochs in 1:05 (stopped after 5 epochs without improvement), best 12 with validation "
        "accuracy 0.9234, "
        "3 lines failed (outside 3), 1 step skipped");
    record = {};
    record.epochs.resize(1);
    record.best_epoch = 1;
    record.metric_name = "r2";
    record.best_metric = 0.5;
    EXPECT_EQ(summary_line(record), "1 epoch in 0:00, best 1 with training R² 0.5000");
    record.voters = 15;
    record.fold_metric = 0.4;
    EXPECT_EQ(summary_line(record), "15 models trained in 0:00, R² on rows left out 0.4000");
}

}  // namespace
}  // namespace deepsl::train
