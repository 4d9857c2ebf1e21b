// Learns from a table and predicts another: the lines of README.md, on tables that are made here.
#include <cstdio>
#include <fstream>

#include <deepsl/data/table.h>
#include <deepsl/learner/apply.h>
#include <deepsl/learner/learn.h>
#include <deepsl/learner/model_file.h>
#include <deepsl/learner/task.h>

using namespace deepsl;

// Whoever has more than 30 makes a deposit, unless there is a loan.
void write_table(const char* path, bool with_target, int rows) {
    std::ofstream out(path);
    out << (with_target ? "balance,loan,deposit\n" : "balance,loan\n");
    for (int i = 0; i < rows; ++i) {
        const int balance = i * 37 % 101;
        const bool loan = i % 3 == 0;
        out << balance << (loan ? ",yes" : ",no");
        if (with_target) out << (balance > 30 && !loan ? ",yes" : ",no");
        out << '\n';
    }
}

int main() {
    write_table("bank.csv", true, 100);
    write_table("new.csv", false, 40);
    // As in README.md, from here
    const auto table = data::read_table("bank.csv");
    const auto learned = learner::learn(table, {}, learner::task_for(table, "deposit"));
    learner::save_model("bank.deepsl", learned.model);

    const auto model = learner::load_model("bank.deepsl");
    const auto predictions = learner::predict(model, learner::read_table_for(model, "new.csv"));
    // to here.
    std::printf("%zu rows predicted, %zu failed\n", predictions.size(), predictions.failed);
    return predictions.size() == 40 && predictions.failed == 0 ? 0 : 1;
}
