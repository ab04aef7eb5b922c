#include "slot_ring.h"

#include <algorithm>
#include <string>

#include "../failure.h"

namespace copyscope::copy {

SlotRing::~SlotRing() { reset(); }

void SlotRing::reset() {
  for (Slot& slot : slots_) {
    if (slot.event != nullptr) device_.destroyEvent(slot.event);
  }
  slots_.clear();
  start_ = 0;
}

void SlotRing::prepare(std::uint32_t count, std::uint64_t bytes, std::uint64_t needed) {
  if (slots_.size() != count || slotBytes_ != bytes) {
    waitForAll();
    reset();
    slots_.resize(count);
    slotBytes_ = bytes;
  }
  for (std::uint64_t chunk = 0; chunk < std::min<std::uint64_t>(count, needed); ++chunk) {
    Slot& slot = slotOf(chunk);
    if (slot.block != nullptr) continue;
    slot.block = pinned_.take(bytes);
    if (slot.block == nullptr) {
      throw Failure("copy.out-of-pinned-memory",
                    "There is no page-locked memory for a staging slot of " + std::to_string(bytes) + " bytes.",
                    "Let go of pinned results, or give the ring fewer or smaller slots.", "slots");
    }
    slot.event = device_.createEvent();
    ++eventsMade_;
  }
}

void SlotRing::advance(std::uint64_t chunks, bool allFree) {
  start_ = allFree || slots_.empty() ? 0 : (start_ + chunks) % slots_.size();
}

void SlotRing::waitForAll() {
  for (Slot& slot : slots_) {
    if (slot.event != nullptr) device_.wait(slot.event);
  }
}

}  // namespace copyscope::copy
