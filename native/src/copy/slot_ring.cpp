#include "copy/slot_ring.h"

#include <algorithm>
#include <string>

#include "executor/failure.h"

namespace copyscope::copy {

void SlotRing::prepare(std::uint32_t count, std::uint64_t bytes, std::uint64_t needed) {
  if (slots_.size() != count || slotBytes_ != bytes) {
    waitForAll();
    slots_ = std::vector<Slot>(count);
    start_ = 0;
    slotBytes_ = bytes;
  }
  for (std::uint64_t chunk = 0; chunk < std::min<std::uint64_t>(count, needed); ++chunk) {
    Slot& slot = slotOf(chunk);
    if (slot.block != nullptr) continue;
    OwnedCopyEvent event = device_.createEvent();
    BlockRef block = pinned_.take(bytes);
    if (block == nullptr) {
      throw Failure("copy.out-of-pinned-memory",
                    "There is no page-locked memory for a staging slot of " + std::to_string(bytes) + " bytes.",
                    "Let go of pinned results, or give the ring fewer or smaller slots.", "slots");
    }
    // Set together, since a slot with memory counts as complete.
    slot.event = std::move(event);
    slot.block = std::move(block);
    ++eventsMade_;
  }
}

bool SlotRing::prepareGathering(MemoryPool& deviceMemory, std::uint64_t pieceBytes, std::uint64_t needed) {
  for (std::uint64_t chunk = 0; chunk < std::min<std::uint64_t>(slots_.size(), needed); ++chunk) {
    Slot& slot = slotOf(chunk);
    if (slot.gathered == nullptr) slot.gathered = deviceMemory.take(slotBytes_);
    if (slot.pieces == nullptr || slot.pieces->bytes < pieceBytes) {
      waitFor(slot);
      slot.pieces = pinned_.take(pieceBytes);
    }
    if (slot.gathered == nullptr || slot.pieces == nullptr) return false;
  }
  return true;
}

std::uint64_t SlotRing::reservedBytes() const {
  std::uint64_t sum = 0;
  for (const Slot& slot : slots_) {
    for (const BlockRef& block : {slot.block, slot.pieces}) sum += block == nullptr ? 0 : block->bytes;
  }
  return sum;
}

void SlotRing::occupy(Slot& slot, StreamRef stream) {
  slot.busy.store(true, std::memory_order_relaxed);
  device_.record(slot.event.get(), stream);
}

void SlotRing::waitFor(Slot& slot) {
  if (!slot.busy.load(std::memory_order_acquire)) return;
  device_.wait(slot.event.get());
  slot.busy.store(false, std::memory_order_release);
}

void SlotRing::waitForAll() {
  for (Slot& slot : slots_) waitFor(slot);
}

void SlotRing::releaseEnded() {
  for (Slot& slot : slots_) {
    if (slot.event != nullptr && device_.isDone(slot.event.get())) slot.busy.store(false, std::memory_order_relaxed);
  }
}

void SlotRing::release(std::uint64_t chunks) {
  for (std::uint64_t chunk = 0; chunk < std::min<std::uint64_t>(chunks, slots_.size()); ++chunk) {
    slotOf(chunk).busy.store(false, std::memory_order_relaxed);
  }
  const bool anyBusy = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.busy.load(std::memory_order_relaxed);
  });
  start_ = anyBusy ? (start_ + chunks) % slots_.size() : 0;
}

}  // namespace copyscope::copy
