// Statistics of an allocator, as in torch.cuda.memory_stats() and memory_snapshot().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/layout.h"

namespace copyscope {

struct AllocatorStatistics {
  /// Bytes used by the program, in whole blocks, without released blocks that wait for events.
  std::uint64_t allocatedBytes = 0;
  std::uint64_t peakAllocatedBytes = 0;
  /// Bytes held from the device, used or not.
  std::uint64_t reservedBytes = 0;
  std::uint64_t peakReservedBytes = 0;
  std::uint64_t allocations = 0;
  std::uint64_t segmentsAllocated = 0;
  std::uint64_t segmentsFreed = 0;
  /// Allocations that succeeded only after the cache was freed, and those that failed even so.
  std::uint64_t retries = 0;
  std::uint64_t failures = 0;
};

struct BlockSnapshot {
  /// The segment's number in order of address, and the block's place in it.
  std::uint32_t segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  /// Requested bytes; 0 if it is not allocated.
  std::uint64_t requestedBytes = 0;
  std::int32_t stream = -1;
  BlockState state = BlockState::inactive;
};

/// Returns the data that both caching allocators have on a block; its owner adds the place.
template <typename Block>
BlockSnapshot snapshotOf(const Block& block) {
  BlockSnapshot shown;
  shown.bytes = block.bytes;
  shown.requestedBytes = block.requested;
  shown.state = block.isAllocated        ? BlockState::allocated
                : block.pendingMarks > 0 ? BlockState::pendingFree
                                         : BlockState::inactive;
  return shown;
}

/// One block, from the cache or from a new segment of the device.
struct CachedAllocation {
  std::byte* address = nullptr;
  bool isNewSegment = false;
};

/// Bytes that an allocator holds from a time of an iteration on.
struct ReservedStep {
  std::int32_t iteration = 0;
  std::int64_t timeNs = 0;
  std::uint64_t bytes = 0;
};

/// State of one allocator at the end of a run's last recorded iteration.
struct MemoryReport {
  AllocatorKind allocator = AllocatorKind::caching;
  /// Index into Program::devices; -1 for host memory.
  std::int32_t device = -1;
  AllocatorStatistics statistics;
  std::vector<BlockSnapshot> blocks;
  std::vector<ReservedStep> reservedSteps;
};

}  // namespace copyscope
