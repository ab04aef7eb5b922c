// A batch on its way: what startCopy's handle stands for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "../failure.h"
#include "copy_engine.h"
#include "packing_plan.h"

namespace copyscope::copy {

enum class CopyState : int { pending, done, failed, cancelled };

/// A host tensor that isn't contiguous: element (i, j, …) lies at i * strides[0] + j * strides[1] + … elements.
struct StridedSource {
  std::size_t transfer = 0;
  std::uint32_t elementBytes = 1;
  std::vector<std::uint64_t> shape;
  /// In elements; may be negative.
  std::vector<std::int64_t> strides;
};

class PendingCopy {
 public:
  /// `owner`: what the stream lives as long as, where that isn't the engine. A copy that is dropped waits in its stream, so
  /// it keeps it itself.
  PendingCopy(std::shared_ptr<CopyEngine> copyEngine, StreamRef copyStream, std::shared_ptr<const void> owner = nullptr)
      : engine(std::move(copyEngine)), streamOwner(std::move(owner)), stream(copyStream) {}
  ~PendingCopy();
  PendingCopy(const PendingCopy&) = delete;
  PendingCopy& operator=(const PendingCopy&) = delete;

  const std::shared_ptr<CopyEngine> engine;
  const std::shared_ptr<const void> streamOwner;
  const StreamRef stream;
  Batch batch;
  CopyOptions options;
  std::vector<StridedSource> strided;
  /// Work in another engine's stream that must be done first: recorded when the copy was asked for.
  OwnedCopyEvent before;
  /// Let go of when the copy has ended; results on the host when they have been fetched.
  std::vector<BlockRef> sources;
  std::vector<BlockRef> results;
  PackingPlan placement;
  /// Called on the scheduler's thread after the end.
  std::function<void()> onEnd;

  /// Does the work on this thread, or waits for it where it was submitted; nothing where the copy has ended. Never throws.
  void execute() noexcept;
  /// Packs and submits a small batch on this thread; false where it isn't one. With `find` the batch needn't say where
  /// the tensors lie on the host.
  bool submitSmall(const FindSource& find = nullptr);
  CopyState state();
  void cancel() { cancelled_.store(true); }
  /// What went wrong; only where the state is failed or cancelled.
  const Failure& failure() const { return failure_; }
  void wait() noexcept;
  /// Whether submitSmall() has put it on its way.
  bool isSubmitted() const { return isSubmitted_; }

 private:
  void gather();
  void fail() noexcept;
  void end(CopyState state) noexcept;
  void giveBackEvent() noexcept;

  std::atomic<bool> cancelled_{false};
  /// Of a small batch that its owner submitted. Goes back with the end, under the mutex, once no thread waits for it.
  OwnedCopyEvent submitted_;
  int waiting_ = 0;
  bool isSubmitted_ = false;
  std::vector<std::vector<std::byte>> gathered_;
  std::mutex mutex_;
  CopyState state_ = CopyState::pending;
  std::condition_variable ended_;
  Failure failure_;
};

/// Runs pending copies one after another on a thread of its own.
class CopyScheduler {
 public:
  CopyScheduler() = default;
  ~CopyScheduler();
  CopyScheduler(const CopyScheduler&) = delete;
  CopyScheduler& operator=(const CopyScheduler&) = delete;

  void add(std::shared_ptr<PendingCopy> copy);
  /// Never waits for a copy that nobody has any more: where it is still on the wire, the scheduler's thread does.
  void letGo(std::shared_ptr<PendingCopy> copy) noexcept;

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<PendingCopy>> queue_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace copyscope::copy
