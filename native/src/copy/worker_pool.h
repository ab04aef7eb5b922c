// Threads that stay: they look busily for the next task for a short while after each one, then sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace copyscope::copy {

/// Tells the processor that this is a busy loop.
void relax() noexcept;

class WorkerPool {
 public:
  /// `prepare` runs first on each thread, with the thread's number. `spinNs`: how long a worker looks for the next task before it sleeps.
  WorkerPool(std::function<void(unsigned)> prepare, std::int64_t spinNs);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs `own()` on this thread, and `body()` on up to `helpers` workers as far as they wake in time. Both take their
  /// share of the work themselves and must not throw. Returns once no thread is inside them. One caller at a time.
  template <typename Body, typename Own>
  void run(unsigned helpers, Body& body, Own& own) {
    start(helpers, [](void* context) { (*static_cast<Body*>(context))(); }, &body);
    own();
    finish();
  }

  /// Starts waking sleeping workers, for a task that comes in a moment.
  void rouse(unsigned helpers);

  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }

 private:
  using Call = void (*)(void*);

  void start(unsigned helpers, Call call, void* context);
  void finish() noexcept;
  void work(unsigned number);
  bool awaitTask(std::uint64_t& seen);
  bool spinForTask(std::uint64_t seen) const;
  void takePart(unsigned number);

  const std::function<void(unsigned)> prepare_;
  const std::int64_t spinNs_;
  /// Counts tasks. Written under the mutex.
  std::atomic<std::uint64_t> task_{0};
  /// Counts calls of rouse(). Written under the mutex.
  std::uint64_t roused_ = 0;
  /// Threads inside the task's body, and whether more may enter.
  std::atomic<std::uint32_t> entered_{0};
  Call call_ = nullptr;
  void* context_ = nullptr;
  unsigned helpers_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned sleeping_ = 0;
  std::atomic<bool> closed_{false};
  std::vector<std::thread> threads_;
};

}  // namespace copyscope::copy
