// The ring of pinned slots: allocated once, used again, guarded by an event each.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "copy_device.h"
#include "memory_pool.h"

namespace copyscope::copy {

struct Slot {
  BlockRef block;
  /// Where small tensors are brought together on the device, and the list of them; null until they are needed.
  BlockRef gathered;
  BlockRef pieces;
  OwnedCopyEvent event;
  /// The device may be using it. Cleared by whoever has seen the event done, so that the others needn't ask.
  std::atomic<bool> busy{false};
};

class SlotRing {
 public:
  SlotRing(CopyDevice& device, MemoryPool& pinned) : device_(device), pinned_(pinned) {}
  ~SlotRing() = default;
  SlotRing(const SlotRing&) = delete;
  SlotRing& operator=(const SlotRing&) = delete;

  /// Sees to `count` slots of `bytes` each; of these, memory for the first `needed` from the next one on. Throws
  /// Failure `copy.out-of-pinned-memory`. Keeps what is there where the shape is the same.
  void prepare(std::uint32_t count, std::uint64_t bytes, std::uint64_t needed);
  /// Gives the first `needed` slots from the next one on a place on the device, and room for `pieceBytes` of a list.
  /// False where there is no memory for them.
  bool prepareGathering(MemoryPool& deviceMemory, std::uint64_t pieceBytes, std::uint64_t needed);
  /// The slot that chunk `chunk` of the current job goes through.
  Slot& slotOf(std::uint64_t chunk) { return slots_[(start_ + chunk) % slots_.size()]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint64_t slotBytes() const { return slotBytes_; }
  std::uint64_t eventsMade() const { return eventsMade_; }
  /// Bytes of the slots that have their memory.
  std::uint64_t reservedBytes() const;
  /// The current job's chunks are on their way; the next job starts behind them.
  void advance(std::uint64_t chunks) { start_ = (start_ + chunks) % slots_.size(); }
  /// The current job's chunks have arrived; the next job starts at the first slot where all are free.
  void release(std::uint64_t chunks);
  /// After a job that failed: lets go of the slots whose copies have ended all the same.
  void releaseEnded();
  /// Records the slot's event behind what was put into the stream for it.
  void occupy(Slot& slot, StreamRef stream);
  /// Returns once the device has let go of the slot.
  void waitFor(Slot& slot);
  /// The same for every slot.
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
