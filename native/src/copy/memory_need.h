// The memory of a multi-tensor copy while it runs: its tensors on both sides, and its staging memory.
#pragma once

#include "copy/copy_options.h"

namespace copyscope::copy {

struct MemoryNeed {
  std::uint64_t pageable = 0;
  /// Bytes of tensors, of staging, and of the ring, which copies of one device use in turn.
  std::uint64_t pinned = 0;
  std::uint64_t staging = 0;
  std::uint64_t ring = 0;
  std::uint64_t device = 0;
};

/// Returns the same amounts as the engine's pools will take.
MemoryNeed memoryNeed(const MultiCopyPlan& plan);

}  // namespace copyscope::copy
