#include "worker_pool.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

#include "../clock.h"
#include "copy_observer.h"

namespace copyscope::copy {
namespace {

/// Set in `entered_` while a task takes further threads.
constexpr std::uint32_t openBit = 1u << 31;

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
    : prepare_(std::move(prepare)), spinNs_(spinNs) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_.store(true);
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::start(unsigned helpers, Call call, void* context) {
  helpers_ = helpers;
  call_ = call;
  context_ = context;
  while (threads_.size() < helpers) {
    const auto number = static_cast<unsigned>(threads_.size());
    threads_.emplace_back([this, number] { work(number); });
  }
  if (helpers == 0) return;
  entered_.store(openBit, std::memory_order_release);
  bool anySleeping = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    task_.fetch_add(1, std::memory_order_release);
    anySleeping = sleeping_ > 0;
  }
  if (anySleeping) changed_.notify_all();
}

void WorkerPool::rouse(unsigned helpers) {
  if (helpers == 0 || spinNs_ == 0) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sleeping_ == 0) return;
    ++roused_;
  }
  changed_.notify_all();
}

void WorkerPool::finish() noexcept {
  if (helpers_ == 0) return;
  entered_.fetch_and(~openBit, std::memory_order_acq_rel);
  while (entered_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void WorkerPool::work(unsigned number) {
  ownNumber = number + 1;
  prepare_(number);
  std::uint64_t seen = 0;
  while (awaitTask(seen)) takePart(number);
}

bool WorkerPool::awaitTask(std::uint64_t& seen) {
  for (;;) {
    if (spinForTask(seen)) break;
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t roused = roused_;
    ++sleeping_;
    changed_.wait(lock, [&] { return closed_.load() || task_.load() != seen || roused_ != roused; });
    --sleeping_;
    if (closed_.load() || task_.load() != seen) break;
  }
  seen = task_.load(std::memory_order_acquire);
  return !closed_.load();
}

/// Looks busily for news, for a while; true where there are any.
bool WorkerPool::spinForTask(std::uint64_t seen) const {
  const std::int64_t deadline = nowNs() + spinNs_;
  do {
    for (int tries = 0; tries < 64; ++tries) {
      if (task_.load(std::memory_order_acquire) != seen || closed_.load(std::memory_order_relaxed)) return true;
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
  // Inside: what the task consists of stays as it is until this thread leaves.
  if (number < helpers_) call_(context_);
  entered_.fetch_sub(1, std::memory_order_acq_rel);
}

}  // namespace copyscope::copy
