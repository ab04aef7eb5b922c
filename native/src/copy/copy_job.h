// A batch while the engine works on it.
#pragma once

#include <cstring>
#include <mutex>
#include <vector>

#include "copy/copy_engine.h"
#include "copy/copy_observer.h"
#include "executor/failure.h"

namespace copyscope::copy {

struct CopyEngine::Job {
  const Batch& batch;
  const CopyOptions& options;
  StreamRef stream;
  const std::atomic<bool>* cancelled;
  Tuning tuning;
  CopyObserver* observer;
  std::mutex mutex;
  /// Staging memory, held until all is done.
  std::vector<BlockRef> held;
  /// Finds the tensors' host addresses if the batch lacks them.
  const FindSource* find = nullptr;

  unsigned helpers() const { return tuning.threads - 1; }

  void hold(BlockRef block) {
    const std::lock_guard<std::mutex> lock(mutex);
    held.push_back(std::move(block));
  }

  /// Copies within host memory.
  void copyBytes(std::byte* to, const std::byte* from, std::uint64_t bytes) const {
    const ObservedCopy observed(observer, bytes);
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  void refuseCancelled() const {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
      throw Failure("copy.cancelled", "The copy was cancelled.");
    }
  }

  std::byte* target(const Transfer& transfer) const {
    return batch.direction == Direction::d2h ? transfer.host : transfer.device;
  }
  std::byte* source(const Transfer& transfer) const {
    return batch.direction == Direction::d2h ? transfer.device : transfer.host;
  }
};

}  // namespace copyscope::copy
