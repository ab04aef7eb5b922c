// Asks a run to end, from any thread. Waits in host code use it, so that they end at once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "executor/clock.h"

namespace copyscope {

class Stop {
 public:
  void request() noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      requested_.store(true, std::memory_order_release);
    }
    changed_.notify_all();
  }

  bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }

  const std::atomic<bool>& flag() const noexcept { return requested_; }

  /// Spins until the deadline, like working code. Ends early when a stop is requested.
  void busyUntil(std::int64_t deadlineNs) const noexcept {
    while (nowNs() < deadlineNs && !requested()) {
    }
  }

  /// Sleeps most of the time and spins for the rest, since waking from a sleep comes late.
  void sleepUntil(std::int64_t deadlineNs) {
    constexpr std::int64_t wakeUpNs = 200'000;
    const std::int64_t remaining = deadlineNs - nowNs();
    if (remaining > wakeUpNs) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, std::chrono::nanoseconds(remaining - wakeUpNs), [this] { return requested(); });
    }
    busyUntil(deadlineNs);
  }

 private:
  std::atomic<bool> requested_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace copyscope
