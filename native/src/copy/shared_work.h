// One list of work for several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "copy/worker_pool.h"

namespace copyscope::copy {

/// Runs `work(index)` for 0 to count - 1 on this thread and `helpers` workers; the first exception ends it.
class SharedWork {
 public:
  explicit SharedWork(std::size_t count) : count_(count) {}
  template <typename Work>
  void run(WorkerPool& workers, unsigned helpers, const std::atomic<bool>* cancelled, const Work& work) {
    run(workers, helpers, cancelled, [] {}, work);
  }
  /// Does the same after this thread has run `lead()`, for which the others' work may wait.
  template <typename Lead, typename Work>
  void run(WorkerPool& workers, unsigned helpers, const std::atomic<bool>* cancelled, const Lead& lead,
           const Work& work) {
    auto body = [&] {
      try {
        for (std::size_t index = next_++; index < count_ && !failed(); index = next_++) {
          if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) return fail(nullptr);
          work(index, *this);
        }
      } catch (...) {
        fail(std::current_exception());
      }
    };
    auto own = [&] {
      try {
        lead();
      } catch (...) {
        fail(std::current_exception());
      }
      body();
    };
    workers.run(helpers, body, own);
  }
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// Throws the exception of the first failing thread.
  void rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  void fail(std::exception_ptr thrown) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (thrown_ == nullptr) thrown_ = std::move(thrown);
    failed_.store(true, std::memory_order_release);
  }

  const std::size_t count_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

/// Waits until `isSo` returns true; returns false if the work has failed.
template <typename IsSo>
bool await(const IsSo& isSo, const SharedWork& work) {
  for (int tries = 0; !isSo(); ++tries) {
    if (work.failed()) return false;
    if (tries % 64 == 63) std::this_thread::yield();
    relax();
  }
  return true;
}

inline bool awaitFlag(const std::atomic<bool>& flag, const SharedWork& work) {
  return await([&] { return flag.load(std::memory_order_acquire); }, work);
}

}  // namespace copyscope::copy
