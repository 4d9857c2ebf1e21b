#include "deepsl/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace deepsl {
namespace {

std::atomic<int> wanted{1};
thread_local bool inside_piece = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

/// Waits a little for `ready` without sleeping: the next job often follows at once, and waking a
/// thread takes longer than that.
template <class Ready>
bool spin(Ready ready) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(20);
    do {
        for (int i = 0; i < 16; ++i) {
            if (ready()) return true;
            pause();
        }
    } while (Clock::now() < end);
    return ready();
}

class Job {
public:
    Job(std::size_t count, const std::function<void(std::size_t)>& work)
        : count_(count), work_(work) {}

    /// Takes pieces until none is left.
    void run() {
        const bool before = std::exchange(inside_piece, true);
        for (auto i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
             i = next_.fetch_add(1, std::memory_order_relaxed)) {
            try {
                work_(i);
            } catch (...) {
                fail(i, std::current_exception());
            }
        }
        inside_piece = before;
    }

    void rethrow() {
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    /// Pieces are begun in order, so those before the one that failed have been begun, and the
    /// first one to fail is the same on any number of threads.
    void fail(std::size_t piece, std::exception_ptr error) {
        next_.store(count_, std::memory_order_relaxed);
        const std::lock_guard lock(mutex_);
        if (piece > failed_) return;
        failed_ = piece;
        error_ = std::move(error);
    }

    const std::size_t count_;
    const std::function<void(std::size_t)>& work_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::size_t failed_ = std::numeric_limits<std::size_t>::max();
    std::exception_ptr error_;
};

/// Workers wait for a job and join it while it is open. The caller works, too, closes the job when
/// no piece is left to take, and waits only for those who joined: a worker that got no core in
/// time is not missed.
class Pool {
public:
    ~Pool() { stop(); }

    /// One caller at a time.
    void run(Job& job, std::size_t helpers) {
        resize(helpers);
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            number_.fetch_add(1, std::memory_order_release);
        }
        begun_.notify_all();
        job.run();
        std::unique_lock lock(mutex_);
        job_ = nullptr;
        lock.unlock();
        const auto alone = [this] { return helping_.load(std::memory_order_acquire) == 0; };
        if (spins_ && spin(alone)) return;
        lock.lock();
        finished_.wait(lock, alone);
    }

    std::mutex& callers() { return callers_; }

private:
    void resize(std::size_t helpers) {
        if (helpers == size_) return;
        stop();
        size_ = helpers;
        spins_ = helpers < static_cast<std::size_t>(available_threads());
        stopped_.store(false, std::memory_order_relaxed);
        try {
            for (std::size_t i = 0; i < helpers; ++i) workers_.emplace_back([this] { serve(); });
        } catch (const std::system_error&) {
            // No more threads to be had: those that are there do it.
        }
    }

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_.store(true, std::memory_order_release);
        }
        begun_.notify_all();
        for (auto& worker : workers_) worker.join();
        workers_.clear();
    }

    void serve() {
        std::uint64_t seen = 0;
        const auto called = [&] {
            return stopped_.load(std::memory_order_acquire) ||
                   number_.load(std::memory_order_acquire) != seen;
        };
        for (;;) {
            if (spins_) spin(called);
            std::unique_lock lock(mutex_);
            begun_.wait(lock, called);
            if (stopped_.load(std::memory_order_relaxed)) return;
            seen = number_.load(std::memory_order_relaxed);
            Job* job = job_;
            if (job == nullptr) continue;
            helping_.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            job->run();
            lock.lock();
            // From here on the job may be gone.
            if (helping_.fetch_sub(1, std::memory_order_release) == 1) finished_.notify_all();
        }
    }

    std::mutex callers_;  // held by the one whose job it is
    std::mutex mutex_;    // guards job_, and the changes of what follows
    std::condition_variable begun_, finished_;
    Job* job_ = nullptr;  // open to be joined
    std::atomic<std::uint64_t> number_{0};
    std::atomic<int> helping_{0};
    std::atomic<bool> stopped_{false};
    bool spins_ = false;
    std::size_t size_ = 0;  // asked for
    std::vector<std::thread> workers_;
};

Pool& pool() {
    static Pool one;
    return one;
}

}  // namespace

void set_threads(int count) { wanted.store(std::max(count, 1), std::memory_order_relaxed); }

int threads() { return wanted.load(std::memory_order_relaxed); }

int available_threads() {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
    if (count == 0) return;
    if (count == 1 || inside_piece) {
        for (std::size_t i = 0; i < count; ++i) work(i);
        return;
    }
    Job job(count, work);
    const auto helpers = static_cast<std::size_t>(threads() - 1);
    // Whoever comes while another one's job is under way does his own on his own.
    std::unique_lock lock(pool().callers(), std::defer_lock);
    if (helpers > 0 && lock.try_lock()) {
        pool().run(job, helpers);
    } else {
        job.run();
    }
    job.rethrow();
}

}  // namespace deepsl
