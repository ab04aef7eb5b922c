// What an allocator tells of itself, as torch.cuda.memory_stats() and memory_snapshot() do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout.h"

namespace copyscope {

struct AllocatorStatistics {
  /// Bytes in the hands of the program, in whole blocks. What waits for events after its release counts no more.
  std::uint64_t allocatedBytes = 0;
  std::uint64_t peakAllocatedBytes = 0;
  /// Bytes held from the device, used or not.
  std::uint64_t reservedBytes = 0;
  std::uint64_t peakReservedBytes = 0;
  std::uint64_t allocations = 0;
  std::uint64_t segmentsAllocated = 0;
  std::uint64_t segmentsFreed = 0;
  /// Allocations that succeeded only after the cache was given back, and those that failed even so.
  std::uint64_t retries = 0;
  std::uint64_t failures = 0;
};

struct BlockSnapshot {
  /// The segment's number in order of address, and the block's place in it.
  std::uint32_t segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  /// Bytes that were asked for; 0 where it is not allocated.
  std::uint64_t requestedBytes = 0;
  std::int32_t stream = -1;
  BlockState state = BlockState::inactive;
};

/// What both caching allocators know of a block; where it lies is for its owner to add.
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

/// One block, whether it came from the cache or needed a segment of the device.
struct CachedAllocation {
  std::byte* address = nullptr;
  bool isNewSegment = false;
};

}  // namespace copyscope
