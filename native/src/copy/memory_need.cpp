#include "copy/memory_need.h"

#include <algorithm>
#include <thread>

#include "copy/copy_engine.h"

namespace copyscope::copy {
namespace {

unsigned coresHere() { return std::max(1u, std::thread::hardware_concurrency()); }

/// Returns the size of the list of pieces for a kernel.
std::uint64_t listBytes(const MultiCopyPlan& plan, std::uint64_t payload) {
  return blockBytes((plan.sizes.size() + payload / pieceBytes + 1) * sizeof(Piece));
}

/// Returns an upper bound for tensors in shared blocks, each at its alignment, however they are grouped.
std::uint64_t packedBytes(const MultiCopyPlan& plan, std::uint64_t payload) {
  const std::uint64_t each = plan.options.minPackedAlignmentBytes + blockBytes(1);
  const std::uint64_t bytes = payload + plan.sizes.size() * each;
  return bytes + bytes / 8;
}

/// Returns the size of the slots for its chunks, each with a list if small tensors are gathered on the device.
std::uint64_t ringOf(const MultiCopyPlan& plan, std::uint64_t payload) {
  const Tuning tuning = chooseTuning(plan.options, payload, coresHere());
  const std::uint64_t gaps = plan.sizes.size() * mostGapBytes;
  const std::uint64_t slots = std::min<std::uint64_t>(tuning.slots, (payload + gaps) / tuning.chunkBytes + 1);
  const std::uint64_t inChunk = std::min<std::uint64_t>(plan.sizes.size() + tuning.chunkBytes / pieceBytes + 1,
                                                        tuning.chunkBytes / runAlignment + 1);
  const std::uint64_t list = plan.direction == Direction::d2h ? blockBytes(inChunk * sizeof(Piece)) : 0;
  return slots * (blockBytes(tuning.slotBytes) + list);
}

std::uint64_t stagingOf(const MultiCopyPlan& plan, std::uint64_t payload, std::uint64_t blocks) {
  if (plan.direction == Direction::h2h) return 0;
  if (plan.direction == Direction::d2d) {
    return plan.options.strategy == Strategy::pipelined ? listBytes(plan, payload) : 0;
  }
  switch (plan.options.strategy) {
    case Strategy::blockingLoop:
    case Strategy::nonBlockingLoop:
      return 0;
    case Strategy::pinThenCopy:
      return plan.sizes.empty() ? 0 : blockBytes(*std::max_element(plan.sizes.begin(), plan.sizes.end()));
    case Strategy::packed:
      return plan.options.usePinnedStaging ? packedBytes(plan, payload) : 0;
    case Strategy::pipelined:
      return 0;
    default:
      return blocks;
  }
}

}  // namespace

MemoryNeed memoryNeed(const MultiCopyPlan& plan) {
  std::uint64_t payload = 0;
  std::uint64_t blocks = 0;
  for (const std::uint64_t bytes : plan.sizes) {
    payload += bytes;
    blocks += blockBytes(bytes);
  }
  const bool onHost = plan.direction == Direction::h2h;
  const bool onDevice = plan.direction == Direction::d2d;
  const std::uint64_t hostSides = onHost ? 2 : onDevice ? 0 : 1;
  MemoryNeed need;
  (plan.pinned ? need.pinned : need.pageable) = hostSides * (plan.pinned ? blocks : payload);
  const bool packs = plan.options.strategy >= Strategy::packed && plan.direction == Direction::h2d;
  need.device = (onHost ? 0 : onDevice ? 2 : 1) * (packs ? packedBytes(plan, payload) : blocks);
  need.staging = stagingOf(plan, payload, blocks);
  const bool ring = plan.options.strategy == Strategy::pipelined && !onHost && !onDevice && !plan.pinned;
  need.ring = ring ? ringOf(plan, payload) : 0;
  return need;
}

}  // namespace copyscope::copy
