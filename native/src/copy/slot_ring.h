// The ring of pinned slots: allocated once, reused, each protected by an event.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "copy/copy_device.h"
#include "copy/memory_pool.h"

namespace copyscope::copy {

struct Slot {
  BlockRef block;
  /// Device memory for gathering small tensors, and the list of them; null until needed.
  BlockRef gathered;
  BlockRef pieces;
  OwnedCopyEvent event;
  /// The device may be using it. Cleared by the first thread that sees the event done, so that others need not query
  /// it.
  std::atomic<bool> busy{false};
};

class SlotRing {
 public:
  SlotRing(CopyDevice& device, MemoryPool& pinned) : device_(device), pinned_(pinned) {}
  ~SlotRing() = default;
  SlotRing(const SlotRing&) = delete;
  SlotRing& operator=(const SlotRing&) = delete;

  /// Provides `count` slots of `bytes` each, and memory for `needed` of them from the next one on. Throws Failure
  /// `copy.out-of-pinned-memory`. Keeps existing slots of the same shape.
  void prepare(std::uint32_t count, std::uint64_t bytes, std::uint64_t needed);
  /// Gives the next `needed` slots device memory, and a list of `pieceBytes`. Returns false if there is no memory.
  bool prepareGathering(MemoryPool& deviceMemory, std::uint64_t pieceBytes, std::uint64_t needed);
  /// Returns the slot of chunk `chunk` of the current job.
  Slot& slotOf(std::uint64_t chunk) { return slots_[(start_ + chunk) % slots_.size()]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint64_t slotBytes() const { return slotBytes_; }
  std::uint64_t eventsMade() const { return eventsMade_; }
  /// Returns the bytes of the slots that have their memory.
  std::uint64_t reservedBytes() const;
  /// Notes that the current job's chunks are under way; the next job starts after them.
  void advance(std::uint64_t chunks) { start_ = (start_ + chunks) % slots_.size(); }
  /// Notes that the current job's chunks have arrived; the next job starts at the first slot if all are free.
  void release(std::uint64_t chunks);
  /// Called after a failed job: releases the slots whose copies have ended all the same.
  void releaseEnded();
  /// Records the slot's event after its work in the stream.
  void occupy(Slot& slot, StreamRef stream);
  /// Returns when the device has released the slot.
  void waitFor(Slot& slot);
  /// Waits for every slot.
  void waitForAll();

 private:
  CopyDevice& device_;
  MemoryPool& pinned_;
  std::vector<Slot> slots_;
  std::uint64_t slotBytes_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t eventsMade_ = 0;
};

}  // namespace copyscope::copy
