// A payload of many tensors that the engine makes itself, copies by a strategy, and verifies byte for byte. Programs'
// multi-tensor copies and benchmarks use it.
#pragma once

#include <memory>
#include <vector>

#include "copy/copy_engine.h"
#include "copy/packing_plan.h"
#include "executor/host_memory.h"

namespace copyscope::copy {

/// Tensor n holds the random pattern with this seed plus n.
constexpr std::uint32_t firstPatternSeed = 1000;

class MultiCopy {
 public:
  /// Makes and fills the sources. Throws Failure `run.out-of-memory`. Once `cancelled` is true, this and everything
  /// else ends soon without completing; it must outlive the payload.
  MultiCopy(CopyEngine& engine, MultiCopyPlan plan, const std::atomic<bool>* cancelled = nullptr);

  /// Copies all tensors, and returns when they have arrived. Takes device memory for the results from the engine's
  /// pool, as Tensor.to takes it from PyTorch's.
  void run(StreamRef stream, CopyObserver* observer = nullptr);
  /// Makes the same copies in a loop of plain asynchronous calls and one synchronise, without the engine.
  void runBare(StreamRef stream);
  /// Overwrites every byte of the targets, so that verify() checks the next run.
  void poison();
  Comparison verify();
  std::uint64_t bytes() const { return bytes_; }
  const MultiCopyPlan& plan() const { return plan_; }

 private:
  bool hostSource() const { return plan_.direction == Direction::h2d || plan_.direction == Direction::h2h; }
  bool hostTarget() const { return plan_.direction == Direction::d2h || plan_.direction == Direction::h2h; }
  bool isCancelled() const { return cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed); }
  std::byte* makeHost(std::uint64_t bytes, bool pinned);
  std::byte* makeDevice(std::uint64_t bytes, std::vector<BlockRef>& into);
  void makeSources();
  void placeTargets();
  /// A thread's tools for handling tensors without the engine: its own stream, and memory for the largest tensor.
  struct Hand {
    Pages scratch;
    /// Deleted before the memory that its copies use.
    OwnedCopyStream stream;
  };
  template <typename Work>
  void forEachTensor(const Work& work);
  void move(const Hand& hand, std::byte* target, const std::byte* source, std::uint64_t bytes, Direction direction);

  CopyEngine& engine_;
  const MultiCopyPlan plan_;
  const std::atomic<bool>* const cancelled_;
  std::uint64_t bytes_ = 0;
  std::vector<Pages> pages_;
  std::vector<BlockRef> blocks_;
  std::vector<BlockRef> results_;
  std::vector<TensorSize> tensors_;
  PackingPlan packing_;
  Batch batch_;
};

}  // namespace copyscope::copy
