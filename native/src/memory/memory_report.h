// State of one allocator at the end of a run's last recorded iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/allocator_statistics.h"

namespace copyscope {

struct MemoryReport {
  AllocatorKind allocator = AllocatorKind::caching;
  /// Index into Program::devices; -1 for host memory.
  std::int32_t device = -1;
  AllocatorStatistics statistics;
  std::vector<BlockSnapshot> blocks;
};

}  // namespace copyscope
