// A batch under way, behind the handle of startCopy.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "copy/block_copy.h"
#include "copy/copy_engine.h"
#include "copy/packing_plan.h"
#include "executor/failure.h"

namespace copyscope::copy {

enum class CopyState : int { pending, done, failed, cancelled };

/// A host tensor that isn't contiguous: element (i, j, …) is at i * strides[0] + j * strides[1] + … elements.
struct StridedSource {
  std::size_t transfer = 0;
  std::uint32_t elementBytes = 1;
  std::vector<std::uint64_t> shape;
  /// In elements; may be negative.
  std::vector<std::int64_t> strides;
};

class PendingCopy {
 public:
  /// `owner` keeps the stream alive, if the engine doesn't. A dropped copy waits in its stream, so it holds the owner.
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
  /// Work in another engine's stream that must be done first: recorded when the copy was requested.
  OwnedCopyEvent before;
  /// Released when the copy has ended; results on the host when they have been fetched.
  std::vector<BlockRef> sources;
  std::vector<BlockRef> results;
  PackingPlan placement;
  /// Called on the scheduler's thread after the end.
  std::function<void()> onEnd;

  /// Does the work here, or waits for it if it was submitted; does nothing if the copy has ended. Never throws.
  void execute() noexcept;
  /// Packs and submits a small batch here; returns false for others. With `find` host addresses may be missing.
  bool submitSmall(const FindSource& find = nullptr);
  /// Puts a copy of blocks into the stream here. Throws a Failure if it can't.
  void submitBlocks(BlockRequest request);
  CopyState state();
  void cancel() { cancelled_.store(true); }
  /// Returns the error; only if the state is failed or cancelled.
  const Failure& failure() const { return failure_; }
  void wait() noexcept;
  /// Returns true if submitSmall() or submitBlocks() has started it.
  bool isSubmitted() const { return isSubmitted_; }

 private:
  void gather();
  void fail() noexcept;
  void end(CopyState state) noexcept;
  void letGoOfSubmitted() noexcept;

  std::atomic<bool> cancelled_{false};
  /// Event of a batch that its owner submitted, and its blocks. Returned at the end, under the mutex, when no thread
  /// waits for it.
  OwnedCopyEvent submitted_;
  std::unique_ptr<BlockCopy> blocks_;
  int waiting_ = 0;
  bool isSubmitted_ = false;
  std::vector<std::vector<std::byte>> gathered_;
  std::mutex mutex_;
  CopyState state_ = CopyState::pending;
  std::condition_variable ended_;
  Failure failure_;
};

/// Runs pending copies one after another on its own thread.
class CopyScheduler {
 public:
  CopyScheduler() = default;
  ~CopyScheduler();
  CopyScheduler(const CopyScheduler&) = delete;
  CopyScheduler& operator=(const CopyScheduler&) = delete;

  void add(std::shared_ptr<PendingCopy> copy);
  /// Never waits for a copy without owner: if it is still on the wire, the scheduler's thread does.
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
