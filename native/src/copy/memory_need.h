// What a multi-tensor copy holds while it runs: its tensors on both sides, and what they are staged in.
#pragma once

#include "copy_options.h"

namespace copyscope::copy {

struct MemoryNeed {
  std::uint64_t pageable = 0;
  /// Of tensors; of staging, and of the ring, which copies of one device use in turn.
  std::uint64_t pinned = 0;
  std::uint64_t staging = 0;
  std::uint64_t ring = 0;
  std::uint64_t device = 0;
};

/// As much as the engine's pools take for it.
MemoryNeed memoryNeed(const MultiCopyPlan& plan);

}  // namespace copyscope::copy
