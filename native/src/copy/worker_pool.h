// Persistent threads: they spin for the next task for a short while after each one, then sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace copyscope::copy {

/// Tells the processor that this is a spin loop.
void relax() noexcept;

class WorkerPool {
 public:
  /// `prepare` runs first on each thread, with the thread's number. `spinNs`: time that a worker spins for the next
  /// task before it sleeps.
  WorkerPool(std::function<void(unsigned)> prepare, std::int64_t spinNs);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs `own()` on this thread, and `body()` on up to `helpers` workers that wake in time. Both take their share of
  /// the work themselves and must not throw. Returns when no thread is inside them. One caller at a time.
  template <typename Body, typename Own>
  void run(unsigned helpers, Body& body, Own& own) {
    start(helpers, [](void* context) { (*static_cast<Body*>(context))(); }, &body);
    own();
    finish();
  }

  /// Starts waking sleeping workers, for a task that comes in a moment.
  void rouse(unsigned helpers);

  unsigned threads() const { return made_.load(); }

 private:
  using Call = void (*)(void*);

  struct Worker {
    std::thread thread;
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> asleep{false};
  };

  void start(unsigned helpers, Call call, void* context);
  void finish() noexcept;
  void tell(unsigned helpers);
  void wake(unsigned first, unsigned step, unsigned end);
  void work(unsigned number);
  bool awaitNews(Worker& self, std::uint64_t& seen);
  bool spinForNews(std::uint64_t seen) const;
  bool isNews(std::uint64_t seen) const { return news_.load() != seen || closed_.load(); }
  void takePart(unsigned number);

  const std::function<void(unsigned)> prepare_;
  const std::int64_t spinNs_;
  /// Numbers of tasks, and of news: `news_` also counts tasks announced by rouse().
  std::atomic<std::uint64_t> task_{0};
  std::atomic<std::uint64_t> news_{0};
  /// Number of workers that the latest news is for.
  std::atomic<unsigned> wanted_{0};
  /// Threads inside the task's body, and whether more may enter.
  std::atomic<std::uint32_t> entered_{0};
  Call call_ = nullptr;
  void* context_ = nullptr;
  unsigned helpers_ = 0;
  std::atomic<bool> closed_{false};
  /// Never moved: its full size is reserved. The thread that starts a task adds workers; others read the first made_.
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<unsigned> made_{0};
};

}  // namespace copyscope::copy
