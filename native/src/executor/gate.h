// Holds the host threads between iterations and releases them together.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "executor/clock.h"

namespace copyscope {

class Gate {
 public:
  explicit Gate(int threads) : threads_(threads) {}

  // Functions for the thread that leads the run.

  /// Wakes all threads, waits until each stands at the gate, then opens it. Returns the time of opening.
  std::int64_t open() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = 0;
      through_.store(0, std::memory_order_relaxed);
      standing_.store(0, std::memory_order_relaxed);
      ++round_;
    }
    changed_.notify_all();
    while (standing_.load(std::memory_order_acquire) < threads_) std::this_thread::yield();
    const std::int64_t opened = nowNs();
    released_.store(round_, std::memory_order_release);
    return opened;
  }

  /// Waits until every thread has passed through and arrived at the other side.
  void waitForAll() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return done_ == threads_; });
  }

  /// Ends the rounds: threads that wait leave.
  void close() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  // Functions for the host threads.

  /// Waits for the next round; returns false when the gate is closed. Sleeps while the next iteration is prepared, and
  /// spins at the end, after `settle`, so that all threads start at once.
  template <typename Settle>
  bool pass(std::uint64_t& round, const Settle& settle) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || round_ > round; });
      if (round_ == round) return false;
      round = round_;
    }
    settle();
    standing_.fetch_add(1, std::memory_order_acq_rel);
    while (released_.load(std::memory_order_acquire) < round) std::this_thread::yield();
    return true;
  }

  /// Returns true for the last caller of this round.
  bool isLast() { return through_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_; }

  void arrive() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++done_;
    }
    changed_.notify_all();
  }

 private:
  const int threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t round_ = 0;
  int done_ = 0;
  bool closed_ = false;
  std::atomic<int> standing_{0};
  std::atomic<int> through_{0};
  std::atomic<std::uint64_t> released_{0};
};

}  // namespace copyscope
