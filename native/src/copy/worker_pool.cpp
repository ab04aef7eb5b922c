#include "copy/worker_pool.h"

#include <algorithm>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

#include "copy/copy_observer.h"
#include "executor/clock.h"

namespace copyscope::copy {
namespace {

/// Set in `entered_` while a task takes further threads.
constexpr std::uint32_t openBit = 1u << 31;
constexpr unsigned mostWorkers = 1024;
/// Waking a thread took its waker about 1.4 us on an H200's virtual machine, and the thread ran 15 us later. So the
/// caller wakes this number, and these wake the others.
constexpr unsigned wokenByCaller = 4;

thread_local unsigned ownNumber = 0;

}  // namespace

unsigned workerNumber() noexcept { return ownNumber; }

void relax() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

WorkerPool::WorkerPool(std::function<void(unsigned)> prepare, std::int64_t spinNs)
    : prepare_(std::move(prepare)), spinNs_(spinNs) {
  workers_.reserve(mostWorkers);
}

WorkerPool::~WorkerPool() {
  closed_.store(true);
  for (const auto& worker : workers_) {
    { const std::lock_guard<std::mutex> lock(worker->mutex); }
    worker->changed.notify_one();
  }
  for (const auto& worker : workers_) worker->thread.join();
}

void WorkerPool::start(unsigned helpers, Call call, void* context) {
  helpers_ = helpers;
  call_ = call;
  context_ = context;
  while (workers_.size() < std::min(helpers, mostWorkers)) {
    const auto number = static_cast<unsigned>(workers_.size());
    workers_.push_back(std::make_unique<Worker>());
    try {
      workers_.back()->thread = std::thread([this, number] { work(number); });
    } catch (...) {
      // A worker without a thread can't be joined.
      workers_.pop_back();
      throw;
    }
    made_.store(number + 1, std::memory_order_release);
  }
  if (helpers == 0) return;
  entered_.store(openBit, std::memory_order_release);
  task_.fetch_add(1, std::memory_order_release);
  tell(helpers);
}

void WorkerPool::rouse(unsigned helpers) {
  if (helpers > 0 && spinNs_ > 0) tell(helpers);
}

void WorkerPool::finish() noexcept {
  if (helpers_ == 0) return;
  entered_.fetch_and(~openBit, std::memory_order_acq_rel);
  while (entered_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void WorkerPool::tell(unsigned helpers) {
  wanted_.store(helpers, std::memory_order_relaxed);
  news_.fetch_add(1);
  wake(0, 1, wokenByCaller);
}

void WorkerPool::wake(unsigned first, unsigned step, unsigned end) {
  const unsigned count = std::min(wanted_.load(std::memory_order_relaxed), made_.load(std::memory_order_acquire));
  for (unsigned number = first; number < std::min(count, end); number += step) {
    Worker& worker = *workers_[number];
    // The worker marks itself asleep before it checks for news a last time.
    if (!worker.asleep.load()) continue;
    { const std::lock_guard<std::mutex> lock(worker.mutex); }
    worker.changed.notify_one();
  }
}

void WorkerPool::work(unsigned number) {
  ownNumber = number + 1;
  prepare_(number);
  std::uint64_t seen = 0;
  std::uint64_t task = 0;
  while (awaitNews(*workers_[number], seen)) {
    if (number < wokenByCaller) wake(number + wokenByCaller, wokenByCaller, mostWorkers);
    const std::uint64_t current = task_.load(std::memory_order_acquire);
    if (current == task) continue;
    task = current;
    takePart(number);
  }
}

/// Returns false if the pool is closed.
bool WorkerPool::awaitNews(Worker& self, std::uint64_t& seen) {
  if (!spinForNews(seen)) {
    std::unique_lock<std::mutex> lock(self.mutex);
    self.asleep.store(true);
    self.changed.wait(lock, [&] { return isNews(seen); });
    self.asleep.store(false);
  }
  seen = news_.load();
  return !closed_.load();
}

/// Spins for news for a while; returns true if there are any.
bool WorkerPool::spinForNews(std::uint64_t seen) const {
  const std::int64_t deadline = nowNs() + spinNs_;
  do {
    for (int tries = 0; tries < 64; ++tries) {
      if (isNews(seen)) return true;
      relax();
    }
  } while (nowNs() < deadline);
  return false;
}

void WorkerPool::takePart(unsigned number) {
  std::uint32_t entered = entered_.load(std::memory_order_acquire);
  do {
    if ((entered & openBit) == 0) return;
  } while (!entered_.compare_exchange_weak(entered, entered + 1, std::memory_order_acq_rel));
  // While a thread is inside, the task's data stays unchanged.
  if (number < helpers_) call_(context_);
  entered_.fetch_sub(1, std::memory_order_acq_rel);
}

}  // namespace copyscope::copy
