// How a batch goes through pinned slots: chunks that fill a slot each, units of host work, and runs over the link.
#pragma once

#include <cstdint>
#include <vector>

#include "copy_options.h"

namespace copyscope::copy {

/// A piece of one tensor, and where it lies in the slot.
struct Segment {
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t slotOffset = 0;
};

/// One copy between the slot and the device.
struct LinkRun {
  std::byte* device = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t slotOffset = 0;
};

/// Host work that one thread takes at once.
struct Unit {
  std::uint32_t chunk = 0;
  std::uint32_t firstSegment = 0;
  std::uint32_t endSegment = 0;
};

struct Chunk {
  std::uint64_t bytes = 0;
  std::uint32_t firstRun = 0;
  std::uint32_t endRun = 0;
  std::uint32_t units = 0;
};

struct TransferPlan {
  std::vector<Segment> segments;
  std::vector<LinkRun> runs;
  std::vector<Unit> units;
  std::vector<Chunk> chunks;
};

/// Cuts transfers, in order, into chunks of at most `chunkBytes` and units of about `unitBytes`. Neighbours on the
/// device share a run; so do those of one storage with little padding between them, which then carries old bytes over.
/// Reuses the plan's memory.
void planTransfers(const std::vector<Transfer>& transfers, std::uint64_t chunkBytes, std::uint64_t unitBytes,
                   TransferPlan& plan);

}  // namespace copyscope::copy
